/*
 * sync/sem.c - semaphores and barriers.
 *
 * A semaphore's value is the first word of the object, as in glibc. A post wakes one waiter, which
 * takes the value only when it runs: another thread may be faster, and then it blocks again.
 *
 * A named semaphore is one of this execution: what other processes or other executions do to it
 * cannot be rolled back. It starts with the value that the system's semaphore of that name has,
 * which is never changed.
 *
 * A barrier counts its arrivals and its rounds in glibc's words (in, current_round).
 */
#include "runtime/base/rt.h"
#include "runtime/thread/sched.h"
#include "runtime/sync/sync.h"
#include "runtime/thread/thread.h"
#include "runtime/thread/real.h"
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>

static int fail(int error)
{
	errno = error;
	return -1;
}

static bool take(sem_t *s)
{
	uint32_t v = pd_word_load(s);

	return v && pd_word_cas(s, v, v - 1) == v;
}

/* Returns 0 or an error. A handler without SA_RESTART ends the wait, as in the kernel. */
static int block(sem_t *s, uint64_t deadline)
{
	struct pd_thread *self = pd_sched.cur;

	while (!take(s)) {
		enum pd_wake why = pd_sched_block(PD_WAIT_SEM, s, deadline);

		if (why == PD_WAKE_TIMEOUT)
			return ETIMEDOUT;
		if (why != PD_WAKE_INTERRUPT)
			continue;
		pd_sched_release();
		pd_thread_testcancel();
		pd_sched_hold();
		if (self->eintr)
			return EINTR;
	}
	return 0;
}

static int wait_until(sem_t *s, uint64_t deadline)
{
	int r;

	pd_sched_point();
	pd_thread_testcancel();
	pd_sched_hold();
	r = block(s, deadline);
	pd_sched_release();
	if (r)
		return fail(r);
	pd_thread_emit(PD_EV_WAIT, s, 0);
	pd_sched_progress();
	return 0;
}

static int wait_clock(sem_t *s, clockid_t clock, const struct timespec *abs)
{
	uint64_t deadline = 0;
	int r = pd_sched_deadline(clock, abs, &deadline);

	return r ? fail(r) : wait_until(s, deadline);
}

PD_EXPORT int sem_init(sem_t *s, int shared, unsigned value)
{
	int r;

	PD_ON_COPY(r, s, true, pd_real.sem_init, shared, value);
	return r;
}

PD_EXPORT int sem_destroy(sem_t *s)
{
	return pd_thread_driven() ? 0 : pd_real.sem_destroy(s);
}

PD_EXPORT int sem_wait(sem_t *s)
{
	return pd_thread_driven() ? wait_until(s, PD_NEVER) : pd_real.sem_wait(s);
}

PD_EXPORT int sem_timedwait(sem_t *restrict s, const struct timespec *restrict abs)
{
	return pd_thread_driven() ? wait_clock(s, CLOCK_REALTIME, abs)
				  : pd_real.sem_timedwait(s, abs);
}

PD_EXPORT int sem_clockwait(sem_t *restrict s, clockid_t clock, const struct timespec *restrict abs)
{
	return pd_thread_driven() ? wait_clock(s, clock, abs)
				  : pd_real.sem_clockwait(s, clock, abs);
}

PD_EXPORT int sem_trywait(sem_t *s)
{
	bool got;

	if (!pd_thread_driven())
		return pd_real.sem_trywait(s);
	pd_sched_point();
	pd_sched_hold();
	got = take(s);
	pd_sched_release();
	if (!got) {
		pd_sched_spin();
		return fail(EAGAIN);
	}
	pd_thread_emit(PD_EV_WAIT, s, 0);
	pd_sched_progress();
	return 0;
}

PD_EXPORT int sem_post(sem_t *s)
{
	uint32_t v;

	if (!pd_thread_driven())
		return pd_real.sem_post(s);
	pd_sched_point();
	pd_sched_hold();
	v = pd_word_load(s);
	if (v < SEM_VALUE_MAX) {
		pd_thread_emit(PD_EV_SIGNAL, s, 0);
		pd_word_swap(s, v + 1);
		pd_sched_wake(s, 1);
	}
	pd_sched_release();
	if (v >= SEM_VALUE_MAX)
		return fail(EOVERFLOW);
	pd_sched_progress();
	pd_sched_point();
	return 0;
}

PD_EXPORT int sem_getvalue(sem_t *restrict s, int *restrict value)
{
	if (!pd_thread_driven())
		return pd_real.sem_getvalue(s, value);
	pd_sched_point();
	*value = (int)pd_word_load(s);
	return 0;
}

/* ---- named ---------------------------------------------------------------------------------- */

struct named {
	struct named *next;
	const char *name; /* without leading slashes; NULL: unlinked */
	uint32_t refs;
	sem_t sem;
};

static struct pd_arena memory;
static struct named *names;

