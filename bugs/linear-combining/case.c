/*
 * A stack by flat combining: threads announce what they want, in ordinary memory, and who has the lock
 * does it for all of them, with one store of the top for the whole batch. The others hear that their
 * operation is done before the batch is durable.
 */
#include "../linear.h"

enum { NODES = 400, THREADS = 8 };
enum state { NOTHING, CLAIMED, PUSH, POP, APPLIED, DONE };

struct node {
	uint64_t value LINE;
	uint64_t next;
};

struct stack {
	uint64_t limit LINE;
	uint64_t top LINE;
	struct node node[NODES];
};

static struct {
	uint64_t state, value; /* value: what is pushed, and then the result */
} wish[THREADS];

static unsigned char combining;

static void recover(struct stack *s)
{
	nodes_open(&s->limit);
	memset(wish, 0, sizeof(wish));
	combining = 0;
}

RECOVERED(struct stack, recover)

/* What one thread wants; returns the new top. */
static uint64_t apply(struct stack *s, int i, uint64_t top)
{
	uint64_t fresh;

	if (wish[i].state == POP) {
		wish[i].value = top ? s->node[top].value : PD_NONE;
		return top ? s->node[top].next : 0;
	}
	fresh = nodes_take(NODES);
	if (fresh) {
		s->node[fresh].value = wish[i].value;
		s->node[fresh].next = top;
		pm_flush(&s->node[fresh], sizeof(struct node));
	}
	wish[i].value = fresh ? 1 : PD_FAILED;
	return fresh ? fresh : top;
}

static void set_done(void)
{
	for (int i = 0; i < THREADS; i++)
		if (pm_get(&wish[i].state) == APPLIED)
			pm_set(&wish[i].state, DONE);
}

static void combine(struct stack *s)
{
	uint64_t top = s->top;

	for (int i = 0; i < THREADS; i++) {
		uint64_t state = pm_get(&wish[i].state);

		if (state != PUSH && state != POP)
			continue;
		top = apply(s, i, top);
		pm_set(&wish[i].state, APPLIED);
	}
	pm_fence();
	pm_set(&s->top, top); //@ store
#if FIXED
	pm_persist(&s->top, 8);
	set_done();
#else
	set_done(); //@ done
	pm_persist(&s->top, 8);
#endif
}

static void ask(struct stack *s, enum state what, uint64_t value, struct pd_linear_op *op)
{
	uint64_t nothing = NOTHING;
	int i = 0;

	for (; !pm_cas(&wish[i].state, &nothing, CLAIMED); i = (i + 1) % THREADS)
		nothing = NOTHING;
	wish[i].value = value;
	pm_set(&wish[i].state, what);
	while (pm_get(&wish[i].state) != DONE) {
		if (!__atomic_test_and_set(&combining, __ATOMIC_ACQUIRE)) {
			combine(s);
			unlock_it(&combining);
		}
		_mm_pause();
	}
	pd_linear_return(op, wish[i].value);
	pm_set(&wish[i].state, NOTHING);
}

static void push(void *it, struct pd_linear_op *op)
{
	ask(it, PUSH, op->arg[0].word, op);
}

static void pop(void *it, struct pd_linear_op *op)
{
	ask(it, POP, 0, op);
}

static const struct pd_linear_entry table[] = {
	{"push", {PD_VALUE}, push, PD_MAY_FAIL}, {"pop", {PD_NO_ARG}, pop, 0}, PD_LINEAR_END};

PD_LINEAR_DRIVER("stack", PD_DURABLE, table, open_it, close_it)
