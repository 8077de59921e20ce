/*
 * sched.h - which thread runs.
 *
 * Every place where another thread could run instead is a scheduling point: it lists the threads
 * that can run and asks the chooser (PD_CHOICE_THREAD). The order of the list is the policy for
 * those who always answer 0, and so it is fair: a thread that can go on comes first, then the
 * others by number from the one after it, around; a thread that gives way (sched_yield, too many
 * spins, thousands of operations on locks in a row) comes last. Answering 0 throughout therefore
 * means: run until it blocks or yields, then round robin.
 *
 * Time is virtual (env.h). It moves by a microsecond with each scheduling point and jumps to the
 * earliest deadline when nobody can run, or when all who can are only spinning. So a timeout fires
 * in the same place in every run and no sleep takes any real time.
 *
 * Invariants:
 *  1. `live` is sorted by number; the current thread is in it.
 *  2. While the hold is not 0 nobody else runs, unless the holder itself blocks.
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
	struct pd_thread *dead; /* has left its stack for good; whoever runs next buries it */
	uint64_t seq;		/* how often a thread blocked */
	uint64_t idle;		/* yields since anybody got anywhere */
	uint64_t stale;		/* the same, or saw anything new */
	/* Counters and limits that others read or set. */
	uint64_t points;
	uint64_t switches;
	uint64_t idle_limit; /* so many stale yields are a livelock */
	uint32_t spin_limit; /* so many atomic loads in a row are a yield */
	bool early_timeouts; /* a timeout may fire at any scheduling point, as a choice */
	uint32_t passed;     /* so many accesses to come are no scheduling points */
	bool calm;	     /* who can go on does: the chooser always takes the first */
	struct pd_sched_sparse *sparse; /* how many that are each time; NULL: none */
	/* During a choice: what the alternatives stand for. */
	const uint32_t *candidates; /* slots of the live list */
	uint32_t ncandidates;
	bool yielding; /* the choice is a yield of thread `cur` */
};

extern PD_OWN struct pd_sched pd_sched;

/* pd_thread_self, where it is asked often. */
static inline uint32_t pd_sched_self(void)
{
	return pd_likely(pd_sched.cur != NULL) ? pd_sched.cur->number : pd_thread_self();
}

void pd_sched_init(void);
void pd_sched_add(struct pd_thread *t);
void pd_sched_remove(struct pd_thread *t);

/* Another thread may run here. */
void pd_sched_point(void);

/* Whether this access to memory is no scheduling point. */
static inline bool pd_sched_passes(void)
{
	if (!pd_sched.passed)
		return false;
	pd_sched.passed--;
	return true;
}

/* The same at an event of the thread's own, after which what it stored may still wait. (tso.h) */
void pd_sched_step(void);

/* Whether the schedule draws nothing more: who runs next follows from who runs, and from these
 * ranks. */
bool pd_sched_settled(void);
uint32_t pd_sched_rank(const struct pd_thread *t);

/* Others run now, if any can; nobody waits for anything. */
void pd_sched_give_way(void);

/* The current thread wants others to run. */
void pd_sched_yield(void);

/*
 * The current thread waits for something outside the program: others run, if need be after a jump
 * of the clock to the next timeout. False where nobody else can ever run.
 */
bool pd_sched_idle(void);

/* The clock goes to where the next thread that sleeps, or waits with a timeout, wakes up. False: there is
 * none. */
bool pd_sched_pass_time(void);

/* The same until fd is ready (events as in poll); one that does not block always is. */
void pd_sched_wait_fd(int fd, short events);

/* Time passes, at least up to then. */
void pd_sched_advance(uint64_t time);

/* An atomic load or a failed trylock: a loop of nothing but these ends in a yield. */
static inline void pd_sched_spin(void)
{
	if (pd_sched.cur && !pd_sched.hold && ++pd_sched.cur->spins >= pd_sched.spin_limit)
		pd_sched_yield();
}

