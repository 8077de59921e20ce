/*
 * wrong.c - drivers that the stress test must not like: a queue that forgets every seventh element, a
 * counter whose increments race (-DRACE), tables that are not right (-DBAD=1...).
 */
#include <perdure_linear.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>

static uint64_t in[1 << 20], first, last, total;
static volatile uint64_t counter;

static void *open_it(const char *path)
{
	(void)path;
	return in;
}

static void close_it(void *it)
{
	(void)it;
}

static void enqueue(void *it, struct pd_linear_op *op)
{
	(void)it;
	if (++total % 7)
		in[last++] = op->arg[0].word;
	pd_linear_return(op, 1);
}

static void dequeue(void *it, struct pd_linear_op *op)
{
	(void)it;
	pd_linear_return(op, first < last ? in[first++] : PD_NONE);
}

static void increment(void *it, struct pd_linear_op *op)
{
	uint64_t was = counter;

	(void)it;
	sched_yield();
	counter = was + 1;
	pd_linear_return(op, was + 1);
}

static const struct pd_linear_entry queue[] = {
	{"enqueue", {PD_VALUE}, enqueue, 0}, {"dequeue", {PD_NO_ARG}, dequeue, 0}, PD_LINEAR_END};
static const struct pd_linear_entry racy[] = {{"increment", {PD_NO_ARG}, increment, 0}, PD_LINEAR_END};
static const struct pd_linear_entry unknown[] = {{"enqueu", {PD_VALUE}, enqueue, 0}, PD_LINEAR_END};
static const struct pd_linear_entry few[] = {{"enqueue", {PD_NO_ARG}, enqueue, 0}, PD_LINEAR_END};
static const struct pd_linear_entry none[] = {PD_LINEAR_END};
static const void *const all[] = {queue, racy, unknown, few, none};

#ifdef RACE
PD_LINEAR_DRIVER("counter", PD_DURABLE, racy, open_it, close_it)
#elif BAD == 1
PD_LINEAR_DRIVER("queue", PD_DURABLE, unknown, open_it, close_it)
#elif BAD == 2
PD_LINEAR_DRIVER("queue", PD_DURABLE, few, open_it, close_it)
#elif BAD == 3
PD_LINEAR_DRIVER("queue", PD_DURABLE, none, open_it, close_it)
#elif BAD == 4
PD_LINEAR_DRIVER("cue", PD_DURABLE, queue, open_it, close_it)
#else
PD_LINEAR_DRIVER("queue", PD_DURABLE, queue, open_it, close_it)
#endif

const void *const *tables = all;
