/* A counter: a reader returns what another thread has added and not yet made durable. */
#include "../linear.h"

struct counter {
	uint64_t n;
};

MAPPED(struct counter)

static void increment(void *it, struct pd_linear_op *op)
{
	struct counter *c = it;
	uint64_t n = __atomic_add_fetch(&c->n, 1, __ATOMIC_SEQ_CST); //@ store

	pm_persist(&c->n, 8);
	pd_linear_return(op, n);
}

static void get(void *it, struct pd_linear_op *op)
{
	struct counter *c = it;

	pd_linear_return(op, pm_get(&c->n)); //@ load
#if FIXED
	pm_persist(&c->n, 8);
#endif
}

static const struct pd_linear_entry table[] = {{"increment", {PD_NO_ARG}, increment, 0},
					       {"read", {PD_NO_ARG}, get, 0},
					       PD_LINEAR_END};

PD_LINEAR_DRIVER("counter", PD_DURABLE, table, open_it, close_it)
