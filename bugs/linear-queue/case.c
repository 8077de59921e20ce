/* A queue with a lock: what is taken out is not gone for good before that returns. */
#include "../linear.h"

enum { ROOM = 500 };

struct queue {
	uint64_t first LINE, last LINE;
	uint64_t value[ROOM] LINE;
};

MAPPED(struct queue)

static void enqueue(void *it, struct pd_linear_op *op)
{
	struct queue *q = it;

	lock();
	if (q->last < ROOM) {
		q->value[q->last] = op->arg[0].word;
		pm_persist(&q->value[q->last], 8);
		pm_set(&q->last, q->last + 1);
		pm_persist(&q->last, 8);
		pd_linear_return(op, 1);
	} else {
		pd_linear_return(op, PD_FAILED);
	}
	unlock();
}

static void dequeue(void *it, struct pd_linear_op *op)
{
	struct queue *q = it;

	lock();
	if (pm_get(&q->first) < q->last) { //@ load
		pd_linear_return(op, q->value[q->first]);
		pm_set(&q->first, q->first + 1); //@ store
#if FIXED
		pm_persist(&q->first, 8);
#endif
	} else {
		pd_linear_return(op, PD_NONE);
	}
	unlock();
}

static const struct pd_linear_entry table[] = {{"enqueue", {PD_VALUE}, enqueue, PD_MAY_FAIL},
					       {"dequeue", {PD_NO_ARG}, dequeue, 0},
					       PD_LINEAR_END};

PD_LINEAR_DRIVER("queue", PD_DURABLE, table, open_it, close_it)
