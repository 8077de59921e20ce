/*
 * A register whose writes are announced, so that whoever comes next completes what is not complete: the
 * word that is written has the number of the write in it, and so it is written once. Who was helped
 * returns. But the helper has not flushed what it wrote for somebody else. Fixed, it does so before it
 * says that the write is complete. The helper's store exists only where two writes meet.
 */
#include "../linear.h"

enum { NUMBER_BITS = 16, UNDER_WAY = 1 };

/* A value, and the number of the write, which is even; one more while it is under way. */
#define WORD(value, number) ((uint64_t)(value) << NUMBER_BITS | (number))
#define NUMBER(word)	    ((word) & ((1u << NUMBER_BITS) - 1) & ~1u)
#define VALUE(word)	    ((word) >> NUMBER_BITS)

struct reg {
	uint64_t word LINE; /* the last write that took place */
	/* The last write that was announced. What a crash leaves of it does not count */
	uint64_t announced LINE;
};

static void recover(struct reg *r)
{
	pm_set(&r->announced, WORD(0, NUMBER(r->word)));
	pm_persist(&r->announced, 8);
}

RECOVERED(struct reg, recover)

/* The write that was announced takes place, unless it has already. */
static void complete_own(struct reg *r, uint64_t mine)
{
	uint64_t old = pm_get(&r->word);

	if (NUMBER(old) + 2 == NUMBER(mine))
		pm_cas(&r->word, &old, mine & ~1ul);
	pm_persist(&r->word, 8);
	pm_cas(&r->announced, &mine, WORD(0, NUMBER(mine)));
}

static void complete_others(struct reg *r, uint64_t theirs)
{
	uint64_t old = pm_get(&r->word);

	if (NUMBER(old) + 2 == NUMBER(theirs))
		pm_cas(&r->word, &old, theirs & ~1ul); //@ store
#if FIXED
	pm_persist(&r->word, 8);
#endif
	pm_cas(&r->announced, &theirs, WORD(0, NUMBER(theirs)));
}

static void put(void *it, struct pd_linear_op *op)
{
	struct reg *r = it;
	uint64_t mine, before;

	for (;;) {
		before = pm_get(&r->announced);
		mine = WORD(op->arg[0].word, NUMBER(before + 2) | UNDER_WAY);
		if (before & UNDER_WAY)
			complete_others(r, before);
		else if (pm_cas(&r->announced, &before, mine))
			break;
	}
	if (pm_get(&r->announced) == mine)
		complete_own(r, mine);
	pd_linear_return(op, 1);
}

static void get(void *it, struct pd_linear_op *op)
{
	struct reg *r = it;
	uint64_t word = pm_get(&r->word);

	pm_persist(&r->word, 8);
	pd_linear_return(op, VALUE(word));
}

static const struct pd_linear_entry table[] = {
	{"write", {PD_VALUE}, put, 0}, {"read", {PD_NO_ARG}, get, 0}, PD_LINEAR_END};

PD_LINEAR_DRIVER("register", PD_DURABLE, table, open_it, close_it)
