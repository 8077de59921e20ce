/*
 * thread.c - threads come, run and go; thread.h has the idea.
 *
 * A thread's way: pthread_create -> glibc's start_thread -> thread_birth (parks; the kernel thread
 * leaves) -> [coroutine] thread_run, the program's function, its destructors -> thread_finish ->
 * [kernel thread again] back into start_thread, which frees what glibc holds.
 *
 * pthread_exit and cancellation unwind through thread_run's cleanup handler, so they take the same
 * way.
 */
#include "base/bug.h"
#include "runtime/check_hold.h"
#include "runtime/env.h"
#include "runtime/raw.h"
#include "runtime/rt.h"
#include "runtime/sched.h"
#include "runtime/snapshot.h"
#include "runtime/sync.h"
#include "runtime/thread.h"
#include "runtime/thread_real.h"
#include "runtime/thread_trap.h"
#include <dlfcn.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

enum {
	NUMBERS = 65536,    /* an event has 16 bits for a thread */
	TID_OFFSET = 0x2d0, /* of the tid in glibc's struct pthread, where it has been for years */
	TCB_SCAN = 0x900,   /* how far to look for it otherwise */
	STACK_MIN = 256 << 10 /* our own code runs on the program's stacks */
};

bool pd_thread_ready;
__thread bool pd_thread_leaving;

static bool starting;
static struct pd_arena memory;
static struct pd_thread main_thread;
static struct pd_thread *all = &main_thread;
static struct pd_thread *free_records;
static uint32_t next_number = 1;
static uint32_t tid_base; /* main's tid */
static size_t tid_offset;
static ptrdiff_t rseq_offset; /* of the kernel's cpu number, 0: not used by this libc */

/* ---- the table ------------------------------------------------------------------------------- */

struct pd_thread *pd_thread_find(pthread_t real)
{
	struct pd_thread *t;

	for (t = all; t; t = t->next)
		if (t->real == real)
			return t;
	return NULL;
}

struct pd_thread *pd_thread_find_tid(uint32_t tid)
{
	struct pd_thread *t;

	for (t = all; t; t = t->next)
		if (t->tid == tid && !t->ended)
			return t;
	return NULL;
}

int64_t pd_thread_number(uint32_t tid)
{
	return tid - tid_base < next_number ? (int64_t)(tid - tid_base) : -1;
}

static struct pd_thread *new_record(void)
{
	struct pd_thread *t = free_records;

	if (next_number == NUMBERS)
		return NULL;
	if (t) {
		free_records = t->next;
		memset(t, 0, sizeof(*t));
	} else {
		t = pd_new(&memory, struct pd_thread);
		if (!t)
			return NULL;
	}
	t->number = next_number++;
	t->tid = tid_base + t->number;
	t->next = all;
	all = t;
	return t;
}

void pd_thread_drop(struct pd_thread *t)
{
	struct pd_thread **at = &all;

	while (*at != t)
		at = &(*at)->next;
	*at = t->next;
	if (t == &main_thread)
		return;
	t->next = free_records;
	free_records = t;
}

void pd_thread_tid_base(uint32_t base)
{
	struct pd_thread *t;

	tid_base = base;
	for (t = all; t; t = t->next)
		t->tid = base + t->number;
}

/* ---- what we must know of glibc's record ----------------------------------------------------- */

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

void pd_thread_set_kernel(struct pd_thread *t, uint32_t kernel)
{
	t->kernel = kernel;
	*tid_word(t) = (int)kernel;
}

void pd_thread_cloned(void)
{
	pd_sched.kernel = (uint32_t)pd_raw(SYS_gettid, 0, 0, 0, 0, 0, 0);
	if (pd_sched.cur)
		pd_thread_set_kernel(pd_sched.cur, pd_sched.kernel);
}

/* ---- start ----------------------------------------------------------------------------------- */

