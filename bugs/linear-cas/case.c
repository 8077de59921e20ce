/*
 * A register without locks. A value is written with a bit that says that it need not be durable yet;
 * who meets the bit makes the value durable and takes the bit away, but for a compare-and-swap that
 * fails: it says so on account of a value that a crash can take back.
 */
#include "../linear.h"

/* A word: a stamp, so that no word is there twice; the value; DIRTY. */
static const uint64_t DIRTY = 1, STAMP = UINT64_C(1) << 48;

struct reg {
	uint64_t word;
};

MAPPED(struct reg)

static uint64_t value_of(uint64_t word)
{
	return (word & (STAMP - 1)) >> 1;
}

static uint64_t successor(uint64_t word, uint64_t value)
{
	return ((word & ~(STAMP - 1)) + STAMP) | value << 1 | DIRTY;
}

static void settle(struct reg *r, uint64_t word)
{
	if (word & DIRTY) {
		pm_persist(&r->word, 8);
		pm_cas(&r->word, &word, word & ~DIRTY);
	}
}

static void put(void *it, struct pd_linear_op *op)
{
	struct reg *r = it;
	uint64_t word = pm_get(&r->word), fresh;

	do
		fresh = successor(word, op->arg[0].word);
	while (!pm_cas(&r->word, &word, fresh)); //@ store
	settle(r, fresh);
	pd_linear_return(op, 1);
}

static void compare_and_swap(void *it, struct pd_linear_op *op)
{
	struct reg *r = it;
	uint64_t word = pm_get(&r->word), fresh;

	while (value_of(word) == op->arg[0].word) {
		fresh = successor(word, op->arg[1].word);
		if (pm_cas(&r->word, &word, fresh)) { //@ store
			settle(r, fresh);
			pd_linear_return(op, 1);
			return;
		}
	}
#if FIXED
	settle(r, word);
#endif
	pd_linear_return(op, 0);
}

static void get(void *it, struct pd_linear_op *op)
{
	struct reg *r = it;
	uint64_t word = pm_get(&r->word); //@ load

	settle(r, word);
	pd_linear_return(op, value_of(word));
}

static const struct pd_linear_entry table[] = {
	{"write", {PD_NEW_KEY}, put, 0},
	{"cas", {PD_OLD_KEY, PD_ANY_KEY}, compare_and_swap, 0},
	{"read", {PD_NO_ARG}, get, 0},
	PD_LINEAR_END};

PD_LINEAR_DRIVER("register", PD_DURABLE, table, open_it, close_it)
