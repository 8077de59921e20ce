/*
 * state.h - what the parts of the lockset engine share; see lockset.h for what it is about.
 *
 *	lockset.c   an event comes in, and goes to:
 *	order.c     which thread knows what of which (happens-before)
 *	locks.c     who holds what
 *	spin.c      locks that are made of atomics
 *	ticket.c    and those that are made of two numbers
 *	look.c      readers that look at those twice, and take none
 *	word.c      the words of PM: open windows, what was seen of them
 *	own.c       who knows a byte: initialization removal
 *	recycle.c   memory that is given to another owner
 *	recent.c    what of that is nothing new
 *	judge.c     pairs of a window and an access
 *	report.c    races become findings
 *
 * Invariants:
 *  1. A byte is in the mask of at most one open window.
 *  2. A load is judged against closed windows when it is committed, a window against committed
 *     loads when it is closed: each pair once.
 *  3. Whoever points to a clock of the past (struct pd_ls_then) is counted in it.
 */
#ifndef PD_ENGINE_LOCKSET_STATE_H
#define PD_ENGINE_LOCKSET_STATE_H

#include "engine/lockset/locks.h"
#include "engine/lockset/lockset.h"
#include "engine/lockset/pool.h"
#include "engine/ranges.h"
#include "model/clock.h"

enum {
	PD_LS_WORDS = 512, /* words of a granule, which are kept together: of a page */
	PD_LS_NEAR = 4096, /* granules that are found by one look */
	/* Loads of a thread that wait; the oldest are committed before their time */
	PD_LS_SEEN = 256,
	PD_LS_AGAIN = 64,	 /* of those, that are found again */
	PD_LS_LOOKS = 8,	 /* of a thread, at words that may be locks */
	PD_LS_TICKETS = 4,	 /* of a thread */
	PD_LS_LINE = 8,		 /* words of a line */
	PD_LS_FLUSHES = 1 << 16, /* of a thread, without a fence */
};

/* ---- threads -------------------------------------------------------------------------------- */

/* A thread's clock as it was; shared by all that happened under it. */
struct pd_ls_then {
	uint32_t refs;
	uint32_t n;
	uint32_t cap;		 /* log2 */
	struct pd_ls_then *next; /* free ones of this size */
	uint32_t at[];
};

struct pd_ls_flush {
	uint64_t line; /* address / 64 */
	uint64_t seq;
	uint32_t place;
	struct pd_ls_then *then;
};

/* A load that nobody can have noticed yet. */
struct pd_ls_seen {
	uint64_t word;
	uint64_t seq;
	struct pd_ls_then *then;
	struct pd_ls_then *run;
	uint32_t step;
	uint32_t place;
	uint32_t set;
	uint32_t epoch;
	uint8_t mask;
	bool flushed;
};

/* At a word that may be a lock, and was free. */
struct pd_ls_look {
	uint64_t addr;
	uint64_t value;
	uint64_t seq; /* 0: none */
	uint32_t place;
};

/* A number that it has drawn (ticket.c). */
struct pd_ls_ticket {
	uint64_t next; /* where */
	uint64_t value;
	uint64_t seq; /* 0: none */
};

struct pd_ls_thread {
	struct pd_known_thread known; /* its bit is for this epoch */
	uint64_t window_bit;	      /* the same for windows, and for this clock; 0: none */
	struct pd_clock clock;
	struct pd_clock promised; /* read by relaxed loads: known after the next acquire fence */
	struct pd_ls_then *now;	  /* the clock as it is; NULL: not made yet */
	/* The same in the order of the run, in which locks count, too (recycle.c) */
	struct pd_clock run;
	struct pd_clock run_promised;
	struct pd_ls_then *run_now;
	bool at_pm;  /* it has accessed PM */
	bool fenced; /* a release fence came: relaxed stores release, too */
	struct pd_holds holds;
	PD_VEC(struct pd_ls_flush) flushes;
	PD_VEC(struct pd_ls_seen) seen;
	uint16_t again[PD_LS_AGAIN]; /* where in `seen` a load may be, by word and place */
	struct pd_ls_look look[PD_LS_LOOKS];
	uint64_t
		early; /* 1 + a lock that it is counted in though a writer has it (spin.c); 0: none */
	struct pd_ls_ticket ticket[PD_LS_TICKETS];
};

