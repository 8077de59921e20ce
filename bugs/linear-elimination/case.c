/*
 * Treiber's stack with an elimination slot in ordinary memory, where who pushes may hand its value to
 * who pops: the two leave no trace, so nothing of it has to be durable. A value that nobody took is
 * withdrawn without a compare-and-swap: if it is taken in that moment, it is pushed as well.
 */
#include "../linear.h"

enum { NODES = 400, PATIENCE = 2 };

/* What is in the slot: nothing, or a value that is on offer, or one that was taken. */
enum { OFFER = 1, TAKEN = 2 };

struct node {
	uint64_t value LINE;
	uint64_t next;
};

struct stack {
	uint64_t limit LINE;
	uint64_t top LINE;
	struct node node[NODES];
};

static uint64_t slot;

static void recover(struct stack *s)
{
	nodes_open(&s->limit);
	slot = 0;
}

RECOVERED(struct stack, recover)

/* Whether somebody took it. */
static int hand_over(uint64_t value)
{
	uint64_t offer = value << 2 | OFFER, empty = 0;

	if (!pm_cas(&slot, &empty, offer))
		return 0;
	for (int i = 0; i < PATIENCE && pm_get(&slot) == offer; i++)
		_mm_pause();
#if FIXED
	if (pm_cas(&slot, &offer, 0))
		return 0;
#else
	if (pm_get(&slot) == offer) {
		pm_set(&slot, 0); //@ store
		return 0;
	}
#endif
	pm_set(&slot, 0);
	return 1;
}

static int take_over(uint64_t *value)
{
	uint64_t offer = pm_get(&slot);

	*value = offer >> 2;
	return (offer & 3) == OFFER && pm_cas(&slot, &offer, *value << 2 | TAKEN);
}

static void push(void *it, struct pd_linear_op *op)
{
	struct stack *s = it;
	uint64_t fresh, top = pm_get(&s->top);

	if (hand_over(op->arg[0].word)) {
		pd_linear_return(op, 1);
		return;
	}
	fresh = nodes_take(NODES);
	if (!fresh) {
		pd_linear_return(op, PD_FAILED);
		return;
	}
	s->node[fresh].value = op->arg[0].word;
	do {
		s->node[fresh].next = top;
		pm_persist(&s->node[fresh], sizeof(struct node));
	} while (!pm_cas(&s->top, &top, fresh));
	pm_persist(&s->top, 8);
	pd_linear_return(op, 1);
}

static void pop(void *it, struct pd_linear_op *op)
{
	struct stack *s = it;
	uint64_t top, value;

	if (take_over(&value)) {
		pd_linear_return(op, value);
		return;
	}
	top = pm_get(&s->top);
	while (top && !pm_cas(&s->top, &top, s->node[top].next))
		;
	pm_persist(&s->top, 8);
	pd_linear_return(op, top ? s->node[top].value : PD_NONE);
}

static const struct pd_linear_entry table[] = {
	{"push", {PD_VALUE}, push, PD_MAY_FAIL}, {"pop", {PD_NO_ARG}, pop, 0}, PD_LINEAR_END};

PD_LINEAR_DRIVER("stack", PD_DURABLE, table, open_it, close_it)