/* Whether an atomic load saw what it saw before: who waits sees the same again and again, who looks
 * things up does not. */
void pd_sched_compare(const void *p, const void *value, size_t n);

/* An atomic load that saw this. It is compared only where nobody has stored anything for so long
 * that it begins to look like a livelock. */
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

/* Nobody else runs until the matching release: state in more than one word is being changed. */
static inline void pd_sched_hold(void)
{
	pd_rt_drain_now(); /* who sees what is changed now sees what was stored before */
	pd_sched.hold++;
}

static inline void pd_sched_release(void)
{
	pd_sched.hold--;
}

/* Blocks the current thread on obj until it is woken or virtual time reaches the deadline. */
enum pd_wake pd_sched_block(enum pd_wait wait, const void *obj, uint64_t deadline);

/* Wakes up to n of those blocked on obj, which of them being a choice; returns how many. */
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

/* EINVAL, or 0 and the absolute time on this clock as a deadline. */
int pd_sched_deadline(clockid_t clock, const struct timespec *abs, uint64_t *deadline);

/* So long from now; what is no valid duration is now. */
uint64_t pd_sched_after(const struct timespec *rel);

/*
 * What happens when nobody can ever run again (a deadlock), or when nobody gets anywhere. The
 * default is pd_rt_fail with PD_STATUS_DEADLOCK or _LIVELOCK.
 */
extern void (*pd_sched_report_stuck)(bool deadlock, const struct pd_waits *w);
void pd_sched_stuck(bool deadlock);

/* ---- policies (thread/sched_policy.c) -------------------------------------------------------------- */

/* Always alternative 0. */
struct pd_chooser pd_sched_default(void);

struct pd_sched_random {
	uint64_t state;
};

/* Every alternative equally likely, at every scheduling point. */
struct pd_chooser pd_sched_random(struct pd_sched_random *r, uint64_t seed);

/*
 * Holds threads: before each turn `choose` is asked, with what `base` would pick of n threads that
 * can run, and picks another one as long as it wants a thread to wait. number(i) is the number of
 * the ith of them. Whom to hold, and until when, is for the caller to decide; if nobody else can
 * run, a thread that is held goes on.
 */
struct pd_sched_holding {
	struct pd_chooser base;
	uint32_t (*choose)(void *ctx, uint32_t pick, uint32_t n, uint32_t (*number)(uint32_t));
	void *ctx;
};
struct pd_chooser pd_sched_holding(const struct pd_sched_holding *h);

/*
 * Random, but only at some of the points: at every one while the run is young, then more and more
 * rarely. For those who want threads to overlap, and not every order. Where something waits to be
 * done to the thread that runs (a signal, a cancellation, a timeout) its next operation on a lock
 * or the like is one.
 */
struct pd_sched_sparse {
	struct pd_sched_random random;
	uint64_t state; /* of the distances */
	uint64_t seen;	/* accesses, about */
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
		uint32_t flushes; /* that it was about to make; no more than `late` */
	} *rank;		  /* by thread number */
	uint32_t nrank;
	uint32_t late; /* see pd_sched_late; 0: no */
	uint32_t odd;  /* the threads of odd numbers are late, or (0) the others */
};

struct pd_chooser pd_sched_pct(struct pd_sched_pct *p, uint64_t seed, uint32_t depth,
			       uint64_t steps);

/*
 * The same with one change point a thread, at a flush: every other thread is late. It goes first,
 * and where it is about to flush for the k-th time its priority drops below all others; so others
 * see what it has stored, and act on it, before it is durable. Schedules 0 and 1 (odd and even
 * numbers) have k = 1, those after them 2 to 3, 4 to 7, and so on.
 */
struct pd_chooser pd_sched_late(struct pd_sched_pct *p, uint64_t seed, uint32_t number);

/* Another thread may run here: called where an event is about to happen. */
void pd_rt_point(void);

#endif
