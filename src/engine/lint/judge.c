/* judge.c - see judge.h: the order in which lint judges. */
#include "engine/lint/judge.h"

bool pd_lint_place(const struct pd_lint_judge *j, uint32_t place, enum pd_role role,
		   struct pd_place *p)
{
	return j->front->place(j->front->ctx, place, role, p);
}

struct pd_facts pd_lint_with(struct pd_arena *a, const struct pd_facts *f, enum pd_fact_key key,
			     uint64_t number)
{
	struct pd_fact_list list = {.arena = a};

	for (uint32_t i = 0; i < f->n; i++)
		if (f->v[i].key != key)
			pd_fact_add(&list, &f->v[i]);
	pd_fact_put_if(&list, key, number);
	return pd_facts_of(&list);
}

/* The store is already reported as never flushed: that it also comes too late for a flush is no
 * news. */
static bool is_missing_already(const struct pd_lint_judge *j, const struct pd_raw_finding *t)
{
	struct pd_place p;

	if (!t->nsites || !pd_lint_place(j, t->site[0].place, (enum pd_role)t->site[0].role, &p))
		return false;
	for (uint32_t i = 0; i < j->to->items.n; i++) {
		const struct pd_finding *f = j->to->items.v[i];

		if (f->kind == PD_KIND_LINT_MISSING_FLUSH && f->nsites &&
		    pd_frame_same(&f->sites[0].at, &p.frame[p.at]))
			return true;
	}
	return false;
}

/* A missing flush that names a transaction concerns a store that this has not logged:
 * unlogged-write reports it already. */
static bool is_unlogged_already(const struct pd_lint_judge *j, const struct pd_raw_finding *t)
{
	if (t->kind != PD_KIND_LINT_MISSING_FLUSH ||
	    !j->front->wants(j->front->ctx, PD_KIND_LINT_UNLOGGED))
		return false;
	for (uint32_t i = 0; i < t->nsites; i++)
		if (t->site[i].role == PD_ROLE_TX)
			return true;
	return false;
}

/* A fence that does not follow every one of these stores is no part of the fix, nor of the
 * finding. */
static void drop_fence(struct pd_finding *f)
{
	if (f->kind == PD_KIND_LINT_MISSING_FLUSH && f->nsites &&
	    f->sites[f->nsites - 1].role == PD_ROLE_BEFORE &&
	    pd_fact_number(&f->facts, PD_FACT_FIX) == PD_WORD_FIX_FLUSH_AND_FENCE)
		f->nsites--;
}

static void add(struct pd_lint_judge *j, const struct pd_raw_finding *t)
{
	struct pd_finding f;

	if (!pd_finding_resolve(j->front, t, &f))
		return;
	drop_fence(&f);
	f.facts = pd_lint_weigh(j, t, &f.facts);
	if (pd_lint_says_how_often(f.kind))
		pd_lint_add_way(j, &f);
	else
		pd_findings_add(j->to, &f);
}

struct pd_lint_sums pd_lint_judge(const struct pd_namer *front, const struct pd_lint_run *run,
				  struct pd_findings *to)
{
	struct pd_lint_judge j = {.front = front, .run = run, .arena = front->arena, .to = to};
	struct pd_lint_sums sums = {0};

	pd_lint_join_lines(&j);
	for (uint32_t i = 0; i < run->nraw; i++) {
		const struct pd_raw_finding *t = &run->raw[i];

		if (!t->count || t->kind == PD_KIND_LINT_OVERWRITTEN)
			continue;
		if (is_unlogged_already(&j, t)) {
			sums.unflushed_as_unlogged++;
			continue;
		}
		add(&j, t);
		sums.needless_ns += t->weight;
	}
	for (uint32_t i = 0; i < run->nraw; i++) {
		const struct pd_raw_finding *t = &run->raw[i];

		if (!t->count || t->kind != PD_KIND_LINT_OVERWRITTEN)
			continue;
		if (is_missing_already(&j, t))
			sums.overwritten_as_missing++;
		else
			add(&j, t);
	}
	pd_lint_join_callers(&j);
	pd_lint_correct_fixes(&j);
	return sums;
}
