/* check/failure.h - shared by check/findings.c, which has failures repeated, and check/story.c,
 * which keeps what that shows. Decisions about failures are in engine/crash/failure.h. */
#ifndef PD_DRIVE_CHECK_FAILURE_H
#define PD_DRIVE_CHECK_FAILURE_H

#include "drive/check/check.h"
#include "engine/crash/failure.h"

/* ---- places (check/place.c) ----------------------------------------------------------------- */

struct pd_places {
	struct pd_arena *arena;
	struct pd_symbols *first; /* NULL: none */
	struct pd_symbols *recovery;
	const struct pd_options *options; /* which libraries count as the user's; NULL: none */
};

/*
 * A site of a finding: the place that the compiler recorded (NULL: none) and the calls that led
 * there. The innermost frame of the user's own code counts; frames of libraries inside it are
 * folded.
 */
struct pd_finding_site pd_place(const struct pd_places *p, enum pd_role role, bool recovery,
				const struct pd_board_site *s, const uint64_t *pc, uint32_t n);

/* The same for a site alone; unknown if s is NULL. */
struct pd_finding_site pd_place_of_site(const struct pd_places *p, enum pd_role role,
					const struct pd_board_site *s);

/* ---- what became of each store (check/survey.c) --------------------------------------------- */

/* Runs the program again for each schedule with a failure, and lets the failures and x know what
 * that shows (engine/crash/survey.h). Where that is impossible, they know nothing. */
void pd_survey_failures(struct pd_check_run *c, const struct pd_places *p, struct pd_explored *x,
			struct pd_failures *fs);

/* ---- fewer operations (check/shorten.c) ------------------------------------------------------ */

/* For a driver: finds a failure of the same kind that loses the same stores, with as few operations
 * as the time allows. False: none is shorter. */
bool pd_check_shorten(struct pd_check_run *c, const struct pd_failure *f,
		      const struct pd_crash_run **run, struct pd_shorter *how);

/* ---- the story (check/story.c) -------------------------------------------------------------- */

/* Repeats a failure with as few lost stores as it needs (*least), and keeps its journal; NULL:
 * impossible, or it did not fail. */
struct pd_story *pd_story_of(struct pd_check_run *c, const struct pd_failure *f,
			     const struct pd_witness *w, const struct pd_crash_run **least);

/* The steps of a failure that has a story. */
struct pd_steps pd_story_steps(const struct pd_failure *f, const struct pd_places *p,
			       const struct pd_explored *x);

#endif
