/* symbolic/str.c - strings, as values; see summary.h. */
#include "runtime/symbolic/summary.h"
#include <ctype.h>
#include <locale.h>
#include <string.h>

static pd_expr address(const unsigned char *p)
{
	return pd_sum_const(64, (uintptr_t)p);
}

static pd_expr is_end(const struct pd_text *t, size_t i)
{
	return pd_sum_is(pd_sum_byte(t->p + i), 0);
}

/* ---- length --------------------------------------------------------------------------------- */

static pd_expr length_value(const struct pd_text *t, size_t max)
{
	pd_expr is = pd_sum_const(64, max);
	size_t i;

	for (i = t->n; i-- > 0;)
		is = pd_sum_ite(is_end(t, i), pd_sum_const(64, i), is);
	return is;
}

static pd_expr length_up_to(struct pd_sym_call *c, size_t max)
{
	struct pd_text t = pd_text_of(c, pd_sum_pointer(c, 0), max);
	pd_expr e;

	if (!t.labelled || t.open)
		return 0;
	e = length_value(&t, max);
	return e ? e : pd_sum_lost(c);
}

static pd_expr length(struct pd_sym_call *c)
{
	return length_up_to(c, SIZE_MAX);
}

static pd_expr length_bounded(struct pd_sym_call *c)
{
	return length_up_to(c, c->arg[1]);
}

PD_SUMMARY_OF(strlen, "p", length, NULL);
PD_SUMMARY_OF(strnlen, "pn", length_bounded, NULL);

/* ---- comparisons ---------------------------------------------------------------------------- */

/* Whether tolower is that of ASCII. */
static bool is_ascii(void)
{
	int i;

	for (i = 0; i < 256; i++) {
		if (tolower(i) != (i >= 'A' && i <= 'Z' ? i + 32 : i))
			return false;
	}
	return true;
}

/* From the end; where both are 0 what follows does not count. */
static struct pd_compared compare_value(const struct pd_text *a, const struct pd_text *b, bool fold)
{
	struct pd_compared o = {pd_sum_const(1, 1), pd_sum_const(1, 0)};
	size_t n = a->n < b->n ? a->n : b->n;
	pd_expr x, y, end;

	while (n--) {
		x = pd_sum_byte(a->p + n);
		y = pd_sum_byte(b->p + n);
		end = pd_sum_is(pd_sum_known(pd_sum_is(x, 0), 0) ? x : y, 0);
		o.equal = pd_sum_op(PD_SYM_OR, end, o.equal);
		pd_compared_before(&o, fold ? pd_sum_fold(x) : x, fold ? pd_sum_fold(y) : y);
	}
	return o;
}

/* Beyond the certain end of one string nothing of the other is read. */
static pd_expr compare_up_to(struct pd_sym_call *c, size_t max, bool fold)
{
	const char *p = pd_sum_pointer(c, 0), *q = pd_sum_pointer(c, 1);
	size_t n = strnlen(q, max);
	struct pd_text a, b;
	struct pd_compared o;

	if (n < max)
		n++;
	if (!pd_labels_any(q, n)) {
		b = pd_text_of(c, q, n);
		a = pd_text_of(c, p, n);
	} else {
		a = pd_text_of(c, p, max);
		b = pd_text_of(c, q, a.n);
	}
	if (!a.labelled && !b.labelled)
		return 0;
	if (fold && !is_ascii())
		return pd_sum_lost(c);
	o = compare_value(&a, &b, fold);
	return pd_compared_keep(c, &o);
}

static pd_expr compare(struct pd_sym_call *c)
{
	return compare_up_to(c, SIZE_MAX, false);
}

static pd_expr compare_bounded(struct pd_sym_call *c)
{
	return compare_up_to(c, c->arg[2], false);
}

static pd_expr compare_folded(struct pd_sym_call *c)
{
	return compare_up_to(c, SIZE_MAX, true);
}

static pd_expr compare_folded_bounded(struct pd_sym_call *c)
{
	return compare_up_to(c, c->arg[2], true);
}

static pd_expr collate(struct pd_sym_call *c)
{
	const char *locale = setlocale(LC_COLLATE, NULL);

	return strcmp(locale, "C") == 0 || strcmp(locale, "POSIX") == 0 ? compare(c)
									: pd_sum_lost(c);
}

PD_SUMMARY_OF(strcmp, "pp", compare, pd_compared_called);
PD_SUMMARY_OF(strncmp, "ppn", compare_bounded, pd_compared_called);
PD_SUMMARY_OF(strcasecmp, "pp", compare_folded, pd_compared_called);
PD_SUMMARY_OF(strncasecmp, "ppn", compare_folded_bounded, pd_compared_called);
PD_SUMMARY_OF(strcoll, "pp", collate, pd_compared_called);

/* ---- one byte ------------------------------------------------------------------------------- */

static pd_expr find_value(const struct pd_text *t, pd_expr byte, bool or_end)
{
	pd_expr is = pd_sum_const(64, 0), otherwise;
	size_t i;

	for (i = t->n; i-- > 0;) {
		otherwise = or_end ? address(t->p + i) : pd_sum_const(64, 0);
		is = pd_sum_ite(is_end(t, i), otherwise, is);
		is = pd_sum_ite(pd_sum_op(PD_SYM_EQ, pd_sum_byte(t->p + i), byte),
				address(t->p + i), is);
	}
	return is;
}

