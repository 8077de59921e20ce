/*
 * wrap_num.c - numbers in strings, and sorting; see wrap.h.
 *
 * A string is loaded as far as it can be part of a number, and the byte after. An array is loaded,
 * sorted in ordinary memory (libc's own sort works on a copy too) and stored back, ascending: that
 * libc writes some elements more than once on the way is not modelled.
 */
#include "runtime/wrap.h"
#include <ctype.h>

static bool in_integer(unsigned char b)
{
	return isalnum(b) || isspace(b) || b == '+' || b == '-';
}

static bool in_float(unsigned char b)
{
	return in_integer(b) || b == '.' || b == '(' || b == ')' || b == '_';
}

#define ATO(name, type, chars)                                                                     \
	type __pd_w_##name(const char *s)                                                          \
	{                                                                                          \
		struct pd_copy x;                                                                  \
		type r;                                                                            \
                                                                                                   \
		pd_wrap_enter();                                                                   \
		if (!PM(s))                                                                        \
			return name(s);                                                            \
		pd_copy_while(&x, s, chars);                                                       \
		r = name(x.p);                                                                     \
		pd_copy_drop(&x);                                                                  \
		return r;                                                                          \
	}

ATO(atoi, int, in_integer)
ATO(atol, long, in_integer)
ATO(atoll, long long, in_integer)
ATO(atof, double, in_float)

#define STRTO(name, type, params, args, chars)                                                     \
	type __pd_w_##name params                                                                  \
	{                                                                                          \
		struct pd_copy x;                                                                  \
		char *stop;                                                                        \
		type r;                                                                            \
                                                                                                   \
		pd_wrap_enter();                                                                   \
		if (!PM(s) && !PM(end))                                                            \
			return name args;                                                          \
		pd_copy_while(&x, s, chars);                                                       \
		r = STRTO_CALL_##name;                                                             \
		stop = pd_copy_back(&x, s, stop);                                                  \
		if (end)                                                                           \
			pd_wrap_put(end, &stop, sizeof(stop));                                     \
		pd_copy_drop(&x);                                                                  \
		return r;                                                                          \
	}

#define STRTO_CALL_strtol   strtol(x.p, &stop, base)
#define STRTO_CALL_strtoll  strtoll(x.p, &stop, base)
#define STRTO_CALL_strtoul  strtoul(x.p, &stop, base)
#define STRTO_CALL_strtoull strtoull(x.p, &stop, base)
#define STRTO_CALL_strtod   strtod(x.p, &stop)
#define STRTO_CALL_strtof   strtof(x.p, &stop)
#define INT_PARAMS	    (const char *restrict s, char **restrict end, int base)
#define FLOAT_PARAMS	    (const char *restrict s, char **restrict end)

STRTO(strtol, long, INT_PARAMS, (s, end, base), in_integer)
STRTO(strtoll, long long, INT_PARAMS, (s, end, base), in_integer)
STRTO(strtoul, unsigned long, INT_PARAMS, (s, end, base), in_integer)
STRTO(strtoull, unsigned long long, INT_PARAMS, (s, end, base), in_integer)
STRTO(strtod, double, FLOAT_PARAMS, (s, end), in_float)
STRTO(strtof, float, FLOAT_PARAMS, (s, end), in_float)

void __pd_w_qsort(void *v, size_t n, size_t size, int (*cmp)(const void *, const void *))
{
	struct pd_copy x;
	uint32_t site;

	pd_wrap_enter();
	site = pd_file_site;
	if (!PM(v) || n < 2) {
		qsort(v, n, size, cmp);
		return;
	}
	pd_copy_block(&x, v, n * size);
	qsort(x.p, n, size, cmp);
	pd_file_site = site; /* the callback may have come through other wrappers */
	pd_wrap_put(v, x.p, n * size);
	pd_copy_drop(&x);
}

void __pd_w_qsort_r(void *v, size_t n, size_t size, int (*cmp)(const void *, const void *, void *),
		    void *arg)
{
	struct pd_copy x;
	uint32_t site;

	pd_wrap_enter();
	site = pd_file_site;
	if (!PM(v) || n < 2) {
		qsort_r(v, n, size, cmp, arg);
		return;
	}
	pd_copy_block(&x, v, n * size);
	qsort_r(x.p, n, size, cmp, arg);
	pd_file_site = site;
	pd_wrap_put(v, x.p, n * size);
	pd_copy_drop(&x);
}
