/* symbolic/summary.c - calls of libc's functions; see summary.h. */
#include "runtime/symbolic/summary.h"
#include <string.h>

static const struct pd_summary *const summaries[] = {
#define PD_SUMMARY(name) &pd_summary_##name,
#include "cc/symbolic/summary.def"
};

static const char *const names[] = {
#define PD_SUMMARY(name) #name,
#include "cc/symbolic/summary.def"
};

enum { SUMMARIES = sizeof(summaries) / sizeof(summaries[0]) };

/* Bytes after a pointer that are searched for labels, before the checkpoint. */
enum { NEAR = 1 << 16 };

/* ---- expressions ---------------------------------------------------------------------------- */

pd_expr pd_sum_const(uint32_t width, uint64_t value)
{
	return pd_expr_const(pd_symbolic.exprs, width,
			     width < 64 ? value & ((1ULL << width) - 1) : value);
}

pd_expr pd_sum_op(enum pd_sym_op op, pd_expr a, pd_expr b)
{
	return a && b ? pd_expr_binary(pd_symbolic.exprs, op, a, b) : 0;
}

pd_expr pd_sum_ite(pd_expr c, pd_expr a, pd_expr b)
{
	return c && a && b ? pd_expr_ite(pd_symbolic.exprs, c, a, b) : 0;
}

pd_expr pd_sum_not(pd_expr a)
{
	return a ? pd_expr_not(pd_symbolic.exprs, a) : 0;
}

pd_expr pd_sum_zext(pd_expr a, uint32_t width)
{
	if (!a || pd_expr_width(pd_symbolic.exprs, a) == width)
		return a;
	return pd_expr_extend(pd_symbolic.exprs, PD_SYM_ZEXT, a, width);
}

pd_expr pd_sum_low(pd_expr a, uint32_t width)
{
	if (!a || pd_expr_width(pd_symbolic.exprs, a) == width)
		return a;
	return pd_expr_extract(pd_symbolic.exprs, a, 0, width);
}

pd_expr pd_sum_is(pd_expr a, uint64_t value)
{
	if (!a)
		return 0;
	return pd_sum_op(PD_SYM_EQ, a, pd_sum_const(pd_expr_width(pd_symbolic.exprs, a), value));
}

pd_expr pd_sum_within(pd_expr a, uint64_t low, uint64_t high)
{
	uint32_t width = a ? pd_expr_width(pd_symbolic.exprs, a) : 1;
	pd_expr from_low = pd_sum_op(PD_SYM_SUB, a, pd_sum_const(width, low));

	return pd_sum_op(PD_SYM_ULE, from_low, pd_sum_const(width, high - low));
}

pd_expr pd_sum_fold(pd_expr byte)
{
	pd_expr lower = pd_sum_op(PD_SYM_ADD, byte, pd_sum_const(8, 'a' - 'A'));

	return pd_sum_ite(pd_sum_within(byte, 'A', 'Z'), lower, byte);
}

bool pd_sum_known(pd_expr e, uint64_t value)
{
	uint64_t is;

	return e && pd_expr_is_const(pd_symbolic.exprs, e, &is) && is == value;
}

uint64_t pd_sum_value(pd_expr e)
{
	return pd_expr_value(pd_symbolic.exprs, e);
}

/* ---- arguments and memory ------------------------------------------------------------------- */

pd_expr pd_sum_arg(const struct pd_sym_call *c, uint32_t i, uint32_t width)
{
	pd_expr e = c->label[i];

	if (!e)
		return pd_sum_const(width, c->arg[i]);
	return pd_expr_width(pd_symbolic.exprs, e) >= width ? pd_sum_low(e, width)
							    : pd_sum_zext(e, width);
}

pd_expr pd_sum_byte(const void *p)
{
	pd_expr e = 0;

	if (pd_labels_any(p, 1)) {
		pd_symbolic_use();
		e = pd_label_load(p, 1);
	}
	return e ? e : pd_sum_const(8, *(const unsigned char *)p);
}

