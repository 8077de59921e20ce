/* libc/wide.c - wide characters and strings of them; see wrap.h. */
#include "runtime/libc/wrap.h"
#include <wctype.h>

static wchar_t get(const wchar_t *s)
{
	wchar_t w;

	pd_file_from_user(&w, s, sizeof(w));
	return w;
}

static void put(wchar_t *d, wchar_t w)
{
	pd_wrap_put(d, &w, sizeof(w));
}

static size_t length(const wchar_t *s, size_t max)
{
	size_t n = 0;

	while (n < max && get(s + n))
		n++;
	return n;
}

/* A string with its NUL, or without one where it is cut at max, as a copy that has one. */
static const wchar_t *copy(struct pd_copy *c, const wchar_t *s, size_t max)
{
	size_t n;

	if (!PM(s) && max == SIZE_MAX) {
		c->held = 0;
		return s;
	}
	n = length(s, max);
	pd_copy_room(c, (n + 1) * sizeof(*s));
	c->n = n;
	pd_file_from_user(c->p, s, n * sizeof(*s));
	((wchar_t *)c->p)[n] = 0;
	return (const wchar_t *)c->p;
}

/* ---- blocks --------------------------------------------------------------------------------- */

wchar_t *__pd_w_wmemcpy(wchar_t *restrict d, const wchar_t *restrict s, size_t n)
{
	return __pd_w_memcpy(d, s, n * sizeof(*d));
}

wchar_t *__pd_w_wmemmove(wchar_t *d, const wchar_t *s, size_t n)
{
	return __pd_w_memmove(d, s, n * sizeof(*d));
}

wchar_t *__pd_w_wmempcpy(wchar_t *restrict d, const wchar_t *restrict s, size_t n)
{
	return __pd_w_wmemcpy(d, s, n) + n;
}

wchar_t *__pd_w_wmemset(wchar_t *d, wchar_t w, size_t n)
{
	pd_wrap_enter();
	if (!PM(d))
		return wmemset(d, w, n);
	for (size_t i = 0; i < n; i++)
		put(d + i, w);
	return d;
}

int __pd_w_wmemcmp(const wchar_t *a, const wchar_t *b, size_t n)
{
	pd_wrap_enter();
	if (!PM(a) && !PM(b))
		return wmemcmp(a, b, n);
	for (size_t i = 0; i < n; i++) {
		wchar_t x = get(a + i), y = get(b + i);

		if (x != y)
			return x < y ? -1 : 1;
	}
	return 0;
}

wchar_t *__pd_w_wmemchr(const wchar_t *s, wchar_t w, size_t n)
{
	pd_wrap_enter();
	if (!PM(s))
		return wmemchr(s, w, n);
	for (size_t i = 0; i < n; i++)
		if (get(s + i) == w)
			return (wchar_t *)s + i;
	return NULL;
}

/* ---- length and search ---------------------------------------------------------------------- */

size_t __pd_w_wcslen(const wchar_t *s)
{
	pd_wrap_enter();
	return PM(s) ? length(s, SIZE_MAX) : wcslen(s);
}

size_t __pd_w_wcsnlen(const wchar_t *s, size_t max)
{
	pd_wrap_enter();
	return PM(s) ? length(s, max) : wcsnlen(s, max);
}

wchar_t *__pd_w_wcschrnul(const wchar_t *s, wchar_t w)
{
	wchar_t v;

	pd_wrap_enter();
	if (!PM(s))
		return wcschrnul(s, w);
	while ((v = get(s)) && v != w)
		s++;
	return (wchar_t *)s;
}

wchar_t *__pd_w_wcschr(const wchar_t *s, wchar_t w)
{
	wchar_t v;

	pd_wrap_enter();
	if (!PM(s))
		return wcschr(s, w);
	while ((v = get(s)) != w) {
		if (!v)
			return NULL;
		s++;
	}
	return (wchar_t *)s;
}

wchar_t *__pd_w_wcsrchr(const wchar_t *s, wchar_t w)
{
	const wchar_t *found = NULL;
	wchar_t v;

	pd_wrap_enter();
	if (!PM(s))
		return wcsrchr(s, w);
	do {
		v = get(s);
		if (v == w)
			found = s;
		s++;
	} while (v);
	return (wchar_t *)found;
}

/* Characters of a set, which is read whole; the string only as far as the answer needs. */
static size_t span(const wchar_t *s, const wchar_t *set, bool in)
{
	struct pd_copy y;
	const wchar_t *members = copy(&y, set, SIZE_MAX);
	size_t n = 0;
	wchar_t w;

	while ((w = get(s + n)) && (wcschr(members, w) != NULL) == in)
		n++;
	pd_copy_drop(&y);
	return n;
}

