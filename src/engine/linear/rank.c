/* rank.c - see rank.h. */
#include "engine/linear/rank.h"
#include "base/map.h"

#define STAYS	  (PD_NEVER - 1) /* rank of a value that is not taken out */
#define AMBIGUOUS UINT64_MAX	 /* instead of an operation: several put the value in */

static bool puts_in(const struct pd_linear_spec *spec, const struct pd_ranked *x)
{
	return spec->ops[x->op->fn].effect == PD_WRITES && x->op->nargs > 0;
}

static bool takes_out(const struct pd_linear_spec *spec, const struct pd_ranked *x)
{
	int effect = spec->ops[x->op->fn].effect;

	return (effect == PD_REMOVES || effect == PD_PEEKS) && x->op->returned &&
	       x->op->result.word < PD_FAILED;
}

/* Finds the operation that puts in each value: its number + 1. */
static bool find_puts(const struct pd_linear_spec *spec, struct pd_ranked *x, uint32_t n,
		      struct pd_map *puts, struct pd_arena *a)
{
	for (uint32_t i = 0; i < n; i++) {
		uint64_t word = x[i].op->arg[0].word, *at;

		x[i].rank = x[i].seen = PD_NEVER;
		x[i].last = 0;
		if (!puts_in(spec, &x[i]))
			continue;
		x[i].rank = STAYS;
		if (word == UINT64_MAX)
			continue;
		at = pd_map_put(puts, a, word);
		if (!at)
			return false;
		*at = *at ? AMBIGUOUS : (uint64_t)i + 1;
	}
	return true;
}

/*
 * An operation that must put in after i, because i returns before it is called, passes its rank on
 * to i.
 */
static void pass_on(struct pd_ranked *x, const uint32_t *by_ret, uint32_t nret)
{
	uint64_t least = STAYS;
	uint32_t i = nret;

	for (uint32_t k = nret; k-- > 0;) {
		struct pd_ranked *p = &x[by_ret[k]];

		for (; i > 0 && x[i - 1].call > p->ret; i--)
			least = PD_MIN(least, x[i - 1].rank);
		if (p->rank != PD_NEVER)
			p->rank = PD_MIN(p->rank, least);
	}
}

bool pd_rank(const struct pd_linear_spec *spec, struct pd_ranked *x, uint32_t n,
	     const uint32_t *by_ret, uint32_t nret, struct pd_arena *a)
{
	struct pd_map puts = {0};

	if (!find_puts(spec, x, n, &puts, a))
		return false;
	for (uint32_t i = 0; i < nret; i++) {
		uint64_t *at =
			takes_out(spec, &x[i]) ? pd_map_get(&puts, x[i].op->result.word) : NULL;
		struct pd_ranked *p = at && *at != AMBIGUOUS ? &x[*at - 1] : NULL;

		if (!p)
			continue;
		p->seen = PD_MIN(p->seen, x[i].ret);
		p->last = PD_MAX(p->last, x[i].call);
		p->rank = p->seen;
	}
	if (spec->order == PD_FIRST_IN_FIRST_OUT)
		pass_on(x, by_ret, nret);
	for (uint32_t i = 0; i < n && spec->order == PD_LAST_IN_FIRST_OUT; i++)
		if (x[i].rank != PD_NEVER)
			x[i].rank = STAYS - PD_MAX(x[i].last, x[i].rank == STAYS ? STAYS : 0);
	return true;
}
