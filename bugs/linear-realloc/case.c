/*
 * A stack that grows out of place: a larger copy is made, and a word says which of the two counts. That
 * word is durable before the copy is.
 */
#include "../linear.h"

enum { SMALL = 2, LARGE = 200 };

struct stack {
	uint64_t large LINE; /* which of the two */
	uint64_t height LINE;
	uint64_t small_value[SMALL] LINE;
	uint64_t large_value[LARGE] LINE;
};

MAPPED(struct stack)

static uint64_t *values(struct stack *s)
{
	return s->large ? s->large_value : s->small_value;
}

static void grow(struct stack *s)
{
	for (int i = 0; i < SMALL; i++)
		pm_set(&s->large_value[i], s->small_value[i]); //@ store
#if FIXED
	pm_persist(s->large_value, SMALL * 8);
#endif
	pm_set(&s->large, 1);
	pm_persist(&s->large, 8);
#if !FIXED
	pm_persist(s->large_value, SMALL * 8);
#endif
}

static void push(void *it, struct pd_linear_op *op)
{
	struct stack *s = it;

	lock();
	if (!s->large && s->height == SMALL)
		grow(s);
	if (s->height < LARGE) {
		pm_set(&values(s)[s->height], op->arg[0].word);
		pm_persist(&values(s)[s->height], 8);
		pm_set(&s->height, s->height + 1);
		pm_persist(&s->height, 8);
		pd_linear_return(op, 1);
	} else {
		pd_linear_return(op, PD_FAILED);
	}
	unlock();
}

static void pop(void *it, struct pd_linear_op *op)
{
	struct stack *s = it;

	lock();
	if (s->height) {
		pd_linear_return(op, pm_get(&values(s)[s->height - 1])); //@ load
		pm_set(&s->height, s->height - 1);
		pm_persist(&s->height, 8);
	} else {
		pd_linear_return(op, PD_NONE);
	}
	unlock();
}

static const struct pd_linear_entry table[] = {{"push", {PD_VALUE}, push, PD_MAY_FAIL},
					       {"pop", {PD_NO_ARG}, pop, 0},
					       PD_LINEAR_END};

PD_LINEAR_DRIVER("stack", PD_DURABLE, table, open_it, close_it)
