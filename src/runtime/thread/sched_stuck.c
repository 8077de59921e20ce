/*
 * thread/sched_stuck.c - a deadlock or livelock: finds out which thread waits for what.
 *
 * The holder of a lock is read from the lock itself (owner's tid), so a lock that a crashed
 * execution left held in PM is recognised: its owner is no thread of this execution.
 */
#include "base/out.h"
#include "runtime/base/rt.h"
#include "runtime/thread/sched.h"
#include <string.h>

enum { MESSAGE = 4096 };

static void fail_stuck(bool deadlock, const struct pd_waits *w)
{
	static char text[MESSAGE] PD_TABLE;
	struct pd_outbuf b;

	pd_outbuf_init(&b, text, sizeof(text));
	pd_outs(&b.out, deadlock ? "deadlock: " : "livelock: no thread makes progress: ");
	pd_waits_put(&b.out, w);
	pd_rt_fail(deadlock ? PD_STATUS_DEADLOCK : PD_STATUS_LIVELOCK, "%s", text);
}

void (*pd_sched_report_stuck)(bool deadlock, const struct pd_waits *w) = fail_stuck;

static void peek_plainly(void *to, const void *from, size_t n)
{
	memcpy(to, from, n);
}

void (*pd_sched_peek)(void *to, const void *from, size_t n) = peek_plainly;

/* Past the model: no more choices are made when all is over. */
static uint32_t peek(const void *word)
{
	uint32_t v;

	pd_sched_peek(&v, word, sizeof(v));
	return v;
}

/* A thread waits, so the lock is held; a holder in this execution has left its tid there. */
static void set_holder(struct pd_waiter *w, uint32_t tid)
{
	int64_t number = pd_thread_number(tid);

	if (!tid || number < 0) {
		w->held = PD_HOLDER_NOBODY;
		return;
	}
	w->held = pd_thread_find_tid(tid) ? PD_HOLDER_LIVE : PD_HOLDER_ENDED;
	w->holder = (uint32_t)number;
}

static struct pd_waiter waiter_of(const struct pd_thread *t)
{
	struct pd_waiter w = {.thread = t->number, .wait = t->wait, .on = (uintptr_t)t->wait_on};
	uint32_t writer;

	switch ((enum pd_wait)t->wait) {
	case PD_WAIT_JOIN:
		w.on = ((const struct pd_thread *)t->wait_on)->number;
		break;
	case PD_WAIT_MUTEX:
	case PD_WAIT_ROBUST:
		set_holder(&w, peek(&((const pthread_mutex_t *)t->wait_on)->__data.__owner));
		break;
	case PD_WAIT_READ:
	case PD_WAIT_WRITE:
		writer = peek(&((const pthread_rwlock_t *)t->wait_on)->__data.__cur_writer);
		if (writer) /* else readers have it */
			set_holder(&w, writer);
		break;
	case PD_WAIT_NOTHING:
	case PD_WAIT_SLEEP:
	case PD_WAIT_ALL:
		w.on = 0;
		break;
	case PD_WAIT_SPIN:
	case PD_WAIT_COND:
	case PD_WAIT_BARRIER:
	case PD_WAIT_SEM:
	case PD_WAIT_ONCE:
	case PD_WAIT_FUTEX:
		break;
	}
	return w;
}

void pd_sched_stuck(bool deadlock)
{
	static struct pd_waits waits;

	waits.n = 0;
	for (uint32_t i = 0; i < pd_sched.nlive; i++) {
		if (pd_sched.live[i]->state == PD_THREAD_DONE)
			continue;
		if (waits.n < PD_WAITERS)
			waits.v[waits.n] = waiter_of(pd_sched.live[i]);
		waits.n++;
	}
	pd_sched_report_stuck(deadlock, &waits);
	fail_stuck(deadlock, &waits);
}
