/* sched.c - see sched.h. */
#include "base/bug.h"
#include "base/hash.h"
#include "runtime/base/env.h"
#include "runtime/base/raw.h"
#include "runtime/base/rt.h"
#include "runtime/thread/sched.h"
#include <string.h>
#include <sys/time.h>

enum {
	STEP = 1000, /* virtual nanoseconds a scheduling point takes */
	IDLE_LIMIT = 1000000,
	SPIN_LIMIT = 64,
	/* After this many operations on locks and the like in a row, others run, too */
	PATIENCE = 2048,
	SYNC_WEIGHT = 8, /* accesses that an operation on a lock counts as: pd_sched_sparse */
	SETS = 256,
	WAYS = 4,
	WAITING = 1024,
};

struct pd_sched pd_sched;

static struct pd_arena memory;
static uint32_t *candidates;	     /* with room for as many as `live` */
static uint64_t earliest = PD_NEVER; /* lower bound of all deadlines */

/* What atomic loads saw last; in each set the newest first. */
static struct seen {
	uint64_t addr;
	uint64_t value;
} seen[SETS][WAYS] PD_TABLE;

/* How many threads are blocked on this object, or on one with the same hash: usually none. */
static uint32_t *waiting_on(const void *obj)
{
	static uint32_t n[WAITING] PD_TABLE;
	uintptr_t p = (uintptr_t)obj;

	return &n[(p >> 3 ^ p >> 9) % WAITING];
}

void pd_sched_init(void)
{
	pd_arena_init(&memory, pd_rt_memory());
	pd_sched.idle_limit = IDLE_LIMIT;
	pd_sched.spin_limit = SPIN_LIMIT;
}

static void grow(void)
{
	uint32_t to = pd_sched.cap ? pd_sched.cap * 2 : 64;

	pd_sched.live = pd_arena_grow(&memory, pd_sched.live, pd_sched.cap * sizeof(*pd_sched.live),
				      to * sizeof(*pd_sched.live));
	candidates = pd_new_array(&memory, uint32_t, to);
	PD_CHECK(!memory.failed, "no memory for the list of threads");
	pd_sched.cap = to;
}

void pd_sched_add(struct pd_thread *t)
{
	if (pd_sched.nlive == pd_sched.cap)
		grow();
	t->state = PD_THREAD_RUNNABLE;
	t->deadline = PD_NEVER;
	t->slot = pd_sched.nlive;
	pd_sched.live[pd_sched.nlive++] = t;
}

void pd_sched_remove(struct pd_thread *t)
{
	uint32_t i;

	PD_CHECK(t->slot < pd_sched.nlive && pd_sched.live[t->slot] == t, "thread is not live");
	if (t->state == PD_THREAD_BLOCKED) {
		pd_sched.nblocked--;
		(*waiting_on(t->wait_on))--;
	}
	for (i = t->slot; i + 1 < pd_sched.nlive; i++) {
		pd_sched.live[i] = pd_sched.live[i + 1];
		pd_sched.live[i]->slot = i;
	}
	pd_sched.nlive--;
}

void pd_sched_rouse(struct pd_thread *t, enum pd_wake why)
{
	if (t->state != PD_THREAD_BLOCKED)
		return;
	t->state = PD_THREAD_RUNNABLE;
	t->woken = why;
	t->deadline = PD_NEVER;
	pd_sched.nblocked--;
	(*waiting_on(t->wait_on))--;
	pd_sched.idle = 0;
	pd_sched.stale = 0;
}

/* ---- time ----------------------------------------------------------------------------------- */

uint64_t pd_sched_clock(void)
{
	return (uint64_t)pd_env_now();
}

static void step(void)
{
	pd_sched.points++;
	pd_env_advance(STEP);
}

static uint64_t find_earliest(void)
{
	uint64_t min = PD_NEVER;
	uint32_t i;

	for (i = 0; i < pd_sched.nlive; i++)
		min = PD_MIN(min, pd_sched.live[i]->deadline);
	return min;
}

