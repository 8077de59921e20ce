/*
 * words.h - findings in words: every sentence that a user can read about a finding is made here,
 * once, at the end, from its kind, cause, sites and facts.
 *
 * There is one file per engine; words.c has what they share. Nothing else in perdure looks at these
 * sentences: not ids, not the order, not suppressions, not the exit status.
 *
 * Thread rule: as result.h.
 */
#ifndef PD_REPORT_WORDS_WORDS_H
#define PD_REPORT_WORDS_WORDS_H

#include "finding/diagram.h"
#include "finding/finding.h"
#include "finding/remedy.h"
#include "finding/steps.h"
#include "finding/unknown.h"
#include <stdio.h>

/* Makes the sentences that a finding lacks (message, fix), in the arena. If memory runs out they
 * stay NULL, and the writers show what the kind means. */
void pd_words_make(struct pd_arena *a, struct pd_finding *f);

/* How a recovery ended, by the kind of the finding: "recovery aborts". */
void pd_words_end(FILE *to, enum pd_kind kind, const struct pd_facts *f);

/* How certain it is: "confirmed: executed and replayed". */
const char *pd_words_standing(const struct pd_finding *f);

/* Files that are not PM, but mapped shared and writable: names, each ending with 0, then another 0.
 * NULL: none. (summary.c) */
const char *pd_words_side_files(struct pd_arena *a, const char *mapped, const char *synced);

/* What a verdict covers, if not everything (summary.c): one workload (linear), a number of
 * schedules (0: no threads); and the kinds that were requested ("": all). NULL: everything. */
const char *pd_words_scope(struct pd_arena *a, bool workload, uint32_t schedules);
const char *pd_words_only(struct pd_arena *a, const char *kinds, bool no_performance);

/* Who has stored to PM in a function. */
enum pd_stored_how {
	PD_STORED_FIRST,   /* the program itself */
	PD_STORED_CHANGED, /* the program, over something that was not 0 */
	PD_STORED_TRIED,   /* a recovery that had found data */
	PD_STORED_ANEW,	   /* a recovery that had found none */
};

struct pd_exercise {
	bool tried, anew; /* a recovery has stored, in a function or not */
	bool one_crash;
	PD_VEC(struct pd_stored_in {
		const char *function;
		enum pd_stored_how how;
	})
	items;
};

/* What no recovery has tried: a list; NULL: nothing is known to be missing. (exercise.c) */
const char *pd_words_not_exercised(struct pd_arena *a, const struct pd_exercise *x);

/* The input of the path that a finding is on, and how many paths have the finding; false: it is on
 * no path. (explore.c) */
bool pd_words_input(FILE *to, const struct pd_facts *f);

/* One step of what led to a failure, without a newline. (steps.c) */
void pd_words_step(FILE *to, const struct pd_step *s);

/* What led to a failure, one line per step; NULL: unknown, or out of memory. (steps.c) */
const char *pd_words_steps(struct pd_arena *a, const struct pd_steps *steps);

/* Where a replay has stopped for a debugger. (steps.c) */
const char *pd_words_stop(enum pd_stop where);

/* Explains a known cause in terms of its model. (crash.c) */
const char *pd_words_why(const struct pd_finding *f);

/* The meaning of a kind of finding. (explain.c, explain.def) */
struct pd_explanation {
	const char *means;
	const char *example; /* lines, each ended by '\n' */
	const char *matters;
	const char *fix;
};

extern const struct pd_explanation pd_explanations[PD_KIND_N];

struct pd_screen;
void pd_words_explain(struct pd_screen *s, enum pd_kind kind);

/* What to do about an incomplete run; false: no advice. (hint.c) */
struct pd_result;
bool pd_words_hint(FILE *to, const struct pd_result *r);

/* One step of a finding's path through the source. (flow.c) */
struct pd_flow_step;
void pd_words_flow(FILE *to, const struct pd_finding *f, const struct pd_flow_step *s);

/* Why the end of a recovery is unknown. (unknown.c) */
void pd_words_unknown(FILE *to, const struct pd_unknown *u);

/* Replay (replay.c): it took another path; what was seen again of a torn store; a choice was made
 * at another place; a file as the crash left it. */
enum pd_not_again { PD_NOT_AGAIN_CRASH, PD_NOT_AGAIN_FAILURE };
/* diverged: how, or NULL. */
void pd_words_not_again(FILE *to, enum pd_not_again missing, const struct pd_unknown *diverged);
const char *pd_words_torn_again(void);
void pd_words_moved(FILE *to, bool crash, const struct pd_frame *then, const struct pd_frame *now);
void pd_words_image(FILE *to, const char *image, const char *of, uint64_t bytes);