/* ---- words ---------------------------------------------------------------------------------- */

enum pd_ls_own {
	PD_LS_NEW,     /* nobody has been here */
	PD_LS_READ,    /* one thread, which only read */
	PD_LS_OWNED,   /* one thread, which stored: this may be new memory */
	PD_LS_UPDATED, /* one thread, which read and then stored: this was there before */
	/* One thread, which stored to what another one, the looker, had read before it stored */
	PD_LS_INHERITED,
	PD_LS_RECYCLED, /* one thread, which was given it by those who had it before (recycle.c) */
	PD_LS_SHARED,	/* several */
	PD_LS_SPLIT,	/* bytes differ: epoch is the number of a struct pd_ls_split */
};

struct pd_ls_state {
	uint32_t epoch; /* of the owner, at its last access */
	uint32_t step;	/* the same in the order of the run */
	uint16_t owner;
	uint16_t looker; /* INHERITED: to this thread it is no new memory */
	uint8_t own;	 /* enum pd_ls_own */
	uint8_t valid;	 /* bytes that this is about; the others are NEW */
};

struct pd_ls_split {
	uint32_t next;
	struct pd_ls_state byte[8];
};

/* Small: every word of PM that was ever touched has one. */
struct pd_ls_word {
	struct pd_ls_state state;
	uint32_t open;	  /* windows */
	uint32_t closed;  /* a struct pd_ls_closed; 0: none was closed yet that counts */
	uint32_t loads;	  /* groups of loads */
	uint16_t version; /* of loads: goes up with each change */
	uint8_t locks;	  /* bytes that are a lock: not data */
	uint8_t sync;	  /* an atomic here has an object in order.c */
};

enum pd_ls_end {
	PD_LS_OPEN,
	PD_LS_DURABLE,
	PD_LS_OVERWRITTEN,
	PD_LS_NEVER,
};

/* How and when a window ended. */
struct pd_ls_close {
	uint8_t how; /* enum pd_ls_end */
	uint16_t tid;
	uint32_t epoch;
	uint32_t step;
	uint64_t seq;
	uint32_t flush; /* places */
	uint32_t fence;
	uint32_t set;  /* locks over the whole window */
	uint32_t only; /* only accesses of this thread (and 1) make a pair with it; 0: all do */
};

struct pd_ls_open {
	uint32_t next;
	uint32_t place;
	uint32_t set;
	uint32_t since; /* acquisitions of the thread until then */
	uint32_t epoch;
	uint16_t tid;
	uint8_t mask;
	uint8_t how; /* enum pd_ls_store */
	uint32_t step;
	uint64_t seq;
	struct pd_ls_then *then;
	struct pd_ls_then *run;
	bool fresh;	/* to recycled memory: the order of the run counts */
	bool due;	/* the program has said that it is durable, which it was not */
	bool taking;	/* perhaps the acquisition of a lock: judged when that is known */
	uint8_t counts; /* bytes that were shared when that happened to it, */
	uint8_t looked; /* and those that close.only had looked at: */
	struct pd_ls_close close;
};

/*
 * The windows of a word that are over; one line of the processor's cache. Most come as the last one
 * did, by the same thread or by another: that one is here, so that nothing else has to be looked at
 * (recent.c).
 */
struct pd_ls_closed {
	uint32_t next;
	uint32_t first;	       /* groups */
	uint32_t common;       /* locks that all of them have: over the whole window */
	uint32_t common_set;   /* and at the store */
	uint32_t loads_common; /* locks that all of the word's loads have, if there are any */
	/* the last one, and whose (bits) it was: certain to be no race that is not reported yet */
	uint32_t generation;
	uint32_t group;
	uint32_t place;
	uint32_t flush;
	uint32_t set;
	uint32_t effective;
	uint8_t mask;
	uint8_t how;
	uint8_t end;
	uint64_t who;
	uint32_t only;
	uint32_t unused;
};