static void fire_timeouts(void)
{
	uint64_t now = pd_sched_clock();
	uint32_t i;

	if (pd_likely(now < earliest))
		return;
	for (i = 0; i < pd_sched.nlive; i++)
		if (pd_sched.live[i]->deadline <= now)
			pd_sched_rouse(pd_sched.live[i], PD_WAKE_TIMEOUT);
	earliest = find_earliest();
}

void pd_sched_advance(uint64_t time)
{
	uint64_t now = pd_sched_clock();

	if (now < time)
		pd_env_advance((int64_t)(time - now));
}

/* Nothing can run until the next deadline: advances the clock to it. */
static bool jump(void)
{
	earliest = find_earliest();
	if (earliest == PD_NEVER)
		return false;
	pd_sched_advance(earliest);
	return true;
}

/* ---- choosing ------------------------------------------------------------------------------- */

static uint32_t ask(uint32_t n)
{
	uint32_t pick = 0;

	if (n > 1 && pd_rt.chooser.pick) {
		pd_sched.candidates = candidates;
		pd_sched.ncandidates = n;
		pick = pd_choose(&pd_rt.chooser, PD_CHOICE_THREAD, n);
		pd_sched.candidates = NULL;
		PD_CHECK(pick < n, "the chooser's answer is not one of the alternatives");
	}
	return candidates[pick];
}

static bool may_time_out(const struct pd_thread *t)
{
	return pd_sched.early_timeouts && t->state == PD_THREAD_BLOCKED && t->deadline != PD_NEVER;
}

/* Lists the candidates as slots of the live list, in the order that sched.h promises. */
static uint32_t list_candidates(bool yield)
{
	struct pd_thread *cur = pd_sched.cur;
	uint32_t n = 0;
	uint32_t i;
	uint32_t k = cur->slot;
	bool first = !yield && cur->state == PD_THREAD_RUNNABLE;

	if (first)
		candidates[n++] = k;
	for (i = 1; i <= pd_sched.nlive; i++) {
		k = k + 1 == pd_sched.nlive ? 0 : k + 1;
		if (pd_sched.live[k]->state == PD_THREAD_RUNNABLE && !(first && k == cur->slot))
			candidates[n++] = k;
	}
	if (pd_unlikely(pd_sched.early_timeouts))
		for (i = 0; i < pd_sched.nlive; i++)
			if (may_time_out(pd_sched.live[i]))
				candidates[n++] = i;
	return n;
}

/*
 * An alarm handler may wake a thread, and it comes in real time. (Timers of timer_create are not
 * checked: a program that waits for nothing else is taken for a deadlock.)
 */
static bool wait_for_alarm(void)
{
	struct itimerval t = {0};

	pd_raw(SYS_getitimer, ITIMER_REAL, (long)&t, 0, 0, 0, 0);
	if (!t.it_value.tv_sec && !t.it_value.tv_usec)
		return false;
	pd_sched_hold();
	pd_raw(SYS_pause, 0, 0, 0, 0, 0, 0);
	pd_sched_release();
	return true;
}

static struct pd_thread *choose(bool yield)
{
	struct pd_thread *t;
	uint32_t n;

	fire_timeouts();
	while (!(n = list_candidates(yield))) {
		if (!jump() && !wait_for_alarm())
			pd_sched_stuck(true);
		fire_timeouts();
	}
	pd_sched.yielding = yield;
	t = pd_sched.live[ask(n)];
	pd_sched.yielding = false;
	if (pd_unlikely(t->state ==
			PD_THREAD_BLOCKED)) { /* may_time_out() listed it: time passes */
		pd_sched_advance(t->deadline);
		fire_timeouts();
	}
	return t;
}

/* ---- switching ------------------------------------------------------------------------------ */

void pd_sched_entered(void)
{
	struct pd_thread *self = pd_sched.cur;

	if (pd_unlikely(pd_sched.dead != NULL)) {
		struct pd_thread *dead = pd_sched.dead;

		pd_thread_bury(dead);
		pd_sched.dead = NULL;
	}
	if (pd_unlikely(self->pending & ~self->mask)) {
		uint32_t hold = pd_sched.hold;

		/* A handler is code of the program, and may jump out of here. */
		pd_sched.hold = 0;
		pd_thread_signals_deliver(self);
		pd_sched.hold = hold;
	}
	if (pd_unlikely(self->cancel_asap))
		pd_thread_testcancel();
}

