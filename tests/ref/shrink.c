/*
 * shrink.c - see shrink.h.
 *
 * Greedy: every simplification is tried on a copy, the largest first (a section, a thread, an
 * instruction, a part of an instruction, a variable), and kept if the program stays interesting;
 * from the start again until nothing helps. No simplification makes a program larger, so this ends.
 */
#include "ref/shrink.h"

struct shrink {
	struct pd_litmus *lit;
	struct pd_arena *arena;
	pd_shrink_test test;
	void *ctx;
};

/* The instruction lists are the only thing that a plain copy would share. */
static bool copy(struct shrink *x, struct pd_litmus *to)
{
	*to = *x->lit;
	for (uint32_t i = 0; i < to->nsection; i++)
		for (uint32_t t = 0; t < to->section[i].nthread; t++) {
			struct pd_lit_thread *th = &to->section[i].thread[t];
			struct pd_lit_instr *v =
				pd_new_array(x->arena, struct pd_lit_instr, th->instr.n + 1);

			if (!v)
				return false;
			if (th->instr.n)
				memcpy(v, th->instr.v, th->instr.n * sizeof(*v));
			th->instr.v = v;
			th->instr.cap = th->instr.n + 1;
		}
	return true;
}

static bool keep(struct shrink *x, const struct pd_litmus *smaller)
{
	if (!x->test(x->ctx, smaller))
		return false;
	*x->lit = *smaller;
	return true;
}

static void drop_section(struct pd_litmus *l, uint32_t i)
{
	l->nsection--;
	memmove(&l->section[i], &l->section[i + 1], (l->nsection - i) * sizeof(l->section[0]));
}

static void drop_thread(struct pd_lit_section *s, uint32_t t)
{
	s->nthread--;
	memmove(&s->thread[t], &s->thread[t + 1], (s->nthread - t) * sizeof(s->thread[0]));
}

static void drop_instr(struct pd_lit_thread *t, uint32_t i)
{
	t->instr.n--;
	memmove(&t->instr.v[i], &t->instr.v[i + 1], (t->instr.n - i) * sizeof(t->instr.v[0]));
}

static void drop_var(struct pd_litmus *l, uint32_t i)
{
	l->nvar--;
	memmove(&l->var[i], &l->var[i + 1], (l->nvar - i) * sizeof(l->var[0]));
}

static bool try_sections(struct shrink *x)
{
	struct pd_litmus to;

	for (uint32_t i = 0; i < x->lit->nsection && x->lit->nsection > 1; i++) {
		if (!copy(x, &to))
			return false;
		drop_section(&to, i);
		if (keep(x, &to))
			return true;
	}
	return false;
}

static bool try_threads(struct shrink *x)
{
	struct pd_litmus to;

	for (uint32_t i = 0; i < x->lit->nsection; i++)
		for (uint32_t t = 0; t < x->lit->section[i].nthread; t++) {
			if (x->lit->section[i].nthread == 1 || !copy(x, &to))
				continue;
			drop_thread(&to.section[i], t);
			if (keep(x, &to))
				return true;
		}
	return false;
}

/* Simplifications of one instruction, by number; false where there is no such, or it has no effect.
 */
static bool simplify(struct pd_lit_thread *t, uint32_t i, uint32_t how)
{
	struct pd_lit_instr *in = &t->instr.v[i];

	switch (how) {
	case 0:
		drop_instr(t, i);
		return true;
	case 1:
		if (!in->guarded)
			return false;
		in->guarded = false;
		return true;
	case 2:
		if (in->op != PD_LIT_STV || in->nvalue == 1)
			return false;
		in->nvalue--;
		in->size -= 8;
		return true;
	default:
		how -= 3;
		if (how >= in->nvalue || (!in->value[how].is_reg && in->value[how].value <= 9))
			return false;
		in->value[how] = (struct pd_lit_operand){false, 1 + i % 9};
		return true;
	}
}

enum { SIMPLIFICATIONS = 3 + PD_LIT_WORDS };

static bool try_instr(struct shrink *x, uint32_t section, uint32_t thread, uint32_t i)
{
	struct pd_litmus to;

	for (uint32_t how = 0; how < SIMPLIFICATIONS; how++) {
		if (!copy(x, &to))
			return false;
		if (simplify(&to.section[section].thread[thread], i, how) && keep(x, &to))
			return true;
	}
	return false;
}

static bool try_instrs(struct shrink *x)
{
	for (uint32_t s = 0; s < x->lit->nsection; s++)
		for (uint32_t t = 0; t < x->lit->section[s].nthread; t++)
			for (uint32_t i = 0; i < x->lit->section[s].thread[t].instr.n; i++)
				if (try_instr(x, s, t, i))
					return true;
	return false;
}

static bool try_vars(struct shrink *x)
{
	struct pd_litmus to;

	for (uint32_t i = 0; i < x->lit->nvar; i++) {
		if (x->lit->nvar > 1 && copy(x, &to)) {
			drop_var(&to, i);
			if (keep(x, &to))
				return true;
		}
		if (x->lit->var[i].init && copy(x, &to)) {
			to.var[i].init = 0;
			if (keep(x, &to))
				return true;
		}
	}
	return false;
}

void pd_shrink(struct pd_litmus *lit, struct pd_arena *a, pd_shrink_test test, void *ctx)
{
	struct shrink x = {lit, a, test, ctx};

	while (try_sections(&x) || try_threads(&x) || try_instrs(&x) || try_vars(&x))
		;
}
