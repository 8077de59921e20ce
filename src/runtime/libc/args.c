/* libc/args.c - see libc/args.h. Formats as in printf(3) and scanf(3), glibc's additions included.
 */
#include "runtime/libc/args.h"

struct scan {
	const char *p;
	uint32_t next; /* argument that comes next, where the format does not number them */
	struct pd_args *a;
};

static struct pd_arg *arg_at(struct scan *s, uint32_t i)
{
	static struct pd_arg nowhere;

	if (i >= PD_ARGS_MAX) {
		s->a->unknown = true;
		return &nowhere;
	}
	if (i >= s->a->n)
		s->a->n = i + 1;
	return &s->a->v[i];
}

static bool digits(struct scan *s, uint32_t *value)
{
	const char *from = s->p;

	*value = 0;
	while (*s->p >= '0' && *s->p <= '9')
		*value = *value * 10 + (uint32_t)(*s->p++ - '0');
	return s->p > from;
}

/* "3$": the number of an argument, or -1 with nothing consumed. */
static int32_t position(struct scan *s)
{
	const char *from = s->p;
	uint32_t n;

	if (digits(s, &n) && *s->p == '$' && n > 0) {
		s->p++;
		return (int32_t)n - 1;
	}
	s->p = from;
	return -1;
}

/* A width or precision: digits, or '*' with an argument. Returns that argument's index or -1. */
static int32_t number(struct scan *s, uint32_t *value, bool *given)
{
	int32_t i;

	*given = true;
	if (*s->p != '*') {
		*given = digits(s, value);
		return -1;
	}
	s->p++;
	i = position(s);
	if (i < 0)
		i = (int32_t)s->next++;
	arg_at(s, (uint32_t)i)->kind = PD_ARG_INT;
	return i;
}

/* The length modifier as a size in bytes: 1 hh, 2 h, 4 none, 8 l ll j z t q, 16 L. */
static uint32_t modifier(struct scan *s)
{
	switch (*s->p) {
	case 'h':
		s->p++;
		if (*s->p != 'h')
			return 2;
		s->p++;
		return 1;
	case 'l':
		s->p++;
		if (*s->p == 'l')
			s->p++;
		return 8;
	case 'j':
	case 'z':
	case 'Z':
	case 't':
	case 'q':
		s->p++;
		return 8;
	case 'L':
		s->p++;
		return 16;
	default:
		return 4;
	}
}

static enum pd_arg_kind printf_kind(char c, uint32_t size)
{
	if (strchr("diouxX", c))
		return size >= 8 ? PD_ARG_LONG : PD_ARG_INT;
	if (strchr("eEfFgGaA", c))
		return size == 16 ? PD_ARG_LDOUBLE : PD_ARG_DOUBLE;
	switch (c) {
	case 'c':
		return PD_ARG_INT;
	case 'C':
		return PD_ARG_INT;
	case 's':
		return size == 8 ? PD_ARG_LONG : PD_ARG_STRING;
	case 'S':
	case 'p':
		return PD_ARG_LONG;
	case 'n':
		return PD_ARG_COUNT;
	default:
		return PD_ARG_NONE;
	}
}

/* One conversion of printf; s->p is after the '%'. */
static void printf_one(struct scan *s)
{
	int32_t i = position(s), from = -1;
	uint32_t value = 0, size;
	bool given = false;
	struct pd_arg *g;
	enum pd_arg_kind kind;

	while (*s->p && strchr("#0- +'I", *s->p))
		s->p++;
	number(s, &value, &given);
	given = false;
	value = 0;
	if (*s->p == '.') {
		s->p++;
		from = number(s, &value, &given);
		given = true; /* a point alone is a precision of 0 */
	}
	size = modifier(s);
	if (*s->p == '%' || *s->p == 'm') {
		s->p++;
		return;
	}
	kind = *s->p ? printf_kind(*s->p++, size) : PD_ARG_NONE;
	if (kind == PD_ARG_NONE) {
		s->a->unknown = true;
		return;
	}
	g = arg_at(s, i >= 0 ? (uint32_t)i : s->next++);
	g->kind = kind;
	g->size = PD_MIN(size, 8u);
	g->max = given && from < 0 ? (int64_t)value : -1;
	g->max_from = from;
}

static void start(struct scan *s, struct pd_args *a, const char *fmt)
{
	a->n = a->ncopies = 0;
	a->unknown = a->pm = false;
	a->copies = NULL;
	memset(a->v, 0, sizeof(a->v));
	*s = (struct scan){.p = fmt, .a = a};
}

