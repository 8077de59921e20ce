/*
 * compare.h - two judges on one program, and how their sets differ.
 */
#ifndef PD_TESTS_REF_COMPARE_H
#define PD_TESTS_REF_COMPARE_H

#include "litmus/litmus.h"

enum pd_verdict {
	PD_SAME,
	PD_DIFFERENT,
	PD_CAPPED, /* one of them gave up */
	PD_NO_MEMORY,
};

struct pd_comparison {
	struct pd_lit_result ref;
	struct pd_lit_result model;
};

/* Explores with the reference and with the model; every set of every section must be equal. */
enum pd_verdict pd_compare(const struct pd_litmus *lit, struct pd_arena *a, uint64_t max_states,
			   struct pd_comparison *out);

/*
 * What `have` lacks ("- x=1 y=0") and has too much ("+ x=1 y=0"), a line each, after prefix; o may
 * be NULL. The number of lines.
 */
uint32_t pd_diff_images(struct pd_out *o, const char *prefix, const struct pd_litmus *lit,
			const struct pd_tuples *want, const struct pd_tuples *have);
uint32_t pd_diff_outcomes(struct pd_out *o, const char *prefix, const struct pd_lit_section *s,
			  const struct pd_tuples *want, const struct pd_tuples *have);

/* "images: a | b", with the tuples in order. */
void pd_print_sets(struct pd_out *o, const struct pd_litmus *lit, uint32_t section,
		   struct pd_lit_result *r);

#endif
