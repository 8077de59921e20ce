/*
 * A queue that is in ordinary memory, and a copy of it in PM as it was at the last sync: what came after
 * that may get lost. There are two copies; sync writes the one that does not count, and then makes it
 * count, and does not make that durable before it returns.
 */
#include "../linear.h"

enum { ROOM = 120 };

struct copy {
	uint64_t n LINE;
	uint64_t value[ROOM];
};

struct queue {
	uint64_t which LINE; /* of the copies counts */
	struct copy copy[2];
};

static uint64_t value[ROOM], n; /* the first one is [0] */

static void *open_it(const char *path)
{
	struct queue *q = pm_map(path, MAPPED_SIZE(struct queue));
	const struct copy *c = &q->copy[pm_get(&q->which)]; //@ load

	n = c->n;
	memcpy(value, c->value, n * sizeof(value[0]));
	busy = 0;
	return q;
}

static void enqueue(void *it, struct pd_linear_op *op)
{
	(void)it;
	lock();
	if (n < ROOM) {
		value[n++] = op->arg[0].word;
		pd_linear_return(op, 1);
	} else {
		pd_linear_return(op, PD_FAILED);
	}
	unlock();
}

static void dequeue(void *it, struct pd_linear_op *op)
{
	(void)it;
	lock();
	pd_linear_return(op, n ? value[0] : PD_NONE);
	if (n)
		memmove(value, value + 1, --n * sizeof(value[0]));
	unlock();
}

static void sync_it(void *it, struct pd_linear_op *op)
{
	struct queue *q = it;
	struct copy *c;

	(void)op;
	lock();
	c = &q->copy[!q->which];
	c->n = n;
	memcpy(c->value, value, n * sizeof(value[0]));
	pm_persist(c, sizeof(c->n) + n * sizeof(value[0]));
	pm_set(&q->which, !q->which); //@ store
#if FIXED
	pm_persist(&q->which, 8);
#endif
	unlock();
}

static void close_it(void *it)
{
	sync_it(it, NULL);
	munmap(it, MAPPED_SIZE(struct queue));
}

static const struct pd_linear_entry table[] = {{"enqueue", {PD_VALUE}, enqueue, PD_MAY_FAIL},
					       {"dequeue", {PD_NO_ARG}, dequeue, 0},
					       {"sync", {PD_NO_ARG}, sync_it, PD_SYNC},
					       PD_LINEAR_END};

PD_LINEAR_DRIVER("queue", PD_BUFFERED, table, open_it, close_it)