size_t __pd_w_wcsspn(const wchar_t *s, const wchar_t *set)
{
	pd_wrap_enter();
	return PM(s) || PM(set) ? span(s, set, true) : wcsspn(s, set);
}

size_t __pd_w_wcscspn(const wchar_t *s, const wchar_t *set)
{
	pd_wrap_enter();
	return PM(s) || PM(set) ? span(s, set, false) : wcscspn(s, set);
}

wchar_t *__pd_w_wcspbrk(const wchar_t *s, const wchar_t *set)
{
	size_t n;

	pd_wrap_enter();
	if (!PM(s) && !PM(set))
		return wcspbrk(s, set);
	n = span(s, set, false);
	return get(s + n) ? (wchar_t *)s + n : NULL;
}

wchar_t *__pd_w_wcsstr(const wchar_t *a, const wchar_t *b)
{
	struct pd_copy x, y;
	const wchar_t *in, *found;

	pd_wrap_enter();
	if (!PM(a) && !PM(b))
		return wcsstr(a, b);
	in = copy(&x, a, SIZE_MAX);
	found = wcsstr(in, copy(&y, b, SIZE_MAX));
	pd_copy_drop(&y);
	pd_copy_drop(&x);
	return found ? (wchar_t *)a + (found - in) : NULL;
}

wchar_t *__pd_w_wcswcs(const wchar_t *a, const wchar_t *b)
{
	return __pd_w_wcsstr(a, b);
}

wchar_t *__pd_w_wcstok(wchar_t *restrict s, const wchar_t *restrict set, wchar_t **restrict save)
{
	wchar_t *rest;
	size_t n;

	pd_wrap_enter();
	pd_file_from_user(&rest, save, sizeof(rest));
	if (!PM(s) && !PM(set) && !PM(save) && !(!s && PM(rest)))
		return wcstok(s, set, save);
	s = s ? s : rest;
	s += s ? span(s, set, true) : 0;
	rest = NULL;
	if (s && get(s)) {
		n = span(s, set, false);
		if (get(s + n)) {
			put(s + n, 0);
			rest = s + n + 1;
		}
	} else {
		s = NULL;
	}
	pd_wrap_put(save, &rest, sizeof(rest));
	return s;
}

/* ---- compare -------------------------------------------------------------------------------- */

static wint_t same(wint_t w)
{
	return w;
}

static int compare(const wchar_t *a, const wchar_t *b, size_t n, wint_t (*as)(wint_t))
{
	for (size_t i = 0; i < n; i++) {
		wchar_t x = (wchar_t)as((wint_t)get(a + i)), y = (wchar_t)as((wint_t)get(b + i));

		if (x != y)
			return x < y ? -1 : 1;
		if (!x)
			return 0;
	}
	return 0;
}

#define COMPARE(name, params, args, n, as)                                                         \
	int __pd_w_##name params                                                                   \
	{                                                                                          \
		pd_wrap_enter();                                                                   \
		return PM(a) || PM(b) ? compare(a, b, n, as) : name args;                          \
	}

COMPARE(wcscmp, (const wchar_t *a, const wchar_t *b), (a, b), SIZE_MAX, same)
COMPARE(wcsncmp, (const wchar_t *a, const wchar_t *b, size_t n), (a, b, n), n, same)
COMPARE(wcscasecmp, (const wchar_t *a, const wchar_t *b), (a, b), SIZE_MAX, towlower)
COMPARE(wcsncasecmp, (const wchar_t *a, const wchar_t *b, size_t n), (a, b, n), n, towlower)

int __pd_w_wcscoll(const wchar_t *a, const wchar_t *b)
{
	struct pd_copy x, y;
	const wchar_t *from;
	int r;

	pd_wrap_enter();
	if (!PM(a) && !PM(b))
		return wcscoll(a, b);
	from = copy(&x, a, SIZE_MAX);
	r = wcscoll(from, copy(&y, b, SIZE_MAX));
	pd_copy_drop(&y);
	pd_copy_drop(&x);
	return r;
}

/* ---- copy ----------------------------------------------------------------------------------- */

/* Copies it with the NUL, if it fits into `room`; returns where the NUL went. */
static wchar_t *copy_to(wchar_t *d, const wchar_t *s, size_t room)
{
	struct pd_copy x;
	const wchar_t *from = copy(&x, s, SIZE_MAX);
	size_t n = wcslen(from);

	if (n >= room)
		__chk_fail();
	pd_wrap_put(d, from, (n + 1) * sizeof(*d));
	pd_copy_drop(&x);
	return d + n;
}