static const char *skip_slashes(const char *name)
{
	while (*name == '/')
		name++;
	return name;
}

static struct named *find_name(const char *name)
{
	struct named *n;

	for (n = names; n; n = n->next)
		if (n->name && !strcmp(n->name, skip_slashes(name)))
			return n;
	return NULL;
}

static struct named *add_name(const char *name, unsigned value)
{
	struct named *n;

	if (!memory.next_size)
		pd_arena_init(&memory, pd_rt_memory());
	name = skip_slashes(name);
	n = pd_new(&memory, struct named);
	if (!n)
		return NULL;
	n->name = pd_arena_strndup(&memory, name, strlen(name));
	if (!n->name || pd_real.sem_init(&n->sem, 0, value))
		return NULL;
	n->next = names;
	names = n;
	return n;
}

/* The system's semaphore of that name, if there is one, gives the first value. */
static struct named *adopt_name(const char *name)
{
	sem_t *s = pd_real.sem_open(name, 0);
	int value = 0;

	if (s == SEM_FAILED)
		return NULL;
	pd_real.sem_getvalue(s, &value);
	pd_real.sem_close(s);
	return add_name(name, (unsigned)value);
}

static sem_t *open_named(const char *name, int flags, unsigned value)
{
	struct named *n = find_name(name);

	if (!n)
		n = adopt_name(name);
	if (n && (flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL)) {
		errno = EEXIST;
		return SEM_FAILED;
	}
	if (!n && !(flags & O_CREAT)) {
		errno = ENOENT;
		return SEM_FAILED;
	}
	if (!n && value > SEM_VALUE_MAX) {
		errno = EINVAL;
		return SEM_FAILED;
	}
	if (!n)
		n = add_name(name, value);
	if (!n) {
		errno = ENOMEM;
		return SEM_FAILED;
	}
	n->refs++;
	return &n->sem;
}

PD_EXPORT sem_t *sem_open(const char *name, int flags, ...)
{
	unsigned value = 0;
	mode_t mode = 0;
	va_list ap;

	if (flags & O_CREAT) {
		va_start(ap, flags);
		mode = va_arg(ap, mode_t);
		value = va_arg(ap, unsigned);
		va_end(ap);
	}
	if (!pd_thread_driven())
		return pd_real.sem_open(name, flags, mode, value);
	return open_named(name, flags, value);
}

PD_EXPORT int sem_close(sem_t *s)
{
	struct named *n;

	if (!pd_thread_driven())
		return pd_real.sem_close(s);
	for (n = names; n; n = n->next)
		if (&n->sem == s && n->refs) {
			n->refs--;
			return 0;
		}
	return fail(EINVAL);
}

PD_EXPORT int sem_unlink(const char *name)
{
	struct named *n;

	if (!pd_thread_driven())
		return pd_real.sem_unlink(name);
	n = find_name(name);
	if (!n)
		n = adopt_name(name);
	if (!n)
		return fail(ENOENT);
	n->name = NULL;
	return 0;
}

/* ---- barriers ------------------------------------------------------------------------------- */

/* The beginning of glibc's object. */
struct barrier {
	uint32_t in;
	uint32_t round;
	uint32_t count;
};

PD_EXPORT int pthread_barrier_init(pthread_barrier_t *restrict b,
				   const pthread_barrierattr_t *restrict attr, unsigned count)
{
	int r;
	PD_FROM_COPY(pthread_barrierattr_t, attr)

	PD_ON_COPY(r, b, true, pd_real.pthread_barrier_init, attr, count);
	return r;
}

PD_EXPORT int pthread_barrier_destroy(pthread_barrier_t *b)
{
	return pd_thread_driven() ? 0 : pd_real.pthread_barrier_destroy(b);
}

static int arrive(struct barrier *b)
{
	uint32_t in = pd_word_load(&b->in) + 1;
	uint32_t round = pd_word_load(&b->round);

	pd_thread_emit(PD_EV_SIGNAL, b, 0);
	if (in == pd_word_load(&b->count)) {
		pd_word_store(&b->in, 0);
		pd_word_store(&b->round, round + 1);
		pd_sched_wake(b, UINT32_MAX);
		return PTHREAD_BARRIER_SERIAL_THREAD;
	}
	pd_word_store(&b->in, in);
	while (pd_word_load(&b->round) == round)
		pd_sched_block(PD_WAIT_BARRIER, b, PD_NEVER);
	return 0;
}

PD_EXPORT int pthread_barrier_wait(pthread_barrier_t *b)
{
	int r;

	if (!pd_thread_driven())
		return pd_real.pthread_barrier_wait(b);
	pd_sched_point();
	pd_sched_hold();
	r = arrive((struct barrier *)b);
	pd_sched_release();
	pd_thread_emit(PD_EV_WAIT, b, 0);
	pd_sched_progress();
	return r;
}
