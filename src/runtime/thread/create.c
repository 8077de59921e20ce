/*
 * create.c - creates, runs and ends threads; thread.h has the idea.
 *
 * The path of a thread: pthread_create -> glibc's start_thread -> thread_birth (parks; the kernel
 * thread exits) -> [coroutine] thread_run, the program's function, its destructors -> thread_finish
 * -> [kernel thread again] back into start_thread, which frees what glibc holds.
 *
 * pthread_exit and cancellation unwind through thread_run's cleanup handler, so they take the same
 * path.
 */
#include "runtime/base/listen.h"
#include "runtime/base/env.h"
#include "runtime/base/raw.h"
#include "runtime/base/rt.h"
#include "runtime/thread/sched.h"
#include "runtime/thread/snapshot.h"
#include "runtime/thread/thread.h"
#include "runtime/thread/real.h"
#include "runtime/thread/trap.h"
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

enum { NUMBERS = 65536 }; /* an event has 16 bits for a thread */

bool pd_thread_ready;
uint32_t pd_thread_births;

static bool starting;
static struct pd_arena memory;
static struct pd_thread main_thread;
static struct pd_thread *all = &main_thread;
static struct pd_thread *free_records;
static uint32_t next_number = 1;
static uint32_t tid_base; /* main's tid */

/* ---- the table ------------------------------------------------------------------------------ */

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
	t->next = all;
	all = t;
	return t;
}

/*
 * Numbers a thread when it first runs: others may have been created while glibc allocated for it.
 */
static void give_number(struct pd_thread *t)
{
	t->number = next_number++;
	t->tid = tid_base + t->number;
	pd_thread_show_own(t);
}

void pd_thread_unlist(struct pd_thread *t)
{
	struct pd_thread **at = &all;

	while (*at != t)
		at = &(*at)->next;
	*at = t->next;
}

void pd_thread_drop(struct pd_thread *t)
{
	if (t == &main_thread)
		return;
	t->next = free_records;
	free_records = t;
}

void pd_thread_tid_base(uint32_t base)
{
	struct pd_thread *t;

	tid_base = base;
	for (t = all; t; t = t->next) {
		t->tid = base + t->number;
		if (t->fs && pd_sched.cur)
			pd_thread_show_own(t);
	}
}

void pd_thread_cloned(void)
{
	pd_sched.kernel = (uint32_t)pd_raw(SYS_gettid, 0, 0, 0, 0, 0, 0);
}

/* ---- start ---------------------------------------------------------------------------------- */

static void start_main(void)
{
	pd_arena_init(&memory, pd_rt_memory());
	pd_sched_init();
	pd_thread_fsgsbase = (getauxval(AT_HWCAP2) & 2) != 0;
	pd_sched.kernel = (uint32_t)pd_raw(SYS_gettid, 0, 0, 0, 0, 0, 0);
	main_thread.real = pthread_self();
	main_thread.fs = (uintptr_t)main_thread.real;
	pd_thread_kernel_start(&main_thread);
	pd_thread_tid_base((uint32_t)pd_env_pid());
	pd_sched_add(&main_thread);
	pd_sched.cur = &main_thread;
	pd_thread_show_own(&main_thread);
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
	if (!environ) { /* before libc is ready the mode is unknown */
		starting = false;
		return false;
	}
	pd_rt_init();
	if (pd_rt.driven)
		start_main();
	pd_thread_ready = true;
	return pd_rt.driven;
}

/* The first call may come from inside the program's allocator; this one does not. */
__attribute__((constructor(PD_START_THREADS))) static void start(void)
{
	if (pd_thread_driven())
		pd_thread_kernel_test();
}

uint32_t pd_thread_self(void)
{
	static uint32_t counter;
	static __thread uint32_t number __attribute__((tls_model("initial-exec")));

	if (pd_sched.cur)
		return pd_sched.cur->number;
	/* Alone: threads are numbered in the order in which they first ask; `number` is one
	 * more. */
	if (!number)
		number = __atomic_add_fetch(&counter, 1, __ATOMIC_RELAXED);
	return number - 1;
}

