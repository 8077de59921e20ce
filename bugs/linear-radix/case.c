/*
 * A map as a radix tree with version locks, after P-ART: who writes makes the version of a node odd,
 * who reads begins again if the version was odd or has changed. The version is in the node, so that it
 * becomes durable with it, and recovery leaves it as it is: a node that was locked stays locked.
 */
#include "../linear.h"

enum { NODES = 400, FAN = 4, DIGIT = 2 };

struct node {
	uint64_t version LINE;
	uint64_t child[FAN]; /* number, times 2; 1: of a leaf */
};

struct leaf {
	uint64_t key, value;
};

struct tree {
	uint64_t limit LINE; /* nodes and leaves are numbered together */
	struct node node[NODES];
	struct leaf leaf[NODES] LINE;
};

static void recover(struct tree *t)
{
	nodes_open(&t->limit);
#if FIXED
	for (int i = 0; i < NODES; i++)
		if (t->node[i].version & 1)
			pm_set(&t->node[i].version, t->node[i].version + 1);
#endif
}

RECOVERED(struct tree, recover)

/* The child of `node` that `key` belongs to, as it was at `version`. */
struct way {
	struct node *node;
	uint64_t version, *child, word, level;
};

static uint64_t *child_of(struct node *n, uint64_t key, uint64_t level)
{
	return &n->child[key * 0x9e3779b97f4a7c15u << DIGIT * level >> (64 - DIGIT)];
}

static struct way descend(struct tree *t, uint64_t key)
{
	struct way w = {.node = &t->node[0]};

	for (;;) {
		while ((w.version = pm_get(&w.node->version)) & 1) //@ load
			_mm_pause();
		w.child = child_of(w.node, key, w.level);
		w.word = pm_get(w.child);
		if (pm_get(&w.node->version) != w.version)
			continue;
		if (!w.word || w.word & 1)
			return w;
		w.node = &t->node[w.word >> 1];
		w.level++;
	}
}

static void unlock_node(struct node *n)
{
	pm_set(&n->version, n->version + 1);
}

/* If nothing has changed since. */
static int lock_node(const struct way *w)
{
	uint64_t version = w->version;

	return pm_cas(&w->node->version, &version, version + 1); //@ store
}

static void replace(const struct way *w, uint64_t word)
{
	pm_set(w->child, word);
	pm_persist(w->node, sizeof(struct node)); //@ flush
	unlock_node(w->node);
}

/* Nodes, as many as two leaves need to part. 0: there are none. */
static uint64_t part(struct tree *t, uint64_t a, uint64_t b, uint64_t level)
{
	uint64_t first = nodes_take(NODES), n = first, next;

	while (n && child_of(&t->node[n], t->leaf[a].key, level) ==
			    child_of(&t->node[n], t->leaf[b].key, level)) {
		next = nodes_take(NODES);
		*child_of(&t->node[n], t->leaf[a].key, level++) = next << 1;
		pm_flush(&t->node[n], sizeof(struct node));
		n = next;
	}
	if (!n)
		return 0;
	*child_of(&t->node[n], t->leaf[a].key, level) = a << 1 | 1;
	*child_of(&t->node[n], t->leaf[b].key, level) = b << 1 | 1;
	pm_persist(&t->node[n], sizeof(struct node));
	return first;
}

static uint64_t key_of(const struct tree *t, uint64_t word)
{
	return word ? t->leaf[word >> 1].key : 0;
}

static void insert(void *it, struct pd_linear_op *op)
{
	struct tree *t = it;
	uint64_t key = op->arg[0].word, fresh = nodes_take(NODES), node;
	struct way w;

	if (!fresh) {
		pd_linear_return(op, PD_FAILED);
		return;
	}
	t->leaf[fresh].key = key;
	t->leaf[fresh].value = op->arg[1].word;
	pm_persist(&t->leaf[fresh], sizeof(struct leaf));
	for (;;) {
		w = descend(t, key);
		if (w.word && key_of(t, w.word) == key) {
			pd_linear_return(op, 0);
			return;
		}
		node = w.word ? part(t, fresh, w.word >> 1, w.level + 1) : 0;
		if (w.word && !node) {
			pd_linear_return(op, PD_FAILED);
			return;
		}
		if (lock_node(&w))
			break;
	}
	replace(&w, w.word ? node << 1 : fresh << 1 | 1);
	pd_linear_return(op, 1);
}

static void get(void *it, struct pd_linear_op *op)
{
	struct tree *t = it;
	struct way w = descend(t, op->arg[0].word);

	pd_linear_return(op, key_of(t, w.word) == op->arg[0].word ? t->leaf[w.word >> 1].value
								  : PD_NONE);
}

static void remove_key(void *it, struct pd_linear_op *op)
{
	struct tree *t = it;
	struct way w;

	do {
		w = descend(t, op->arg[0].word);
		if (key_of(t, w.word) != op->arg[0].word) {
			pd_linear_return(op, PD_NONE);
			return;
		}
	} while (!lock_node(&w));
	replace(&w, 0);
	pd_linear_return(op, t->leaf[w.word >> 1].value);
}

static const struct pd_linear_entry table[] = {
	{"insert", {PD_NEW_KEY, PD_VALUE}, insert, PD_MAY_FAIL},
	{"get", {PD_ANY_KEY}, get, 0},
	{"remove", {PD_OLD_KEY}, remove_key, 0},
	PD_LINEAR_END};

PD_LINEAR_DRIVER("map", PD_DURABLE, table, open_it, close_it)