void pd_sum_clear(void *p, size_t n)
{
	if (n && pd_labels_any(p, n))
		pd_labels_clear(p, n);
}

void pd_sum_move(void *to, const void *from, size_t n)
{
	if (n && to != from && (pd_labels_any(from, n) || pd_labels_any(to, n)))
		pd_labels_move(to, from, n);
}

void pd_sum_put_out(const struct pd_sym_call *c, FILE *f)
{
	pd_outside_wrote_stream(f, c->site, names[c->function]);
}

void pd_sum_read_plain(const struct pd_sym_call *c, FILE *f)
{
	if (f)
		pd_outside_reads(fileno(f), c->site, names[c->function]);
}

pd_expr pd_sum_lost(const struct pd_sym_call *c)
{
	if (pd_symbolic.lost)
		pd_symbolic.lost(PD_SYM_WHY_CALL, c->site, names[c->function]);
	return 0;
}

/* ---- strings -------------------------------------------------------------------------------- */

bool pd_sum_branch(const struct pd_site *site, pd_expr condition)
{
	uint64_t known;
	bool holds;

	if (!condition)
		return false;
	if (pd_expr_is_const(pd_symbolic.exprs, condition, &known))
		return known;
	holds = pd_sum_value(condition);
	pd_symbolic_branch(site, condition, holds);
	return holds;
}

bool pd_sum_decide(const struct pd_site *site, const void *p, unsigned char c)
{
	pd_sum_branch(site, pd_sum_is(pd_sum_byte(p), c));
	return *(const unsigned char *)p == c;
}

size_t pd_text_fix(const struct pd_site *site, const void *s, size_t max)
{
	size_t n = strnlen(s, max), i;

	if (!n && !max)
		return 0;
	if (!pd_labels_any(s, n < max ? n + 1 : n))
		return n;
	pd_symbolic_use();
	n = strnlen(s, max);
	for (i = 0; i < n || (i == n && n < max); i++)
		pd_sum_decide(site, (const char *)s + i, 0);
	return n;
}

void pd_sum_pin(const struct pd_site *site, const void *p, enum pd_sym_why why)
{
	pd_expr e = pd_labels_any(p, 1) ? pd_label_load(p, 1) : 0;

	if (e)
		pd_symbolic_pin(site, e, *(const unsigned char *)p, why);
}

size_t pd_sum_pin_set(const struct pd_site *site, const void *set)
{
	size_t n = pd_text_fix(site, set, SIZE_MAX), i;

	for (i = 0; i < n; i++)
		pd_sum_pin(site, (const char *)set + i, PD_SYM_WHY_CALL);
	return n;
}

/* Whether the byte may be read although the string seems to have ended: it has a label, so it
 * exists, or it is in the page of the previous one. */
static bool is_there(const unsigned char *p)
{
	return ((uintptr_t)p & 4095) || pd_labels_any(p, 1);
}

struct pd_text pd_text_of(const struct pd_sym_call *c, const void *s, size_t max)
{
	struct pd_text t = {.p = s};
	size_t now = strnlen(s, max);
	bool past = false;

	t.n = now < max ? now + 1 : max;
	if (!t.n || !pd_labels_any(s, t.n))
		return t;
	pd_symbolic_use();
	t.labelled = true;
	for (t.n = 0; t.n < max; t.n++) {
		if (t.n >= PD_TEXT_MOST || (past && !is_there(t.p + t.n))) {
			t.open = true;
			break;
		}
		if (t.p[t.n])
			continue;
		past = true;
		if (!pd_label_load(t.p + t.n, 1)) {
			t.n++;
			break;
		}
	}
	if (t.open) {
		now = pd_text_fix(c->site, s, max);
		t.n = now < max ? now + 1 : max;
	}
	return t;
}

pd_expr pd_sum_member(pd_expr byte, const unsigned char *set, size_t n)
{
	pd_expr any = pd_sum_const(1, 0);
	size_t i;

	for (i = 0; i < n; i++)
		any = pd_sum_op(PD_SYM_OR, any, pd_sum_is(byte, set[i]));
	return any;
}

