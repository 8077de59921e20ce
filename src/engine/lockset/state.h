/*
 * state.h - what the parts of the lockset engine share; see lockset.h for the algorithm.
 *
 *	lockset.c   dispatches an event to:
 *	order.c     which thread knows what of which (happens-before)
 *	locks.c     which thread holds what
 *	spin.c      locks made of atomics
 *	ticket.c    locks made of two numbers
 *	look.c      readers that look at a lock twice, and take none
 *	word.c      the words of PM, and their open windows
 *	load.c      loads of them, until they count
 *	own.c       which thread a byte belongs to: initialization removal
 *	recycle.c   memory that passes to another owner
 *	said.c      what the program says of its memory
 *	recent.c    which accesses are nothing new
 *	judge.c     pairs of a window and an access
 *	report.c    races become findings
 *
 * Invariants:
 *  1. A byte is in the mask of at most one open window.
 *  2. A load is judged against closed windows when it is committed, a window against committed
 *     loads when it is closed: each pair once. A window that has ended and is closed later, when it
 *     is known to be no lock, leaves a mark at loads that come after its end.
 *  3. Every pointer to a past clock (struct pd_ls_then) is counted in it.
 */
#ifndef PD_ENGINE_LOCKSET_STATE_H
#define PD_ENGINE_LOCKSET_STATE_H

#include "engine/lockset/locks.h"
#include "engine/lockset/lockset.h"
#include "engine/lockset/pool.h"
#include "base/ranges.h"
#include "model/clock.h"

enum {
	PD_LS_WORDS = 512, /* words of a granule (a page), which are allocated together */
	PD_LS_NEAR = 4096, /* entries of the direct-mapped cache of granules */
	/* waiting loads per thread; when full the older half is committed early */
	PD_LS_SEEN = 256,
	PD_LS_AGAIN = 64,	 /* of those, entries of the table of repeated ones */
	PD_LS_LOOKS = 8,	 /* per thread, at words that may be locks */
	PD_LS_TICKETS = 4,	 /* per thread */
	PD_LS_LINE = 8,		 /* words of a line */
	PD_LS_FLUSHES = 1 << 16, /* per thread, without a fence */
};

/* ---- threads -------------------------------------------------------------------------------- */

/* A snapshot of a thread's clock, shared by all that happened under it. */
struct pd_ls_then {
	uint32_t refs;
	uint32_t n;
	uint32_t cap;		 /* log2 */
	struct pd_ls_then *next; /* in the free list of this size */
	uint32_t at[];
};

struct pd_ls_flush {
	uint64_t line; /* address / 64 */
	uint64_t seq;
	uint32_t place;
	struct pd_ls_then *then;
};

/* A load that no other thread can have noticed yet. */
struct pd_ls_seen {
	uint64_t word;
	uint64_t seq;
	struct pd_ls_then *then;
	struct pd_ls_then *run; /* NULL: nobody will ask (pd_ls_keep_run) */
	uint32_t step;
	uint32_t place;
	uint32_t set;
	uint32_t epoch;
	uint8_t mask;
	bool flushed;
};

/* A look at a word that may be a lock, and was free. */
struct pd_ls_look {
	uint64_t addr;
	uint64_t value;
	uint64_t seq; /* 0: none */
	uint32_t place;
};

/* A number that the thread has drawn (ticket.c). */
struct pd_ls_ticket {
	uint64_t next; /* address of the word it was drawn from */
	uint64_t value;
	uint64_t seq; /* 0: none */
};

struct pd_ls_thread {
	struct pd_known_thread known; /* its bit is for this epoch */
	uint64_t window_bit;	      /* the same for windows, for this clock; 0: none */
	struct pd_clock clock;
	struct pd_clock promised; /* seen by relaxed loads: known after the next acquire fence */
	struct pd_ls_then *now;	  /* snapshot of the current clock; NULL: not made yet */
	/* The same in the order of the run, in which locks count, too (recycle.c) */
	struct pd_clock run;
	struct pd_clock run_promised;
	struct pd_ls_then *run_now;
	bool at_pm;  /* it has accessed PM */
	bool fenced; /* a release fence came: relaxed stores release, too */
	struct pd_holds holds;
	PD_VEC(struct pd_ls_flush) flushes;
	PD_VEC(struct pd_ls_seen) seen;
	uint16_t again[PD_LS_AGAIN]; /* index in `seen` of a repeated load, by word and place */
	struct pd_ls_look look[PD_LS_LOOKS];
	/* 1 + a lock in which it is counted while a writer holds it (spin.c); 0: none */
	uint64_t early;
	struct pd_ls_ticket ticket[PD_LS_TICKETS];
	bool drawn; /* any of them */
};

