/*
 * thread/kernel.c - the birth and the burial of a thread, for which it needs its own kernel thread.
 *
 * Birth: glibc creates the thread, with a kernel thread that runs start_thread and then the
 * function that we pass. That parks (thread/switch.c). The kernel thread calls nothing that the
 * program could have replaced.
 *
 * Burial: after the thread's function glibc frees what it holds for the thread. If free is glibc's
 * own, a kernel thread is cloned onto the context that the thread left, and runs that code. If the
 * program has its own allocator, that would be code of the program in a kernel thread that the
 * scheduler does not know, waiting perhaps for a lock that a coroutine holds. So that code is not
 * run: the thread stays where it left, it is marked as ended in glibc's record, and pthread_join,
 * called by a coroutine, frees its stack. Lost then: the few bytes that glibc may hold for that
 * thread (texts of strerror, strsignal and dlerror, the state of the resolver).
 *
 * glibc frees a detached thread's record at its end, in that kernel thread. Without it, glibc never
 * learns that a thread is detached: it becomes a ghost, which the next pthread_create joins.
 *
 * Self-test: before main a child process creates, runs, buries and joins a thread in these ways. If
 * libc works otherwise, the first pthread_create fails with one line. The child leaves no trace in
 * this process: libc does not take the program for one with threads (__libc_single_threaded), and
 * no memory is allocated.
 */
#include "runtime/base/raw.h"
#include "runtime/base/rt.h"
#include "runtime/thread/sched.h"
#include "runtime/base/listen.h"
#include "runtime/thread/snapshot.h"
#include "runtime/thread/thread.h"
#include "runtime/thread/door.h"
#include "runtime/thread/real.h"
#include <dlfcn.h>
#include <gnu/libc-version.h>
#include <linux/futex.h>
#include <poll.h>
#include <signal.h>

enum {
	TID_OFFSET = 0x2d0,    /* of the tid in glibc's struct pthread, unchanged for years */
	TCB_SCAN = 0x900,      /* how far to search for it otherwise */
	STACK_MIN = 256 << 10, /* our own code runs on the program's stacks */
	PATIENCE = 20,	       /* seconds; it takes microseconds */
	TEST_PATIENCE = 10,
};

bool pd_thread_own_malloc;

static size_t tid_offset;
static ptrdiff_t rseq_offset; /* of the kernel's cpu number, 0: not used by this libc */
static struct pd_thread *ghosts;
static const char *failed_at; /* what the self-test could not do; NULL: nothing */

/* ---- what we must know of glibc's record ---------------------------------------------------- */

static int *tid_word(const struct pd_thread *t)
{
	return (int *)(t->fs + tid_offset);
}

static void find_tid_offset(const struct pd_thread *self)
{
	int tid = (int)pd_sched.kernel;
	size_t i;

	tid_offset = TID_OFFSET;
	if (*tid_word(self) == tid)
		return;
	for (i = 0; i < TCB_SCAN; i += sizeof(int)) {
		tid_offset = i;
		if (*tid_word(self) == tid)
			return;
	}
	pd_rt_fail(4, "this libc keeps its threads in a way that is not known here");
}

static void find_rseq(void)
{
	const ptrdiff_t *offset = dlsym(RTLD_DEFAULT, "__rseq_offset");
	const unsigned *size = dlsym(RTLD_DEFAULT, "__rseq_size");

	if (offset && size && *size)
		rseq_offset = *offset + (ptrdiff_t)sizeof(uint32_t);
}

/* Whether libc calls another free than its own. If in doubt, yes: then only bytes are lost. */
static bool has_own_malloc(void)
{
	Dl_info libc, other;

	return !dladdr((void *)gnu_get_libc_version, &libc) ||
	       !dladdr(dlsym(RTLD_DEFAULT, "free"), &other) || libc.dli_fbase != other.dli_fbase;
}

void pd_thread_set_tid(struct pd_thread *t, uint32_t tid)
{
	*tid_word(t) = (int)tid;
}

unsigned *pd_thread_glibc_count(void)
{
	static unsigned *n;

	if (!n)
		n = dlsym(RTLD_DEFAULT, "__nptl_nthreads");
	return n;
}

bool pd_thread_uncounted(void)
{
	const unsigned *n = pd_thread_glibc_count();

	/* A snapshot may be taken while a thread is being born or buried. */
	return n && __atomic_load_n(n, __ATOMIC_RELAXED) >
			    pd_sched.nlive + pd_thread_births + (pd_sched.dead != NULL);
}

