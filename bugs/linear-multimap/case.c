/*
 * A multimap: a chain of values for each key. All values of a key are removed one by one, each
 * durably: a crash in between leaves some of them. Fixed, one store cuts off the chain.
 */
#include "../linear.h"

enum { NODES = 400, KEYS = 100 };

struct node {
	uint64_t value LINE;
	uint64_t next;
};

struct multimap {
	uint64_t limit LINE;
	struct {
		uint64_t key, head;
	} chain[KEYS] LINE;
	struct node node[NODES];
};

static void recover(struct multimap *m)
{
	nodes_open(&m->limit);
}

RECOVERED(struct multimap, recover)

/* The head of a key's chain, which is made if there is none. NULL: there is none, and no room. */
static uint64_t *head_of(struct multimap *m, uint64_t key, int make)
{
	int i = 0;

	while (i < KEYS && m->chain[i].key && m->chain[i].key != key)
		i++;
	if (i == KEYS || (!m->chain[i].key && !make))
		return NULL;
	if (!m->chain[i].key) {
		pm_set(&m->chain[i].key, key);
		pm_persist(&m->chain[i].key, 8);
	}
	return &m->chain[i].head;
}

static uint64_t add_locked(struct multimap *m, uint64_t key, uint64_t value)
{
	uint64_t *head = head_of(m, key, 1), fresh = head ? nodes_take(NODES) : 0;

	if (!fresh)
		return PD_FAILED;
	m->node[fresh].value = value;
	m->node[fresh].next = *head;
	pm_persist(&m->node[fresh], sizeof(struct node));
	pm_set(head, fresh);
	pm_persist(head, 8);
	return 1;
}

static uint64_t remove_all_locked(struct multimap *m, uint64_t key)
{
	uint64_t *head = head_of(m, key, 0), n = 0;

	if (!head)
		return 0;
#if FIXED
	for (uint64_t at = *head; at; at = m->node[at].next)
		n++;
	pm_set(head, 0);
	pm_persist(head, 8);
#else
	for (; *head; n++) {
		pm_set(head, m->node[*head].next); //@ store
		pm_persist(head, 8);
	}
#endif
	return n;
}

static uint64_t remove_locked(struct multimap *m, uint64_t key, uint64_t value)
{
	uint64_t *link = head_of(m, key, 0);

	while (link && *link && m->node[*link].value != value)
		link = &m->node[*link].next;
	if (!link || !*link)
		return 0;
	pm_set(link, m->node[*link].next);
	pm_persist(link, 8);
	return 1;
}

static void add(void *it, struct pd_linear_op *op)
{
	lock();
	pd_linear_return(op, add_locked(it, op->arg[0].word, op->arg[1].word));
	unlock();
}

static void remove_one(void *it, struct pd_linear_op *op)
{
	lock();
	pd_linear_return(op, remove_locked(it, op->arg[0].word, op->arg[1].word));
	unlock();
}

static void remove_all(void *it, struct pd_linear_op *op)
{
	lock();
	pd_linear_return(op, remove_all_locked(it, op->arg[0].word));
	unlock();
}

static void count(void *it, struct pd_linear_op *op)
{
	struct multimap *m = it;
	uint64_t *head, n = 0;

	lock();
	head = head_of(m, op->arg[0].word, 0);
	for (uint64_t at = head ? *head : 0; at; at = m->node[at].next) //@ load
		n++;
	pd_linear_return(op, n);
	unlock();
}

static const struct pd_linear_entry table[] = {{"add", {PD_NEW_KEY, PD_VALUE}, add, PD_MAY_FAIL},
					       {"count", {PD_ANY_KEY}, count, 0},
					       {"remove", {PD_OLD_KEY, PD_VALUE}, remove_one, 0},
					       {"remove_all", {PD_OLD_KEY}, remove_all, 0},
					       PD_LINEAR_END};

PD_LINEAR_DRIVER("multimap", PD_DURABLE, table, open_it, close_it)
