/*
 * hook.c - what instrumented code calls where a label is involved: values, branches, calls.
 *
 * A hook gets labels and the program's values. An expression must have that value: a label that
 * does not, or that has another width (a function was called with other types than it has), is
 * dropped, and counted. So a wrong label does not spread.
 *
 * The functions that stand in loops are called through stub.c, which keeps registers.
 */
#include "runtime/symbolic/hook.h"
#include "base/bug.h"
#include <string.h>

PD_OWN struct pd_symbolic pd_symbolic;
PD_EXPORT _Thread_local struct pd_sym_pass __pd_sym_pass;

enum { LINE_BITS = 6 };

static uint64_t mask(uint32_t width)
{
	return width >= 64 ? ~0ULL : (1ULL << width) - 1;
}

static void lose(enum pd_sym_why why, const struct pd_site *site, const char *what)
{
	if (pd_symbolic.lost)
		pd_symbolic.lost(why, site, what);
}

/* The label if it has this value, else the value itself. */
static pd_expr operand(pd_expr e, uint32_t width, uint64_t value)
{
	struct pd_exprs *x = pd_symbolic.exprs;

	value &= mask(width);
	if (e && pd_expr_width(x, e) == width && pd_expr_value(x, e) == value)
		return e;
	if (e)
		lose(PD_SYM_WHY_OPERATOR, NULL, "a label that does not have the value");
	return pd_expr_const(x, width, value);
}

/* A label for the result: constants have none. */
static uint32_t made(pd_expr e)
{
	if (!e)
		lose(PD_SYM_WHY_OPERATOR, NULL, "out of memory for expressions");
	return e && !pd_symbolic_is_const(e) ? e : 0;
}

/* ---- values ---------------------------------------------------------------------------------- */

uint32_t pd_sym_hook_binary(int how, uint32_t la, uint32_t lb, uint64_t va, uint64_t vb)
{
	struct pd_exprs *x = pd_symbolic.exprs;
	uint32_t h = (uint32_t)how, width = PD_SYM_HOW_FROM(h);
	pd_expr a, b, e;

	if (!pd_symbolic.on)
		return 0;
	a = operand(la, width, va);
	b = operand(lb, width, vb);
	e = a && b ? pd_expr_binary(x, PD_SYM_HOW_OP(h), a, b) : 0;
	if (e && PD_SYM_HOW_NEGATE(h))
		e = pd_expr_not(x, e);
	return made(e);
}

/* The value of what is cut is not known before a load: it was compared there. */
uint32_t pd_sym_hook_cast(int how, uint32_t l, uint64_t v)
{
	struct pd_exprs *x = pd_symbolic.exprs;
	uint32_t h = (uint32_t)how, from = PD_SYM_HOW_FROM(h), to = PD_SYM_HOW_TO(h);
	enum pd_sym_op op = PD_SYM_HOW_OP(h);

	if (!pd_symbolic.on || !l)
		return 0;
	if (op != PD_SYM_EXTRACT)
		return made(pd_expr_extend(x, op, operand(l, from, v), to));
	if (pd_expr_width(x, l) != from)
		return 0;
	return made(pd_expr_extract(x, l, PD_SYM_HOW_LOW(h), to));
}

uint32_t __pd_sym_concat(int how, uint32_t lh, uint32_t ll, uint64_t vh, uint64_t vl)
{
	uint32_t h = (uint32_t)how, high = PD_SYM_HOW_FROM(h), low = PD_SYM_HOW_TO(h) - high;
	pd_expr a, b;

	if (!pd_symbolic.on)
		return 0;
	a = operand(lh, high, vh);
	b = operand(ll, low, vl);
	return made(a && b ? pd_expr_concat(pd_symbolic.exprs, a, b) : 0);
}

uint32_t __pd_sym_ite(int how, uint32_t lc, uint32_t la, uint32_t lb, uint8_t c, uint64_t va,
		      uint64_t vb)
{
	uint32_t width = PD_SYM_HOW_TO((uint32_t)how);
	pd_expr cond, a, b;

	if (!pd_symbolic.on)
		return 0;
	cond = operand(lc, 1, c);
	a = operand(la, width, va);
	b = operand(lb, width, vb);
	return made(cond && a && b ? pd_expr_ite(pd_symbolic.exprs, cond, a, b) : 0);
}