static void start_main(void)
{
	pd_arena_init(&memory, pd_rt_memory());
	pd_sched_init();
	pd_thread_fsgsbase = (getauxval(AT_HWCAP2) & 2) != 0;
	pd_sched.kernel = (uint32_t)pd_raw(SYS_gettid, 0, 0, 0, 0, 0, 0);
	main_thread.real = pthread_self();
	main_thread.fs = (uintptr_t)main_thread.real;
	pd_thread_tid_base((uint32_t)pd_env_pid());
	main_thread.kernel = pd_sched.kernel;
	find_tid_offset(&main_thread);
	find_rseq();
	pd_sched_add(&main_thread);
	pd_sched.cur = &main_thread;
	pd_thread_signals_inherit(&main_thread, NULL);
	pd_thread_watch_fork();
	pd_trap_start();
}

bool pd_thread_start(void)
{
	if (starting)
		return false;
	starting = true;
	pd_real_init();
	if (!environ) { /* before libc is ready nobody can say which mode this is */
		starting = false;
		return false;
	}
	pd_rt_init();
	if (pd_rt.driven)
		start_main();
	pd_thread_ready = true;
	return pd_rt.driven;
}

__attribute__((constructor)) static void start(void)
{
	pd_thread_driven();
}

uint32_t pd_thread_self(void)
{
	static uint32_t counter;
	static __thread uint32_t number __attribute__((tls_model("initial-exec")));

	if (pd_sched.cur)
		return pd_sched.cur->number;
	/* Alone: whoever asks first is 1, and so on; number is one more. */
	if (!number)
		number = __atomic_add_fetch(&counter, 1, __ATOMIC_RELAXED);
	return number - 1;
}

void pd_thread_emit(uint8_t kind, const void *obj, uint64_t aux)
{
	uint64_t p = (uint64_t)(uintptr_t)obj;
	struct pd_event e = {.kind = kind, .order = PD_ORDER_NONE, .aux = aux};

	if (p)
		e.addr = PD_IS_PM(p) ? p - PD_PM_BASE : p | PD_ADDR_OUTSIDE;
	pd_rt_emit(&e);
}

/* ---- the end of a thread --------------------------------------------------------------------- */

/*
 * With the threads of the child of a fork main may be gone; then the last one's end is the
 * program's, as it is in glibc.
 */
static void thread_finish(void *arg)
{
	struct pd_thread *self = arg;

	if (!pd_thread_driven())
		return; /* the child of a fork that is on its own: glibc does it all */
	if (pd_real.__call_tls_dtors)
		pd_real.__call_tls_dtors();
	pd_thread_run_keys();
	pd_sync_end(self);
	pd_rt_drain();
	pd_thread_emit(PD_EV_THREAD_END, NULL, 0);
	self->ended = true;
	if (pd_sched.nlive == 1)
		exit(0);
	pd_sched_wake(self, UINT32_MAX);
	pd_sched_wake(&pd_sched, UINT32_MAX); /* main, if it waits for all */
	pd_sched.hold = 0;
	pd_thread_leaving = true;
	pd_sched_leave();
}

/* The machine, not the program, is why there is no thread: no process can be made either. */
static bool is_starved(void)
{
	pid_t pid = pd_snapshot_fork();
	int status;

	if (pid == 0)
		pd_raw(SYS_exit_group, 0, 0, 0, 0, 0, 0);
	if (pid > 0)
		pd_snapshot_wait(pid, &status);
	return pid == -EAGAIN;
}

void pd_thread_bury(struct pd_thread *t)
{
	const unsigned long flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SYSVSEM |
				    CLONE_SIGHAND | CLONE_THREAD | CLONE_SETTLS |
				    CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID;
	volatile int *tid = tid_word(t);
	uint64_t mask;
	int v;

	pd_thread_signals_block(&mask);
	if (pd_thread_unwinding)
		++*pd_thread_unwinding;
	if (pd_thread_spawn(flags, t->sp, tid_word(t), tid_word(t), t->fs) < 0)
		pd_rt_starved();
	while ((v = *tid) != 0)
		pd_raw(SYS_futex, (long)tid, FUTEX_WAIT, v, 0, 0, 0);
	pd_thread_signals_restore(mask);
	t->buried = true;
	if (t->detached)
		pd_thread_drop(t);
}

/* ---- its beginning --------------------------------------------------------------------------- */

static void *thread_run(struct pd_thread *self)
{
	void *ret;

	self->base = (uintptr_t)__builtin_frame_address(0);
	pthread_cleanup_push(thread_finish, self);
	ret = self->fn(self->arg);
	pthread_cleanup_pop(1);
	return ret;
}

