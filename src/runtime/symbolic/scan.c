/*
 * symbolic/scan.c - the scanf family; see summary.h.
 *
 * The format is followed along the text as it is. Where each field ends decides on what comes next,
 * so it is made certain; the number that digits are, and the bytes of strings, are values.
 */
#include "runtime/symbolic/summary.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DIGITS = 18, HEX_DIGITS = 15 }; /* of a number that is not too large for certain */

struct scan {
	struct pd_sym_call *c;
	struct pd_sum_args args;
	const char *format;
	const unsigned char *p; /* the text */
	bool is_stream;
	uint64_t left; /* of a stream */
	bool lost;     /* something that is not known here */
};

struct directive {
	bool skip; /* '*': nothing is stored */
	size_t width;
	uint32_t size; /* bytes of what a number is stored to */
	char type;
};

/* ---- the text ------------------------------------------------------------------------------- */

/* The next byte; false: there is certainly none. */
static bool peek(struct scan *s, pd_expr *byte)
{
	if (s->is_stream ? !s->left : pd_sum_decide(s->c->site, s->p, 0))
		return false;
	*byte = pd_sum_byte(s->p);
	return true;
}

static void take(struct scan *s)
{
	s->p++;
	s->left -= s->is_stream;
}

static bool decide(struct scan *s, pd_expr condition)
{
	return pd_sum_branch(s->c->site, condition);
}

static pd_expr is_space(pd_expr byte)
{
	return pd_sum_op(PD_SYM_OR, pd_sum_within(byte, '\t', '\r'), pd_sum_is(byte, ' '));
}

static void skip_space(struct scan *s)
{
	pd_expr byte;

	while (peek(s, &byte) && decide(s, is_space(byte)))
		take(s);
}

static bool take_one(struct scan *s, unsigned char c)
{
	pd_expr byte;

	if (!peek(s, &byte) || !decide(s, pd_sum_is(byte, c)))
		return false;
	take(s);
	return true;
}

/* ---- fields --------------------------------------------------------------------------------- */

static void *target(struct scan *s)
{
	struct pd_sum_value v;

	if (!pd_sum_args_next(&s->args, 64, &v)) {
		s->lost = true;
		return NULL;
	}
	if (v.label)
		pd_symbolic_pin(s->args.c->site, v.label, v.value, PD_SYM_WHY_ADDRESS);
	return (void *)(uintptr_t)v.value;
}

static void put(unsigned char *to, pd_expr byte)
{
	uint64_t known;

	if (byte && !pd_expr_is_const(pd_symbolic.exprs, byte, &known))
		pd_label_set(to, byte);
	else
		pd_sum_clear(to, 1);
}

static pd_expr digit(pd_expr byte, unsigned base, pd_expr *value)
{
	pd_expr is = pd_sum_within(byte, '0', base < 10 ? '0' + base - 1 : '9'), lower;

	*value = pd_sum_op(PD_SYM_SUB, byte, pd_sum_const(8, '0'));
	if (base != 16)
		return is;
	lower = pd_sum_op(PD_SYM_OR, byte, pd_sum_const(8, 32));
	*value = pd_sum_ite(is, *value, pd_sum_op(PD_SYM_SUB, lower, pd_sum_const(8, 'a' - 10)));
	return pd_sum_op(PD_SYM_OR, is, pd_sum_within(lower, 'a', 'f'));
}

/* Digits from here on, n of them already; how many there are. */
static size_t scan_digits(struct scan *s, unsigned base, size_t left, size_t n, pd_expr *value)
{
	pd_expr byte, one;

	*value = pd_sum_const(64, 0);
	for (; n < left && peek(s, &byte) && decide(s, digit(byte, base, &one)); n++) {
		*value =
			pd_sum_op(PD_SYM_ADD, pd_sum_op(PD_SYM_MUL, *value, pd_sum_const(64, base)),
				  pd_sum_zext(one, 64));
		take(s);
	}
	return n;
}

/* "0x" in front of digits. With nothing behind it, versions of libc differ. */
static size_t scan_prefix(struct scan *s, size_t left)
{
	pd_expr byte, one;

	if (left < 3 || !take_one(s, '0'))
		return 0;
	if (!take_one(s, 'x') && !take_one(s, 'X'))
		return 1;
	if (!peek(s, &byte) || !decide(s, digit(byte, 16, &one)))
		s->lost = true;
	return 2;
}

