/*
 * libc/num.c - numbers in strings, and sorting; see wrap.h.
 *
 * A string is loaded as far as it can be part of a number, and the byte after. An array is loaded,
 * sorted in ordinary memory (libc's own sort works on a copy too) and stored back, ascending: that
 * libc writes some elements more than once on the way is not modelled.
 */
#include "runtime/libc/wrap.h"
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

#define NUMBER(type, name, direct, call, chars)                                                    \
	do {                                                                                       \
		struct pd_copy x;                                                                  \
		char *stop = NULL;                                                                 \
		type r;                                                                            \
                                                                                                   \
		pd_wrap_enter();                                                                   \
		if (!PM(s) && !PM(end))                                                            \
			return (name)direct;                                                       \
		pd_copy_while(&x, s, chars);                                                       \
		r = (name)call;                                                                    \
		stop = pd_copy_back(&x, s, stop);                                                  \
		if (end)                                                                           \
			pd_wrap_put(end, &stop, sizeof(stop));                                     \
		pd_copy_drop(&x);                                                                  \
		return r;                                                                          \
	} while (0)

/* Plain, and as C23 has it, where libc knows that. */
#define INTEGER(name, type)                                                                        \
	type __pd_w_##name(const char *restrict s, char **restrict end, int base)                  \
	{                                                                                          \
		NUMBER(type, PD_LIBC(name), (s, end, base), (x.p, &stop, base), in_integer);       \
	}                                                                                          \
	type __pd_w___isoc23_##name(const char *restrict s, char **restrict end, int base)         \
	{                                                                                          \
		NUMBER(type, PD_C23(name), (s, end, base), (x.p, &stop, base), in_integer);        \
	}

INTEGER(strtol, long)
INTEGER(strtoll, long long)
INTEGER(strtoul, unsigned long)
INTEGER(strtoull, unsigned long long)
INTEGER(strtoimax, intmax_t)
INTEGER(strtoumax, uintmax_t)

long long __pd_w_strtoq(const char *restrict s, char **restrict end, int base)
{
	return __pd_w_strtoll(s, end, base);
}

unsigned long long __pd_w_strtouq(const char *restrict s, char **restrict end, int base)
{
	return __pd_w_strtoull(s, end, base);
}

#define FLOAT(name, type)                                                                          \
	type __pd_w_##name(const char *restrict s, char **restrict end)                            \
	{                                                                                          \
		NUMBER(type, PD_LIBC(name), (s, end), (x.p, &stop), in_float);                     \
	}

FLOAT(strtod, double)
FLOAT(strtof, float)
FLOAT(strtold, long double)

/* The other way: a number to a string. */
#define STRFROM(name, type)                                                                        \
	int __pd_w_##name(char *restrict d, size_t n, const char *restrict fmt, type v)            \
	{                                                                                          \
		struct pd_copy f, out;                                                             \
		int r;                                                                             \
                                                                                                   \
		pd_wrap_enter();                                                                   \
		if (!PM(d) && !PM(fmt))                                                            \
			return name(d, n, fmt, v);                                                 \
		pd_copy_string(&f, fmt, SIZE_MAX);                                                 \
		pd_copy_room(&out, n);                                                             \
		r = name(out.p, n, f.p, v);                                                        \
		if (r >= 0 && n)                                                                   \
			pd_wrap_put(d, out.p, PD_MIN((size_t)r + 1, n));                           \
		pd_copy_drop(&out);                                                                \
		pd_copy_drop(&f);                                                                  \
		return r;                                                                          \
	}

STRFROM(strfromd, double)
STRFROM(strfromf, float)
STRFROM(strfroml, long double)

long __pd_w_a64l(const char *s)
{
	struct pd_copy x;
	long r;

	pd_wrap_enter();
	if (!PM(s))
		return a64l(s);
	pd_copy_string(&x, s, 6);
	r = a64l(x.p);
	pd_copy_drop(&x);
	return r;
}

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

/* Elements are compared where they are; the new one is copied to the end. */
void *__pd_w_lsearch(const void *key, void *v, size_t *n, size_t size,
		     int (*cmp)(const void *, const void *))
{
	size_t count;
	uint32_t site;
	void *found;

	pd_wrap_enter();
	site = pd_file_site;
	if (!PM(key) && !PM(v) && !PM(n))
		return lsearch(key, v, n, size, cmp);
	pd_file_from_user(&count, n, sizeof(count));
	found = lfind(key, v, &count, size, cmp);
	if (found)
		return found;
	pd_file_site = site;
	found = (char *)v + count * size;
	__pd_w_memcpy(found, key, size);
	count++;
	pd_wrap_put(n, &count, sizeof(count));
	return found;
}

void *__pd_w_lfind(const void *key, const void *v, size_t *n, size_t size,
		   int (*cmp)(const void *, const void *))
{
	size_t count;

	pd_wrap_enter();
	if (!PM(n))
		return lfind(key, v, n, size, cmp);
	pd_file_from_user(&count, n, sizeof(count));
	return lfind(key, v, &count, size, cmp);
}
