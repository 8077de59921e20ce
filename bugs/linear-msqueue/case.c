/*
 * Michael and Scott's queue, made durable: a node is linked, the link is made durable, and the tail,
 * which is in ordinary memory, moves on. Who finds the tail behind helps to move it, and does not make
 * the link durable that it moves it over: what is added after that can get lost with the link.
 */
#include "../linear.h"

enum { NODES = 400 };

struct node {
	uint64_t value LINE;
	uint64_t next;
};

struct queue {
	uint64_t limit LINE;
	uint64_t head LINE; /* the node before the first one; 0 at the start */
	struct node node[NODES];
};

static uint64_t tail;

static void recover(struct queue *q)
{
	nodes_open(&q->limit);
	for (tail = q->head; q->node[tail].next;) //@ load
		tail = q->node[tail].next;
}

RECOVERED(struct queue, recover)

static void help(struct queue *q, uint64_t last, uint64_t next)
{
#if FIXED
	pm_persist(&q->node[last].next, 8);
#else
	(void)q;
#endif
	pm_cas(&tail, &last, next); //@ help
}

static void enqueue(void *it, struct pd_linear_op *op)
{
	struct queue *q = it;
	uint64_t fresh = nodes_take(NODES), last, next;

	if (!fresh) {
		pd_linear_return(op, PD_FAILED);
		return;
	}
	q->node[fresh].value = op->arg[0].word;
	pm_persist(&q->node[fresh], sizeof(struct node));
	for (;;) {
		last = pm_get(&tail);
		next = pm_get(&q->node[last].next);
		if (next)
			help(q, last, next);
		else if (pm_cas(&q->node[last].next, &next, fresh)) //@ store
			break;
	}
	pm_persist(&q->node[last].next, 8);
	pm_cas(&tail, &last, fresh);
	pd_linear_return(op, 1);
}

static void dequeue(void *it, struct pd_linear_op *op)
{
	struct queue *q = it;
	uint64_t first, last, next;

	for (;;) {
		first = pm_get(&q->head);
		last = pm_get(&tail);
		next = pm_get(&q->node[first].next);
		if (!next) {
			pm_persist(&q->head, 8);
			pd_linear_return(op, PD_NONE);
			return;
		}
		if (first == last) {
			help(q, last, next);
		} else if (pm_cas(&q->head, &first, next)) {
			pm_persist(&q->head, 8);
			pd_linear_return(op, q->node[next].value);
			return;
		}
	}
}

static const struct pd_linear_entry table[] = {{"enqueue", {PD_VALUE}, enqueue, PD_MAY_FAIL},
					       {"dequeue", {PD_NO_ARG}, dequeue, 0},
					       PD_LINEAR_END};

PD_LINEAR_DRIVER("queue", PD_DURABLE, table, open_it, close_it)