void pd_rt_emit(struct pd_event *e)
{
	if (!pd_inside() || !pd_rt.channel->started)
		return;
	pd_rt_drain_now(); /* what follows are edges between threads, files and annotations */
	e->tid = (uint16_t)pd_sched_self();
	pd_rt.channel->events[e->kind]++;
	pd_listen_event(e);
}

void pd_thread_emit(uint8_t kind, const void *obj, uint64_t aux)
{
	uint64_t p = (uint64_t)(uintptr_t)obj;
	struct pd_event e = {.kind = kind, .order = PD_ORDER_NONE, .aux = aux};

	if (p)
		e.addr = PD_IS_PM(p) ? p - PD_PM_BASE : p | PD_ADDR_OUTSIDE;
	pd_rt_emit(&e);
}

/* ---- the end of a thread -------------------------------------------------------------------- */

/*
 * After a fork main may be gone in the child; then the end of the last thread is that of the
 * program, as in glibc.
 */
static void thread_finish(void *arg)
{
	struct pd_thread *self = arg;

	if (!pd_thread_driven())
		return; /* the child of a fork outside the session: glibc does it all */
	if (pd_real.__call_tls_dtors)
		pd_real.__call_tls_dtors();
	pd_thread_run_keys();
	pd_listen_thread_ending(self);
	pd_rt_drain();
	pd_thread_emit(PD_EV_THREAD_END, NULL, 0);
	self->ended = true;
	if (pd_sched.nlive == 1)
		exit(0);
	pd_sched_wake(self, UINT32_MAX);
	pd_sched_wake(&pd_sched, UINT32_MAX); /* main, if it waits for all */
	pd_sched.hold = 0;
	pd_sched_leave();
}

/* Whether the machine is the reason that no thread can be created: no process can be either. */
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

/* ---- its beginning -------------------------------------------------------------------------- */

static void *thread_run(struct pd_thread *self)
{
	self->base = (uintptr_t)__builtin_frame_address(0);
	pthread_cleanup_push(thread_finish, self);
	self->ret = self->fn(self->arg);
	self->returned = true;
	pthread_cleanup_pop(1);
	return self->ret;
}

static void *thread_birth(void *arg)
{
	struct pd_thread *self = arg;

	pd_thread_park_at_birth(self);
	pd_sched_entered();
	pd_thread_emit(PD_EV_THREAD_BEGIN, NULL, self->creator);
	return thread_run(self);
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
	pd_listen_thread_making();
	pd_thread_kernel_check();
	pd_thread_join_ghosts();
	t = new_record();
	if (!t) {
		pd_rt_loss(PD_LOSS_CAPPED, 0, "too many threads");
		return EAGAIN;
	}
	t->fn = fn;
	t->arg = arg;
	t->creator = pd_sched.cur->number;
	pd_thread_births++;
	r = pd_thread_bear(t, attr, thread_birth);
	if (r == EAGAIN && is_starved())
		pd_rt_starved();
	if (r) {
		pd_thread_births--;
		pd_thread_unlist(t);
		pd_thread_drop(t);
		return r;
	}
	give_number(t);
	if (attr)
		pthread_attr_getdetachstate(attr, &detached);
	t->detached = detached == PTHREAD_CREATE_DETACHED;
	pd_thread_signals_inherit(t, attr);
	*out = t->real;
	pd_sched_add(t);
	pd_thread_births--;
	pd_thread_emit(PD_EV_THREAD_CREATE, NULL, t->number);
	pd_sched_progress();
	pd_sched_point();
	return 0;
}

/* ---- fork by the program -------------------------------------------------------------------- */

void pd_thread_forked(void)
{
	struct pd_thread *self = pd_sched.cur;

	while (pd_sched.nlive > 1)
		pd_sched_remove(pd_sched.live[pd_sched.live[0] == self]);
	/* The other records are lost with their threads: nothing in the child may name them. */
	all = self;
	self->next = NULL;
	self->joiner = NULL;
	pd_thread_births = 0;
	pd_thread_forget_ghosts();
	self->tid = (uint32_t)pd_env_pid(); /* it is the child's first thread */
	pd_thread_show_own(self);
	pd_thread_cloned();
}