/* ---- birth ---------------------------------------------------------------------------------- */

/* Waits until *word changes; the kernel clears it when the kernel thread has exited. */
static bool wait_until_gone(volatile int *word)
{
	const struct timespec patience = {PATIENCE, 0};
	int v;

	while ((v = *word) != 0)
		if (pd_raw(SYS_futex, (long)word, FUTEX_WAIT, v, (long)&patience, 0, 0) ==
		    -ETIMEDOUT)
			return false;
	return true;
}

void pd_thread_park_at_birth(struct pd_thread *self)
{
	self->fs = (uintptr_t)pthread_self();
	self->base = self->fs; /* glibc's control block is above the stack */
	pd_raw(SYS_set_tid_address, (long)&self->gone, 0, 0, 0, 0, 0);
	pd_thread_park(&self->sp);
	pd_door = PD_DOOR_INSIDE; /* a coroutine from here on */
}

/*
 * Attributes for glibc: only the stack, with room for our own code if the size is not given.
 * Processors and priorities do not apply to a coroutine, and would make glibc hold the new thread
 * back by a futex.
 */
static void stack_only(const pthread_attr_t *attr, pthread_attr_t *to)
{
	void *stack = NULL;
	size_t size = 0, guard = 0;
	int detached = PTHREAD_CREATE_JOINABLE;

	pthread_attr_init(to);
	if (!attr)
		return;
	if (!pd_thread_own_malloc && !pthread_attr_getdetachstate(attr, &detached))
		pthread_attr_setdetachstate(to, detached);
	if (!pthread_attr_getguardsize(attr, &guard))
		pthread_attr_setguardsize(to, guard);
	if (pthread_attr_getstack(attr, &stack, &size))
		return;
	if ((uintptr_t)stack + size != 0)
		pthread_attr_setstack(to, stack, size);
	else if (size)
		pthread_attr_setstacksize(to, PD_MAX(size, (size_t)STACK_MIN));
}

/* Where the stack of a thread other than main begins; 0: not known. Allocates. */
static uintptr_t stack_of(const struct pd_thread *t)
{
	pthread_attr_t attr;
	void *low = NULL;
	size_t n;

	if (pd_real.pthread_getattr_np(t->real, &attr))
		return 0;
	pthread_attr_getstack(&attr, &low, &n);
	pthread_attr_destroy(&attr);
	return (uintptr_t)low;
}

/*
 * glibc allocates before it creates the kernel thread, so other coroutines may run meanwhile; from
 * then until the kernel thread has exited it does not, and none runs.
 */
int pd_thread_bear(struct pd_thread *t, const pthread_attr_t *attr, void *(*birth)(void *))
{
	pthread_attr_t plain;
	uint64_t mask;
	int r;

	t->gone = 1;
	stack_only(attr, &plain);
	/* Only the one kernel thread may ever run a handler. */
	pd_thread_signals_block(&mask);
	r = pd_real.pthread_create(&t->real, &plain, birth, t);
	if (!r && !wait_until_gone(&t->gone))
		pd_rt_fail(4, "a new thread does not come to run");
	pd_thread_signals_restore(mask);
	pthread_attr_destroy(&plain);
	if (r)
		return r;
	/* The kernel thread that kept this number current is gone: make libc ask the kernel. */
	if (rseq_offset)
		*(int *)(t->fs + rseq_offset) = -1;
	pd_thread_set_tid(t, pd_sched.kernel);
	t->low = stack_of(t);
	return 0;
}

/* ---- burial --------------------------------------------------------------------------------- */

static bool walk(struct pd_thread *t)
{
	const unsigned long flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SYSVSEM |
				    CLONE_SIGHAND | CLONE_THREAD | CLONE_SETTLS |
				    CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID;
	uint64_t mask;
	bool made;

	pd_thread_signals_block(&mask);
	if (pd_thread_unwinding)
		++*pd_thread_unwinding;
	made = pd_thread_spawn(flags, t->sp, tid_word(t), tid_word(t), t->fs) >= 0;
	if (made && !wait_until_gone(tid_word(t)))
		pd_rt_fail(4, "thread %u does not come to its end in libc", t->number);
	pd_thread_signals_restore(mask);
	return made;
}

static void mark_ended(struct pd_thread *t)
{
	unsigned *n = pd_thread_glibc_count();

	*tid_word(t) = 0;
	if (n && !pd_thread_unwinding)
		--*n;
}

