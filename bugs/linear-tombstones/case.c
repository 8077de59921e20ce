/*
 * A set in a table with open addressing: what is removed leaves a tombstone, which searches pass by and
 * additions use again. A removal flushes its tombstone, and returns without a fence.
 */
#include "../linear.h"

enum { SLOTS = 64 };
static const uint64_t TOMB = UINT64_MAX;

struct set {
	uint64_t key[SLOTS] LINE;
};

MAPPED(struct set)

/* Where `key` is; else where it can be put; NULL: nowhere. */
static uint64_t *find(struct set *s, uint64_t key)
{
	uint64_t at = key * 0x9e3779b97f4a7c15u >> 58, *room = NULL;

	for (int i = 0; i < SLOTS; i++, at = (at + 1) % SLOTS) {
		uint64_t have = pm_get(&s->key[at]); //@ load

		if (have == key)
			return &s->key[at];
		if (!room && (have == TOMB || !have))
			room = &s->key[at];
		if (!have)
			break;
	}
	return room;
}

static void add(void *it, struct pd_linear_op *op)
{
	uint64_t *slot;

	lock();
	slot = find(it, op->arg[0].word);
	if (!slot) {
		pd_linear_return(op, PD_FAILED);
	} else if (*slot == op->arg[0].word) {
		pd_linear_return(op, 0);
	} else {
		pm_set(slot, op->arg[0].word);
		pm_persist(slot, 8);
		pd_linear_return(op, 1);
	}
	unlock();
}

static void remove_key(void *it, struct pd_linear_op *op)
{
	uint64_t *slot;

	lock();
	slot = find(it, op->arg[0].word);
	if (slot && *slot == op->arg[0].word) {
		pm_set(slot, TOMB); //@ store
		pm_flush(slot, 8);  //@ flush
#if FIXED
		pm_fence();
#endif
		pd_linear_return(op, 1);
	} else {
		pd_linear_return(op, 0);
	}
	unlock();
}

static void contains(void *it, struct pd_linear_op *op)
{
	uint64_t *slot;

	lock();
	slot = find(it, op->arg[0].word);
	pd_linear_return(op, slot && *slot == op->arg[0].word);
	unlock();
}

static const struct pd_linear_entry table[] = {{"add", {PD_NEW_KEY}, add, PD_MAY_FAIL},
					       {"remove", {PD_OLD_KEY}, remove_key, 0},
					       {"contains", {PD_ANY_KEY}, contains, 0},
					       PD_LINEAR_END};

PD_LINEAR_DRIVER("set", PD_DURABLE, table, open_it, close_it)