/* wcsncpy: pads with zeros; returns where the first of them went, or the end. */
static wchar_t *copy_padded(wchar_t *d, const wchar_t *s, size_t n)
{
	wchar_t *end = NULL;
	wchar_t w = 1;

	for (size_t i = 0; i < n; i++) {
		w = w ? get(s + i) : 0;
		put(d + i, w);
		if (!w && !end)
			end = d + i;
	}
	return end ? end : d + n;
}

static void append(wchar_t *d, const wchar_t *s, size_t n, size_t room)
{
	struct pd_copy x;
	const wchar_t *from = copy(&x, s, n);
	size_t have = length(d, SIZE_MAX), more = wcslen(from);

	if (have >= room || more >= room - have)
		__chk_fail();
	pd_wrap_put(d + have, from, (more + 1) * sizeof(*d));
	pd_copy_drop(&x);
}

#define COPY(name, params, args, does, result)                                                     \
	wchar_t *__pd_w_##name params                                                              \
	{                                                                                          \
		wchar_t *to = d;                                                                   \
                                                                                                   \
		pd_wrap_enter();                                                                   \
		if (!PM(d) && !PM(s))                                                              \
			return name args;                                                          \
		does;                                                                              \
		return result;                                                                     \
	}

#define D_S   (wchar_t *restrict d, const wchar_t *restrict s)
#define D_S_N (wchar_t *restrict d, const wchar_t *restrict s, size_t n)

COPY(wcscpy, D_S, (d, s), copy_to(d, s, SIZE_MAX), to)
COPY(wcpcpy, D_S, (d, s), to = copy_to(d, s, SIZE_MAX), to)
COPY(wcsncpy, D_S_N, (d, s, n), copy_padded(d, s, n), to)
COPY(wcpncpy, D_S_N, (d, s, n), to = copy_padded(d, s, n), to)
COPY(wcscat, D_S, (d, s), append(d, s, SIZE_MAX, SIZE_MAX), to)
COPY(wcsncat, D_S_N, (d, s, n), append(d, s, n, SIZE_MAX), to)

#define D_S_R	(wchar_t * d, const wchar_t *s, size_t room)
#define D_S_N_R (wchar_t * d, const wchar_t *s, size_t n, size_t room)

COPY(__wcscpy_chk, D_S_R, (d, s, room), copy_to(d, s, room), to)
COPY(__wcpcpy_chk, D_S_R, (d, s, room), to = copy_to(d, s, room), to)
COPY(__wcscat_chk, D_S_R, (d, s, room), append(d, s, SIZE_MAX, room), to)
COPY(__wcsncat_chk, D_S_N_R, (d, s, n, room), append(d, s, n, room), to)

/* The number of characters is known before anything is read. */
#define CHECKED(name)                                                                              \
	wchar_t *__pd_w___##name##_chk(wchar_t *d, const wchar_t *s, size_t n, size_t room)        \
	{                                                                                          \
		if (n > room)                                                                      \
			__chk_fail();                                                              \
		return __pd_w_##name(d, s, n);                                                     \
	}

CHECKED(wcsncpy)
CHECKED(wcpncpy)
CHECKED(wmemcpy)
CHECKED(wmemmove)
CHECKED(wmempcpy)

wchar_t *__pd_w___wmemset_chk(wchar_t *d, wchar_t w, size_t n, size_t room)
{
	if (n > room)
		__chk_fail();
	return __pd_w_wmemset(d, w, n);
}

wchar_t *__pd_w_wcsdup(const wchar_t *s)
{
	struct pd_copy x;
	wchar_t *r;

	pd_wrap_enter();
	r = wcsdup(copy(&x, s, SIZE_MAX));
	pd_copy_drop(&x);
	return r;
}

size_t __pd_w_wcsxfrm(wchar_t *restrict d, const wchar_t *restrict s, size_t n)
{
	struct pd_copy x, out;
	const wchar_t *from;
	size_t r;

	pd_wrap_enter();
	if (!PM(d) && !PM(s))
		return wcsxfrm(d, s, n);
	from = copy(&x, s, SIZE_MAX);
	pd_copy_room(&out, (n + 1) * sizeof(*d));
	r = wcsxfrm((wchar_t *)out.p, from, n);
	pd_wrap_put(d, out.p, PD_MIN(n, r + 1) * sizeof(*d));
	pd_copy_drop(&out);
	pd_copy_drop(&x);
	return r;
}

/* ---- multibyte strings ---------------------------------------------------------------------- */