/* ---- words ---------------------------------------------------------------------------------- */

enum pd_ls_own {
	PD_LS_NEW,     /* no access yet */
	PD_LS_READ,    /* one thread, which only read */
	PD_LS_OWNED,   /* one thread, which stored: this may be new memory */
	PD_LS_UPDATED, /* one thread, which read and then stored: memory that was there before */
	/* One thread, which stored to what another one, the looker, had read earlier */
	PD_LS_INHERITED,
	PD_LS_RECYCLED, /* one thread, to which the previous owners passed it (recycle.c) */
	PD_LS_SHARED,	/* several threads */
	PD_LS_SPLIT,	/* bytes differ: epoch is the number of a struct pd_ls_split */
};

struct pd_ls_state {
	uint32_t epoch; /* of the owner, at its last access */
	uint32_t step;	/* the same in the order of the run */
	uint16_t owner;
	uint16_t looker; /* INHERITED: for this thread it is not new memory */
	uint8_t own;	 /* enum pd_ls_own */
	uint8_t valid;	 /* the bytes that this describes; the others are NEW */
};

struct pd_ls_split {
	uint32_t next;
	struct pd_ls_state byte[8];
};

/* Kept small: there is one for every word of PM ever accessed. */
struct pd_ls_word {
	struct pd_ls_state state;
	uint32_t open;	  /* windows */
	uint32_t closed;  /* a struct pd_ls_closed; 0: no window that counts has closed yet */
	uint32_t loads;	  /* groups of loads */
	uint16_t version; /* of the loads: increases with each change */
	uint8_t locks;	  /* bytes that are a lock, and so no data */
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
	uint32_t flush; /* places of the flush and the fence */
	uint32_t fence;
	uint32_t set;  /* locks held over the whole window */
	uint32_t only; /* 1 + the only thread whose accesses pair with it; 0: all do */
};

struct pd_ls_open {
	uint32_t next;
	uint32_t place;
	uint32_t set;
	uint32_t since; /* the thread's clock of acquisitions then */
	uint32_t epoch;
	uint16_t tid;
	uint8_t mask;
	uint8_t how; /* enum pd_ls_store */
	uint32_t step;
	uint64_t seq;
	struct pd_ls_then *then;
	struct pd_ls_then *run; /* NULL: never needed (pd_ls_keep_run) */
	bool fresh;		/* to recycled memory: the order of the run counts */
	bool due;		/* the program has declared it durable, which it was not */
	bool taking;		/* perhaps the acquisition of a lock: judged once that is known */
	uint8_t counts;		/* bytes that were shared when it was closed */
	uint8_t looked;		/* bytes that close.only had looked at then */
	struct pd_ls_close close;
};

/*
 * The closed windows of a word; one cache line. Most windows repeat the last one, by the same
 * thread or another: that one is stored here, so that nothing else has to be read (recent.c).
 */
struct pd_ls_closed {
	uint32_t next;
	uint32_t first;	       /* groups */
	uint32_t common;       /* locks common to all of them, held over the whole window */
	uint32_t common_set;   /* locks common to all of them at the store */
	uint32_t loads_common; /* locks common to all loads of the word, if there are any */
	/* The last one, and the threads (bits) for which it is certainly no unreported race */
	uint32_t generation;
	uint32_t group;
	uint32_t place;
	uint32_t flush;
	uint32_t set;
	uint32_t effective;
	uint32_t mask : 8;
	uint32_t how : 2;
	uint32_t end : 2;
	uint32_t only : 17;
	uint32_t apart : 1; /* a pair was apart (judge.c): nothing is passed over */
	uint64_t who;
	/* The last that came so: its thread (and 1; 0: none), when it ended in the order of the
	 * run, and after how many steps. The window in the list does not say so until it is
	 * settled. */
	uint32_t last_tid : 17;
	uint32_t last_took : 15;
	uint32_t last_step;
};

