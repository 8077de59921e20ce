/*
 * survey.h - what became of each store of the program: where it was made, and who flushed it first.
 *
 * One store of the source may be two bugs: a constructor that two functions call, one of which
 * forgets the flush and the other the fence. Which function has to make a store durable shows where
 * that is done: it is the innermost call that is active both when the store is made and when it is
 * flushed; a caller counts only if that is before the thread's next fence. Whether it is the same
 * call, and not another one of the same function, follows from where the thread has been in
 * between: a place outside ends a call. The number of calls from the store up to that function is
 * the *level* of the store's site, the largest one seen; 0 is the function that stores. The frame
 * at that level is the *owner* of a store. Stores of one site with different owners, or with a
 * different fate, are not one bug.
 *
 * A flush may also reach a store by chance: it is meant for a later store to the same line, by a
 * function that is nearer to the flush; or it comes late and from farther up than the owner, and
 * covers everything. Such a flush does not show who has to flush; and if another store of the same
 * site and owner is still open at the end, this one was forgotten as well.
 *
 * The program is run once more for this, for each schedule with a failure: the result does not
 * depend on which recoveries were executed, or in which order.
 */
#ifndef PD_ENGINE_CRASH_SURVEY_H
#define PD_ENGINE_CRASH_SURVEY_H

#include "base/map.h"
#include "base/vec.h"
#include "engine/crash/again.h"
#include "engine/crash/span.h"
#include "engine/crash/tx.h"
#include "finding/finding.h"

/* A site and the calls that led there. */
struct pd_survey_place {
	uint32_t site;
	uint32_t nstack;
	uint64_t stack[PD_AGAIN_FRAMES];
};

/* A thread arrives at a place from another one. */
struct pd_survey_visit {
	uint32_t place;
	uint32_t before; /* number of its thread's previous visit; 0: none */
	uint32_t order;	 /* length of the log by then */
};

/* How stores were first flushed by the thread that made them: numbers of places, and of visits (0:
 * not known). */
struct pd_survey_way {
	uint32_t store;
	uint32_t flush;
	uint32_t last;	 /* that thread's last store to the line before the flush; 0: not known */
	uint32_t timely; /* no fence between store and flush */
	uint32_t store_visit;
	uint32_t flush_visit;
	uint32_t last_visit;
};

enum {
	PD_SURVEY_STORES = 1 << 22, /* further stores are not surveyed */
	PD_SURVEY_WAYS = 1 << 20,
	PD_SURVEY_VISITS = 1 << 21, /* beyond these only places are known */
};

#define PD_SURVEY_OPEN (1u << 31) /* not durable at the end */

/*
 * The survey of one execution, filled in by the front end; number i is element i - 1 of an array.
 */
struct pd_survey {
	uint32_t n;		/* stores, by index in the log */
	const uint32_t *placed; /* number of each store's place; 0: not known */
	const uint32_t *fate;	/* number of each store's way (0: none), and PD_SURVEY_OPEN */
	uint32_t nplace;
	const struct pd_survey_place *place;
	uint32_t nway;
	const struct pd_survey_way *way;
	uint32_t nvisit;
	const struct pd_survey_visit *visit;
	uint32_t nunlogged;
	const struct pd_unlogged *unlogged; /* ordered by index in the log */
	uint32_t nstep;
	const struct pd_tx_step *step; /* of transactions, in order */
};

/* The state of a store at the end of the program. */
enum pd_at_end {
	PD_AT_END_UNKNOWN,
	PD_AT_END_OPEN,
	PD_AT_END_DURABLE, /* it is not known by whom */
	PD_AT_END_FLUSHED, /* by a flush that was meant for it */
	PD_AT_END_CHANCE,  /* by a flush meant for something else, as all others of its owner */
};

/* The judged survey, in the form in which stores are looked up. */
struct pd_surveyed {
	uint32_t n;
	const uint64_t *owner; /* 0: the site alone identifies it */
	const uint8_t *at_end; /* enum pd_at_end */
	/* By site, where all its stores agree; for a recovery that is the same program */
	uint32_t nsite;
	uint64_t *site_owner;
	uint8_t *site_at_end;
	/* Stores that transactions did not log; numbers of places count from 1 */
	uint32_t nunlogged;
	const struct pd_unlogged *unlogged;
	const struct pd_finding_site *places;
	const struct pd_survey_place *place; /* the same places, with their sites */
	struct pd_spans spans;		     /* its transactions */
	const uint32_t *placed;		     /* of n stores: number of the place; 0: not known */
};

static inline uint32_t pd_surveyed_site(const struct pd_surveyed *s, const struct pd_unlogged *u)
{
	return u->place ? s->place[u->place - 1].site : 0;
}

/* ---- which calls are active ----------------------------------------------------------------- */

/* A call of a function. */
struct pd_survey_call {
	uint32_t from;	/* number of the call that made it; 0: none */
	uint32_t depth; /* 1 for the outermost one */
};

struct pd_survey_calls {
	const struct pd_finding_site *places; /* by number of the survey */
	uint32_t nvisit;
	uint32_t *at; /* by visit: number of the innermost call; NULL: only places are known */
	PD_VEC(struct pd_survey_call) calls;
};

/* Finds the calls of a survey. False: memory ran out, and only places are known. */
bool pd_survey_calls_init(struct pd_survey_calls *c, const struct pd_survey *s,
			  const struct pd_finding_site *places, struct pd_arena *a);

/* The number of the call that is active at a visit, `up` calls from the innermost; 0: not known. */
uint32_t pd_survey_call(const struct pd_survey_calls *c, uint32_t visit, uint32_t up);

/* Whether a call is active at a visit. */
bool pd_survey_is_active(const struct pd_survey_calls *c, uint32_t call, uint32_t visit);

/* How many of the calls that are active at a visit have ended at a later one. */
uint32_t pd_survey_ended(const struct pd_survey_calls *c, uint32_t visit, uint32_t later);

/* How many functions, from the outermost one, are active at both places; 0: none are known. */
uint32_t pd_survey_common(const struct pd_finding_site *a, const struct pd_finding_site *b);

/* Frame `level` of a place, 0 being its own; the outermost one if there are fewer. */
const struct pd_frame *pd_survey_frame(const struct pd_finding_site *s, uint32_t level);

/* Whether a way shows who has to flush the store; if so, sets *level. */
bool pd_survey_level(const struct pd_survey_calls *c, const struct pd_survey_way *w,
		     uint32_t *level);

/*
 * Judges every store by its calls and by `level`, by site (nsite of them). `forgotten` holds what
 * was left open in the schedules judged before, and gets what this one leaves open: after all of
 * them, judge once more to take all into account. False: memory ran out.
 */
bool pd_survey_judge(const struct pd_survey *s, const struct pd_survey_calls *calls,
		     const uint8_t *level, uint32_t nsite, struct pd_map *forgotten,
		     struct pd_surveyed *to, struct pd_arena *a);

#endif
