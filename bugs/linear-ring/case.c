/*
 * A bounded queue in a ring, with a lock for each end. A slot is free, and is written again, as soon as
 * the index of the first one has passed it, and before that is durable: after a crash the first value
 * is one that came in last. Fixed, the other end hears of it only when it is durable.
 */
#include "../linear.h"

enum { ROOM = 2 };

struct ring {
	uint64_t first LINE, last LINE; /* never begin again: slot number modulo ROOM */
	struct {
		uint64_t value LINE;
	} slot[ROOM];
};

/* The same, as far as they are durable; in ordinary memory. */
static uint64_t first_durable, last_durable;
static unsigned char first_lock, last_lock;

static void recover(struct ring *r)
{
	first_durable = r->first;
	last_durable = r->last;
	first_lock = last_lock = 0;
}

RECOVERED(struct ring, recover)

static void enqueue(void *it, struct pd_linear_op *op)
{
	struct ring *r = it;

	lock_it(&last_lock);
	if (r->last - (FIXED ? pm_get(&first_durable) : pm_get(&r->first)) < ROOM) { //@ load
		uint64_t *slot = &r->slot[r->last % ROOM].value;

		pm_set(slot, op->arg[0].word);
		pm_persist(slot, 8);
		pm_set(&r->last, r->last + 1);
		pm_persist(&r->last, 8);
		pm_set(&last_durable, r->last);
		pd_linear_return(op, 1);
	} else {
		pd_linear_return(op, PD_FAILED);
	}
	unlock_it(&last_lock);
}

static void dequeue(void *it, struct pd_linear_op *op)
{
	struct ring *r = it;

	lock_it(&first_lock);
	if (r->first < pm_get(&last_durable)) {
		pd_linear_return(op, r->slot[r->first % ROOM].value);
		pm_set(&r->first, r->first + 1); //@ store
		pm_persist(&r->first, 8);
		pm_set(&first_durable, r->first);
	} else {
		pd_linear_return(op, PD_NONE);
	}
	unlock_it(&first_lock);
}

static const struct pd_linear_entry table[] = {{"enqueue", {PD_VALUE}, enqueue, PD_MAY_FAIL},
					       {"dequeue", {PD_NO_ARG}, dequeue, 0},
					       PD_LINEAR_END};

PD_LINEAR_DRIVER("queue", PD_DURABLE, table, open_it, close_it)
