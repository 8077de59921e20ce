/*
 * check/failure.h - between check/findings.c, which has failures run again, check/story.c, which
 * keeps what that shows. What is decided about them: engine/crash/failure.h.
 */
#ifndef PD_DRIVE_CHECK_FAILURE_H
#define PD_DRIVE_CHECK_FAILURE_H

#include "drive/check/check.h"
#include "engine/crash/failure.h"

/* ---- places (check/place.c) ----------------------------------------------------------------- */

struct pd_places {
	struct pd_arena *arena;
	struct pd_symbols *first; /* NULL: none */
	struct pd_symbols *recovery;
	const struct pd_options *options; /* which libraries are the user's; NULL: none */
};

/*
 * A site of a finding: the place that the compiler has noted (NULL: none) and the calls that led
 * there. The innermost frame of the user's own code counts; those of libraries inside of it are
 * folded.
 */
struct pd_finding_site pd_place(const struct pd_places *p, enum pd_role role, bool recovery,
				const struct pd_board_site *s, const uint64_t *pc, uint32_t n);

/* The same of a site alone, as the compiler has it; nothing is known where s is NULL. */
struct pd_finding_site pd_place_of_site(const struct pd_places *p, enum pd_role role,
					const struct pd_board_site *s);

/* ---- what became of each store (check/survey.c) --------------------------------------------- */

/*
 * Runs the program once more for each schedule with a failure, and has the failures and x know what
 * that shows (engine/crash/survey.h). Where that is not possible, nothing is known.
 */
void pd_survey_failures(struct pd_check_run *c, const struct pd_places *p, struct pd_explored *x,
			struct pd_failures *fs);

/* ---- fewer operations (check/shorten.c) ------------------------------------------------------ */

/*
 * Of a driver: a failure of the same kind, with the same stores lost, of as few operations as can be
 * found in the time there is. False: there is none that is shorter.
 */
bool pd_check_shorten(struct pd_check_run *c, const struct pd_failure *f,
		      const struct pd_crash_run **run, struct pd_shorter *how);

/* ---- the story (check/story.c) -------------------------------------------------------------- */

/*
 * Runs a failure again, with as few stores lost as it needs (*least), and keeps what it shows; NULL
 * where that was not possible or it did not fail.
 */
struct pd_story *pd_story_of(struct pd_check_run *c, const struct pd_failure *f,
			     const struct pd_witness *w, const struct pd_crash_run **least);

/* The story of a failure that has one. */
struct pd_steps pd_story_steps(const struct pd_failure *f, const struct pd_places *p,
			       const struct pd_explored *x);

#endif
