/*
 * A counter with a line for each thread, so that threads that count do not disturb each other. Who
 * counts flushes the first line, which is right for one thread only.
 */
#include "../linear.h"

enum { SLOTS = 8 };

struct counter {
	struct {
		uint64_t n LINE;
	} slot[SLOTS];
};

MAPPED(struct counter)

static unsigned mine(void)
{
	static unsigned threads;
	static _Thread_local unsigned number; /* from 1 on */

	if (!number)
		number = __atomic_add_fetch(&threads, 1, __ATOMIC_SEQ_CST);
	return (number - 1) % SLOTS;
}

static void increment(void *it, struct pd_linear_op *op)
{
	struct counter *c = it;
	unsigned i = mine();

	(void)op;						/* no thread knows the sum */
	__atomic_add_fetch(&c->slot[i].n, 1, __ATOMIC_SEQ_CST); //@ store
	pm_persist(&c->slot[FIXED ? i : 0].n, 8);		//@ flush
}

/* By one at a time the sum passes all values between those at the beginning and at the end. */
static void get(void *it, struct pd_linear_op *op)
{
	struct counter *c = it;
	uint64_t sum = 0;

	for (int i = 0; i < SLOTS; i++) {
		sum += pm_get(&c->slot[i].n); //@ load
		pm_flush(&c->slot[i].n, 8);
	}
	pm_fence();
	pd_linear_return(op, sum);
}

static const struct pd_linear_entry table[] = {
	{"increment", {PD_NO_ARG}, increment, 0}, {"read", {PD_NO_ARG}, get, 0}, PD_LINEAR_END};

PD_LINEAR_DRIVER("counter", PD_DURABLE, table, open_it, close_it)
