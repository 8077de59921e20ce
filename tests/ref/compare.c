/* compare.c - see compare.h. */
#include "ref/compare.h"

#include "ref/ref.h"

/* s == NULL: the tuples are images. */
static void print_tuple(struct pd_out *o, const struct pd_litmus *lit,
			const struct pd_lit_section *s, const uint64_t *tuple)
{
	if (s)
		pd_litmus_print_outcome(o, s, tuple);
	else
		pd_litmus_print_image(o, lit, tuple);
}

/* The tuples of a that are not in b. */
static uint32_t one_side(struct pd_out *o, const char *prefix, char sign,
			 const struct pd_litmus *lit, const struct pd_lit_section *s,
			 const struct pd_tuples *a, const struct pd_tuples *b)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < a->n; i++) {
		if (pd_tuples_has(b, pd_tuples_at(a, i)))
			continue;
		n++;
		if (!o)
			continue;
		pd_outf(o, "%s%c ", prefix, sign);
		print_tuple(o, lit, s, pd_tuples_at(a, i));
		pd_outs(o, "\n");
	}
	return n;
}

uint32_t pd_diff_images(struct pd_out *o, const char *prefix, const struct pd_litmus *lit,
			const struct pd_tuples *want, const struct pd_tuples *have)
{
	return one_side(o, prefix, '-', lit, NULL, want, have) +
	       one_side(o, prefix, '+', lit, NULL, have, want);
}

uint32_t pd_diff_outcomes(struct pd_out *o, const char *prefix, const struct pd_lit_section *s,
			  const struct pd_tuples *want, const struct pd_tuples *have)
{
	return one_side(o, prefix, '-', NULL, s, want, have) +
	       one_side(o, prefix, '+', NULL, s, have, want);
}

static void print_set(struct pd_out *o, const struct pd_litmus *lit, const struct pd_lit_section *s,
		      struct pd_tuples *t)
{
	pd_tuples_sort(t);
	for (uint32_t i = 0; i < t->n; i++) {
		pd_outs(o, i ? " | " : "");
		print_tuple(o, lit, s, pd_tuples_at(t, i));
	}
	pd_outs(o, "\n");
}

void pd_print_sets(struct pd_out *o, const struct pd_litmus *lit, uint32_t section,
		   struct pd_lit_result *r)
{
	pd_outs(o, "images: ");
	print_set(o, lit, NULL, &r->images[section]);
	if (!lit->section[section].nreg)
		return;
	pd_outs(o, "outcomes: ");
	print_set(o, lit, &lit->section[section], &r->outcomes[section]);
}

static uint32_t instructions(const struct pd_litmus *lit)
{
	uint32_t n = 0;

	for (uint32_t s = 0; s < lit->nsection; s++)
		for (uint32_t t = 0; t < lit->section[s].nthread; t++)
			n += lit->section[s].thread[t].instr.n;
	return n;
}

enum pd_verdict pd_compare(const struct pd_litmus *lit, struct pd_arena *a, uint64_t max_states,
			   struct pd_comparison *out)
{
	if (!pd_ref_explore(lit, a, max_states, &out->ref))
		return PD_NO_MEMORY;
	if (out->ref.capped)
		return PD_CAPPED;
	/* Programs with an even number of instructions carry their crashes as bytes: both ways are
	 * judged. */
	if (!(instructions(lit) % 2 ? pd_litmus_explore
				    : pd_litmus_explore_by_state)(lit, a, max_states, &out->model))
		return PD_NO_MEMORY;
	if (out->model.capped)
		return PD_CAPPED;
	for (uint32_t i = 0; i < lit->nsection; i++) {
		const struct pd_lit_section *s = &lit->section[i];

		if (pd_diff_images(NULL, "", lit, &out->ref.images[i], &out->model.images[i]) ||
		    pd_diff_outcomes(NULL, "", s, &out->ref.outcomes[i], &out->model.outcomes[i]))
			return PD_DIFFERENT;
	}
	return PD_SAME;
}