static bool end(struct pd_thread *t)
{
	if (!pd_thread_own_malloc)
		return walk(t);
	mark_ended(t);
	return true;
}

void pd_thread_bury(struct pd_thread *t)
{
	if (!end(t))
		pd_rt_starved();
	t->buried = true;
	if (t->detached)
		pd_thread_forget(t);
}

int pd_thread_join_real(struct pd_thread *t, void **ret)
{
	int r = pd_real.pthread_join(t->real, ret);

	/* glibc has not seen the function return. */
	if (!r && ret && t->returned)
		*ret = t->ret;
	return r;
}

/* Deferred: the burial may happen anywhere, also inside the allocator. */
void pd_thread_forget(struct pd_thread *t)
{
	pd_thread_unlist(t);
	if (pd_thread_own_malloc) {
		t->next = ghosts;
		ghosts = t;
	} else {
		pd_thread_drop(t);
	}
}

void pd_thread_join_ghosts(void)
{
	while (ghosts) {
		struct pd_thread *t = ghosts;

		ghosts = t->next;
		pd_thread_join_real(t, NULL);
		pd_thread_drop(t);
	}
}

void pd_thread_forget_ghosts(void)
{
	ghosts = NULL;
}

/* ---- self-test ------------------------------------------------------------------------------ */

static void *test_birth(void *arg)
{
	struct pd_thread *self = arg;

	pd_thread_park_at_birth(self);
	self->returned = pthread_equal(pthread_self(), self->real);
	self->ret = self;
	pd_thread_swap(&self->sp, pd_sched.cur->sp, pd_sched.cur->fs);
	pd_door = PD_DOOR_LEAVING;
	return self;
}

static const char *const stages[] = {"make", "run", "end", "join"};

/* Writes a byte for each stage passed; all of them if no kernel thread can be created. */
static _Noreturn void test(int fd)
{
	static struct pd_thread t;
	void *ret = NULL;
	int r;

	pd_listen_in_child(); /* nothing from here on belongs to the program */
	r = pd_thread_bear(&t, NULL, test_birth);
	if (r == 0) {
		pd_raw_write(fd, "m", 1);
		pd_thread_swap(&pd_sched.cur->sp, t.sp, t.fs);
		if (t.returned && end(&t)) {
			pd_raw_write(fd, "re", 2);
			if (pd_thread_join_real(&t, &ret) == 0 && ret == &t)
				pd_raw_write(fd, "j", 1);
		}
	} else if (r == EAGAIN) {
		pd_raw_write(fd, "----", PD_LEN(stages));
	}
	pd_raw(SYS_exit_group, 0, 0, 0, 0, 0, 0);
	__builtin_unreachable();
}

/* Counts the stages; kills a child that hangs. */
static uint32_t count_stages(int fd, pid_t pid)
{
	const struct timespec patience = {TEST_PATIENCE, 0};
	struct pollfd p = {.fd = fd, .events = POLLIN};
	char letter;
	uint32_t n = 0;
	int status;

	while (n < PD_LEN(stages) && pd_raw(SYS_ppoll, (long)&p, 1, (long)&patience, 0, 8, 0) > 0 &&
	       pd_raw_read(fd, &letter, 1) == 1)
		n++;
	pd_raw(SYS_kill, pid, SIGKILL, 0, 0, 0, 0);
	pd_snapshot_wait(pid, &status);
	return n;
}

void pd_thread_kernel_test(void)
{
	uint32_t n = PD_LEN(stages);
	int fd[2];
	pid_t pid;

	if (pd_thread_uncounted() || pd_raw(SYS_pipe2, (long)fd, O_CLOEXEC, 0, 0, 0, 0) < 0)
		return;
	pid = pd_snapshot_fork();
	if (!pid)
		test(fd[1]);
	pd_raw_close(fd[1]);
	if (pid > 0)
		n = count_stages(fd[0], pid);
	pd_raw_close(fd[0]);
	if (n < PD_LEN(stages))
		failed_at = stages[n];
}

void pd_thread_kernel_start(const struct pd_thread *self)
{
	find_tid_offset(self);
	find_rseq();
	pd_thread_own_malloc = has_own_malloc();
}

void pd_thread_kernel_check(void)
{
	if (pd_unlikely(failed_at != NULL))
		pd_rt_fail(4,
			   "this libc (glibc %s) is not known well enough to run threads: a test "
			   "could not %s one; "
			   "perdure is made for glibc 2.36 to 2.41",
			   gnu_get_libc_version(), failed_at);
}