enum { PD_LS_TOOK = 0x7fff };

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
	uint16_t version; /* version of the loads up to which it was judged */
	uint8_t mask;
	uint8_t how;
	uint8_t end; /* enum pd_ls_end */
	bool fresh;
	bool unread;   /* no load races with it: it was durable in time (buffered) */
	uint32_t step; /* at the store */
	uint32_t end_step;
	uint64_t end_seq;
	struct pd_ls_then *then; /* of the store */
	struct pd_ls_then *run;	 /* in the order of the run; NULL: kept for fresh ones only */
};

struct pd_ls_load {
	uint32_t next;
	uint32_t group;
	uint32_t place;
	uint32_t set;
	uint32_t epoch;
	uint32_t step;
	uint16_t tid;
	uint16_t version; /* version of the word when this was added, or seen again */
	uint8_t mask;
	/* It came after the end of a window that is still open, for it may be the acquisition of a
	 * lock: that end; 0: none */
	uint32_t after;
};

/*
 * The loads of a word from one place, or its closed windows from one place with one flush. If no
 * pair with the group can be an unreported race, its members are skipped.
 */
struct pd_ls_group {
	uint32_t next;
	uint32_t place;
	uint32_t flush;
	uint32_t first;
	uint32_t n;
	uint32_t common;     /* locks common to all members, held over the whole window */
	uint32_t common_set; /* locks common to all members at the store */
	uint32_t only;	     /* 1 + the thread of all members; 0: several */
	uint32_t threads;    /* bit set of threads; a clear bit: no member of these threads */
};

static inline uint32_t pd_ls_group_bit(uint32_t tid)
{
	return 1U << tid % 32;
}

/* A larger group is not searched but looked up (l->many), and keeps all members */
enum { PD_LS_FEW = 12 };

struct pd_ls_granule {
	uint64_t key;
	struct pd_ls_granule *next; /* in the list of all */
	/* A part was recycled after it was shared: front ends must report all loads */
	bool recycled;
	bool fresh; /* a part was recycled: the order of the run is needed */
	/* by line, a bit for each word with an open window; may have others set */
	uint8_t open[PD_LS_WORDS / PD_LS_LINE];
	struct pd_ls_word word[PD_LS_WORDS];
};

/* ---- all ------------------------------------------------------------------------------------ */

/* What threads wait for, and atomics: the knowledge of those that have signalled or stored. */
struct pd_ls_object {
	struct pd_clock clock;
	struct pd_clock run;
};

/* State of a table of recent.c. */
struct pd_ls_recent {
	uint32_t evicted; /* entries overwritten since it has grown */
	uint32_t bits;	  /* assigned in this generation */
	uint32_t refused;
};

struct race; /* report.c */

