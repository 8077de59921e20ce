/*
 * A register of two halves, in lines of their own, which are written one after the other. Fixed, there
 * are two such pairs, and a word says which one counts.
 */
#include "../linear.h"

struct pair {
	uint64_t low LINE, high LINE;
};

struct reg {
	uint64_t which;
	struct pair pair[2];
};

MAPPED(struct reg)

static void put(void *it, struct pd_linear_op *op)
{
	struct reg *r = it;
	uint64_t to;

	lock();
	to = FIXED ? !r->which : 0;
	r->pair[to].low = op->arg[0].word; //@ store
	pm_persist(&r->pair[to].low, 8);
	r->pair[to].high = op->arg[0].word; //@ store
	pm_persist(&r->pair[to].high, 8);
#if FIXED
	pm_set(&r->which, to);
	pm_persist(&r->which, 8);
#endif
	unlock();
}

static void get(void *it, struct pd_linear_op *op)
{
	struct reg *r = it;
	const struct pair *p;

	lock();
	p = &r->pair[r->which];
	pd_linear_return(op, p->low == p->high ? p->low : p->low << 32 | p->high); //@ load
	unlock();
}

static const struct pd_linear_entry table[] = {{"write", {PD_VALUE}, put, 0},
					       {"read", {PD_NO_ARG}, get, 0},
					       PD_LINEAR_END};

PD_LINEAR_DRIVER("register", PD_DURABLE, table, open_it, close_it)
