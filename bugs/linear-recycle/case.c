/*
 * A queue with two locks, one for each end, where nobody helps anybody. A node that was taken out is
 * free again before the head that has left it behind is durable: who gets it overwrites what is, after
 * a crash, the beginning of the queue.
 */
#include "../linear.h"

enum { NODES = 150 };

struct node {
	uint64_t value LINE;
	uint64_t next;
};

struct queue {
	uint64_t head LINE; /* the node before the first one */
	struct node node[NODES];
};

static uint64_t tail, spare[NODES], nspare;
static unsigned char head_lock, tail_lock, spare_lock;

static void recover(struct queue *q)
{
	char used[NODES] = {0};

	head_lock = tail_lock = spare_lock = 0;
	used[tail = q->head] = 1;
	while (q->node[tail].next && !used[q->node[tail].next])
		used[tail = q->node[tail].next] = 1;
	nspare = 0;
	for (uint64_t i = NODES; i-- > 1;)
		if (!used[i])
			spare[nspare++] = i;
}

RECOVERED(struct queue, recover)

static uint64_t take_spare(void)
{
	uint64_t n;

	lock_it(&spare_lock);
	n = nspare ? spare[--nspare] : 0;
	unlock_it(&spare_lock);
	return n;
}

static void give_back(uint64_t n)
{
	lock_it(&spare_lock);
	if (n) /* 0 is the one at the start only */
		spare[nspare++] = n;
	unlock_it(&spare_lock);
}

static void enqueue(void *it, struct pd_linear_op *op)
{
	struct queue *q = it;
	uint64_t fresh = take_spare();

	if (!fresh) {
		pd_linear_return(op, PD_FAILED);
		return;
	}
	q->node[fresh].value = op->arg[0].word; //@ reuse
	q->node[fresh].next = 0;		//@ reuse
	pm_persist(&q->node[fresh], sizeof(struct node));
	lock_it(&tail_lock);
	pm_set(&q->node[tail].next, fresh);
	pm_persist(&q->node[tail].next, 8);
	pm_set(&tail, fresh);
	unlock_it(&tail_lock);
	pd_linear_return(op, 1);
}

static void dequeue(void *it, struct pd_linear_op *op)
{
	struct queue *q = it;
	uint64_t first, next;

	lock_it(&head_lock);
	first = q->head;
	if (first != pm_get(&tail)) {
		next = q->node[first].next;
		pd_linear_return(op, q->node[next].value);
		pm_set(&q->head, next); //@ store
#if FIXED
		pm_persist(&q->head, 8);
		give_back(first);
#else
		give_back(first); //@ free
		pm_persist(&q->head, 8);
#endif
	} else {
		pd_linear_return(op, PD_NONE);
	}
	unlock_it(&head_lock);
}

static const struct pd_linear_entry table[] = {{"enqueue", {PD_VALUE}, enqueue, PD_MAY_FAIL},
					       {"dequeue", {PD_NO_ARG}, dequeue, 0},
					       PD_LINEAR_END};

PD_LINEAR_DRIVER("queue", PD_DURABLE, table, open_it, close_it)
