/*
 * thread/sched_stuck.c - nobody can run, or nobody gets anywhere: says who waits for what.
 *
 * Who holds a lock is read from the lock itself (owner's tid), so a lock that was left held in PM
 * by an execution that crashed is told apart: its owner is no thread of this execution.
 */
#include "base/out.h"
#include "runtime/base/rt.h"
#include "runtime/thread/sched.h"

enum { MESSAGE = 4096 };

static void fail_deadlock(const char *what)
{
	pd_rt_fail(PD_STATUS_DEADLOCK, "%s", what);
}

static void fail_livelock(const char *what)
{
	pd_rt_fail(PD_STATUS_LIVELOCK, "%s", what);
}

void (*pd_sched_deadlock)(const char *what) = fail_deadlock;
void (*pd_sched_livelock)(const char *what) = fail_livelock;

static const char *const wait_text[] = {
	[PD_WAIT_NOTHING] = "runs",
	[PD_WAIT_MUTEX] = "waits for mutex",
	[PD_WAIT_ROBUST] = "waits for robust mutex",
	[PD_WAIT_READ] = "waits to read-lock rwlock",
	[PD_WAIT_WRITE] = "waits to write-lock rwlock",
	[PD_WAIT_SPIN] = "waits for spinlock",
	[PD_WAIT_COND] = "waits for condition variable",
	[PD_WAIT_BARRIER] = "waits at barrier",
	[PD_WAIT_SEM] = "waits for semaphore",
	[PD_WAIT_ONCE] = "waits for the initialisation at",
	[PD_WAIT_FUTEX] = "waits for futex",
	[PD_WAIT_JOIN] = "waits to join thread",
	[PD_WAIT_SLEEP] = "sleeps",
	[PD_WAIT_ALL] = "has ended and waits for the others",
};

/* Somebody waits, so it is held; who holds it in this execution has left a name there. */
static void describe_owner(struct pd_out *o, uint32_t tid)
{
	int64_t number = pd_thread_number(tid);

	if (!tid || number < 0)
		pd_outs(o, " held by no thread of this execution");
	else
		pd_outf(o, " held by thread %ld%s", (long)number,
			pd_thread_find_tid(tid) ? "" : ", which has ended");
}

/*
 * The words are read as they are in memory, past the model: nothing is chosen any more here.
 */
static void describe(struct pd_out *o, const struct pd_thread *t)
{
	uint32_t writer;

	pd_outf(o, "thread %u %s", t->number, wait_text[t->wait]);
	switch ((enum pd_wait)t->wait) {
	case PD_WAIT_JOIN:
		pd_outf(o, " %u", ((const struct pd_thread *)t->wait_on)->number);
		break;
	case PD_WAIT_MUTEX:
	case PD_WAIT_ROBUST:
		pd_outf(o, " %p", (void *)(uintptr_t)t->wait_on);
		describe_owner(o, (uint32_t)((const pthread_mutex_t *)t->wait_on)->__data.__owner);
		break;
	case PD_WAIT_READ:
	case PD_WAIT_WRITE:
		pd_outf(o, " %p", (void *)(uintptr_t)t->wait_on);
		writer = (uint32_t)((const pthread_rwlock_t *)t->wait_on)->__data.__cur_writer;
		if (writer) /* else readers have it */
			describe_owner(o, writer);
		break;
	case PD_WAIT_NOTHING:
	case PD_WAIT_SLEEP:
	case PD_WAIT_ALL:
		break;
	case PD_WAIT_SPIN:
	case PD_WAIT_COND:
	case PD_WAIT_BARRIER:
	case PD_WAIT_SEM:
	case PD_WAIT_ONCE:
	case PD_WAIT_FUTEX:
		pd_outf(o, " %p", (void *)(uintptr_t)t->wait_on);
		break;
	}
}

void pd_sched_stuck(bool deadlock)
{
	static char text[MESSAGE];
	struct pd_outbuf b;
	uint32_t i;
	const char *sep = ": ";

	pd_outbuf_init(&b, text, sizeof(text));
	pd_outs(&b.out, deadlock ? "deadlock" : "livelock: nobody gets anywhere");
	for (i = 0; i < pd_sched.nlive; i++) {
		if (pd_sched.live[i]->state == PD_THREAD_DONE)
			continue;
		pd_outs(&b.out, sep);
		describe(&b.out, pd_sched.live[i]);
		sep = "; ";
	}
	if (deadlock)
		pd_sched_deadlock(text);
	else
		pd_sched_livelock(text);
	pd_rt_fail(deadlock ? PD_STATUS_DEADLOCK : PD_STATUS_LIVELOCK, "%s", text);
}