/* Where the stack of this thread, which is not main, begins; 0: that is not known. */
static uintptr_t stack_of_thread(void)
{
	pthread_attr_t attr;
	void *low = NULL;
	size_t n;

	if (pthread_getattr_np(pthread_self(), &attr))
		return 0;
	pthread_attr_getstack(&attr, &low, &n);
	pthread_attr_destroy(&attr);
	return (uintptr_t)low;
}

static void *thread_birth(void *arg)
{
	struct pd_thread *self = arg;

	self->fs = (uintptr_t)pthread_self();
	self->base = self->fs; /* glibc's control block is above the stack */
	self->low = stack_of_thread();
	pd_raw(SYS_set_tid_address, (long)&self->gone, 0, 0, 0, 0, 0);
	pd_thread_park(&self->sp);
	pd_sched_entered();
	pd_thread_emit(PD_EV_THREAD_BEGIN, NULL, self->creator);
	return thread_run(self);
}

/*
 * What glibc is to make: the stack, with room for our own code where it is not given. Processors and
 * priorities are not a coroutine's, and would make glibc hold the new thread back by a futex.
 */
static void stack_only(const pthread_attr_t *attr, pthread_attr_t *to)
{
	void *stack = NULL;
	size_t size = 0, guard = 0;
	int detached = PTHREAD_CREATE_JOINABLE;

	pthread_attr_init(to);
	if (!attr)
		return;
	if (!pthread_attr_getdetachstate(attr, &detached))
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

static int give_birth(struct pd_thread *t, const pthread_attr_t *attr)
{
	pthread_attr_t plain;
	volatile int *gone = &t->gone;
	uint64_t mask;
	int r;

	t->gone = 1;
	/* Nobody but the one kernel thread may ever run a handler. */
	pd_thread_signals_block(&mask);
	stack_only(attr, &plain);
	r = pd_real.pthread_create(&t->real, &plain, thread_birth, t);
	pthread_attr_destroy(&plain);
	if (!r)
		while (*gone)
			pd_raw(SYS_futex, (long)gone, FUTEX_WAIT, 1, 0, 0, 0);
	pd_thread_signals_restore(mask);
	return r;
}

PD_EXPORT int pthread_create(pthread_t *out, const pthread_attr_t *attr, void *(*fn)(void *),
			     void *arg)
{
	struct pd_thread *t;
	int detached = PTHREAD_CREATE_JOINABLE;
	int r;

	if (!pd_thread_driven())
		return pd_real.pthread_create(out, attr, fn, arg);
	pd_trap_update();
	if (pd_hold_on)
		pd_hold_serve();
	t = new_record();
	if (!t) {
		pd_rt_loss(PD_LOSS_CAPPED, 0, "too many threads");
		return EAGAIN;
	}
	t->fn = fn;
	t->arg = arg;
	t->creator = pd_sched.cur->number;
	r = give_birth(t, attr);
	if (r == EAGAIN && is_starved())
		pd_rt_starved();
	if (r) {
		pd_thread_drop(t);
		return r;
	}
	if (attr)
		pthread_attr_getdetachstate(attr, &detached);
	t->detached = detached == PTHREAD_CREATE_DETACHED;
	pd_thread_set_kernel(t, pd_sched.kernel);
	/* The kernel thread that kept this number current is gone: libc is to ask the kernel. */
	if (rseq_offset)
		*(int *)(t->fs + rseq_offset) = -1;
	pd_thread_signals_inherit(t, attr);
	*out = t->real;
	pd_sched_add(t);
	pd_thread_emit(PD_EV_THREAD_CREATE, NULL, t->number);
	pd_sched_progress();
	pd_sched_point();
	return 0;
}

/* ---- fork by the program --------------------------------------------------------------------- */

void pd_thread_forked(void)
{
	struct pd_thread *self = pd_sched.cur;

	while (pd_sched.nlive > 1)
		pd_sched_remove(pd_sched.live[pd_sched.live[0] == self]);
	/* The other records are lost with their threads: nobody in the child may name them. */
	all = self;
	self->next = NULL;
	self->joiner = NULL;
	self->tid = (uint32_t)pd_env_pid(); /* and so it is the child's first thread */
	pd_once_forked();
	pd_thread_cloned();
}