uint32_t __pd_sym_compute(int how, uint32_t la, uint32_t lb, uint32_t lc, uint64_t va, uint64_t vb,
			  uint64_t vc)
{
	uint32_t width = PD_SYM_COMPUTE_WIDTH((uint32_t)how);
	pd_expr a, b, c;

	if (!pd_symbolic.on)
		return 0;
	a = operand(la, width, va);
	b = operand(lb, width, vb);
	c = operand(lc, width, vc);
	return made(a && b && c ? pd_compute(pd_symbolic.exprs, PD_SYM_COMPUTE_WHAT((uint32_t)how),
					     a, b, c)
				: 0);
}

/* ---- memory ---------------------------------------------------------------------------------- */

uint32_t pd_sym_hook_load(void *p, int n)
{
	if (!pd_symbolic.on || !pd_labels_any(p, (size_t)n))
		return 0;
	pd_symbolic_use();
	pd_symbolic_stop(p, (size_t)n);
	return pd_label_load(p, (uint32_t)n);
}

/* The label of what is stored, as wide as its bytes. */
pd_expr pd_sym_stored(uint32_t l, int n, uint64_t v)
{
	struct pd_exprs *x = pd_symbolic.exprs;
	uint32_t width = l ? pd_expr_width(x, l) : 0;

	if (!l || width > (uint32_t)n * 8 || operand(l, width, v) != l)
		return 0;
	return width == (uint32_t)n * 8 ? l : pd_expr_extend(x, PD_SYM_ZEXT, l, (uint32_t)n * 8);
}

void pd_sym_hook_store(void *p, int n, uint32_t l, uint64_t v)
{
	if (pd_symbolic.on)
		pd_label_store(p, (uint32_t)n, pd_sym_stored(l, n, v));
}

void __pd_sym_copy(void *to, void *from, uint64_t n)
{
	if (pd_symbolic.on)
		pd_labels_move(to, from, n);
}

void __pd_sym_fill(void *p, uint32_t l, int byte, uint64_t n)
{
	pd_expr e;

	if (!pd_symbolic.on)
		return;
	e = l ? pd_sym_stored(l, 1, (uint8_t)byte) : 0;
	if (!e)
		pd_labels_clear(p, n);
	for (uint64_t i = 0; e && i < n; i++)
		pd_label_set((uint8_t *)p + i, e);
}

static uint64_t read_scalar(const void *p, uint32_t n)
{
	uint64_t v = 0;

	memcpy(&v, p, n);
	return v;
}

/* From here on the bytes have fixed values on this path: they need no labels. */
void __pd_sym_pin_range(const struct pd_site *s, void *p, uint64_t n, int why)
{
	if (!pd_symbolic.on || !pd_labels_any(p, n))
		return;
	pd_symbolic_use();
	for (uint64_t at = 0; at < n; at += 8) {
		uint8_t *q = (uint8_t *)p + at;
		uint32_t k = (uint32_t)PD_MIN(8, n - at);
		pd_expr e = pd_labels_any(q, k) ? pd_label_load(q, k) : 0;

		if (e)
			pd_symbolic_pin(s, e, read_scalar(q, k), (enum pd_sym_why)why);
	}
	pd_labels_clear(p, n);
}

/* ---- control --------------------------------------------------------------------------------- */

static uint32_t id_of(const struct pd_site *s)
{
	return s ? s->id : 0;
}

void pd_symbolic_branch(const struct pd_site *site, pd_expr condition, bool taken)
{
	if (pd_symbolic_is_const(condition))
		return;
	if (pd_symbolic.path)
		pd_path_branch(pd_symbolic.path, id_of(site), condition, taken);
	if (pd_symbolic.covered)
		pd_symbolic.covered(id_of(site), taken);
}

void pd_symbolic_pin(const struct pd_site *site, pd_expr e, uint64_t value, enum pd_sym_why why)
{
	if (why == PD_SYM_WHY_LINE && pd_expr_width(pd_symbolic.exprs, e) == 64) {
		e = pd_expr_extract(pd_symbolic.exprs, e, LINE_BITS, 64 - LINE_BITS);
		value >>= LINE_BITS;
	}
	if (!e || pd_symbolic_is_const(e))
		return;
	if (pd_symbolic.path)
		pd_path_pin(pd_symbolic.path, id_of(site), e, value);
	if (pd_symbolic.pinned)
		pd_symbolic.pinned(why);
}