enum pd_ls_store {
	PD_LS_PLAIN,
	PD_LS_ATOMIC,
	PD_LS_LOCKED, /* read-modify-write */
};

struct pd_ls_window {
	uint32_t next;
	uint32_t group;
	uint32_t place;
	uint32_t flush;
	uint32_t fence;
	uint32_t set; /* at the store */
	uint32_t effective;
	uint32_t epoch; /* at the store */
	uint32_t end_epoch;
	uint16_t tid;
	uint16_t end_tid;
	uint32_t only;	  /* as in struct pd_ls_close */
	uint16_t version; /* it was judged against the word's loads up to this one */
	uint8_t mask;
	uint8_t how;
	uint8_t end; /* enum pd_ls_end */
	bool fresh;
	bool unread;   /* no load is a race with it: it was durable when it had to be (buffered) */
	uint32_t step; /* at the store */
	uint32_t end_step;
	uint64_t end_seq;
	struct pd_ls_then *then; /* of the store */
	struct pd_ls_then
		*run; /* the same in the order of the run; NULL: kept for fresh ones only */
};

struct pd_ls_load {
	uint32_t next;
	uint32_t group;
	uint32_t place;
	uint32_t set;
	uint32_t epoch;
	uint32_t step;
	uint16_t tid;
	uint16_t version; /* of the word, when this was added, or came again later */
	uint8_t mask;
};

/*
 * What a word has from one place: loads, or closed windows with one flush. Where no pair with the
 * group can be a race that is not reported yet, none of it is looked at.
 */
struct pd_ls_group {
	uint32_t next;
	uint32_t place;
	uint32_t flush;
	uint32_t first;
	uint32_t n;
	uint32_t common;     /* locks that all have: over the whole window */
	uint32_t common_set; /* and at its store */
	uint32_t only;	     /* the thread that all are of, and 1; 0: several */
	uint32_t threads;    /* a bit that is not set belongs to none that has a member */
};

static inline uint32_t pd_ls_group_bit(uint32_t tid)
{
	return 1U << tid % 32;
}

/* A group that has more is not searched but looked up (l->many), and keeps all */
enum { PD_LS_FEW = 12 };

struct pd_ls_granule {
	uint64_t key;
	struct pd_ls_granule *next; /* all of them */
	bool recycled; /* some of it, after it was shared: front ends are to report all loads */
	/* of each line, a bit for each word that has an open window, and perhaps for others */
	uint8_t open[PD_LS_WORDS / PD_LS_LINE];
	struct pd_ls_word word[PD_LS_WORDS];
};

/* ---- all ------------------------------------------------------------------------------------ */

/* What threads wait for, and atomics: what those knew who have signalled or stored. */
struct pd_ls_object {
	struct pd_clock clock;
	struct pd_clock run;
};

/* Of a table of recent.c. */
struct pd_ls_recent {
	uint32_t evicted; /* entries that had to make room, since it has grown */
	uint32_t bits;	  /* given out in this generation */
	uint32_t refused;
};

struct race; /* report.c */

struct pd_lockset {
	struct pd_observer observer; /* first: what front ends know is this */
	struct pd_arena *arena;
	struct pd_sink *sink;
	bool init; /* initialization removal */
	bool recycle;
	bool spin;
	bool buffered; /* stores have to be durable where the program says so, not before */
	bool failed;
	bool capped; /* said so */
	uint64_t seq;
	struct pd_ranges transient; /* what recovery does not need: as if it were outside of PM */
	struct pd_locks locks;
	PD_VEC(struct pd_ls_thread *) threads;
	PD_VEC(const struct pd_known_thread *) known_threads; /* the same */
	struct pd_ls_then *free_then[16];
	struct pd_map objects; /* struct pd_ls_object */
	bool signalled;	       /* something, under a lock */
	struct pd_map granules;
	struct pd_ls_granule *all;
	struct {
		uint64_t key;
		struct pd_ls_granule *granule; /* NULL: none */
	} near[PD_LS_NEAR];		       /* those looked up last, by key */
	struct pd_pool opens, closed, windows, loads, groups, splits;
	struct pd_map many; /* members of large groups, by all that makes them unlike others */
	struct pd_ls_recent recent_loads, recent_windows;
	struct pd_known known; /* its tables are those of recent loads */
	uint32_t generation;   /* of them */
	uint32_t npages;
	uint32_t windows_generation;
	/* spin.c */
	struct pd_map spins;
	struct pd_map spin_sites;
	uint32_t nspin;
	struct pd_map lookers; /* look.c: places */
	struct pd_map tickets; /* ticket.c: both words of a lock */
	uint32_t ntickets;
	/* report.c */
	struct pd_map races;
	uint32_t nraces;
	struct race *last_race;
	uint32_t further; /* of these: parts of others */
	uint32_t withdrawn;
	uint64_t loads_capped; /* times that a load was not reported for want of room */
	uint64_t stat_threads; /* that have accessed PM */
	uint64_t stat_syncs;   /* how often the program has said that something is durable */
	uint64_t stat_loads, stat_stores, stat_helped, stat_removed, stat_recycled;
};

