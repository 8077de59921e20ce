/*
 * A set as an external search tree: keys are in leaves, inner nodes route. Locks, in ordinary memory,
 * are taken hand over hand. The link to a new leaf is made durable after the lock was given back, and
 * others have seen it.
 */
#include "../linear.h"

enum { NODES = 400 };

struct node {
	uint64_t key LINE;
	uint64_t child[2]; /* a leaf has none: keys below `key`, and the rest */
};

struct tree {
	uint64_t limit LINE;
	struct node node[NODES]; /* 0 is above the root, which is its child[0] */
};

static unsigned char locks[NODES];

static void recover(struct tree *t)
{
	memset(locks, 0, sizeof(locks));
	nodes_open(&t->limit);
}

RECOVERED(struct tree, recover)

/* To the leaf for `key`, whose parent is locked, and its grandparent if it has one. */
struct way {
	uint64_t grand, parent, leaf;
	int grand_side, side;
};

static int is_leaf(const struct tree *t, uint64_t n)
{
	return !t->node[n].child[0];
}

static struct way descend(struct tree *t, uint64_t key)
{
	struct way w = {NODES, 0, 0, 0, 0};

	lock_it(&locks[0]);
	w.leaf = t->node[0].child[0];
	while (w.leaf && !is_leaf(t, w.leaf)) {
		lock_it(&locks[w.leaf]);
		if (w.grand != NODES)
			unlock_it(&locks[w.grand]);
		w.grand = w.parent;
		w.grand_side = w.side;
		w.parent = w.leaf;
		w.side = key >= t->node[w.leaf].key;
		w.leaf = t->node[w.leaf].child[w.side];
	}
	return w;
}

static void leave(const struct way *w)
{
	unlock_it(&locks[w->parent]);
	if (w->grand != NODES)
		unlock_it(&locks[w->grand]);
}

/* A leaf, with a router above it and the leaf that is there already. 0: no room. */
static uint64_t make(struct tree *t, uint64_t key, uint64_t beside)
{
	uint64_t leaf = nodes_take(NODES), router = beside ? nodes_take(NODES) : 0;

	if (!leaf || (beside && !router))
		return 0;
	t->node[leaf].key = key;
	pm_flush(&t->node[leaf], sizeof(struct node));
	if (beside) {
		int right = key >= t->node[beside].key;

		t->node[router].key = right ? key : t->node[beside].key;
		t->node[router].child[right] = leaf;
		t->node[router].child[!right] = beside;
		pm_flush(&t->node[router], sizeof(struct node));
	}
	pm_fence();
	return beside ? router : leaf;
}

static void add(void *it, struct pd_linear_op *op)
{
	struct tree *t = it;
	struct way w = descend(t, op->arg[0].word);
	uint64_t fresh = 0, there = w.leaf && t->node[w.leaf].key == op->arg[0].word;

	if (!there)
		fresh = make(t, op->arg[0].word, w.leaf);
	if (fresh)
		pm_set(&t->node[w.parent].child[w.side], fresh); //@ store
#if FIXED
	if (fresh)
		pm_persist(&t->node[w.parent], sizeof(struct node));
	leave(&w);
#else
	leave(&w); //@ unlock
	if (fresh)
		pm_persist(&t->node[w.parent], sizeof(struct node));
#endif
	pd_linear_return(op, there ? 0 : fresh ? 1 : PD_FAILED);
}

static void remove_key(void *it, struct pd_linear_op *op)
{
	struct tree *t = it;
	struct way w = descend(t, op->arg[0].word);
	uint64_t there = w.leaf && t->node[w.leaf].key == op->arg[0].word, *link;

	if (there) {
		/* The sibling takes the place of the parent; the root's place is left empty. */
		link = w.parent ? &t->node[w.grand].child[w.grand_side] : &t->node[0].child[0];
		pm_set(link, w.parent ? t->node[w.parent].child[!w.side] : 0);
		pm_persist(link, 8);
	}
	leave(&w);
	pd_linear_return(op, there);
}

static void contains(void *it, struct pd_linear_op *op)
{
	struct tree *t = it;
	struct way w = descend(t, op->arg[0].word);

	pd_linear_return(op, w.leaf && t->node[w.leaf].key == op->arg[0].word);
	leave(&w);
}

static const struct pd_linear_entry table[] = {{"add", {PD_NEW_KEY}, add, PD_MAY_FAIL},
					       {"remove", {PD_OLD_KEY}, remove_key, 0},
					       {"contains", {PD_ANY_KEY}, contains, 0},
					       PD_LINEAR_END};

PD_LINEAR_DRIVER("set", PD_DURABLE, table, open_it, close_it)
