/*
 * symbolic/print.c - the printf family; see summary.h.
 *
 * What is printed to a stream goes out of sight; the length that printf returns is a value. In
 * memory each byte has a place, so where a number or string has how many bytes is made certain, and
 * the digits are values. What is not known here leaves the text without labels, and is counted.
 */
#include "runtime/symbolic/summary.h"
#include <ctype.h>
#include <string.h>
#include <unistd.h>

struct print {
	struct pd_sym_call *c;
	struct pd_sum_args args;
	const char *format;
	/* In memory: the text as it was written, with `room` for it; else NULL */
	unsigned char *to;
	size_t room;
	size_t n;	/* bytes so far: in memory */
	pd_expr length; /* bytes so far: to a stream */
	bool labelled;	/* something that was printed has a label */
	bool shown;	/* nobody but the user sees the text */
	bool lost;
};

struct directive {
	bool left, zero, plus, space, alternate;
	int width, precision; /* -1: none */
	uint32_t bits;
	bool is_long_double, wide;
	char type;
};

/* ---- output --------------------------------------------------------------------------------- */

static void put(struct print *p, pd_expr byte)
{
	uint64_t known;
	unsigned char *to = p->to + p->n++;

	if (p->n >= p->room)
		return;
	if (byte && !pd_expr_is_const(pd_symbolic.exprs, byte, &known) && pd_sum_value(byte) == *to)
		pd_label_set(to, byte);
	else
		pd_sum_clear(to, 1);
}

static void put_fixed(struct print *p, size_t n)
{
	while (n--)
		put(p, 0);
}

static void add(struct print *p, pd_expr n)
{
	p->length = pd_sum_op(PD_SYM_ADD, p->length, n);
}

static void add_fixed(struct print *p, size_t n)
{
	add(p, pd_sum_const(32, n));
}

/* Padding for a field of n bytes. */
static size_t padding(const struct directive *d, size_t n)
{
	return d->width > 0 && (size_t)d->width > n ? (size_t)d->width - n : 0;
}

/* ---- numbers -------------------------------------------------------------------------------- */

enum { MOST_DIGITS = 64 };

struct digits {
	unsigned base;
	bool upper;
	pd_expr magnitude; /* 64 bits */
};

static uint64_t power(unsigned base, size_t n)
{
	uint64_t is = 1;

	while (n--)
		is = is > UINT64_MAX / base ? 0 : is * base;
	return is;
}

static pd_expr below(const struct digits *v, size_t n)
{
	uint64_t limit = power(v->base, n);

	return limit ? pd_sum_op(PD_SYM_ULT, v->magnitude, pd_sum_const(64, limit))
		     : pd_sum_const(1, 1);
}

static pd_expr digit(const struct digits *v, size_t place)
{
	pd_expr base = pd_sum_const(64, v->base);
	pd_expr d = pd_sum_op(PD_SYM_UDIV, v->magnitude, pd_sum_const(64, power(v->base, place)));
	pd_expr letter;

	d = pd_sum_low(pd_sum_op(PD_SYM_UREM, d, base), 8);
	letter = pd_sum_op(PD_SYM_ADD, d, pd_sum_const(8, (v->upper ? 'A' : 'a') - 10));
	return pd_sum_ite(pd_sum_within(d, 0, 9), pd_sum_op(PD_SYM_ADD, d, pd_sum_const(8, '0')),
			  letter);
}

static bool is_signed(const struct directive *d)
{
	return d->type == 'd' || d->type == 'i';
}

static struct digits digits_of(const struct directive *d, pd_expr value, pd_expr *negative)
{
	struct digits v = {.base = d->type == 'o'		    ? 8
				   : is_signed(d) || d->type == 'u' ? 10
								    : 16,
			   .upper = d->type == 'X'};
	pd_expr zero = pd_sum_const(d->bits, 0);

	*negative = is_signed(d) ? pd_sum_op(PD_SYM_SLT, value, zero) : pd_sum_const(1, 0);
	value = pd_sum_ite(*negative, pd_sum_op(PD_SYM_SUB, zero, value), value);
	v.magnitude = pd_sum_zext(value, 64);
	return v;
}

static void print_number_to(struct print *p, const struct directive *d, const struct digits *v,
			    bool negative)
{
	size_t n = 1, sign = negative || d->plus || d->space, zeros, pad;

	while (!pd_sum_branch(p->c->site, below(v, n)))
		n++;
	zeros = d->precision > (int)n ? (size_t)d->precision - n : 0;
	pad = padding(d, sign + zeros + n);
	if (!d->left)
		put_fixed(p, pad);
	put_fixed(p, sign + zeros);
	while (n--)
		put(p, digit(v, n));
	if (d->left)
		put_fixed(p, pad);
}