/* order.c */
struct pd_ls_thread *pd_ls_thread_made(struct pd_lockset *l, uint32_t tid);
static inline struct pd_ls_thread *pd_ls_thread(struct pd_lockset *l, uint32_t tid)
{
	if (pd_likely(tid < l->threads.n && l->threads.v[tid]))
		return l->threads.v[tid];
	return pd_ls_thread_made(l, tid);
}
static inline uint32_t pd_ls_epoch(const struct pd_ls_thread *t, uint32_t tid)
{
	return t->clock.at.v[tid]; /* it has ticked when the thread was made */
}
static inline uint32_t pd_ls_step(const struct pd_ls_thread *t, uint32_t tid)
{
	return t->run.at.v[tid];
}
struct pd_ls_then *pd_ls_now(struct pd_lockset *l, struct pd_ls_thread *t);
struct pd_ls_then *pd_ls_run(struct pd_lockset *l, struct pd_ls_thread *t);
struct pd_ls_then *pd_ls_keep(struct pd_ls_then *then);
void pd_ls_drop(struct pd_lockset *l, struct pd_ls_then *then);
void pd_ls_signal(struct pd_lockset *l, uint32_t tid, uint64_t object);
/* This thread has taken a lock: what was signalled under it has happened before. */
void pd_ls_acquired(struct pd_lockset *l, uint32_t tid, uint64_t lock);
void pd_ls_wait(struct pd_lockset *l, uint32_t tid, uint64_t object);
void pd_ls_create(struct pd_lockset *l, uint32_t tid, uint32_t child);
void pd_ls_join(struct pd_lockset *l, uint32_t tid, uint32_t other);
void pd_ls_end_thread(struct pd_lockset *l, uint32_t tid);
/* An atomic access: reads, writes or both, with this order; the edges that follow. */
void pd_ls_atomic(struct pd_lockset *l, uint32_t tid, uint64_t object, bool reads, bool writes,
		  uint8_t order);
void pd_ls_cfence(struct pd_lockset *l, uint32_t tid, uint8_t order);

/* All of what happened at that epoch of that thread is known under this clock. */
static inline bool pd_ls_knows(const struct pd_ls_then *then, uint32_t tid, uint32_t epoch)
{
	return tid < then->n && then->at[tid] >= epoch;
}

/* Takes and gives back a lock, and the order of the run that comes of it. */
bool pd_ls_take(struct pd_lockset *l, uint32_t tid, uint32_t lock, bool shared, bool guessed,
		uint32_t place);
/* False: it was not held. */
bool pd_ls_give(struct pd_lockset *l, uint32_t tid, uint32_t lock);

/* recycle.c */
/* Whether this store may be the first one of a new owner, as far as one can say without the word. */
bool pd_ls_may_recycle(const struct pd_lockset *l, const struct pd_ls_thread *t, uint8_t how);
/* Its thread becomes the owner of those of these bytes that it was given; what was known of them goes. */
void pd_ls_recycle(struct pd_lockset *l, uint64_t at, struct pd_ls_word *w, uint8_t mask,
		   uint32_t tid);

