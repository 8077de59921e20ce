/*
 * meet.h - makes a race happen: the reader acts between a store and its persist.
 *
 * The store and the loads are named by their sites and by as many callers as it takes to reach the
 * user's own code: all stores to atomics of one type are made in one line of a header. A thread
 * that made the store is held when it is about to flush its line or to fence; for some thousand
 * steps at most, while other threads can run and until the store is durable. Other threads run at
 * random. If one of them makes one of the loads meanwhile, from those bytes, the two have *met*,
 * and the reader runs more often than others. If a store that it makes after its load is durable
 * before the first one, there is an *effect* without its cause.
 *
 * The other way round, in some executions a thread that is about to load before the store was made
 * waits for it; and not every instance of the store is held, so that other instances meet.
 *
 * At every effect one recovery is tried with the store lost and nothing else. That is quick, and if
 * the effect depends on the store this recovery fails.
 *
 * The store may be made many times. Of all instances that met, and of all that had an effect, one
 * is drawn and reported by number. The same seed repeats the same execution: then with crash points
 * between that load and the moment when that store is durable, and nowhere else. Where there was an
 * effect, only after the reader's first store: before that it has not acted.
 */
#ifndef PD_ENGINE_LOCKSET_MEET_H
#define PD_ENGINE_LOCKSET_MEET_H

#include "model/model.h"

enum {
	PD_MEET_LOADS = 16,
	PD_MEET_CALLERS = 6,
	PD_MEET_EFFECTS = 16,
	/* The latest stores; older ones that nobody has read yet are forgotten */
	PD_MEET_WINDOWS = 2048,
	PD_MEET_PASSED = 64,
};

/* An access of the program. */
struct pd_meet_place {
	uint32_t site; /* 0: none */
	uint32_t ncaller;
	/* Return addresses from the site outwards, as offsets in their code files; as many as are
	 * needed to distinguish it */
	uint64_t caller[PD_MEET_CALLERS];
};

struct pd_meet_asked {
	struct pd_meet_place store; /* site 0: no thread is held */
	uint32_t nload;
	struct pd_meet_place load[PD_MEET_LOADS];
	uint32_t early;	 /* hold the thread right after the store */
	uint32_t rarely; /* not at every instance; and an early load waits at times */
	/* Only the recovery that misses the store and nothing else */
	uint32_t scout;
	/* Power may fail while others can see this instance of the store, from 1; 0: never */
	uint32_t instance;
	uint32_t acted; /* only after the reader's first store */
};

/* What an execution has shown. */
struct pd_meet_seen {
	/* Instance of the store that a load read before it was durable; 0: none */
	uint32_t met;
	/* A load read bytes that the store had written or was still to write, but at another
	 * time */
	uint32_t close;
	uint32_t acted;	 /* instance with an effect that was durable first; 0: none */
	uint32_t effect; /* site of that effect, a store of the reader */
	uint32_t scouts; /* effects at which a recovery without the store was tried */
	uint32_t looked; /* of these: recovery looked for the store, and ended well */
	/* Of these: recovery overwrote the store's bytes without reading them */
	uint32_t reset;
	/* Of these: recovery read the effect, none of the store's bytes, and ended well */
	uint32_t unneeded;
	/* Meetings that ended when the reader itself had made the store durable, with no effect
	 * before; and those that ended in another way, or have not ended */
	uint32_t helped, loose;
	uint64_t addr, end; /* bytes of the store that recoveries miss */
	uint32_t from, to;  /* its indices in the log, from 1; `to` is one past the last */
	uint32_t resets;    /* recoveries that overwrote the bytes without reading them */
	uint32_t judged;    /* recoveries that looked for the store, missed it, and ended well */
	uint32_t read;	    /* recoveries that read any of the bytes */
	uint32_t sought;    /* those that read the effect and not the store, and ended well */
	void *bad;	    /* leaf of one that ended badly; NULL: none */
};