/* n characters at most; d may be NULL, which only counts. */
size_t __pd_w_mbstowcs(wchar_t *restrict d, const char *restrict s, size_t n)
{
	struct pd_copy x, out;
	size_t r;

	pd_wrap_enter();
	if (!PM(d) && !PM(s))
		return mbstowcs(d, s, n);
	pd_copy_string(&x, s, SIZE_MAX);
	if (!PM(d)) {
		r = mbstowcs(d, x.p, n);
		pd_copy_drop(&x);
		return r;
	}
	n = PD_MIN(n, x.n + 1);
	pd_copy_room(&out, (n + 1) * sizeof(*d));
	r = mbstowcs((wchar_t *)out.p, x.p, n);
	if (r != (size_t)-1)
		pd_wrap_put(d, out.p, PD_MIN(n, r + 1) * sizeof(*d));
	pd_copy_drop(&out);
	pd_copy_drop(&x);
	return r;
}

size_t __pd_w_wcstombs(char *restrict d, const wchar_t *restrict s, size_t n)
{
	struct pd_copy x, out;
	const wchar_t *from;
	size_t r;

	pd_wrap_enter();
	if (!PM(d) && !PM(s))
		return wcstombs(d, s, n);
	from = copy(&x, s, SIZE_MAX);
	if (!PM(d)) {
		r = wcstombs(d, from, n);
		pd_copy_drop(&x);
		return r;
	}
	n = PD_MIN(n, (wcslen(from) + 1) * MB_CUR_MAX);
	pd_copy_room(&out, n + 1);
	r = wcstombs(out.p, from, n);
	if (r != (size_t)-1)
		pd_wrap_put(d, out.p, PD_MIN(n, r + 1));
	pd_copy_drop(&out);
	pd_copy_drop(&x);
	return r;
}

size_t __pd_w___mbstowcs_chk(wchar_t *d, const char *s, size_t n, size_t room)
{
	if (n > room)
		__chk_fail();
	return __pd_w_mbstowcs(d, s, n);
}

size_t __pd_w___wcstombs_chk(char *d, const wchar_t *s, size_t n, size_t room)
{
	if (n > room)
		__chk_fail();
	return __pd_w_wcstombs(d, s, n);
}

/* ---- numbers -------------------------------------------------------------------------------- */

static bool in_number(wchar_t w)
{
	return iswalnum((wint_t)w) || iswspace((wint_t)w) || (w && wcschr(L"+-.()_", w));
}

/* As far as it can be part of a number, and the character after. */
static const wchar_t *copy_number(struct pd_copy *c, const wchar_t *s)
{
	size_t n = 0;

	if (!PM(s))
		return copy(c, s, SIZE_MAX);
	while (in_number(get(s + n)))
		n++;
	return copy(c, s, n + 1);
}

#define NUMBER(type, name, direct, call)                                                           \
	do {                                                                                       \
		const wchar_t *from;                                                               \
		wchar_t *stop = NULL;                                                              \
		struct pd_copy x;                                                                  \
		type r;                                                                            \
                                                                                                   \
		pd_wrap_enter();                                                                   \
		if (!PM(s) && !PM(end))                                                            \
			return (name)direct;                                                       \
		from = copy_number(&x, s);                                                         \
		r = (name)call;                                                                    \
		stop = (wchar_t *)s + (stop - from);                                               \
		if (end)                                                                           \
			pd_wrap_put(end, &stop, sizeof(stop));                                     \
		pd_copy_drop(&x);                                                                  \
		return r;                                                                          \
	} while (0)

/* Plain, and as C23 has it, where libc knows that. */
#define INTEGER(name, type)                                                                        \
	type __pd_w_##name(const wchar_t *restrict s, wchar_t **restrict end, int base)            \
	{                                                                                          \
		NUMBER(type, PD_LIBC(name), (s, end, base), (from, &stop, base));                  \
	}                                                                                          \
	type __pd_w___isoc23_##name(const wchar_t *restrict s, wchar_t **restrict end, int base)   \
	{                                                                                          \
		NUMBER(type, PD_C23(name), (s, end, base), (from, &stop, base));                   \
	}

INTEGER(wcstol, long)
INTEGER(wcstoll, long long)
INTEGER(wcstoul, unsigned long)
INTEGER(wcstoull, unsigned long long)
INTEGER(wcstoimax, intmax_t)
INTEGER(wcstoumax, uintmax_t)

#define FLOAT(name, type)                                                                          \
	type __pd_w_##name(const wchar_t *restrict s, wchar_t **restrict end)                      \
	{                                                                                          \
		NUMBER(type, PD_LIBC(name), (s, end), (from, &stop));                              \
	}

FLOAT(wcstod, double)
FLOAT(wcstof, float)
FLOAT(wcstold, long double)