/* Adds its length, as an expression. */
static void add_number(struct print *p, const struct directive *d, const struct digits *v,
		       pd_expr negative)
{
	pd_expr n = pd_sum_const(32, MOST_DIGITS), sign, least;
	size_t i;

	for (i = MOST_DIGITS; i-- > 1;) {
		if (power(v->base, i))
			n = pd_sum_ite(below(v, i), pd_sum_const(32, i), n);
		else
			n = pd_sum_const(32, i);
	}
	if (d->precision > 0) {
		least = pd_sum_const(32, (uint32_t)d->precision);
		n = pd_sum_ite(pd_sum_op(PD_SYM_ULT, n, least), least, n);
	}
	sign = d->plus || d->space ? pd_sum_const(32, 1) : pd_sum_zext(negative, 32);
	n = pd_sum_op(PD_SYM_ADD, n, sign);
	if (d->width > 0) {
		least = pd_sum_const(32, (uint32_t)d->width);
		n = pd_sum_ite(pd_sum_op(PD_SYM_ULT, n, least), least, n);
	}
	add(p, n);
}

static void print_number(struct print *p, const struct directive *d)
{
	struct pd_sum_value v;
	struct digits digits;
	pd_expr value, negative;

	if (!pd_sum_args_next(&p->args, d->bits < 32 ? 32 : d->bits, &v)) {
		p->lost = true;
		return;
	}
	p->labelled |= v.label != 0;
	/* A precision of 0 prints 0 as nothing, and '#' a prefix for others than 0 */
	if (d->precision == 0 || d->alternate) {
		p->lost = true;
		return;
	}
	value = v.label ? pd_sum_low(v.label, d->bits) : pd_sum_const(d->bits, v.value);
	digits = digits_of(d, value, &negative);
	if (p->to)
		print_number_to(p, d, &digits, pd_sum_branch(p->c->site, negative));
	else
		add_number(p, d, &digits, negative);
}

/* ---- strings and bytes ---------------------------------------------------------------------- */

static void print_string(struct print *p, const struct directive *d)
{
	size_t max = d->precision < 0 ? SIZE_MAX : (size_t)d->precision, n, i, pad;
	struct pd_sum_value v;
	struct pd_text t;
	pd_expr length;

	if (!pd_sum_args_next(&p->args, 64, &v) || !v.value || d->wide) {
		p->lost = true;
		return;
	}
	if (v.label && !p->shown)
		pd_symbolic_pin(p->c->site, v.label, v.value, PD_SYM_WHY_ADDRESS);
	t = pd_text_of(p->c, (const void *)(uintptr_t)v.value, max);
	p->labelled |= t.labelled;
	if (!p->to && !t.labelled) {
		n = strnlen((const char *)t.p, max);
		add_fixed(p, n + padding(d, n));
		return;
	}
	if (!p->to) {
		length = pd_sum_const(32, t.n);
		for (i = t.n; i-- > 0;)
			length = pd_sum_ite(pd_sum_is(pd_sum_byte(t.p + i), 0), pd_sum_const(32, i),
					    length);
		if (d->width > 0)
			p->lost = true;
		add(p, length);
		return;
	}
	n = pd_text_fix(p->c->site, t.p, max);
	pad = padding(d, n);
	if (!d->left)
		put_fixed(p, pad);
	for (i = 0; i < n; i++)
		put(p, pd_sum_byte(t.p + i));
	if (d->left)
		put_fixed(p, pad);
}

static void print_byte(struct print *p, const struct directive *d)
{
	struct pd_sum_value v;

	if (!pd_sum_args_next(&p->args, 32, &v) || d->wide) {
		p->lost = true;
		return;
	}
	p->labelled |= v.label != 0;
	if (!p->to) {
		add_fixed(p, 1 + padding(d, 1));
		return;
	}
	if (!d->left)
		put_fixed(p, padding(d, 1));
	put(p, v.label ? pd_sum_low(v.label, 8) : 0);
	if (d->left)
		put_fixed(p, padding(d, 1));
}

/* ---- the format ----------------------------------------------------------------------------- */

