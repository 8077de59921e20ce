/*
 * symbolic/num.c - numbers from text, and arithmetic; see summary.h.
 *
 * strtol is a small machine: it skips white space, takes a sign, takes digits and stops. Its state
 * after each byte is three conditions, and what it has computed so far an expression, so that the
 * result, where it stopped (*end) and ERANGE are values. Only where a prefix decides on the base is
 * what comes before the digits made certain by branches.
 */
#include "runtime/symbolic/summary.h"
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct number {
	unsigned base;
	bool is_signed;
	/* Where it is, at most one of them: before a sign, behind it, among digits */
	pd_expr space, start, digits;
	pd_expr negative, over;
	pd_expr sum;   /* of the digits so far; as wide as it can be */
	pd_expr taken; /* bytes up to the last digit; 0: there was none */
	pd_expr value;
};

static pd_expr or (pd_expr a, pd_expr b)
{
	return pd_sum_op(PD_SYM_OR, a, b);
}

static pd_expr and (pd_expr a, pd_expr b)
{
	return pd_sum_op(PD_SYM_AND, a, b);
}

static bool is_c_space(int c)
{
	return (c >= '\t' && c <= '\r') || c == ' ';
}

/* Whether isspace is that of the C locale. */
static bool knows_space(void)
{
	int i;

	for (i = 0; i < 256; i++) {
		if (!isspace(i) == is_c_space(i))
			return false;
	}
	return true;
}

static pd_expr is_space(pd_expr byte)
{
	return or (pd_sum_within(byte, '\t', '\r'), pd_sum_is(byte, ' '));
}

/* Whether it is a digit of the base, and which one. */
static pd_expr digit(pd_expr byte, unsigned base, pd_expr *value)
{
	pd_expr is = pd_sum_within(byte, '0', base < 10 ? '0' + base - 1 : '9'), lower;

	*value = pd_sum_op(PD_SYM_SUB, byte, pd_sum_const(8, '0'));
	if (base <= 10)
		return is;
	lower = pd_sum_op(PD_SYM_OR, byte, pd_sum_const(8, 32));
	*value = pd_sum_ite(is, *value, pd_sum_op(PD_SYM_SUB, lower, pd_sum_const(8, 'a' - 10)));
	return or (is, pd_sum_within(lower, 'a', 'a' + base - 11));
}

/* Bits that n digits need, at most 64; whether n digits may exceed the result type. */
static uint32_t bits(unsigned base, size_t n, bool *too_large)
{
	uint64_t most = 0;
	uint32_t width = 8;

	*too_large = false;
	while (n--) {
		if (most > ((uint64_t)INT64_MAX - base) / base) {
			*too_large = true;
			return 64;
		}
		most = most * base + base - 1;
	}
	while (width < 64 && most >> width)
		width++;
	return width;
}

static pd_expr too_large(const struct number *v, pd_expr digit64)
{
	uint64_t limit = v->is_signed ? INT64_MAX : UINT64_MAX;
	uint64_t below = v->is_signed ? (uint64_t)INT64_MAX + 1 : UINT64_MAX;
	pd_expr cut = pd_sum_ite(v->negative, pd_sum_const(64, below / v->base),
				 pd_sum_const(64, limit / v->base));
	pd_expr last = pd_sum_ite(v->negative, pd_sum_const(64, below % v->base),
				  pd_sum_const(64, limit % v->base));

	return or (pd_sum_op(PD_SYM_ULT, cut, v->sum),
		   and(pd_sum_op(PD_SYM_EQ, cut, v->sum), pd_sum_op(PD_SYM_ULT, last, digit64)));
}

/* Processes one more byte, at position i. */
static void step(struct number *v, pd_expr byte, size_t i)
{
	pd_expr is, which, takes, sign, sum;
	uint32_t width;
	bool check;

	is = digit(byte, v->base, &which);
	sign = or (pd_sum_is(byte, '-'), pd_sum_is(byte, '+'));
	takes = and(is, or (or (v->space, v->start), v->digits));
	width = bits(v->base, i + 1, &check);
	which = pd_sum_zext(which, width);
	v->sum = pd_sum_zext(v->sum, width);
	if (check)
		v->over = or (v->over, and(takes, too_large(v, which)));
	sum = pd_sum_op(PD_SYM_ADD, pd_sum_op(PD_SYM_MUL, v->sum, pd_sum_const(width, v->base)),
			which);
	v->sum = pd_sum_ite(takes, sum, v->sum);
	v->taken = pd_sum_ite(takes, pd_sum_const(64, i + 1), v->taken);
	v->negative = or (v->negative, and(v->space, pd_sum_is(byte, '-')));
	v->start = and(v->space, sign);
	v->space = and(v->space, is_space(byte));
	v->digits = takes;
}