struct pd_lockset {
	struct pd_observer observer; /* first: front ends know only this */
	struct pd_arena *arena;
	struct pd_sink *sink;
	bool init; /* initialization removal */
	bool recycle;
	bool spin;
	bool buffered; /* stores must be durable only where the program says so */
	bool failed;
	bool capped; /* the loss was reported */
	uint64_t seq;
	struct pd_ranges transient; /* memory that recovery does not need: treated as outside PM */
	struct pd_locks locks;
	PD_VEC(struct pd_ls_thread *) threads;
	PD_VEC(const struct pd_known_thread *) known_threads; /* parallel to `threads` */
	struct pd_ls_then *free_then[16];
	struct pd_map objects; /* struct pd_ls_object */
	bool signalled;	       /* a condition was signalled under a lock */
	struct pd_map granules;
	struct pd_ls_granule *all;
	struct {
		uint64_t key;
		struct pd_ls_granule *granule; /* NULL: none */
	} near[PD_LS_NEAR];		       /* those looked up last, by key */
	struct pd_pool opens, closed, windows, loads, groups, splits;
	struct pd_map many; /* members of large groups, by all that distinguishes them */
	struct pd_ls_recent recent_loads, recent_windows;
	struct pd_known known; /* its tables are those of recent loads */
	uint32_t generation;   /* of these tables */
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
	uint32_t further; /* of these, further parts of a race */
	uint32_t withdrawn;
	uint64_t loads_capped;	 /* loads not reported for lack of room */
	uint64_t stat_threads;	 /* threads that have accessed PM */
	struct pd_map allocated; /* address -> size */
	uint64_t stat_allocated;
	uint64_t stat_syncs; /* how often the program has declared something durable */
	uint64_t stat_loads, stat_stores, stat_helped, stat_removed, stat_recycled;
	struct pd_map apart; /* pairs of places */
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
	return t->clock.at.v[tid]; /* it ticked when the thread was created */
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
/* The thread has taken a lock: signals under it have happened before. */
void pd_ls_acquired(struct pd_lockset *l, uint32_t tid, uint64_t lock);
void pd_ls_wait(struct pd_lockset *l, uint32_t tid, uint64_t object);
void pd_ls_create(struct pd_lockset *l, uint32_t tid, uint32_t child);
void pd_ls_join(struct pd_lockset *l, uint32_t tid, uint32_t other);
void pd_ls_end_thread(struct pd_lockset *l, uint32_t tid);
/* An atomic access that reads, writes or both: adds the edges of this order. */
void pd_ls_atomic(struct pd_lockset *l, uint32_t tid, uint64_t object, bool reads, bool writes,
		  uint8_t order);
void pd_ls_cfence(struct pd_lockset *l, uint32_t tid, uint8_t order);

/* Whether all of that epoch of that thread is known under this clock. */
static inline bool pd_ls_knows(const struct pd_ls_then *then, uint32_t tid, uint32_t epoch)
{
	return tid < then->n && then->at[tid] >= epoch;
}

/* Takes and releases a lock, with its edges in the order of the run. */
bool pd_ls_take(struct pd_lockset *l, uint32_t tid, uint32_t lock, bool shared, bool guessed,
		uint32_t place);
/* False: it was not held. */
bool pd_ls_give(struct pd_lockset *l, uint32_t tid, uint32_t lock);

/* recycle.c */
/* Whether this store may be the first one of a new owner, as far as that shows without the word. */
static inline bool pd_ls_may_recycle(const struct pd_lockset *l, const struct pd_ls_thread *t,
				     uint8_t how)
{
	return l->recycle && how == PD_LS_PLAIN && !t->holds.set;
}
/*
 * Makes the thread the owner of those of these bytes that were passed to it; drops what was known
 * of them.
 */
void pd_ls_recycle(struct pd_lockset *l, uint64_t at, struct pd_ls_word *w, uint8_t mask,
		   uint32_t tid);

/* own.c */
struct pd_ls_access {
	uint32_t tid;
	struct pd_ls_thread *t;
	bool store;
	bool undurable; /* some of its bytes have an open window */
	bool live;	/* out: it has changed more than new memory of this thread */
};

/* Applies an access to these bytes of the word; returns those that count. */
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
/* The bytes, of these, that share one looker, which is set; 0: none has one. */
uint8_t pd_ls_looked(const struct pd_lockset *l, const struct pd_ls_word *w, uint8_t mask,
		     uint32_t *looker);
/* The bytes in one of these states (bits of enum pd_ls_own). */
uint8_t pd_ls_in_states(const struct pd_lockset *l, const struct pd_ls_word *w, uint8_t mask,
			unsigned own);
/*
 * The bytes that another thread was alone with, all of whose accesses this one knows in the order
 * of the run only.
 */
uint8_t pd_ls_given(const struct pd_lockset *l, const struct pd_ls_word *w, uint8_t mask,
		    uint32_t tid);
/* Makes this thread alone with these bytes, in state `own`; PD_LS_NEW: no access yet. */
void pd_ls_own_anew(struct pd_lockset *l, struct pd_ls_word *w, uint8_t mask, uint8_t own,
		    uint32_t tid);
/* The bytes for which an access of this kind counts. */
uint8_t pd_ls_counting(const struct pd_lockset *l, const struct pd_ls_word *w, uint8_t mask,
		       bool store);

/* recycle.c */
/* What is known of these bytes is dropped; those that anybody has accessed belong to this
 * thread. */
void pd_ls_renew(struct pd_lockset *l, uint64_t at, struct pd_ls_word *w, uint8_t mask,
		 uint32_t tid);

/* said.c */
/* The program declares this durable (size 0: everything). */
void pd_ls_sync(struct pd_lockset *l, const struct pd_event *e);
/* It vouches for what is there now. */
void pd_ls_clean(struct pd_lockset *l, const struct pd_event *e);
/* The thread has been given this memory. */
void pd_ls_allocated(struct pd_lockset *l, const struct pd_event *e);
/* It gives back what it was given at this address. */
void pd_ls_freed(struct pd_lockset *l, const struct pd_event *e);

/* word.c */
struct pd_ls_word *pd_ls_word(struct pd_lockset *l, uint64_t word);
struct pd_ls_word *pd_ls_word_known(struct pd_lockset *l, uint64_t word);
static inline struct pd_ls_granule *pd_ls_granule(uint64_t at, struct pd_ls_word *w)
{
	return (struct pd_ls_granule *)((uint8_t *)(w - at % PD_LS_WORDS) -
					offsetof(struct pd_ls_granule, word));
}
/* Prefetches this word. */
void pd_ls_word_soon(struct pd_lockset *l, uint64_t word);
/* The order of the run, as this thread knows it now; NULL: nobody will ask. */
static inline struct pd_ls_then *pd_ls_keep_run(struct pd_lockset *l, struct pd_ls_thread *t)
{
	struct pd_ls_then *run = l->recycle ? pd_ls_run(l, t) : NULL;

	return run ? pd_ls_keep(run) : NULL;
}
void pd_ls_store(struct pd_lockset *l, const struct pd_event *e, uint8_t how);
void pd_ls_flush(struct pd_lockset *l, const struct pd_event *e, bool at_once);
void pd_ls_fence(struct pd_lockset *l, uint32_t tid, uint32_t place);
void pd_ls_msync(struct pd_lockset *l, const struct pd_event *e);
/* The bytes of [addr, end) in this word. */
static inline uint8_t pd_ls_mask_of(uint64_t word, uint64_t addr, uint64_t end)
{
	uint64_t from = PD_MAX(addr, word * 8) - word * 8,
		 to = PD_MIN(end, word * 8 + 8) - word * 8;

	return (uint8_t)((0xffU << from) & (0xffU >> (8 - to)));
}
/* Ends the open windows of these bytes as `c` says. */
void pd_ls_close_windows(struct pd_lockset *l, uint64_t at, struct pd_ls_word *w, uint8_t mask,
			 struct pd_ls_close *c);
/* Forgets them: they take no part in races. */
void pd_ls_drop_windows(struct pd_lockset *l, struct pd_ls_word *w, uint8_t mask);
void pd_ls_finish(struct pd_lockset *l);
/* These bytes are a lock from now on. */
void pd_ls_is_lock(struct pd_lockset *l, uint64_t addr, uint64_t size);
/* They turned out to be no lock. */
void pd_ls_is_no_lock(struct pd_lockset *l, uint64_t addr, uint64_t size);
/* Marks the store that may be an acquisition (true), or decides that it is none. */
void pd_ls_taking(struct pd_lockset *l, uint64_t addr, bool taking);

/* load.c */
void pd_ls_load(struct pd_lockset *l, const struct pd_event *e);
/* This thread's loads of words in [from, to) count now, even if nobody can have noticed them. */
void pd_ls_commit(struct pd_lockset *l, uint32_t tid, uint64_t from, uint64_t to);
/*
 * What this thread has done can be noticed now, except by those who do not see this line (~0: by
 * anybody).
 */
void pd_ls_effect(struct pd_lockset *l, uint32_t tid, uint64_t line);
/* The thread flushes this line: at its next fence, its loads from it are of durable data, and will
 * not count. */
void pd_ls_help_line(struct pd_ls_thread *t, uint64_t line);
/* That fence, for the loads of this line (UINT64_MAX: of all). */
void pd_ls_forget_helped(struct pd_lockset *l, struct pd_ls_thread *t, uint64_t line);

/* judge.c */
/* The group of this place and flush; 0: there is none. */
uint32_t pd_ls_group_find(const struct pd_lockset *l, uint32_t first, uint32_t place,
			  uint32_t flush);
/* Adds a member with these locks to group i, created if i is 0; 0: memory ran out. */
uint32_t pd_ls_group_grow(struct pd_lockset *l, uint32_t *first, uint32_t i,
			  const struct pd_ls_group *member);

/* recent.c */
bool pd_ls_recent_init(struct pd_lockset *l);
/* Forgets all known loads. */
void pd_ls_forget_known(struct pd_lockset *l);
/* The set of locks that the thread holds has changed. */
void pd_ls_holds(struct pd_ls_thread *t);
/* The word keeps this load, and is shared for good. */
void pd_ls_load_remember(struct pd_lockset *l, uint64_t word, const struct pd_ls_load *r);
/* True only if the word has a window that ends like this one, judged against all of its loads. */
bool pd_ls_window_recent(struct pd_lockset *l, struct pd_ls_closed *k, const struct pd_ls_open *o,
			 uint8_t mask, const struct pd_ls_close *c);
/* Gives the word's window the end of the last one that was recognised as it. */
void pd_ls_window_settle(struct pd_lockset *l, struct pd_ls_closed *k);
void pd_ls_window_remember(struct pd_lockset *l, struct pd_ls_closed *k,
			   const struct pd_ls_window *x);
/* The word gets a load with these locks. */
void pd_ls_window_load(struct pd_lockset *l, struct pd_ls_word *w, uint32_t set);

/* judge.c */
/* Of a window that has ended and is not judged yet: whether the load comes after its end. */
uint32_t pd_ls_after(const struct pd_lockset *l, const struct pd_ls_word *w,
		     const struct pd_ls_load *r, const struct pd_ls_seen *s);
void pd_ls_judge_load(struct pd_lockset *l, uint64_t at, const struct pd_ls_word *w,
		      const struct pd_ls_load *r, const struct pd_ls_seen *s);
/* Adds a closed window to the word, and judges it. */
void pd_ls_judge_window(struct pd_lockset *l, uint64_t at, struct pd_ls_word *w,
			const struct pd_ls_open *o, uint8_t mask, const struct pd_ls_close *c);

/* spin.c */
enum pd_ls_spin {
	PD_LS_NO_LOCK, /* an access like any other */
	PD_LS_IS_LOCK, /* it concerns a lock, not data */
	PD_LS_TAKING,  /* perhaps the acquisition of a lock that was 0 */
	/* An exchange that changed nothing while another thread holds the word */
	PD_LS_STILL_TAKEN,
};

enum pd_ls_spin pd_ls_spin_rmw(struct pd_lockset *l, const struct pd_event *e);
void pd_ls_spin_done(struct pd_lockset *l, const struct pd_event *e);
/* Whether this event concerns a lock. */
bool pd_ls_spin_store(struct pd_lockset *l, const struct pd_event *e);
bool pd_ls_spin_is(const struct pd_lockset *l, uint64_t addr);

/* A thread with t->early set loads this. */
void pd_ls_spin_early(struct pd_lockset *l, struct pd_ls_thread *t, const struct pd_event *e);

enum pd_ls_word_is {
	PD_LS_WORD_UNKNOWN,
	PD_LS_WORD_TAKING, /* held, if it is a lock */
	PD_LS_WORD_TAKEN,
	PD_LS_WORD_FREE,
	PD_LS_WORD_NO_LOCK,
};

enum pd_ls_word_is pd_ls_spin_word(const struct pd_lockset *l, uint64_t addr);

/* look.c */
/* An atomic access finds this value; `first`: further looks may follow. */
void pd_ls_look(struct pd_lockset *l, const struct pd_event *e, uint64_t value, bool first);

/* ticket.c */
/* Whether this event concerns a lock. */
bool pd_ls_ticket_rmw(struct pd_lockset *l, const struct pd_event *e);
bool pd_ls_ticket_store(struct pd_lockset *l, const struct pd_event *e);
bool pd_ls_ticket_load(struct pd_lockset *l, const struct pd_event *e);

/* report.c */
/* This word is a lock: withdraws what was reported of it. */
void pd_ls_withdraw(struct pd_lockset *l, uint64_t at);
void pd_ls_race(struct pd_lockset *l, uint64_t at, const struct pd_ls_window *w,
		const struct pd_ls_load *r);
void pd_ls_write_race(struct pd_lockset *l, uint64_t at, const struct pd_ls_window *a,
		      const struct pd_ls_window *b);
/* Whether it has been reported already. */
bool pd_ls_race_is_reported(const struct pd_lockset *l, uint32_t store, uint32_t flush,
			    uint32_t load);
/* This pair is no race, since a lock kept it apart in this run. */
void pd_ls_apart(struct pd_lockset *l, uint64_t at, struct pd_ls_closed *k, uint32_t store,
		 uint32_t other);
bool pd_ls_write_race_is_reported(const struct pd_lockset *l, uint32_t a, uint32_t b);
void pd_ls_report_stats(struct pd_lockset *l);

#endif
