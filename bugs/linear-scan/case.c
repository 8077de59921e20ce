/*
 * An ordered map as a sorted list: who writes has a lock, and counts before and after; who reads takes
 * no lock. A scan that does not look at the count may see a key that was added after one which it
 * has missed.
 */
#include "../linear.h"

enum { NODES = 400, MOST = 64 };

struct node {
	uint64_t key LINE;
	uint64_t value, next;
};

struct map {
	uint64_t limit LINE;
	struct node node[NODES]; /* 0 is the head */
};

static uint64_t changes; /* odd: somebody is at it */

static void recover(struct map *m)
{
	nodes_open(&m->limit);
	changes = 0;
}

RECOVERED(struct map, recover)

/* ---- who writes ---- */

static void begin(void)
{
	lock();
	pm_set(&changes, changes + 1);
}

static void end(void)
{
	pm_set(&changes, changes + 1);
	unlock();
}

static struct node *before(struct map *m, uint64_t key)
{
	struct node *n = &m->node[0];

	while (n->next && m->node[n->next].key < key)
		n = &m->node[n->next];
	return n;
}

static uint64_t insert_locked(struct map *m, uint64_t key, uint64_t value)
{
	struct node *n = before(m, key);
	uint64_t fresh;

	if (n->next && m->node[n->next].key == key)
		return 0;
	fresh = nodes_take(NODES);
	if (!fresh)
		return PD_FAILED;
	m->node[fresh].key = key;
	m->node[fresh].value = value;
	m->node[fresh].next = n->next;
	pm_persist(&m->node[fresh], sizeof(struct node));
	pm_set(&n->next, fresh); //@ store
	pm_persist(&n->next, 8);
	return 1;
}

static void insert(void *it, struct pd_linear_op *op)
{
	begin();
	pd_linear_return(op, insert_locked(it, op->arg[0].word, op->arg[1].word));
	end();
}

static void remove_key(void *it, struct pd_linear_op *op)
{
	struct map *m = it;
	struct node *n, *gone;

	begin();
	n = before(m, op->arg[0].word);
	gone = n->next && m->node[n->next].key == op->arg[0].word ? &m->node[n->next] : NULL;
	if (gone) {
		pm_set(&n->next, gone->next); //@ store
		pm_persist(&n->next, 8);
	}
	pd_linear_return(op, gone ? gone->value : PD_NONE);
	end();
}

/* ---- who reads ---- */

/* From a key on; all links up to the last pair are durable then. */
static uint64_t pairs_of(struct map *m, uint64_t from, uint64_t most, uint64_t (*pair)[2])
{
	uint64_t n = 0, at = 0, next;

	do {
		if (at && m->node[at].key >= from) {
			pair[n][0] = m->node[at].key;
			pair[n++][1] = m->node[at].value;
		}
		next = pm_get(&m->node[at].next); //@ load
		pm_flush(&m->node[at].next, 8);
		at = next;
	} while (at && n < most && n < MOST);
	pm_fence();
	return n;
}

static uint64_t quiet(void)
{
	uint64_t n;

	while ((n = pm_get(&changes)) & 1)
		_mm_pause();
	return n;
}

static void scan(void *it, struct pd_linear_op *op)
{
	static _Thread_local uint64_t pair[MOST][2];
	uint64_t n, was;

	do {
		was = quiet();
		n = pairs_of(it, op->arg[0].word, op->arg[1].word, pair);
	} while (FIXED && was != pm_get(&changes));
	pd_linear_return_data(op, n, pair, n * sizeof(pair[0]));
}

static const struct pd_linear_entry table[] = {
	{"insert", {PD_NEW_KEY, PD_VALUE}, insert, PD_MAY_FAIL},
	{"remove", {PD_OLD_KEY}, remove_key, 0},
	{"scan_n", {PD_ANY_KEY, PD_COUNT}, scan, 0},
	PD_LINEAR_END};

PD_LINEAR_DRIVER("ordered-map", PD_DURABLE, table, open_it, close_it)
