/*
 * An ordered map as a list with links in both directions: the forward ones decide, the backward ones
 * follow, durably, one after the other. Recovery asserts that they agree, which they need not after
 * a crash in between. Fixed, it makes them agree.
 */
#include "../linear.h"

enum { NODES = 400 };

struct node {
	uint64_t key LINE;
	uint64_t value, next, prev;
};

struct map {
	uint64_t limit LINE;
	struct node node[NODES]; /* 0 is before the first one and behind the last one */
};

static void recover(struct map *m)
{
	uint64_t at = 0, next;

	nodes_open(&m->limit);
	do {
		next = m->node[at].next;
#if FIXED
		if (m->node[next].prev != at) {
			pm_set(&m->node[next].prev, at);
			pm_persist(&m->node[next].prev, 8);
		}
#else
		assert(m->node[next].prev == at); //@ check
#endif
		at = next;
	} while (at);
}

RECOVERED(struct map, recover)

static void set_link(uint64_t *link, uint64_t to)
{
	pm_set(link, to);
	pm_persist(link, 8);
}

/* The last node with a key that is less. */
static uint64_t before(struct map *m, uint64_t key)
{
	uint64_t at = 0;

	while (m->node[at].next && m->node[m->node[at].next].key < key)
		at = m->node[at].next;
	return at;
}

static uint64_t insert_locked(struct map *m, uint64_t key, uint64_t value)
{
	uint64_t prev = before(m, key), next = m->node[prev].next, fresh;

	if (next && m->node[next].key == key)
		return 0;
	fresh = nodes_take(NODES);
	if (!fresh)
		return PD_FAILED;
	m->node[fresh] = (struct node){key, value, next, prev};
	pm_persist(&m->node[fresh], sizeof(struct node));
	set_link(&m->node[prev].next, fresh); //@ forward
	set_link(&m->node[next].prev, fresh); //@ backward
	return 1;
}

static uint64_t remove_locked(struct map *m, uint64_t key)
{
	uint64_t prev = before(m, key), at = m->node[prev].next, next = m->node[at].next;

	if (!at || m->node[at].key != key)
		return PD_NONE;
	set_link(&m->node[prev].next, next); //@ forward
	set_link(&m->node[next].prev, prev); //@ backward
	return m->node[at].value;
}

static void insert(void *it, struct pd_linear_op *op)
{
	lock();
	pd_linear_return(op, insert_locked(it, op->arg[0].word, op->arg[1].word));
	unlock();
}

static void remove_key(void *it, struct pd_linear_op *op)
{
	lock();
	pd_linear_return(op, remove_locked(it, op->arg[0].word));
	unlock();
}

static void get(void *it, struct pd_linear_op *op)
{
	struct map *m = it;
	uint64_t at;

	lock();
	at = m->node[before(m, op->arg[0].word)].next;
	pd_linear_return(op,
			 at && m->node[at].key == op->arg[0].word ? m->node[at].value : PD_NONE);
	unlock();
}

static void last(void *it, struct pd_linear_op *op)
{
	struct map *m = it;

	lock();
	pd_linear_return(op, m->node[0].prev ? m->node[m->node[0].prev].key : PD_NONE);
	unlock();
}

static const struct pd_linear_entry table[] = {
	{"insert", {PD_NEW_KEY, PD_VALUE}, insert, PD_MAY_FAIL},
	{"get", {PD_ANY_KEY}, get, 0},
	{"remove", {PD_OLD_KEY}, remove_key, 0},
	{"last", {PD_NO_ARG}, last, 0},
	PD_LINEAR_END};

PD_LINEAR_DRIVER("ordered-map", PD_DURABLE, table, open_it, close_it)