static bool scan_number(struct scan *s, const struct directive *d, unsigned base)
{
	size_t left = d->width ? d->width : SIZE_MAX, n = 0;
	pd_expr value;
	uint64_t known;
	bool negative;
	void *to;

	skip_space(s);
	negative = take_one(s, '-');
	if (negative || take_one(s, '+'))
		left -= d->width != 0;
	if (base == 16)
		n = scan_prefix(s, left);
	n = scan_digits(s, base, left, n, &value);
	if (!n || s->lost)
		return false;
	if (negative)
		value = pd_sum_op(PD_SYM_SUB, pd_sum_const(64, 0), value);
	if (d->skip)
		return true;
	to = target(s);
	if (!to)
		return false;
	s->lost = n > (base == 16 ? HEX_DIGITS : DIGITS);
	if (s->lost || !value || pd_expr_is_const(pd_symbolic.exprs, value, &known))
		pd_sum_clear(to, d->size);
	else
		pd_label_store(to, d->size, pd_sum_low(value, d->size * 8));
	return true;
}

static bool scan_string(struct scan *s, const struct directive *d, const unsigned char *set,
			size_t nset, bool inverted)
{
	size_t left = d->width ? d->width : SIZE_MAX, n = 0;
	unsigned char *to = NULL;
	pd_expr byte, in;

	if (!set)
		skip_space(s);
	if (!peek(s, &byte))
		return false;
	if (!d->skip) {
		to = target(s);
		if (!to)
			return false;
	}
	for (; n < left && peek(s, &byte); n++) {
		in = set ? pd_sum_member(byte, set, nset) : is_space(byte);
		if (decide(s, in) != (set && !inverted))
			break;
		if (to)
			put(to + n, byte);
		take(s);
	}
	if (to && n)
		pd_sum_clear(to + n, 1);
	return n;
}

static bool scan_bytes(struct scan *s, const struct directive *d)
{
	size_t n = d->width ? d->width : 1, i;
	unsigned char *to = d->skip ? NULL : target(s);
	pd_expr byte;

	if (!d->skip && !to)
		return false;
	for (i = 0; i < n; i++) {
		if (!peek(s, &byte))
			return false;
		if (to)
			put(to + i, byte);
		take(s);
	}
	return true;
}

/* ---- the format ----------------------------------------------------------------------------- */

static struct directive directive(struct scan *s)
{
	struct directive d = {.size = 4};

	if (*s->format == '*') {
		d.skip = true;
		s->format++;
	}
	while (isdigit((unsigned char)*s->format))
		d.width = d.width * 10 + (size_t)(*s->format++ - '0');
	for (;; s->format++) {
		if (*s->format == 'h')
			d.size = d.size == 2 ? 1 : 2;
		else if (*s->format && strchr("ljztqL", *s->format))
			d.size = 8;
		else
			break;
	}
	d.type = *s->format;
	if (d.type)
		s->format++;
	return d;
}

/* The set behind "%[": its bytes, and whether others are meant. */
static size_t set_of(struct scan *s, unsigned char *set, bool *inverted)
{
	const char *f = s->format;
	size_t n = 0;
	int to;

	*inverted = *f == '^';
	f += *inverted;
	do {
		if (f[1] == '-' && f[2] && f[2] != ']') {
			for (to = (unsigned char)*f; to < (unsigned char)f[2] && n < 255; to++)
				set[n++] = (unsigned char)to;
			f += 2;
			continue;
		}
		if (*f && n < 255)
			set[n++] = (unsigned char)*f++;
	} while (*f && *f != ']');
	s->format = *f ? f + 1 : f;
	return n;
}

static bool scan_field(struct scan *s)
{
	struct directive d = directive(s);
	unsigned char set[256];
	bool inverted = false;
	size_t n;
	int *to;

	switch (d.type) {
	case 'd':
	case 'u':
		return scan_number(s, &d, 10);
	case 'x':
	case 'X':
		return scan_number(s, &d, 16);
	case 'o':
		return scan_number(s, &d, 8);
	case 's':
		return scan_string(s, &d, NULL, 0, false);
	case '[':
		n = set_of(s, set, &inverted);
		return scan_string(s, &d, set, n, inverted);
	case 'c':
		return scan_bytes(s, &d);
	case 'n':
		to = target(s);
		if (to)
			pd_sum_clear(to, d.size);
		return to;
	case '%':
		skip_space(s);
		return take_one(s, '%');
	default:
		s->lost = true;
		return false;
	}
}

