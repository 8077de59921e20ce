/*
 * survey.h - what became of each store of the program: where it was made, who flushed it first.
 *
 * One store of the source may be two bugs: a constructor that two functions call, one of which
 * forgets the flush and the other the fence. Which function has to make a store durable is seen
 * where that is done: the innermost call that is active both when the store is made and when it is
 * flushed; a caller only if that is before the thread's next fence. That it is the same call, and not
 * another one of the same function, is known from where the thread has been in between: a place
 * outside of it ends a call. How many calls it is away from
 * the store is the *level* of its site, the largest one that was seen: 0, the function that stores.
 * The frame of that level is the *owner* of a store. Stores of one site with different owners, or of
 * a different fate, are not one bug.
 *
 * A flush may also reach a store by chance: it is meant for a later store to the same line, of a
 * function that the flush is nearer to; or it comes late and from farther away than the owner is,
 * and is for all that there is. That says nothing of who has to flush; and if another store of the
 * same site and owner is left open at the end, this one was forgotten as well.
 *
 * The program is run once more for this, for each schedule with a failure: what it shows does not
 * depend on which recoveries were executed, or in which order.
 */
#ifndef PD_ENGINE_CRASH_SURVEY_H
#define PD_ENGINE_CRASH_SURVEY_H

#include "base/map.h"
#include "base/vec.h"
#include "engine/crash/again.h"
#include "engine/crash/tx.h"
#include "finding/finding.h"

/* A site and the calls that led there. */
struct pd_survey_place {
	uint32_t site;
	uint32_t nstack;
	uint64_t stack[PD_AGAIN_FRAMES];
};

/* A place that a thread comes to from another one. */
struct pd_survey_visit {
	uint32_t place;
	uint32_t before; /* number of the visit of its thread before that; 0: none */
};

/* How stores were flushed first, by the thread that has made them: places, and visits (0: not
 * known). */
struct pd_survey_way {
	uint32_t store;
	uint32_t flush;
	uint32_t
		last; /* the last store of that thread to the line before the flush; 0: not known */
	uint32_t timely; /* no fence was between store and flush */
	uint32_t store_visit;
	uint32_t flush_visit;
	uint32_t last_visit;
};

enum {
	PD_SURVEY_STORES = 1 << 22, /* of longer programs nothing is known */
	PD_SURVEY_WAYS = 1 << 20,
	PD_SURVEY_VISITS = 1 << 21, /* of further ones only the places are known */
};

#define PD_SURVEY_OPEN (1u << 31) /* it was not durable at the end */

/* Of one execution, by its front end; number i is in element i - 1 of arrays. */
struct pd_survey {
	uint32_t n;		/* stores, by their places in the log */
	const uint32_t *placed; /* number of its place; 0: not known */
	const uint32_t *fate;	/* number of its way (0: none), and PD_SURVEY_OPEN */
	uint32_t nplace;
	const struct pd_survey_place *place;
	uint32_t nway;
	const struct pd_survey_way *way;
	uint32_t nvisit;
	const struct pd_survey_visit *visit;
	uint32_t nunlogged;
	const struct pd_unlogged *unlogged; /* by their places in the log */
};

/* What a store came to by the end of the program. */
enum pd_at_end {
	PD_AT_END_UNKNOWN,
	PD_AT_END_OPEN,
	PD_AT_END_DURABLE, /* it is not known by whom */
	PD_AT_END_FLUSHED, /* by a flush that was for it */
	PD_AT_END_CHANCE,  /* by one that was for something else, as all others of its owner */
};

/* The same for whoever asks about a store. */
struct pd_surveyed {
	uint32_t n;
	const uint64_t *owner; /* 0: the site says it all */
	const uint8_t *at_end; /* enum pd_at_end */
	/* Of sites whose stores all have the same; for a recovery that is the same program */
	uint32_t nsite;
	uint64_t *site_owner;
	uint8_t *site_at_end;
	/* What transactions have not logged; numbers of places count from 1 */
	uint32_t nunlogged;
	const struct pd_unlogged *unlogged;
	const struct pd_finding_site *places;
	const struct pd_survey_place *place; /* the same as sites */
};

static inline uint32_t pd_surveyed_site(const struct pd_surveyed *s, const struct pd_unlogged *u)
{
	return u->place ? s->place[u->place - 1].site : 0;
}

/* ---- which calls are active ----------------------------------------------------------------- */

/* A call of a function, in the call that it was made from. */
struct pd_survey_call {
	uint32_t from;	/* its number; 0: none */
	uint32_t depth; /* of the outermost one 1 */
};

struct pd_survey_calls {
	const struct pd_finding_site *places; /* by number of the survey */
	uint32_t nvisit;
	uint32_t *at; /* by visit: the innermost call; NULL: nothing but the places is known */
	PD_VEC(struct pd_survey_call) calls;
};

/* Those of a survey. False where memory ran out: then only the places are known. */
bool pd_survey_calls_init(struct pd_survey_calls *c, const struct pd_survey *s,
			  const struct pd_finding_site *places, struct pd_arena *a);

/* How many functions, from the outermost one, are active at both places; 0: none are known. */
uint32_t pd_survey_common(const struct pd_finding_site *a, const struct pd_finding_site *b);

/* Frame `level` of a place, 0 being its own; the outermost one where there are not so many. */
const struct pd_frame *pd_survey_frame(const struct pd_finding_site *s, uint32_t level);

/* Whether a way says who has to flush the store; then *level says it. */
bool pd_survey_level(const struct pd_survey_calls *c, const struct pd_survey_way *w,
		     uint32_t *level);

/*
 * What is known of every store: its calls, `level` by site (nsite of them).
 * `forgotten` has what was left open in the schedules that were judged before, and gets what is in
 * this one: after all of them, judging once more takes all into account. False where memory ran out.
 */
bool pd_survey_judge(const struct pd_survey *s, const struct pd_survey_calls *calls,
		     const uint8_t *level, uint32_t nsite, struct pd_map *forgotten,
		     struct pd_surveyed *to, struct pd_arena *a);

#endif