static void finish(struct number *v)
{
	pd_expr positive = pd_sum_zext(v->sum, 64);
	pd_expr negative = pd_sum_op(PD_SYM_SUB, pd_sum_const(64, 0), positive), over;

	over = v->is_signed ? pd_sum_ite(v->negative, pd_sum_const(64, (uint64_t)INT64_MIN),
					 pd_sum_const(64, INT64_MAX))
			    : pd_sum_const(64, UINT64_MAX);
	v->value = pd_sum_ite(v->over, over, pd_sum_ite(v->negative, negative, positive));
}

/* ---- what comes before the digits, where a prefix may be there ------------------------------ */

struct head {
	size_t at; /* where digits begin */
	bool negative;
	unsigned base;
	size_t zero; /* there is a prefix: of digits or not, the 0 of it ends here */
};

static bool decide(struct pd_sym_call *c, pd_expr condition)
{
	return pd_sum_branch(c->site, condition);
}

static bool decide_letter(struct pd_sym_call *c, const unsigned char *p, char letter)
{
	return decide(c, pd_sum_is(pd_sum_op(PD_SYM_OR, pd_sum_byte(p), pd_sum_const(8, 32)),
				   (unsigned char)letter));
}

static struct head head_of(struct pd_sym_call *c, const unsigned char *p, unsigned base,
			   bool binary)
{
	struct head h = {.base = base};
	unsigned prefix = 0;

	while (decide(c, is_space(pd_sum_byte(p + h.at))))
		h.at++;
	h.negative = pd_sum_decide(c->site, p + h.at, '-');
	h.at += h.negative || pd_sum_decide(c->site, p + h.at, '+');
	if (!pd_sum_decide(c->site, p + h.at, '0')) {
		h.base = base ? base : 10;
		return h;
	}
	if ((base == 0 || base == 16) && decide_letter(c, p + h.at + 1, 'x'))
		prefix = 16;
	else if (binary && (base == 0 || base == 2) && decide_letter(c, p + h.at + 1, 'b'))
		prefix = 2;
	h.base = prefix ? prefix : base ? base : 8;
	if (prefix) {
		h.zero = h.at + 1;
		h.at += 2;
	}
	return h;
}

/* ---- the functions -------------------------------------------------------------------------- */

static void set_end(struct pd_sym_call *c, const char *s, pd_expr taken)
{
	char **end = pd_sum_pointer(c, 1);
	pd_expr e = pd_sum_op(PD_SYM_ADD, pd_sum_const(64, (uintptr_t)s), taken);
	uint64_t known;

	if (end)
		pd_label_store(end, 8, e && pd_expr_is_const(pd_symbolic.exprs, e, &known) ? 0 : e);
}

static void set_errno(const struct number *v)
{
	pd_expr old = pd_label_load(&errno, 4), e;
	uint64_t known;

	if (pd_sum_known(v->over, 0))
		return;
	e = pd_sum_ite(v->over, pd_sum_const(32, ERANGE),
		       old ? old : pd_sum_const(32, (uint32_t)errno));
	pd_label_store(&errno, 4, e && pd_expr_is_const(pd_symbolic.exprs, e, &known) ? 0 : e);
}

static pd_expr convert(struct pd_sym_call *c, unsigned base, bool is_signed, bool binary,
		       bool has_end)
{
	const char *s = pd_sum_pointer(c, 0);
	struct pd_text t = pd_text_of(c, s, SIZE_MAX);
	pd_expr zero, one;
	struct number v = {.base = base, .is_signed = is_signed};
	struct head h = {0};
	size_t i;

	if (!t.labelled || base == 1 || base > 36) {
		if (has_end && pd_sum_pointer(c, 1))
			pd_sum_clear(pd_sum_pointer(c, 1), sizeof(char *));
		return 0;
	}
	if (!knows_space())
		return pd_sum_lost(c);
	zero = pd_sum_const(1, 0);
	one = pd_sum_const(1, 1);
	v.space = one;
	v.start = v.digits = v.negative = v.over = zero;
	if (base == 0 || base == 16 || (binary && base == 2)) {
		h = head_of(c, t.p, base, binary);
		v.base = h.base;
		v.space = zero;
		v.start = one;
		v.negative = h.negative ? one : zero;
	}
	v.sum = pd_sum_const(8, 0);
	v.taken = pd_sum_const(64, h.zero);
	for (i = h.at; i < t.n && !(pd_sum_known(v.space, 0) && pd_sum_known(v.start, 0) &&
				    pd_sum_known(v.digits, 0));
	     i++)
		step(&v, pd_sum_byte(t.p + i), i);
	finish(&v);
	if (has_end)
		set_end(c, s, v.taken);
	set_errno(&v);
	return v.value ? v.value : pd_sum_lost(c);
}

static pd_expr to_number(struct pd_sym_call *c)
{
	return convert(c, 10, true, false, false);
}

static pd_expr to_signed(struct pd_sym_call *c)
{
	return convert(c, (unsigned)c->arg[2], true, false, true);
}

