/*
 * sched.h - the scheduler: decides which thread runs.
 *
 * Every place where another thread could run instead is a scheduling point: it lists the runnable
 * threads and asks the chooser (PD_CHOICE_THREAD). The order of the list is the policy of a chooser
 * that always answers 0, so it is fair: the current thread comes first if it can go on, then the
 * others in cyclic order of their numbers; a thread that yields (sched_yield, too many spins,
 * thousands of operations on locks in a row) comes last. Always answering 0 therefore means: run
 * until it blocks or yields, then round robin.
 *
 * Time is virtual (env.h). It advances by a microsecond with each scheduling point and jumps to the
 * earliest deadline when no thread can run, or all runnable threads only spin. So a timeout fires
 * in the same place in every run and no sleep takes any real time.
 *
 * Invariants:
 *  1. `live` is sorted by number; the current thread is in it.
 *  2. While the hold is not 0 no other thread runs, unless the holder itself blocks.
 *  3. A thread is woken at most once for each time that it blocked.
 *
 * Thread rule: driven mode only; one kernel thread, nothing is locked.
 */
#ifndef PD_RUNTIME_THREAD_SCHED_H
#define PD_RUNTIME_THREAD_SCHED_H

#include "event/choice.h"
#include "runtime/base/rt.h"
#include "runtime/thread/thread.h"
#include <time.h>

enum {
	PD_STATUS_DEADLOCK = 75,
	PD_STATUS_LIVELOCK = 76,
	PD_STATUS_JUMP = 77, /* a longjmp into another thread */
};

struct pd_sched {
	struct pd_thread *cur;
	struct pd_thread **live;
	uint32_t nlive;
	uint32_t cap;
	uint32_t nblocked;
	uint32_t hold;
	uint32_t kernel;	/* tid of the kernel thread that runs all of them */
	struct pd_thread *dead; /* has left its stack for good; the next thread to run buries it */
	uint64_t seq;		/* how often a thread blocked */
	uint64_t idle;		/* yields since the last progress of any thread */
	uint64_t stale;		/* yields since the last progress, or the last new value seen */
	/* Counters and limits for other parts */
	uint64_t points;
	uint64_t switches;
	uint64_t idle_limit; /* this many stale yields are a livelock */
	uint32_t spin_limit; /* this many atomic loads in a row are a yield */
	bool early_timeouts; /* a timeout may fire at any scheduling point, as a choice */
	uint32_t passed;     /* accesses to come that are no scheduling points */
	bool calm;	     /* the chooser always takes the first: a thread that can go on does */
	struct pd_sched_sparse *sparse; /* draws `passed` anew each time; NULL: not used */
	/* During a choice: the alternatives */
	const uint32_t *candidates; /* slots of the live list */
	uint32_t ncandidates;
	bool yielding; /* the choice is a yield of thread `cur` */
};

extern PD_OWN struct pd_sched pd_sched;

/* Fast version of pd_thread_self. */
static inline uint32_t pd_sched_self(void)
{
	return pd_likely(pd_sched.cur != NULL) ? pd_sched.cur->number : pd_thread_self();
}

void pd_sched_init(void);
void pd_sched_add(struct pd_thread *t);
void pd_sched_remove(struct pd_thread *t);

/* Scheduling point: another thread may run here. */
void pd_sched_point(void);

/* Whether this access to memory is no scheduling point. */
static inline bool pd_sched_passes(void)
{
	if (!pd_sched.passed)
		return false;
	pd_sched.passed--;
	return true;
}

/*
 * Scheduling point at an event of the thread itself, after which its stores may still be buffered.
 * (tso.h)
 */
void pd_sched_step(void);

/* Whether the schedule draws nothing more: the next thread follows from the current one and these
 * ranks. */
bool pd_sched_settled(void);
uint32_t pd_sched_rank(const struct pd_thread *t);

/* Lets other threads run, if any can; the current one does not wait for anything. */
void pd_sched_give_way(void);

/* The current thread waits for others. */
void pd_sched_yield(void);

/*
 * The current thread waits for something outside the program: others run, if need be after a jump
 * of the clock to the next timeout. False: no other thread can ever run.
 */
bool pd_sched_idle(void);

/* Advances the clock to the next deadline of a sleep or timeout. False: there is none. */
bool pd_sched_pass_time(void);

/* The same until fd is ready (events as in poll); a non-blocking descriptor always is. */
void pd_sched_wait_fd(int fd, short events);

/* Advances the clock to `time`, at least. */
void pd_sched_advance(uint64_t time);

/* An atomic load or a failed trylock: a loop of nothing but these ends in a yield. */
static inline void pd_sched_spin(void)
{
	if (pd_sched.cur && !pd_sched.hold && ++pd_sched.cur->spins >= pd_sched.spin_limit)
		pd_sched_yield();
}

/* Compares what an atomic load saw with what it saw before: a waiting thread sees the same again
 * and again, a searching one does not. */
void pd_sched_compare(const void *p, const void *value, size_t n);

/* An atomic load saw this value. Compared only after so long without a store that it begins to look
 * like a livelock. */
static inline void pd_sched_loaded(const void *p, const void *value, size_t n)
{
	if (pd_unlikely(pd_sched.idle << 9 >= pd_sched.idle_limit))
		pd_sched_compare(p, value, n);
	pd_sched_spin();
}

/* Something that a spinning thread may wait for happened: a store, a read-modify-write. */
static inline void pd_sched_progress(void)
{
	pd_sched.idle = 0;
	pd_sched.stale = 0;
	if (pd_sched.cur)
		pd_sched.cur->spins = 0;
}