/* A store that may not be durable yet. */
struct pd_meet_window {
	uint64_t addr;
	uint64_t end;
	uint32_t from; /* its indices in the log, from 1 */
	uint32_t to;   /* one past the last; 0: none */
	uint32_t thread;
	uint32_t number; /* from 1 */
};

/* A load of bytes before any instance of the store to them. */
struct pd_meet_passed {
	uint64_t addr;
	uint64_t end;
	uint32_t thread;
};

/* One execution. */
struct pd_meet {
	const struct pd_meet_asked *asked;
	struct pd_meet_seen *seen;
	struct pd_model *model;
	uint64_t seed;
	/* An effect is durable; `effect` is its site. */
	void (*acted)(void *ctx, uint32_t effect);
	/* Whether the current access has these callers. NULL: unknown, sites decide */
	bool (*is_called_by)(void *ctx, const uint64_t *caller, uint32_t n);
	/* Has a recovery executed, before this instruction, with only the store lost. False: no
	 * more executions. */
	bool (*scout)(void *ctx, uint32_t site);
	void *ctx;
	struct pd_meet_window window[PD_MEET_WINDOWS]; /* a ring, by number */
	uint32_t made;
	struct pd_meet_passed passed[PD_MEET_PASSED]; /* a ring of early loads */
	uint32_t npassed;
	struct pd_meet_window next; /* the store whose thread will be held */
	bool held;		    /* that thread must not run */
	uint64_t steps;
	/* 1 + the number of a thread whose early load waits for the store; 0: none */
	uint32_t early;
	uint64_t waits;
	uint64_t drawn;
	bool met;
	struct pd_meet_window at; /* the store at which they met */
	uint32_t reader;
	bool persists; /* the reader is about to make stores durable; this one is not yet */
	uint32_t again;
	uint32_t left;	  /* number of a store that the reader did not act on */
	bool acts;	  /* the reader has stored something since */
	uint32_t scouted; /* effects that were durable */
	bool scouting;
	uint32_t nmet;
	uint32_t nacted;
	/* The reader's stores since then that are not durable */
	struct {
		uint64_t line;
		uint32_t site;
		bool flushed;
	} effect[PD_MEET_EFFECTS];
	uint32_t neffect;
	uint64_t effect_line; /* of the one at which a recovery is tried */
};

/* An execution with this seed begins; settings stay. */
void pd_meet_seed(struct pd_meet *m, uint64_t seed);

/* Finds instances of the store that were made before there were threads and are not durable;
 * nothing that was asked before is held any more. */
void pd_meet_find(struct pd_meet *m);

/*
 * Which thread runs: number `pick` of n candidates would; `number` maps a candidate to its thread.
 */
uint32_t pd_meet_choose(struct pd_meet *m, uint32_t pick, uint32_t n,
			uint32_t (*number)(uint32_t candidate));

/* This execution can show nothing more. */
bool pd_meet_is_over(const struct pd_meet *m);

/* The thread is about to flush the line, to fence, or to load. */
void pd_meet_persisting(struct pd_meet *m, uint32_t thread, uint64_t off, bool fence);
void pd_meet_loading(struct pd_meet *m, uint32_t thread, uint64_t off, size_t n, uint32_t site);

/* What it does next, a clflush, a fence or a locked instruction, makes stores durable. */
void pd_meet_point(struct pd_meet *m, uint32_t thread);

/* It has done so, and the model has been updated. */
void pd_meet_stored(struct pd_meet *m, uint32_t thread, uint64_t off, size_t n, uint32_t site);
void pd_meet_loaded(struct pd_meet *m, uint32_t thread, uint64_t off, size_t n, uint32_t site);
void pd_meet_flushed(struct pd_meet *m, uint32_t thread, uint64_t off, bool at_once, uint32_t site);
void pd_meet_fenced(struct pd_meet *m, uint32_t thread, uint32_t site);

/* Whether power may fail here. */
bool pd_meet_is_crash_point(const struct pd_meet *m);

/* The block of the store that recoveries miss, and its bytes there; 0: it spans several. */
uint64_t pd_meet_bytes(const struct pd_meet_seen *s, uint64_t *block);

#endif
