/* A stack with a lock: its height is durable before the value is that it stands for. */
#include "../linear.h"

enum { ROOM = 500 };

struct stack {
	uint64_t height;
	uint64_t value[ROOM] LINE;
};

MAPPED(struct stack)

static void push(void *it, struct pd_linear_op *op)
{
	struct stack *s = it;

	lock();
	if (s->height < ROOM) {
		s->value[s->height] = op->arg[0].word; //@ store
#if FIXED
		pm_persist(&s->value[s->height], 8);
#endif
		pm_set(&s->height, s->height + 1);
		pm_persist(&s->height, 8);
#if !FIXED
		pm_persist(&s->value[s->height - 1], 8);
#endif
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
		pd_linear_return(op, s->value[s->height - 1]); //@ load
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