static pd_expr to_unsigned(struct pd_sym_call *c)
{
	return convert(c, (unsigned)c->arg[2], false, false, true);
}

static pd_expr to_signed_23(struct pd_sym_call *c)
{
	return convert(c, (unsigned)c->arg[2], true, true, true);
}

static pd_expr to_unsigned_23(struct pd_sym_call *c)
{
	return convert(c, (unsigned)c->arg[2], false, true, true);
}

PD_SUMMARY_OF(atoi, "p", to_number, NULL);
PD_SUMMARY_OF(atol, "p", to_number, NULL);
PD_SUMMARY_OF(atoll, "p", to_number, NULL);
PD_SUMMARY_OF(strtol, "ppc", to_signed, NULL);
PD_SUMMARY_OF(strtoll, "ppc", to_signed, NULL);
PD_SUMMARY_OF(strtoimax, "ppc", to_signed, NULL);
PD_SUMMARY_OF(strtoul, "ppc", to_unsigned, NULL);
PD_SUMMARY_OF(strtoull, "ppc", to_unsigned, NULL);
PD_SUMMARY_OF(strtoumax, "ppc", to_unsigned, NULL);
PD_SUMMARY_OF(__isoc23_strtol, "ppc", to_signed_23, NULL);
PD_SUMMARY_OF(__isoc23_strtoll, "ppc", to_signed_23, NULL);
PD_SUMMARY_OF(__isoc23_strtoimax, "ppc", to_signed_23, NULL);
PD_SUMMARY_OF(__isoc23_strtoul, "ppc", to_unsigned_23, NULL);
PD_SUMMARY_OF(__isoc23_strtoull, "ppc", to_unsigned_23, NULL);
PD_SUMMARY_OF(__isoc23_strtoumax, "ppc", to_unsigned_23, NULL);

/* Floating point has no labels: the bytes that it is made of are used as they are. */
static pd_expr to_float(struct pd_sym_call *c)
{
	const unsigned char *s = pd_sum_pointer(c, 0), *p;
	int saved = errno;
	char *end;

	if (pd_labels_any(s, strlen((const char *)s) + 1))
		pd_symbolic_use();
	strtold((const char *)s, &end);
	errno = saved;
	for (p = s; p <= (const unsigned char *)end; p++)
		pd_sum_pin(c->site, p, PD_SYM_WHY_FLOAT);
	if (c->n > 1 && pd_sum_pointer(c, 1))
		pd_sum_clear(pd_sum_pointer(c, 1), sizeof(char *));
	return 0;
}

PD_SUMMARY_OF(atof, "p", to_float, NULL);
PD_SUMMARY_OF(strtod, "pp", to_float, NULL);
PD_SUMMARY_OF(strtof, "pp", to_float, NULL);
PD_SUMMARY_OF(strtold, "pp", to_float, NULL);

/* ---- arithmetic ----------------------------------------------------------------------------- */

static pd_expr magnitude(struct pd_sym_call *c)
{
	pd_expr e = c->label[0], zero;

	if (!e)
		return 0;
	zero = pd_sum_const(pd_expr_width(pd_symbolic.exprs, e), 0);
	return pd_sum_ite(pd_sum_op(PD_SYM_SLT, e, zero), pd_sum_op(PD_SYM_SUB, zero, e), e);
}

static pd_expr swap(struct pd_sym_call *c)
{
	pd_expr e = c->label[0], is;
	uint32_t width, at;

	if (!e)
		return 0;
	width = c->width;
	e = pd_sum_low(e, width);
	is = pd_sum_low(e, 8);
	for (at = 8; is && at < width; at += 8)
		is = pd_expr_concat(pd_symbolic.exprs, is,
				    pd_expr_extract(pd_symbolic.exprs, e, at, 8));
	return is;
}

static pd_expr first_set(struct pd_sym_call *c)
{
	pd_expr e = c->label[0], is = pd_sum_const(32, 0);
	uint32_t i;

	if (!e)
		return 0;
	for (i = pd_expr_width(pd_symbolic.exprs, e); i-- > 0;)
		is = pd_sum_ite(pd_expr_extract(pd_symbolic.exprs, e, i, 1),
				pd_sum_const(32, i + 1), is);
	return is;
}

PD_SUMMARY_OF(abs, "v", magnitude, NULL);
PD_SUMMARY_OF(labs, "v", magnitude, NULL);
PD_SUMMARY_OF(llabs, "v", magnitude, NULL);
PD_SUMMARY_OF(htonl, "v", swap, NULL);
PD_SUMMARY_OF(htons, "v", swap, NULL);
PD_SUMMARY_OF(ntohl, "v", swap, NULL);
PD_SUMMARY_OF(ntohs, "v", swap, NULL);
PD_SUMMARY_OF(ffs, "v", first_set, NULL);
PD_SUMMARY_OF(ffsl, "v", first_set, NULL);
PD_SUMMARY_OF(ffsll, "v", first_set, NULL);