/* No other thread runs until the matching release: state in more than one word is being changed. */
static inline void pd_sched_hold(void)
{
	pd_rt_drain_now(); /* others that see the change also see earlier stores */
	pd_sched.hold++;
}

static inline void pd_sched_release(void)
{
	pd_sched.hold--;
}

/* Blocks the current thread on obj until it is woken or virtual time reaches the deadline. */
enum pd_wake pd_sched_block(enum pd_wait wait, const void *obj, uint64_t deadline);

/* Wakes up to n of the threads blocked on obj, which ones being a choice; returns how many. */
uint32_t pd_sched_wake(const void *obj, uint32_t n);
uint32_t pd_sched_wake_bits(const void *obj, uint32_t n, uint32_t bits);
void pd_sched_requeue(const void *from, const void *to, uint32_t n);
uint32_t pd_sched_waiters(const void *obj);

/* Makes t runnable with this reason, if it is blocked. */
void pd_sched_rouse(struct pd_thread *t, enum pd_wake why);

/* The current thread ends. Returns in the kernel thread of its burial; see create.c. */
void pd_sched_leave(void);

/* First thing that a new thread does. */
void pd_sched_entered(void);

/* The virtual clock (env.h), in nanoseconds: what deadlines are in. */
uint64_t pd_sched_clock(void);

/* Converts an absolute time of a clock to a deadline; returns EINVAL or 0. */
int pd_sched_deadline(clockid_t clock, const struct timespec *abs, uint64_t *deadline);

/* The deadline that far from now; an invalid duration gives now. */
uint64_t pd_sched_after(const struct timespec *rel);

/*
 * Called when no thread can ever run again (a deadlock), or none makes progress. The default is
 * pd_rt_fail with PD_STATUS_DEADLOCK or _LIVELOCK.
 */
extern void (*pd_sched_report_stuck)(bool deadlock, const struct pd_waits *w);
/* Reads from a lock, which may lie in memory that only the runtime can read; by default a plain
 * copy. */
extern void (*pd_sched_peek)(void *to, const void *from, size_t n);
void pd_sched_stuck(bool deadlock);

/* ---- policies (thread/sched_policy.c) ------------------------------------------------------- */

/* From here on it chooses. */
void pd_sched_use(struct pd_chooser c);

/* Always alternative 0. */
struct pd_chooser pd_sched_default(void);

struct pd_sched_random {
	uint64_t state;
};

/* Every alternative equally likely, at every scheduling point. */
struct pd_chooser pd_sched_random(struct pd_sched_random *r, uint64_t seed);

/*
 * Holds threads: before each turn `choose` is called with what `base` would pick of n runnable
 * threads, and picks another one as long as it wants a thread to wait. number(i) is the number of
 * the ith thread. The caller decides which thread to hold, and until when; if no other thread can
 * run, a held one goes on.
 */
struct pd_sched_holding {
	struct pd_chooser base;
	uint32_t (*choose)(void *ctx, uint32_t pick, uint32_t n, uint32_t (*number)(uint32_t));
	void *ctx;
};
struct pd_chooser pd_sched_holding(const struct pd_sched_holding *h);

/*
 * Random, but only at some of the points: at every one at the start of a run, then more and more
 * rarely. For overlapping threads without every order. If something is due for the running thread
 * (a signal, a cancellation, a timeout), its next operation on a lock or the like is a scheduling
 * point.
 */
struct pd_sched_sparse {
	struct pd_sched_random random;
	uint64_t state; /* of the random distances */
	uint64_t seen;	/* approximate number of accesses */
};

struct pd_chooser pd_sched_sparse(struct pd_sched_sparse *s, uint64_t seed);
/* How many accesses to come are passed over. */
uint32_t pd_sched_distance(struct pd_sched_sparse *s);

enum { PD_PCT_DEPTH_MAX = 16 };

/*
 * PCT (Burckhardt, Kothari, Musuvathi, Nagarakatte: A Randomized Scheduler with Probabilistic
 * Guarantees of Finding Bugs, ASPLOS 2010): threads have random priorities and the highest runs; at
 * d - 1 random ones of k steps the running thread's priority drops below all others. A bug of depth
 * d is found with probability >= 1 / (n * k^(d-1)). Departure: a thread that yields or spins drops
 * to the bottom too, or a spin lock would never end.
 */
struct pd_sched_pct {
	uint64_t state;
	uint64_t step;
	uint64_t change[PD_PCT_DEPTH_MAX];
	uint32_t nchange;
	int64_t lowest; /* below every priority given out so far */
	struct pd_sched_rank {
		int64_t priority; /* 0: not drawn yet */
		uint32_t flushes; /* flushes that it was about to make, at most `late` */
	} *rank;		  /* by thread number */
	uint32_t nrank;
	uint32_t late; /* see pd_sched_late; 0: no */
	uint32_t odd;  /* the threads of odd numbers are late, or (0) the others */
};

struct pd_chooser pd_sched_pct(struct pd_sched_pct *p, uint64_t seed, uint32_t depth,
			       uint64_t steps);

/*
 * PCT with one change point per thread, at a flush: every other thread is late. It runs first, and
 * when it is about to flush for the k-th time its priority drops below all others; so others see
 * what it has stored, and act on it, before it is durable. Schedules 0 and 1 (odd and even numbers)
 * have k = 1, those after them 2 to 3, 4 to 7, and so on.
 */
struct pd_chooser pd_sched_late(struct pd_sched_pct *p, uint64_t seed, uint32_t number);

/* Scheduling point before an event. */
void pd_rt_point(void);

#endif