static int number_or_star(struct print *p)
{
	struct pd_sum_value v;
	int n = 0;

	if (*p->format == '*') {
		p->format++;
		if (!pd_sum_args_next(&p->args, 32, &v) || v.label) {
			p->lost = true;
			return 0;
		}
		return (int)v.value;
	}
	while (isdigit((unsigned char)*p->format))
		n = n * 10 + *p->format++ - '0';
	return n;
}

static struct directive directive(struct print *p)
{
	struct directive d = {.width = -1, .precision = -1, .bits = 32};

	for (;; p->format++) {
		if (*p->format == '-')
			d.left = true;
		else if (*p->format == '0')
			d.zero = true;
		else if (*p->format == '+')
			d.plus = true;
		else if (*p->format == ' ')
			d.space = true;
		else if (*p->format == '#')
			d.alternate = true;
		else
			break;
	}
	d.width = number_or_star(p);
	if (d.width < 0) {
		d.left = true;
		d.width = -d.width;
	}
	if (*p->format == '.') {
		p->format++;
		d.precision = number_or_star(p);
	}
	for (; *p->format && strchr("hljztqL", *p->format); p->format++) {
		if (*p->format == 'h') {
			d.bits = d.bits == 16 ? 8 : 16;
		} else {
			d.bits = 64;
			d.wide = true;
			d.is_long_double = *p->format == 'L';
		}
	}
	d.type = *p->format;
	if (d.type)
		p->format++;
	return d;
}

/* Leading zeros are places without labels, like blanks, and so is a sign before them. */
static void print_field(struct print *p)
{
	struct directive d = directive(p);

	switch (d.type) {
	case 'd':
	case 'i':
	case 'u':
	case 'x':
	case 'X':
	case 'o':
		print_number(p, &d);
		break;
	case 's':
		print_string(p, &d);
		break;
	case 'c':
		print_byte(p, &d);
		break;
	case '%':
		if (p->to)
			put(p, 0);
		else
			add_fixed(p, 1);
		break;
	default: /* floating point, pointers, %n: their length is not known here */
		p->lost = true;
		break;
	}
}

static void print_all(struct print *p)
{
	p->length = pd_sum_const(32, 0);
	while (*p->format && !p->lost) {
		if (*p->format++ == '%')
			print_field(p);
		else if (p->to)
			put(p, 0);
		else
			add_fixed(p, 1);
	}
}

/* ---- what is about to be printed ------------------------------------------------------------ */

static void use_string(const char *s, size_t max)
{
	if (!pd_labels_any(s, strnlen(s, max)))
		return;
	pd_symbolic_use();
	pd_labels_used(s, strnlen(s, max));
}

/* libc reads labelled text: it is pinned to this run's. */
static void use_strings(struct pd_sum_args args, const char *format)
{
	struct print p = {.args = args, .format = format};
	struct pd_sum_value v;
	struct directive d;

	while (*p.format && !p.lost) {
		if (*p.format++ != '%')
			continue;
		d = directive(&p);
		if (d.type == '%')
			continue;
		if (d.type && strchr("aAeEfFgG", d.type)) {
			if (!pd_sum_args_skip(&p.args, d.is_long_double))
				return;
			continue;
		}
		if (!pd_sum_args_next(&p.args, 64, &v))
			return;
		if (d.type == 's' && !d.wide && v.value)
			use_string((char *)(uintptr_t)v.value,
				   d.precision < 0 ? SIZE_MAX : (size_t)d.precision);
	}
}

/* ---- the functions: where the format is, and where the text goes ---------------------------- */

/* Standard output, or what the first argument says */
enum kind { OUT, STREAM, DESCRIPTOR, TEXT, TEXT_NEW };

struct shape {
	enum kind kind;
	uint8_t format; /* which argument it is */
	uint8_t room;	/* of TEXT: the argument with the size; 0: there is no limit */
	bool is_list;
};

static struct pd_sum_args args_of(const struct pd_sym_call *c, struct shape s)
{
	return s.is_list ? pd_sum_args_list(c, s.format + 1) : pd_sum_args_from(c, s.format + 1);
}

/* Of the current call, which moves its va_list on; nothing here calls back. */
static _Thread_local struct pd_sum_args given;

static pd_expr calling(struct pd_sym_call *c, struct shape s)
{
	given = args_of(c, s);
	use_strings(given, pd_sum_pointer(c, s.format));
	return 0;
}