/* own.c */
struct pd_ls_access {
	uint32_t tid;
	struct pd_ls_thread *t;
	bool store;
	bool undurable; /* some byte of it has an open window */
	bool live;	/* out: it has changed what is not just new memory of this thread */
};

/* An access comes to these bytes of the word: those that count. */
uint8_t pd_ls_touch_owned(struct pd_lockset *l, struct pd_ls_word *w, uint8_t mask,
			  struct pd_ls_access *a);
static inline uint8_t pd_ls_touch(struct pd_lockset *l, struct pd_ls_word *w, uint8_t mask,
				  struct pd_ls_access *a)
{
	a->live = true;
	if (!l->init || (w->state.own == PD_LS_SHARED && !(mask & ~w->state.valid)))
		return mask;
	return pd_ls_touch_owned(l, w, mask, a);
}
/* Some of these bytes that have the same looker, who hears of it; 0: none has one. */
uint8_t pd_ls_looked(const struct pd_lockset *l, const struct pd_ls_word *w, uint8_t mask,
		     uint32_t *looker);
/* The bytes in one of these states (bits of enum pd_ls_own). */
uint8_t pd_ls_in_states(const struct pd_lockset *l, const struct pd_ls_word *w, uint8_t mask,
			unsigned own);
/*
 * Those that another thread was alone with, all of whose accesses this one knows of in the order of the run only.
 */
uint8_t pd_ls_given(const struct pd_lockset *l, const struct pd_ls_word *w, uint8_t mask,
		    uint32_t tid);
/* This thread is alone with these bytes from now on, so; PD_LS_NEW: nobody has been there. */
void pd_ls_own_anew(struct pd_lockset *l, struct pd_ls_word *w, uint8_t mask, uint8_t own,
		    uint32_t tid);
/* The bytes whose accesses of this kind count. */
uint8_t pd_ls_counting(const struct pd_lockset *l, const struct pd_ls_word *w, uint8_t mask,
		       bool store);

/* word.c */
struct pd_ls_word *pd_ls_word(struct pd_lockset *l, uint64_t word);
struct pd_ls_word *pd_ls_word_known(struct pd_lockset *l, uint64_t word);
static inline struct pd_ls_granule *pd_ls_granule(uint64_t at, struct pd_ls_word *w)
{
	return (struct pd_ls_granule *)((uint8_t *)(w - at % PD_LS_WORDS) -
					offsetof(struct pd_ls_granule, word));
}
/* This word will be asked for. */
void pd_ls_word_soon(struct pd_lockset *l, uint64_t word);
void pd_ls_load(struct pd_lockset *l, const struct pd_event *e);
void pd_ls_store(struct pd_lockset *l, const struct pd_event *e, uint8_t how);
void pd_ls_flush(struct pd_lockset *l, const struct pd_event *e, bool at_once);
void pd_ls_fence(struct pd_lockset *l, uint32_t tid, uint32_t place);
void pd_ls_msync(struct pd_lockset *l, const struct pd_event *e);
/* The program says that this is durable (size 0: everything). */
void pd_ls_sync(struct pd_lockset *l, const struct pd_event *e);
/* What this thread does can be noticed now, but by nobody who does not see this line (~0: any). */
void pd_ls_effect(struct pd_lockset *l, uint32_t tid, uint64_t line);
void pd_ls_finish(struct pd_lockset *l);
/* These bytes are a lock from now on. */
void pd_ls_is_lock(struct pd_lockset *l, uint64_t addr, uint64_t size);
/* After all not. */
void pd_ls_is_no_lock(struct pd_lockset *l, uint64_t addr, uint64_t size);
/* The store that is perhaps an acquisition: it is (true: marked), or is none after all. */
void pd_ls_taking(struct pd_lockset *l, uint64_t addr, bool taking);

/* judge.c */
/* The group of this place and flush; 0: there is none. */
uint32_t pd_ls_group_find(const struct pd_lockset *l, uint32_t first, uint32_t place,
			  uint32_t flush);
/* It gets a member with these locks; made if i is 0. 0: memory ran out. */
uint32_t pd_ls_group_grow(struct pd_lockset *l, uint32_t *first, uint32_t i,
			  const struct pd_ls_group *member);