void pd_args_printf(struct pd_args *a, const char *fmt)
{
	struct scan s;

	start(&s, a, fmt);
	while ((s.p = strchrnul(s.p, '%')), *s.p && !a->unknown) {
		s.p++;
		printf_one(&s);
	}
	for (uint32_t i = 0; i < a->n; i++)
		a->unknown |= a->v[i].kind == PD_ARG_NONE;
}

/* "[...]": s->p is after the '['. */
static void skip_set(struct scan *s)
{
	if (*s->p == '^')
		s->p++;
	if (*s->p == ']')
		s->p++;
	while (*s->p && *s->p != ']')
		s->p++;
	if (*s->p)
		s->p++;
}

static void scanf_one(struct scan *s)
{
	int32_t i = position(s);
	bool skip = false, allocate = false, given;
	uint32_t width = 0, size;
	struct pd_arg *g;
	char c;

	for (; *s->p && strchr("*'I", *s->p); s->p++)
		skip |= *s->p == '*';
	given = digits(s, &width);
	if (*s->p == 'm')
		allocate = *s->p++;
	size = modifier(s);
	c = *s->p ? *s->p++ : 0;
	if (c == '%')
		return;
	if (c == '[')
		skip_set(s);
	if (!c || !strchr("diouxXeEfFgGaAcs[pnCS", c)) {
		s->a->unknown = true;
		return;
	}
	if (skip)
		return;
	g = arg_at(s, i >= 0 ? (uint32_t)i : s->next++);
	g->kind = c == 'n' ? PD_ARG_COUNT : PD_ARG_OUT;
	g->size = size;
	if (strchr("eEfFgGaA", c))
		g->size = size; /* float 4, double 8, long double 16 */
	if (c == 'p' || allocate) {
		g->size = 8;
	} else if (c == 'c' && size == 4) {
		g->size = given ? width : 1;
	} else if ((c == 's' || c == '[') && size == 4) {
		g->kind = PD_ARG_OUT_STRING;
		g->size = given ? width + 1 : 0;
	} else if (strchr("cCsS[", c)) {
		s->a->unknown = true; /* wide characters */
	}
}

void pd_args_scanf(struct pd_args *a, const char *fmt)
{
	struct scan s;

	start(&s, a, fmt);
	while ((s.p = strchrnul(s.p, '%')), *s.p && !a->unknown) {
		s.p++;
		scanf_one(&s);
	}
	for (uint32_t i = 0; i < a->n; i++)
		a->unknown |= a->v[i].kind == PD_ARG_NONE;
}

void pd_args_take(struct pd_args *a, va_list ap)
{
	va_list in;
	double d;

	va_copy(in, ap);
	for (uint32_t i = 0; i < a->n; i++) {
		struct pd_arg *g = &a->v[i];

		switch (g->kind) {
		case PD_ARG_INT:
			g->word = (uint64_t)(int64_t)va_arg(in, int);
			break;
		case PD_ARG_DOUBLE:
			d = va_arg(in, double);
			memcpy(&g->word, &d, sizeof(d));
			break;
		case PD_ARG_LDOUBLE:
			g->wide = va_arg(in, long double);
			break;
		case PD_ARG_STRING:
		case PD_ARG_COUNT:
		case PD_ARG_OUT:
		case PD_ARG_OUT_STRING:
			g->ptr = va_arg(in, char *);
			a->pm |= PM(g->ptr);
			break;
		case PD_ARG_LONG:
		case PD_ARG_NONE:
			g->word = va_arg(in, uint64_t);
			break;
		}
		if (g->kind == PD_ARG_STRING && g->max_from >= 0)
			g->max = a->v[g->max_from].kind == PD_ARG_INT
					 ? (int64_t)a->v[g->max_from].word
					 : -1;
	}
	va_end(in);
}

void pd_args_list(struct pd_args *a, va_list *ap)
{
	uint32_t at = 0;

	for (uint32_t i = 0; i < a->n; i++) {
		if (a->v[i].kind == PD_ARG_LDOUBLE) {
			at += at & 1;
			memcpy(&a->slots[at], &a->v[i].wide, 16);
			at += 2;
		} else {
			a->slots[at++] = a->v[i].word;
		}
	}
	(*ap)->gp_offset = 48;
	(*ap)->fp_offset = 176;
	(*ap)->reg_save_area = NULL;
	(*ap)->overflow_arg_area = a->slots;
}