/* Whether the text is for somebody to see: nobody asks how long it has become. */
static bool is_shown(const struct pd_sym_call *c, enum kind kind)
{
	FILE *f = pd_sum_pointer(c, 0);
	int fd = (int)c->arg[0];

	return kind == OUT || (kind == STREAM && (f == stdout || f == stderr)) ||
	       (kind == DESCRIPTOR && (fd == STDOUT_FILENO || fd == STDERR_FILENO));
}

static pd_expr called_stream(struct print *p, enum kind kind)
{
	uint64_t known;

	if (!p->labelled || (int32_t)p->c->result < 0)
		return 0;
	if (kind == DESCRIPTOR)
		pd_outside_wrote((int)p->c->arg[0], p->c->site, "dprintf");
	else if (kind == STREAM)
		pd_sum_put_out(p->c, pd_sum_pointer(p->c, 0));
	if (p->length && pd_expr_is_const(pd_symbolic.exprs, p->length, &known))
		return 0;
	if (p->lost || !p->length)
		return pd_sum_lost(p->c);
	/* So much longer is the file */
	if (!p->shown)
		pd_symbolic_pin(p->c->site, p->length, p->c->result, PD_SYM_WHY_SIZE);
	return p->length;
}

static pd_expr called(struct pd_sym_call *c, struct shape s)
{
	struct print p = {.c = c,
			  .args = given,
			  .format = pd_sum_pointer(c, s.format),
			  .shown = is_shown(c, s.kind)};
	int32_t n = (int32_t)c->result;
	size_t written;

	if (s.kind == TEXT)
		p.to = pd_sum_pointer(c, 0);
	else if (s.kind == TEXT_NEW && n >= 0)
		p.to = *(unsigned char **)pd_sum_pointer(c, 0);
	p.room = s.room ? c->arg[s.room] : SIZE_MAX;
	if (s.kind <= DESCRIPTOR || !p.to || !p.room || n < 0) {
		p.to = NULL;
		print_all(&p);
		return called_stream(&p, s.kind);
	}
	written = (size_t)n < p.room ? (size_t)n : p.room - 1;
	print_all(&p);
	if (!p.lost && p.n == (size_t)n) {
		pd_sum_clear(p.to + written, 1);
		return 0;
	}
	pd_sum_clear(p.to, written + 1);
	return p.labelled || p.lost ? pd_sum_lost(c) : 0;
}

#define PRINT(name, letters, ...)                                                                  \
	static pd_expr calling_##name(struct pd_sym_call *c)                                       \
	{                                                                                          \
		return calling(c, (struct shape){__VA_ARGS__});                                    \
	}                                                                                          \
	static pd_expr called_##name(struct pd_sym_call *c)                                        \
	{                                                                                          \
		return called(c, (struct shape){__VA_ARGS__});                                     \
	}                                                                                          \
	PD_SUMMARY_OF(name, letters, calling_##name, called_##name)

PRINT(printf, "fvvvvvvv", OUT, .format = 0);
PRINT(fprintf, "pfvvvvvv", STREAM, .format = 1);
PRINT(dprintf, "cfvvvvvv", DESCRIPTOR, .format = 1);
PRINT(sprintf, "pfvvvvvv", TEXT, .format = 1);
PRINT(snprintf, "pnfvvvvv", TEXT, .format = 2, .room = 1);
PRINT(asprintf, "pfvvvvvv", TEXT_NEW, .format = 1);
PRINT(vprintf, "fp", OUT, .format = 0, .is_list = true);
PRINT(vfprintf, "pfp", STREAM, .format = 1, .is_list = true);
PRINT(vsprintf, "pfp", TEXT, .format = 1, .is_list = true);
PRINT(vsnprintf, "pnfp", TEXT, .format = 2, .room = 1, .is_list = true);
PRINT(vasprintf, "pfp", TEXT_NEW, .format = 1, .is_list = true);
PRINT(__printf_chk, "cfvvvvvv", OUT, .format = 1);
PRINT(__fprintf_chk, "pcfvvvvv", STREAM, .format = 2);
PRINT(__sprintf_chk, "pcnfvvvv", TEXT, .format = 3);
PRINT(__snprintf_chk, "pncnfvvv", TEXT, .format = 4, .room = 1);
PRINT(__vprintf_chk, "cfp", OUT, .format = 1, .is_list = true);
PRINT(__vfprintf_chk, "pcfp", STREAM, .format = 2, .is_list = true);
PRINT(__vsprintf_chk, "pcnfp", TEXT, .format = 3, .is_list = true);
PRINT(__vsnprintf_chk, "pncnfp", TEXT, .format = 4, .room = 1, .is_list = true);
