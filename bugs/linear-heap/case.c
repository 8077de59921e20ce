/*
 * A priority queue as a binary heap, with a lock and a redo log: what is to be stored where is written
 * to the log, the log is made to count, and then the stores are done. The log is emptied before they
 * are durable.
 */
#include "../linear.h"

enum { ROOM = 200, MOST = 12 };

struct heap {
	uint64_t logged LINE; /* entries of the log that count */
	struct {
		uint64_t at, value;
	} log[MOST] LINE;
	uint64_t a[ROOM] LINE; /* [0] is how many there are; the least one is [1] */
};

static void empty(struct heap *h)
{
	pm_set(&h->logged, 0); //@ empty
	pm_persist(&h->logged, 8);
}

static void apply(struct heap *h)
{
	uint64_t n = h->logged;

	for (uint64_t i = 0; i < n; i++)
		pm_set(&h->a[h->log[i].at], h->log[i].value); //@ store
#if !FIXED
	empty(h);
#endif
	for (uint64_t i = 0; i < n; i++)
		pm_flush(&h->a[h->log[i].at], 8);
	pm_fence();
#if FIXED
	empty(h);
#endif
}

static void recover(struct heap *h)
{
	apply(h);
}

RECOVERED(struct heap, recover)

/* Of the operation that has the lock. */
static uint64_t nlog;

static void log_store(struct heap *h, uint64_t at, uint64_t value)
{
	h->log[nlog].at = at;
	h->log[nlog++].value = value;
}

static void commit(struct heap *h)
{
	pm_persist(h->log, nlog * sizeof(h->log[0]));
	pm_set(&h->logged, nlog);
	pm_persist(&h->logged, 8);
	nlog = 0;
	apply(h);
}

static uint64_t push_locked(struct heap *h, uint64_t key)
{
	uint64_t i = h->a[0] + 1;

	if (i == ROOM)
		return PD_FAILED;
	log_store(h, 0, i);
	for (; i > 1 && h->a[i / 2] > key; i /= 2)
		log_store(h, i, h->a[i / 2]);
	log_store(h, i, key);
	commit(h);
	return 1;
}

static uint64_t pop_locked(struct heap *h)
{
	uint64_t n = h->a[0], last = h->a[n], i = 1, child, least = h->a[1]; //@ load

	if (!n)
		return PD_NONE;
	log_store(h, 0, n - 1);
	while ((child = 2 * i) < n) {
		child += child + 1 < n && h->a[child + 1] < h->a[child];
		if (h->a[child] >= last)
			break;
		log_store(h, i, h->a[child]);
		i = child;
	}
	log_store(h, i, last);
	commit(h);
	return least;
}

static void push(void *it, struct pd_linear_op *op)
{
	lock();
	pd_linear_return(op, push_locked(it, op->arg[0].word));
	unlock();
}

static void pop(void *it, struct pd_linear_op *op)
{
	lock();
	pd_linear_return(op, pop_locked(it));
	unlock();
}

static void least(void *it, struct pd_linear_op *op)
{
	struct heap *h = it;

	lock();
	pd_linear_return(op, h->a[0] ? h->a[1] : PD_NONE);
	unlock();
}

static const struct pd_linear_entry table[] = {{"push", {PD_VALUE}, push, PD_MAY_FAIL},
					       {"pop", {PD_NO_ARG}, pop, 0},
					       {"min", {PD_NO_ARG}, least, 0},
					       PD_LINEAR_END};

PD_LINEAR_DRIVER("priority-queue", PD_DURABLE, table, open_it, close_it)