static void enter(struct pd_thread *from, struct pd_thread *to)
{
	PD_CHECK(pd_door == PD_DOOR_INSIDE,
		 "a kernel thread that is not the scheduler's would switch threads");
	if (pd_unlikely(pd_thread_signals_used()))
		pd_thread_signals_swap(from, to);
	from->hold = pd_sched.hold;
	pd_sched.hold = to->hold;
	if (pd_unlikely(pd_rt.buffered))
		pd_rt.switching(from->number, to->number);
	pd_sched.cur = to;
	to->asked = 0;
	pd_sched.switches++;
	pd_thread_swap(&from->sp, to->sp, to->fs);
}

static void switch_to(struct pd_thread *to)
{
	if (to != pd_sched.cur)
		enter(pd_sched.cur, to);
	else if (pd_likely(!to->pending && !to->cancel_asap))
		return;
	pd_sched_entered();
}

void pd_sched_leave(void)
{
	struct pd_thread *self = pd_sched.cur;
	struct pd_thread *next;

	pd_rt_drain_now();
	self->state = PD_THREAD_DONE;
	next = choose(false);
	pd_sched_remove(self);
	pd_sched.dead = self;
	enter(self, next);
	pd_door = PD_DOOR_LEAVING; /* here in the kernel thread of the burial, if there is one */
}

static bool only_one(void)
{
	return pd_sched.nlive - pd_sched.nblocked == 1 && pd_sched_clock() < earliest &&
	       !pd_sched.early_timeouts;
}

/* Whether the chooser would pick the running thread. */
static bool goes_on(const struct pd_thread *self)
{
	return pd_sched.calm && self->state == PD_THREAD_RUNNABLE && !self->tired &&
	       pd_sched_clock() < earliest && !pd_sched.early_timeouts;
}

static bool passes_over(void)
{
	if (!pd_sched.passed) {
		pd_sched.passed = pd_sched_distance(pd_sched.sparse);
		return false;
	}
	pd_sched.passed -= PD_MIN(pd_sched.passed, SYNC_WEIGHT);
	return pd_sched_clock() < earliest;
}

/* Whether the thread was found to be waiting; clears that. */
static bool take_tired(struct pd_thread *self)
{
	bool was = self->tired;

	self->tired = false;
	return was;
}

/* If the answer is always "the same thread", asking now and then is enough for time and signals. */
enum { CALM_POINTS = 64 };

void pd_rt_point(void)
{
	if (pd_sched.nlive <= 1 || pd_sched_passes())
		return;
	if (pd_sched.calm) {
		pd_sched.passed = CALM_POINTS - 1;
		pd_sched.points += CALM_POINTS - 1;
		pd_env_advance((CALM_POINTS - 1) * STEP);
	}
	if (pd_unlikely(pd_rt.buffered))
		pd_rt.tick();
	pd_sched_step();
}

void pd_sched_step(void)
{
	struct pd_thread *self = pd_sched.cur;

	if (pd_sched.hold)
		return;
	step();
	if (!self->pending && !self->cancel_asap &&
	    (only_one() || goes_on(self) || (pd_sched.sparse && passes_over())))
		return;
	switch_to(choose(take_tired(self)));
}

/*
 * A thread that asks under a lock, again and again, whether another one is done waits for that to
 * run.
 */
static void note_asked(struct pd_thread *self)
{
	if (self && ++self->asked >= PATIENCE) {
		self->asked = 0;
		self->tired = true;
	}
}

void pd_sched_point(void)
{
	pd_rt_drain();
	note_asked(pd_sched.cur);
	pd_sched_step();
}

void pd_sched_give_way(void)
{
	if (pd_sched.hold || pd_sched.nlive - pd_sched.nblocked == 1)
		return;
	step();
	switch_to(choose(true));
}

void pd_sched_yield(void)
{
	if (pd_sched.hold)
		return;
	pd_rt_drain_now();
	step();
	pd_sched.cur->spins = 0;
	pd_sched.idle++;
	if (++pd_sched.stale > pd_sched.idle_limit)
		pd_sched_stuck(false);
	/* Every thread had two turns and only spun: they wait for one that sleeps. */
	if (pd_sched.idle > 2 * pd_sched.nlive + 16 && pd_sched.nblocked)
		jump();
	switch_to(choose(true));
}