/* A patch (fix.c): why none is made, and at which place (NULL: none in particular); what was
 * changed. */
void pd_words_no_patch(FILE *to, const struct pd_finding *f, enum pd_no_remedy no,
		       const struct pd_frame *at);
void pd_words_patched(FILE *to, enum pd_remedy_what what, const struct pd_frame *at,
		      const char *put, bool fences);

/* Its verification: the verdict, and what only the second run has found. */
enum pd_fix_verdict {
	PD_FIX_VERIFIED,
	PD_FIX_VERIFIED_BUT, /* there are new notes */
	PD_FIX_STILL,
	PD_FIX_NOT_BUILT,
	PD_FIX_NEW,
	PD_FIX_INCOMPLETE,
};

void pd_words_verdict(FILE *to, enum pd_fix_verdict what, const struct pd_result *after);
void pd_words_new(FILE *to, const struct pd_finding *const *v, uint32_t n);

/* ---- between the files of this folder -------------------------------------------------------- */

/* The streams for sentences: what was found, and how to fix it (left empty: unknown). */
struct pd_words {
	const struct pd_finding *f;
	FILE *message;
	FILE *fix;
};

typedef void pd_words_engine(struct pd_words *w);
pd_words_engine pd_words_crash;
pd_words_engine pd_words_explore;
pd_words_engine pd_words_linear;
pd_words_engine pd_words_lint;
pd_words_engine pd_words_lockset;
pd_words_engine pd_words_torn;

/* The written text, in the arena; NULL: nothing, or out of memory. Closes it. */
const char *pd_words_keep(struct pd_arena *a, FILE *f, char **text, size_t *n);

/* "s", except for 1. */
static inline const char *pd_words_plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

/* What happened, without the fix. (crash.c) */
void pd_words_crash_message(struct pd_words *w);

/* Adds to the fix that the thread that has read the lost store can make it durable, if the read is
 * known. */
void pd_words_reader(struct pd_words *w);

/* The corresponding kind of crash.c; others are unchanged. (linear.c) */
enum pd_kind pd_words_crash_kind(enum pd_kind kind);

/* What happened to an operation; false: this kind is not about operations. (linear.c) */
bool pd_words_history(FILE *to, enum pd_kind kind, const struct pd_facts *f);

/* What --exhaustive covers. (summary.c) */
const char *pd_words_exhaustive(struct pd_arena *a, uint32_t schedules, uint32_t preemptions);

/* How much of the workload is left in a minimised history, malloc'ed; NULL: it was not minimised.
 * (linear.c) */
char *pd_words_minimised(const struct pd_facts *f);

/* The operations over time as lines of text; from facts: malloc'ed, or NULL if they have none.
 * (linear.c) */
void pd_words_draw(FILE *to, const struct pd_diagram *d);
char *pd_words_diagram(const struct pd_facts *f);

/* The list of --explain-points: its first line; a place, why its stores are likely linearization
 * points, and how often it stored. (linear.c) */
enum pd_point_reason { PD_POINT_ATOMIC, PD_POINT_GUARDED, PD_POINT_GIVEN, PD_POINT_ALL };
void pd_words_points(FILE *to, uint32_t points, uint32_t stores, uint32_t fresh);
void pd_words_point(FILE *to, const struct pd_frame *at, enum pd_point_reason why, uint32_t times);

/* "log.c:12", for a frame; "an unknown place". */
void pd_words_frame(FILE *to, const struct pd_frame *f);

/* The same for the nth site of a role, from 0: if its function only flushes, the place of its
 * caller. */
void pd_words_site(FILE *to, const struct pd_finding *f, enum pd_role role, uint32_t nth);
bool pd_words_has(const struct pd_finding *f, enum pd_role role);

/* The site that a fact names. */
void pd_words_fact_site(FILE *to, const struct pd_finding *f, enum pd_fact_key key, uint32_t nth);

/* When power failed: "before log.c:25", or "during persist() at log.c:25" if it failed in a call
 * made by the function that stored; the crash's own line is among the sites. */
void pd_words_crash_place(FILE *to, const struct pd_finding *f);

/* "x.pm+0x40" */
void pd_words_address(FILE *to, const struct pd_fact *address);

/* In hex; behind it as text if it is one of four letters or more: 0x6f6c6c6568 ("hello"). */
void pd_words_value(FILE *to, uint64_t value);

/* "1 byte at x.pm+0x40", "8 bytes at ..." */
void pd_words_bytes(FILE *to, const struct pd_facts *f);

/* "; costs about 12 us", if a cost is known. */
void pd_words_cost(FILE *to, const struct pd_facts *f);

#endif
