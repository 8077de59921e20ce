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

/* A string as a copy with a NUL: up to its own, to `max` characters, or to the first one that
 * `more` refuses (NULL: none). */
static const wchar_t *copy_while(struct pd_copy *c, const wchar_t *s, size_t max,
				 bool (*more)(wchar_t))
{
	bool wanted = true;
	wchar_t w;
	size_t n;

	pd_copy_room(c, 0);
	for (n = 0; n < max && wanted && (w = get(s + n)); n++) {
		pd_copy_add(c, &w, sizeof(w));
		wanted = !more || more(w);
	}
	w = 0;
	pd_copy_add(c, &w, sizeof(w));
	c->n = n;
	return (const wchar_t *)c->p;
}

/* A string with its NUL, or without one where it is cut at max, as a copy that has one. */
static const wchar_t *copy(struct pd_copy *c, const wchar_t *s, size_t max)
{
	if (PM(s) || max != SIZE_MAX)
		return copy_while(c, s, max, NULL);
	c->held = 0;
	c->n = wcslen(s);
	return s;
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

/* ---- strings --------------------------------------------------------------------------------- */

#define C	    wchar_t
#define U	    wchar_t
#define A	    wchar_t
#define L	    wint_t
#define NAME(x)	    wcs##x
#define PAST(x)	    wcp##x
#define LOWER	    towlower
#define ORDER(x, y) (((wchar_t)(x) > (wchar_t)(y)) - ((wchar_t)(x) < (wchar_t)(y)))
#include "runtime/libc/text.h"

wchar_t *__pd_w_wcswcs(const wchar_t *a, const wchar_t *b)
{
	return __pd_w_wcsstr(a, b);
}

wchar_t *__pd_w_wcstok(wchar_t *restrict s, const wchar_t *restrict set, wchar_t **restrict save)
{
	wchar_t *rest, end = 0;
	size_t n;

	pd_wrap_enter();
	pd_file_from_user(&rest, save, sizeof(rest));
	if (!PM(s) && !PM(set) && !PM(save) && !(!s && PM(rest)))
		return wcstok(s, set, save);
	s = s ? s : rest;
	s += s ? span(s, set, true, &end) : 0;
	rest = NULL;
	if (end) {
		n = 1 + span(s + 1, set, false, &end);
		if (end) {
			put(s + n, 0);
			rest = s + n + 1;
		}
	} else {
		s = NULL;
	}
	pd_wrap_put(save, &rest, sizeof(rest));
	return s;
}

#define CHECK_ROOM(name)                                                                           \
	wchar_t *__pd_w___##name##_chk(wchar_t *d, const wchar_t *s, size_t n, size_t room)        \
	{                                                                                          \
		if (n > room)                                                                      \
			__chk_fail();                                                              \
		return __pd_w_##name(d, s, n);                                                     \
	}

CHECK_ROOM(wmemcpy)
CHECK_ROOM(wmemmove)
CHECK_ROOM(wmempcpy)

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
	return PM(s) ? copy_while(c, s, SIZE_MAX, in_number) : copy(c, s, SIZE_MAX);
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
