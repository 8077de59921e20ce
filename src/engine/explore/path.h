/*
 * path.h - a path, and the inputs for the paths that branch off it.
 *
 * A run with an input logs its steps: each branch, switch and pinned value that depends on the
 * input, with the condition under which it goes this way and those under which it goes elsewhere.
 * When it has ended, pd_path_flip asks for each step, from the first that is this path's own on,
 * whether an input goes the other way, and gives each that does to the frontier as a record: the
 * input, how many steps it has in common with its parent (`bound`: its own begin there), and a
 * digest of these steps.
 *
 * So each path is found once. Only the one run whose own step it is asks about a node of the tree
 * of paths; and the run of a record compares the digest when it reaches its bound. If that differs
 * the program is not a function of its input, or a label was lost: the run has diverged.
 *
 * A pinned value has more than two ways on: the record keeps what was tried, and the run that takes
 * another value asks for yet another one, until `max_pins` were tried.
 *
 * Godefroid, Levin, Molnar: Automated Whitebox Fuzz Testing (NDSS 2008), 2: generational search,
 * with bounds.
 */
#ifndef PD_ENGINE_EXPLORE_PATH_H
#define PD_ENGINE_EXPLORE_PATH_H

#include "engine/explore/ask.h"

enum pd_step_kind {
	PD_STEP_BRANCH,
	PD_STEP_SWITCH,
	PD_STEP_PIN, /* of a value: bounded */
};

struct pd_path_step {
	uint32_t site;
	uint16_t kind;	/* enum pd_step_kind */
	uint16_t way;	/* branch: 1 taken; switch: the target; pin: 0 */
	pd_expr holds;	/* what this way needs */
	pd_expr pinned; /* pin: the expression */
	uint64_t value; /* and its value */
	/* Switch: conditions of the other targets, `others` of them from `first` on in
	 * `alternatives` */
	uint32_t first, others;
};

/* PD_PATH_PINS values at most are tried of what is pinned. */
enum { PD_PATH_PINS = 255 };

/* A path that was not run yet, as the frontier holds it (search.h). `input_size` bytes follow it,
 * then `npins` values of 8 bytes. */
struct pd_record {
	uint64_t prefix; /* digest of the steps before `bound` */
	uint32_t bound;
	uint32_t site;	/* of the step that was flipped */
	uint32_t way;	/* direction taken there */
	uint32_t depth; /* number of records that led here */
	uint16_t npins; /* values that were tried of the pin at `bound` */
	uint16_t again; /* it was run before: only what branches off is wanted */
	uint32_t size;	/* of the input */
};

struct pd_path;

struct pd_path_limits {
	uint32_t steps; /* of one path; later ones are run, but not flipped */
	uint32_t pins;	/* values tried of what is pinned */
	/* Not NULL: once this is not 0 no more questions are asked. The rest of a path then becomes
	 * a record of its own */
	const uint32_t *stop;
};

struct pd_path *pd_path_create(struct pd_arena *a, struct pd_exprs *x,
			       struct pd_path_limits limits);

/* A run begins with the input of this record, whose bytes stay in place. Values that were tried of
 * a pin follow the record (search.h). The very first record has depth 0 and no bound. */
void pd_path_begin(struct pd_path *p, const struct pd_record *r, const uint8_t *input);

/* It begins behind steps that another run has made, in the same way: no record has a bound
 * before. */
bool pd_path_resume(struct pd_path *p, const struct pd_path_step *steps, uint32_t n,
		    uint64_t digest);

/* Steps of the run. Constants are no steps. */
void pd_path_branch(struct pd_path *p, uint32_t site, pd_expr condition, bool taken);
void pd_path_switch(struct pd_path *p, uint32_t site, pd_expr on, const struct pd_sym_switch *s,
		    uint64_t value);
void pd_path_pin(struct pd_path *p, uint32_t site, pd_expr e, uint64_t value);

const struct pd_path_step *pd_path_steps(const struct pd_path *p, uint32_t *n);

/* Steps that were not kept: not all of them are above. */
bool pd_path_is_cut(const struct pd_path *p);

/* Digest of all its steps: equal for two runs only if they took the same path. */
uint64_t pd_path_digest(const struct pd_path *p);

enum pd_path_end {
	PD_PATH_FINE,
	PD_PATH_DIVERGED, /* it did not follow its record; nothing is flipped */
};

struct pd_path_flipped {
	uint32_t asked, yes, no, unknown;
	uint32_t steps_cut; /* beyond the limit, or without memory */
	uint32_t pins_cut;  /* pinned values with more values to try */
	/* If it has diverged: the first step that is known to differ. A record has only one digest
	 * for the steps before its bound, so it may have been an earlier one */
	uint32_t diverged_at;
};

/*
 * The run has ended. Calls `found` with each new record (in memory that is reused), until it
 * returns false. q is begun anew with the input of the run.
 */
enum pd_path_end pd_path_flip(struct pd_path *p, struct pd_ask *q,
			      bool (*found)(void *ctx, const struct pd_record *r,
					    const uint8_t *input, const uint64_t *pins),
			      void *ctx, struct pd_path_flipped *out);

/*
 * During the run: makes the conditions of the steps so far the assumptions of q, for pd_ask_values.
 */
void pd_path_assumed(struct pd_path *p, struct pd_ask *q);

#endif