void pd_sym_hook_branch(const struct pd_site *s, uint32_t l, int taken)
{
	if (pd_symbolic.on)
		pd_symbolic_branch(s, operand(l, 1, (uint64_t)taken), taken);
}

static uint32_t target_of(const struct pd_sym_switch *t, uint64_t v)
{
	for (uint32_t i = 0; i < t->n; i++)
		if (t->value[i] == v)
			return t->target[i];
	return 0;
}

void pd_sym_hook_switch(const struct pd_site *s, uint32_t l, uint64_t v,
			const struct pd_sym_switch *t)
{
	pd_expr e;

	if (!pd_symbolic.on)
		return;
	e = operand(l, t->width, v);
	if (!e || pd_symbolic_is_const(e))
		return;
	if (pd_symbolic.path)
		pd_path_switch(pd_symbolic.path, id_of(s), e, t, v);
	if (pd_symbolic.covered)
		pd_symbolic.covered(id_of(s), target_of(t, v));
}

void pd_sym_hook_pin(const struct pd_site *s, uint32_t l, int width, uint64_t v, int why)
{
	if (pd_symbolic.on)
		pd_symbolic_pin(s, operand(l, (uint32_t)width, v), v, (enum pd_sym_why)why);
}

/* ---- calls ----------------------------------------------------------------------------------- */

static void pin_untaken(const struct pd_site *s, uint32_t l)
{
	if (l)
		pd_symbolic_pin(s, l, pd_expr_value(pd_symbolic.exprs, l), PD_SYM_WHY_CALL);
}

/* The function's result is valid for these values; others are tried. */
void __pd_sym_untaken(const struct pd_site *s, const void *callee)
{
	struct pd_sym_pass *p = &__pd_sym_pass;

	(void)callee;
	if (!pd_symbolic.on)
		return;
	for (uint32_t i = 0; i < p->n && i < PD_SYM_LANES; i++)
		pin_untaken(s, p->label[i]);
	for (uint32_t i = 0; i < p->nvariadic && i < PD_SYM_VARIADIC; i++)
		pin_untaken(s, p->variadic[i].label);
}

/* It was returned to code that is not instrumented, or from the end of a chain of tail calls. */
void __pd_sym_strayed(const struct pd_site *s, const void *by)
{
	(void)by;
	if (!pd_symbolic.on)
		return;
	if (__pd_sym_pass.result[0])
		pin_untaken(s, __pd_sym_pass.result[0]);
	else
		lose(PD_SYM_WHY_CALL, s, "a result of several parts");
}

void pd_symbolic_end_thread(void)
{
	struct pd_sym_pass *p = &__pd_sym_pass;

	if (p->callee)
		__pd_sym_untaken(NULL, p->callee);
	if (p->by)
		__pd_sym_strayed(NULL, p->by);
	p->callee = p->by = NULL;
}

/* As the ABI has it. */
struct list {
	uint32_t gp, fp;
	uint8_t *stack, *saved;
};

enum { SAVE_AREA = 176 };

void __pd_sym_va_start(void *list)
{
	struct pd_sym_pass *p = &__pd_sym_pass;
	struct list *l = list;

	if (!pd_symbolic.on)
		return;
	pd_labels_clear(l->saved, SAVE_AREA);
	for (uint32_t i = 0; i < p->nvariadic && i < PD_SYM_VARIADIC; i++) {
		uint32_t at = p->variadic[i].offset, n = p->variadic[i].size;
		uint8_t *to = at < SAVE_AREA ? l->saved + at : l->stack + (at - SAVE_AREA);
		pd_expr e = p->variadic[i].label;

		if (e && n && n <= 8 && pd_expr_width(pd_symbolic.exprs, e) <= n * 8)
			pd_label_store(to, n,
				       pd_expr_extend(pd_symbolic.exprs, PD_SYM_ZEXT, e, n * 8));
	}
}

void __pd_sym_begin(void)
{
	pd_labels_map();
}
