/*
 * meet.h - makes a race happen: the reader acts between a store and its persist.
 *
 * A store and loads are named, by their sites and by the calls that led there, as far as it takes to
 * get to the user's own code: all that is stored to atomics of one type is stored in one line of a
 * header. A thread that made the store is held when it is about to flush its line or to fence, as
 * long as others can run and for some thousand steps at most, and only until the store is durable;
 * whoever can, goes on at random. If one of the loads comes meanwhile, by another thread and
 * from those bytes, they have *met*, and the reader goes on more often than others. If a store that
 * it makes after its load becomes durable before the first one is, there is an *effect* without its
 * cause.
 *
 * The other way round, in some executions a thread that is about to load before anybody has made
 * the store waits for it; and not every time that the store is made somebody is held, so that it is
 * another time that they meet.
 *
 * At every effect one recovery is tried: with the store lost, and nothing else. That is quick, and
 * where the effect depends on the store it is what fails.
 *
 * The store may be made many times. Of all times that they met, and of all times that there was an
 * effect, one is drawn and given by number. The same seed makes the same execution again: then with
 * crash points, between that load and the moment when that store is durable, and nowhere else.
 * Where there was an effect, only after the reader's first store: before that nobody has acted.
 */
#ifndef PD_ENGINE_LOCKSET_MEET_H
#define PD_ENGINE_LOCKSET_MEET_H

#include "model/model.h"

enum {
	PD_MEET_LOADS = 16,
	PD_MEET_CALLERS = 6,
	PD_MEET_EFFECTS = 16,
	/* Of the latest stores: older ones, which nobody has read yet, are forgotten */
	PD_MEET_WINDOWS = 2048,
	PD_MEET_PASSED = 64,
};

/* An access of the program's. */
struct pd_meet_place {
	uint32_t site; /* 0: none */
	uint32_t ncaller;
	/* Where calls go on, from the site outwards, as distances from the start of their files of
	 * code; those that are needed to know it from others */
	uint64_t caller[PD_MEET_CALLERS];
};

struct pd_meet_asked {
	struct pd_meet_place store; /* no site: nobody is held */
	uint32_t nload;
	struct pd_meet_place load[PD_MEET_LOADS];
	uint32_t early;	 /* hold it right after the store */
	uint32_t rarely; /* not every time; and who loads too early waits at times */
	/* Of the recoveries only the one that misses the store, and nothing else */
	uint32_t scout;
	/* Power may fail while others can see the store that was made this many-th; 0: never */
	uint32_t instance;
	uint32_t acted; /* only after the reader's first store */
};

/* What came of it. */
struct pd_meet_seen {
	/* A store, by number, that a load came to before it was durable; 0: none */
	uint32_t met;
	/* A load came to bytes that the store has made, or would make, but at another time */
	uint32_t close;
	uint32_t acted;	    /* one of which an effect was durable before; 0: none */
	uint32_t effect;    /* site of that: a store of the reader's */
	uint32_t scouts;    /* effects at which a recovery without the store was tried */
	uint32_t looked;    /* of these: it looked for the store, and ended well */
	uint32_t reset;	    /* of these: it set the store's bytes anew, and had not read them */
	uint64_t addr, end; /* where the store is that recoveries miss */
	uint32_t from, to;  /* its places in the log, from 1, and behind the last */
	uint32_t resets;    /* recoveries that did so */
	uint32_t judged;    /* recoveries that looked for it, did not find it, and ended well */
	void *bad;	    /* the end of one that ended badly; NULL: none */
};

/* A store that may not be durable yet. */
struct pd_meet_window {
	uint64_t addr;
	uint64_t end;
	uint32_t from; /* its places in the log, from 1 */
	uint32_t to;   /* behind the last; 0: none */
	uint32_t thread;
	uint32_t number; /* from 1 */
};

/* A load of bytes that nobody had made the store to. */
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
	/* An effect, a store of this site, is durable. */
	void (*acted)(void *ctx, uint32_t effect);
	/* The access that is reported has these callers. NULL: nobody knows, sites decide */
	bool (*is_called_by)(void *ctx, const uint64_t *caller, uint32_t n);
	/* Before this instruction: have a recovery executed that finds all but the store. False:
	 * none is to be had any more. */
	bool (*scout)(void *ctx, uint32_t site);
	void *ctx;
	struct pd_meet_window window[PD_MEET_WINDOWS]; /* a ring, by number */
	uint32_t made;
	struct pd_meet_passed passed[PD_MEET_PASSED]; /* a ring: loads that came too early */
	uint32_t npassed;
	struct pd_meet_window next; /* whose thread is to be held */
	bool held;		    /* it is kept from running */
	uint64_t steps;
	/* 1 + the number of a thread that would load too early, and waits for the store; 0: none */
	uint32_t early;
	uint64_t waits;
	uint64_t drawn;
	bool met;
	struct pd_meet_window at; /* where they met */
	uint32_t reader;
	uint32_t again;
	uint32_t left;	  /* the number of a store that the reader did not act on */
	bool acts;	  /* it has stored something since */
	uint32_t scouted; /* of that, so much was durable */
	bool scouting;
	uint32_t nmet;
	uint32_t nacted;
	/* What the reader has stored since, and is not durable. */
	struct {
		uint64_t line;
		uint32_t site;
		bool flushed;
	} effect[PD_MEET_EFFECTS];
	uint32_t neffect;
};

/* An execution with this seed; what is set up before stays. */
void pd_meet_seed(struct pd_meet *m, uint64_t seed);

/* The store that is asked for now, as far as it was made before there were threads and is not
 * durable; and nobody is held for what was asked before. */
void pd_meet_find(struct pd_meet *m);

/*
 * Who goes on: number `pick` of n threads would; `number` says which thread a candidate is.
 */
uint32_t pd_meet_choose(struct pd_meet *m, uint32_t pick, uint32_t n,
			uint32_t (*number)(uint32_t candidate));

/* Nothing more can come of this execution. */
bool pd_meet_is_over(const struct pd_meet *m);

/* The thread is about to flush the line, or to fence; or to load. */
void pd_meet_persisting(struct pd_meet *m, uint32_t thread, uint64_t off, bool fence);
void pd_meet_loading(struct pd_meet *m, uint32_t thread, uint64_t off, size_t n, uint32_t site);

/* It has, and the model knows of it. */
void pd_meet_stored(struct pd_meet *m, uint32_t thread, uint64_t off, size_t n, uint32_t site);
void pd_meet_loaded(struct pd_meet *m, uint32_t thread, uint64_t off, size_t n, uint32_t site);
void pd_meet_flushed(struct pd_meet *m, uint32_t thread, uint64_t off, bool at_once, uint32_t site);
void pd_meet_fenced(struct pd_meet *m, uint32_t thread, uint32_t site);

/* Whether power may fail here. */
bool pd_meet_is_crash_point(const struct pd_meet *m);

/* The block of the store that recoveries miss, and its bytes there; 0: it is in several. */
uint64_t pd_meet_bytes(const struct pd_meet_seen *s, uint64_t *block);

#endif