bool pd_sched_idle(void)
{
	if (pd_sched.hold)
		return false;
	pd_rt_drain_now();
	if (pd_sched.nlive - pd_sched.nblocked == 1 && pd_sched_clock() < earliest && !jump())
		return false;
	step();
	switch_to(choose(true));
	return true;
}

bool pd_sched_pass_time(void)
{
	return pd_sched.nblocked && jump();
}

void pd_sched_compare(const void *p, const void *value, size_t n)
{
	struct seen now = {.addr = (uint64_t)p}, *set = seen[pd_mix(now.addr) % SETS];
	uint32_t i = 0;

	memcpy(&now.value, value, PD_MIN(n, sizeof(now.value)));
	while (i < WAYS - 1 && set[i].addr != now.addr)
		i++;
	if (set[i].addr != now.addr || set[i].value != now.value)
		pd_sched.stale = 0;
	memmove(set + 1, set, i * sizeof(*set));
	set[0] = now;
}

/* ---- blocking ------------------------------------------------------------------------------- */

enum pd_wake pd_sched_block(enum pd_wait wait, const void *obj, uint64_t deadline)
{
	struct pd_thread *self = pd_sched.cur;

	pd_rt_drain_now();
	self->state = PD_THREAD_BLOCKED;
	self->wait = (uint8_t)wait;
	self->wait_on = obj;
	self->wait_seq = pd_sched.seq++;
	self->deadline = deadline;
	self->woken = PD_WAKE_NORMAL;
	self->spins = 0;
	self->handled = false;
	self->eintr = false;
	pd_sched.nblocked++;
	(*waiting_on(obj))++;
	earliest = PD_MIN(earliest, deadline);
	step();
	switch_to(choose(false));
	self->wait = PD_WAIT_NOTHING;
	self->wait_on = NULL;
	return self->woken;
}

static bool waits(const struct pd_thread *t, const void *obj, uint32_t bits)
{
	return t->state == PD_THREAD_BLOCKED && t->wait_on == obj &&
	       (t->wait != PD_WAIT_FUTEX || (t->wait_bits & bits));
}

/* Fills `candidates` with the slots of threads blocked on obj, in order of arrival. */
static uint32_t list_waiters(const void *obj, uint32_t bits)
{
	uint32_t n = 0;
	uint32_t i;

	if (!*waiting_on(obj))
		return 0;
	for (i = 0; i < pd_sched.nlive; i++) {
		struct pd_thread *t = pd_sched.live[i];
		uint32_t k;

		if (!waits(t, obj, bits))
			continue;
		for (k = n++; k && pd_sched.live[candidates[k - 1]]->wait_seq > t->wait_seq; k--)
			candidates[k] = candidates[k - 1];
		candidates[k] = i;
	}
	return n;
}

uint32_t pd_sched_waiters(const void *obj)
{
	return list_waiters(obj, UINT32_MAX);
}

uint32_t pd_sched_wake_bits(const void *obj, uint32_t n, uint32_t bits)
{
	uint32_t woken = 0;

	pd_rt_drain_now();
	while (woken < n) {
		uint32_t left = list_waiters(obj, bits);
		uint32_t slot;

		if (!left)
			break;
		/* If all are woken anyway, the order is no choice. */
		slot = left > n - woken ? ask(left) : candidates[0];
		pd_sched_rouse(pd_sched.live[slot], PD_WAKE_NORMAL);
		woken++;
	}
	return woken;
}

uint32_t pd_sched_wake(const void *obj, uint32_t n)
{
	return pd_sched_wake_bits(obj, n, UINT32_MAX);
}

void pd_sched_requeue(const void *from, const void *to, uint32_t n)
{
	uint32_t left = list_waiters(from, UINT32_MAX);
	uint32_t i;

	for (i = 0; i < left && i < n; i++) {
		pd_sched.live[candidates[i]]->wait_on = to;
		(*waiting_on(from))--;
		(*waiting_on(to))++;
	}
}