static pd_expr find_last_value(const struct pd_text *t, pd_expr byte)
{
	pd_expr is = pd_sum_const(64, 0), found = pd_sum_const(1, 0), here, end;
	size_t i;

	for (i = t->n; i-- > 0;) {
		here = pd_sum_op(PD_SYM_EQ, pd_sum_byte(t->p + i), byte);
		end = is_end(t, i);
		found = pd_sum_op(PD_SYM_AND, found, pd_sum_not(end));
		is = pd_sum_ite(found, is,
				pd_sum_ite(here, address(t->p + i), pd_sum_const(64, 0)));
		found = pd_sum_op(PD_SYM_OR, found, here);
	}
	return is;
}

enum which { FIRST, LAST, OR_END };

static pd_expr find_which(struct pd_sym_call *c, enum which which)
{
	struct pd_text t = pd_text_of(c, pd_sum_pointer(c, 0), SIZE_MAX);
	pd_expr byte = pd_sum_arg(c, 1, 8), e;

	if (!t.labelled && !c->label[1])
		return 0;
	e = which == LAST ? find_last_value(&t, byte) : find_value(&t, byte, which == OR_END);
	return e ? e : pd_sum_lost(c);
}

static pd_expr find(struct pd_sym_call *c)
{
	return find_which(c, FIRST);
}

static pd_expr find_last(struct pd_sym_call *c)
{
	return find_which(c, LAST);
}

static pd_expr find_or_end(struct pd_sym_call *c)
{
	return find_which(c, OR_END);
}

PD_SUMMARY_OF(strchr, "pv", find, NULL);
PD_SUMMARY_OF(index, "pv", find, NULL);
PD_SUMMARY_OF(strrchr, "pv", find_last, NULL);
PD_SUMMARY_OF(rindex, "pv", find_last, NULL);
PD_SUMMARY_OF(strchrnul, "pv", find_or_end, NULL);

/* ---- sets of bytes -------------------------------------------------------------------------- */

enum span { SPAN, SPAN_NOT, BREAK };

static pd_expr span_value(const struct pd_text *t, const unsigned char *set, size_t n,
			  enum span how)
{
	pd_expr is = pd_sum_const(64, 0), end, in, stop;
	size_t i;

	for (i = t->n; i-- > 0;) {
		end = is_end(t, i);
		in = pd_sum_member(pd_sum_byte(t->p + i), set, n);
		stop = how == BREAK ? address(t->p + i) : pd_sum_const(64, i);
		is = pd_sum_ite(how == SPAN ? pd_sum_not(in) : in, stop, is);
		is = pd_sum_ite(end, how == BREAK ? pd_sum_const(64, 0) : stop, is);
	}
	return is;
}

static pd_expr span(struct pd_sym_call *c, enum span how)
{
	struct pd_text t = pd_text_of(c, pd_sum_pointer(c, 0), SIZE_MAX);
	const unsigned char *set = pd_sum_pointer(c, 1);
	size_t n = pd_sum_pin_set(c->site, set);
	pd_expr e;

	if (!t.labelled)
		return 0;
	e = span_value(&t, set, n, how);
	return e ? e : pd_sum_lost(c);
}

static pd_expr span_in(struct pd_sym_call *c)
{
	return span(c, SPAN);
}

static pd_expr span_not_in(struct pd_sym_call *c)
{
	return span(c, SPAN_NOT);
}

static pd_expr find_one_of(struct pd_sym_call *c)
{
	return span(c, BREAK);
}

PD_SUMMARY_OF(strspn, "pp", span_in, NULL);
PD_SUMMARY_OF(strcspn, "pp", span_not_in, NULL);
PD_SUMMARY_OF(strpbrk, "pp", find_one_of, NULL);

/* ---- strings in strings --------------------------------------------------------------------- */

/* Whether the second string begins at place i of the first. */
static pd_expr begins(const struct pd_text *in, size_t at, const struct pd_text *what, bool fold)
{
	size_t n = what->n < in->n - at ? what->n : in->n - at, i;
	pd_expr is = pd_sum_const(1, what->n <= in->n - at), x, y;

	/* Where `what` does not end within `in`, the end of `in` is a difference */
	for (i = n; i-- > 0;) {
		x = pd_sum_byte(in->p + at + i);
		y = pd_sum_byte(what->p + i);
		if (fold) {
			x = pd_sum_fold(x);
			y = pd_sum_fold(y);
		}
		is = pd_sum_op(PD_SYM_AND, pd_sum_op(PD_SYM_EQ, x, y), is);
		is = pd_sum_op(PD_SYM_OR, pd_sum_is(y, 0), is);
	}
	return is;
}

static pd_expr find_string_value(const struct pd_text *in, const struct pd_text *what, bool fold)
{
	pd_expr is = pd_sum_const(64, 0);
	size_t i;

	for (i = in->n; i-- > 0;) {
		is = pd_sum_ite(is_end(in, i), pd_sum_const(64, 0), is);
		is = pd_sum_ite(begins(in, i, what, fold), address(in->p + i), is);
	}
	return is;
}

static pd_expr find_string_how(struct pd_sym_call *c, bool fold)
{
	struct pd_text in = pd_text_of(c, pd_sum_pointer(c, 0), SIZE_MAX);
	struct pd_text what = pd_text_of(c, pd_sum_pointer(c, 1), SIZE_MAX);
	pd_expr e;

	if (!in.labelled && !what.labelled)
		return 0;
	if ((uint64_t)in.n * what.n > PD_TEXT_MOST * 4 || (fold && !is_ascii()))
		return pd_sum_lost(c);
	e = find_string_value(&in, &what, fold);
	return e ? e : pd_sum_lost(c);
}

static pd_expr find_string(struct pd_sym_call *c)
{
	return find_string_how(c, false);
}

static pd_expr find_string_folded(struct pd_sym_call *c)
{
	return find_string_how(c, true);
}

PD_SUMMARY_OF(strstr, "pp", find_string, NULL);
PD_SUMMARY_OF(strcasestr, "pp", find_string_folded, NULL);