/* recent.c */
bool pd_ls_recent_init(struct pd_lockset *l);
/* No load is known any more. */
void pd_ls_forget_known(struct pd_lockset *l);
/* What it holds has changed. */
void pd_ls_holds(struct pd_ls_thread *t);
/* The word keeps this load, and is shared for good. */
void pd_ls_load_remember(struct pd_lockset *l, uint64_t word, const struct pd_ls_load *r);
/* Certain: the word has the window that ends so, and it was judged against all of its loads. */
bool pd_ls_window_recent(const struct pd_lockset *l, const struct pd_ls_closed *k,
			 const struct pd_ls_open *o, uint8_t mask, const struct pd_ls_close *c);
void pd_ls_window_remember(struct pd_lockset *l, struct pd_ls_closed *k,
			   const struct pd_ls_window *x);
/* The word gets a load with these locks. */
void pd_ls_window_load(struct pd_lockset *l, struct pd_ls_word *w, uint32_t set);

void pd_ls_judge_load(struct pd_lockset *l, uint64_t at, const struct pd_ls_word *w,
		      const struct pd_ls_load *r, const struct pd_ls_seen *s);
/* Adds a window that has ended to the word's, and judges it. */
void pd_ls_judge_window(struct pd_lockset *l, uint64_t at, struct pd_ls_word *w,
			const struct pd_ls_open *o, uint8_t mask, const struct pd_ls_close *c);

/* spin.c */
enum pd_ls_spin {
	PD_LS_NO_LOCK,	   /* an access like any other */
	PD_LS_IS_LOCK,	   /* about a lock, not about data */
	PD_LS_TAKING,	   /* perhaps the acquisition of a lock that was 0 */
	PD_LS_STILL_TAKEN, /* an exchange that has changed nothing while somebody holds the word */
};

enum pd_ls_spin pd_ls_spin_rmw(struct pd_lockset *l, const struct pd_event *e);
void pd_ls_spin_done(struct pd_lockset *l, const struct pd_event *e);
/* True: this event is about a lock. */
bool pd_ls_spin_store(struct pd_lockset *l, const struct pd_event *e);
bool pd_ls_spin_is(const struct pd_lockset *l, uint64_t addr);

/* A thread with t->early loads this. */
void pd_ls_spin_early(struct pd_lockset *l, struct pd_ls_thread *t, const struct pd_event *e);

enum pd_ls_word_is {
	PD_LS_WORD_UNKNOWN,
	PD_LS_WORD_TAKING, /* somebody holds it, if it is a lock */
	PD_LS_WORD_TAKEN,
	PD_LS_WORD_FREE,
	PD_LS_WORD_NO_LOCK,
};

enum pd_ls_word_is pd_ls_spin_word(const struct pd_lockset *l, uint64_t addr);

/* look.c */
/* An atomic access finds this value; `first`: others may follow that find the same. */
void pd_ls_look(struct pd_lockset *l, const struct pd_event *e, uint64_t value, bool first);

/* ticket.c */
/* True: this event is about a lock. */
bool pd_ls_ticket_rmw(struct pd_lockset *l, const struct pd_event *e);
bool pd_ls_ticket_store(struct pd_lockset *l, const struct pd_event *e);
bool pd_ls_ticket_load(struct pd_lockset *l, const struct pd_event *e);

/* report.c */
/* This word is a lock: what was reported of it is withdrawn. */
void pd_ls_withdraw(struct pd_lockset *l, uint64_t at);
void pd_ls_race(struct pd_lockset *l, uint64_t at, const struct pd_ls_window *w,
		const struct pd_ls_load *r);
void pd_ls_write_race(struct pd_lockset *l, uint64_t at, const struct pd_ls_window *a,
		      const struct pd_ls_window *b);
/* Whether this would be nothing new. */
bool pd_ls_race_is_reported(const struct pd_lockset *l, uint32_t store, uint32_t flush,
			    uint32_t load);
bool pd_ls_write_race_is_reported(const struct pd_lockset *l, uint32_t a, uint32_t b);
void pd_ls_report_stats(struct pd_lockset *l);

#endif