static void scan_all(struct scan *s)
{
	char f;

	while (!s->lost && (f = *s->format++)) {
		if (isspace((unsigned char)f)) {
			skip_space(s);
		} else if (f != '%') {
			if (!take_one(s, (unsigned char)f))
				return;
		} else if (!scan_field(s)) {
			return;
		}
	}
}

/* Pins what is not known here: all bytes of the text. */
static pd_expr pin_rest(struct scan *s)
{
	uint64_t n = s->is_stream ? s->left : strlen((const char *)s->p);

	pd_sum_lost(s->c);
	for (uint64_t i = 0; i < n; i++)
		pd_sum_pin(s->c->site, s->p + i, PD_SYM_WHY_CALL);
	return 0;
}

/* ---- the functions -------------------------------------------------------------------------- */

static pd_expr scan_text(struct pd_sym_call *c, bool is_list)
{
	struct scan s = {.c = c, .p = pd_sum_pointer(c, 0), .format = pd_sum_pointer(c, 1)};
	struct pd_text t = pd_text_of(c, s.p, SIZE_MAX);

	s.args = is_list ? pd_sum_args_list(c, 2) : pd_sum_args_from(c, 2);
	scan_all(&s);
	return s.lost && t.labelled ? pin_rest(&s) : 0;
}

static pd_expr scan_string_of(struct pd_sym_call *c)
{
	return scan_text(c, false);
}

static pd_expr scan_string_list(struct pd_sym_call *c)
{
	return scan_text(c, true);
}

static pd_expr scan_stream_of(struct pd_sym_call *c, FILE *f, uint32_t format, bool is_list)
{
	struct scan s = {.c = c, .format = pd_sum_pointer(c, format), .is_stream = true};

	if (!f || !pd_symbolic.stream_at)
		return 0;
	pd_sum_read_plain(c, f);
	if (!pd_symbolic.stream_at(f, &s.p, &s.left))
		return 0;
	s.args = is_list ? pd_sum_args_list(c, format + 1) : pd_sum_args_from(c, format + 1);
	scan_all(&s);
	return s.lost && s.left && pd_labels_any(s.p, s.left) ? pin_rest(&s) : 0;
}

static pd_expr scan_stream(struct pd_sym_call *c)
{
	return scan_stream_of(c, pd_sum_pointer(c, 0), 1, false);
}

static pd_expr scan_stream_list(struct pd_sym_call *c)
{
	return scan_stream_of(c, pd_sum_pointer(c, 0), 1, true);
}

static pd_expr scan_stdin(struct pd_sym_call *c)
{
	return scan_stream_of(c, stdin, 0, false);
}

static pd_expr scan_stdin_list(struct pd_sym_call *c)
{
	return scan_stream_of(c, stdin, 0, true);
}

PD_SUMMARY_OF(sscanf, "pf------", scan_string_of, NULL);
PD_SUMMARY_OF(__isoc99_sscanf, "pf------", scan_string_of, NULL);
PD_SUMMARY_OF(__isoc23_sscanf, "pf------", scan_string_of, NULL);
PD_SUMMARY_OF(vsscanf, "pfp", scan_string_list, NULL);
PD_SUMMARY_OF(__isoc99_vsscanf, "pfp", scan_string_list, NULL);
PD_SUMMARY_OF(__isoc23_vsscanf, "pfp", scan_string_list, NULL);
PD_SUMMARY_OF(fscanf, "pf------", scan_stream, NULL);
PD_SUMMARY_OF(__isoc99_fscanf, "pf------", scan_stream, NULL);
PD_SUMMARY_OF(__isoc23_fscanf, "pf------", scan_stream, NULL);
PD_SUMMARY_OF(scanf, "f-------", scan_stdin, NULL);
PD_SUMMARY_OF(__isoc99_scanf, "f-------", scan_stdin, NULL);
PD_SUMMARY_OF(__isoc23_scanf, "f-------", scan_stdin, NULL);
PD_SUMMARY_OF(vfscanf, "pfp", scan_stream_list, NULL);
PD_SUMMARY_OF(__isoc99_vfscanf, "pfp", scan_stream_list, NULL);
PD_SUMMARY_OF(__isoc23_vfscanf, "pfp", scan_stream_list, NULL);
PD_SUMMARY_OF(vscanf, "fp", scan_stdin_list, NULL);
PD_SUMMARY_OF(__isoc99_vscanf, "fp", scan_stdin_list, NULL);
PD_SUMMARY_OF(__isoc23_vscanf, "fp", scan_stdin_list, NULL);