/* ---- comparisons ---------------------------------------------------------------------------- */

void pd_compared_before(struct pd_compared *o, pd_expr x, pd_expr y)
{
	pd_expr equal = pd_sum_op(PD_SYM_EQ, x, y);

	o->equal = pd_sum_op(PD_SYM_AND, equal, o->equal);
	o->less = pd_sum_ite(equal, o->less, pd_sum_op(PD_SYM_ULT, x, y));
}

pd_expr pd_compared_keep(struct pd_sym_call *c, const struct pd_compared *o)
{
	if (!o->equal || !o->less)
		return pd_sum_lost(c);
	c->state = (uint64_t)o->less << 32;
	return o->equal;
}

pd_expr pd_compared_called(struct pd_sym_call *c)
{
	pd_expr equal = (pd_expr)c->state, less = (pd_expr)(c->state >> 32), differ;
	int32_t is = (int32_t)c->result;

	if (!equal)
		return 0;
	differ = pd_sum_ite(less, pd_sum_const(32, is < 0 ? (uint32_t)is : UINT32_MAX),
			    pd_sum_const(32, is > 0 ? (uint32_t)is : 1));
	return pd_sum_ite(equal, pd_sum_const(32, 0), differ);
}

/* ---- dispatching ---------------------------------------------------------------------------- */

static void pin_arguments(const struct pd_sym_call *c, const char *args)
{
	enum pd_sym_why why;
	uint32_t i;

	for (i = 0; i < c->n && i < 8 && args[i]; i++) {
		if (args[i] == 'f' && c->arg[i])
			pd_sum_pin_set(c->site, pd_sum_pointer(c, i));
		if (!c->label[i] || args[i] == 'v' || args[i] == '-')
			continue;
		why = strchr("pf", args[i]) ? PD_SYM_WHY_ADDRESS
		      : args[i] == 'n'	    ? PD_SYM_WHY_SIZE
					    : PD_SYM_WHY_CALL;
		pd_symbolic_pin(c->site, c->label[i], c->arg[i], why);
	}
}

/*
 * A block or text near its arguments has labels: the checkpoint comes first, before any expression
 * is made. Expressions made before it would be of another graph.
 */
static void use_labelled(const struct pd_sym_call *c)
{
	for (uint32_t i = 0; i < c->n && i < PD_LEN(c->arg); i++) {
		uint64_t p = c->arg[i];

		if (p >= NEAR && p < PD_LAYOUT_END &&
		    pd_labels_any((const void *)p, PD_MIN(NEAR, PD_LAYOUT_END - p))) {
			pd_symbolic_use();
			return;
		}
	}
}

void __pd_sym_calling(struct pd_sym_call *c)
{
	const struct pd_summary *s;

	c->state = 0;
	if (pd_likely(!pd_symbolic.on) || c->function >= SUMMARIES)
		return;
	s = summaries[c->function];
	if (pd_unlikely(pd_symbolic.first_use != NULL))
		use_labelled(c);
	else
		pd_symbolic_stop(NULL, 0);
	pin_arguments(c, s->args);
	if (s->calling)
		c->state |= s->calling(c);
}

uint32_t __pd_sym_called(struct pd_sym_call *c)
{
	const struct pd_summary *s;
	uint64_t mask, known;
	pd_expr e;

	if (pd_likely(!pd_symbolic.on) || c->function >= SUMMARIES)
		return 0;
	s = summaries[c->function];
	e = s->called ? s->called(c) : (pd_expr)c->state;
	if (!e || !c->width || pd_expr_is_const(pd_symbolic.exprs, e, &known))
		return 0;
	e = pd_sum_low(e, c->width);
	mask = c->width < 64 ? (1ULL << c->width) - 1 : UINT64_MAX;
	if (e && pd_sum_value(e) == (c->result & mask))
		return e;
	return pd_sum_lost(c);
}
