/*
 * libc/text.h - wrappers of functions on strings of char and of wchar_t; see wrap.h.
 *
 * str.c and wide.c include this once each. They define
 *
 *	C, U        the type of a character, and the type that get() returns
 *	A, L        the types that functions have for a character to find, and for one to compare
 *	NAME(x)     the function of libc: strx, wcsx;  PAST(x): stpx, wcpx, which return the end
 *	LOWER       tolower, towlower;  ORDER(x, y): the result of a comparison
 *	get, copy   a character; a string as a copy with its NUL, or without one if it is cut at max
 */
#define WRAP_2(name)	__pd_w_##name
#define WRAP_1(name)	WRAP_2(name)
#define WRAP(x)		WRAP_1(NAME(x))
#define WRAP_PAST(x)	WRAP_1(PAST(x))
#define CHECKED_2(name) __##name##_chk
#define CHECKED_1(name) CHECKED_2(name)
#define CHECKED(x)	CHECKED_1(NAME(x))
#define CHECKED_PAST(x) CHECKED_1(PAST(x))

/* ---- length and search ---------------------------------------------------------------------- */

static size_t length(const C *s, size_t max)
{
	size_t n = 0;

	while (n < max && get(s + n))
		n++;
	return n;
}

size_t WRAP(len)(const C *s)
{
	pd_wrap_enter();
	return PM(s) ? length(s, SIZE_MAX) : NAME(len)(s);
}

size_t WRAP(nlen)(const C *s, size_t max)
{
	pd_wrap_enter();
	return PM(s) ? length(s, max) : NAME(nlen)(s, max);
}

C *WRAP(chrnul)(const C *s, A v)
{
	U c;

	pd_wrap_enter();
	if (!PM(s))
		return NAME(chrnul)(s, v);
	while ((c = get(s)) && c != (U)v)
		s++;
	return (C *)s;
}

C *WRAP(chr)(const C *s, A v)
{
	U c;

	pd_wrap_enter();
	if (!PM(s))
		return NAME(chr)(s, v);
	while ((c = get(s)) != (U)v) {
		if (!c)
			return NULL;
		s++;
	}
	return (C *)s;
}

C *WRAP(rchr)(const C *s, A v)
{
	const C *found = NULL;
	U c;

	pd_wrap_enter();
	if (!PM(s))
		return NAME(rchr)(s, v);
	do {
		c = get(s);
		if (c == (U)v)
			found = s;
		s++;
	} while (c);
	return (C *)found;
}

C *WRAP(str)(const C *a, const C *b)
{
	struct pd_copy x, y;
	const C *in, *found;

	pd_wrap_enter();
	if (!PM(a) && !PM(b))
		return NAME(str)(a, b);
	in = copy(&x, a, SIZE_MAX);
	found = NAME(str)(in, copy(&y, b, SIZE_MAX));
	pd_copy_drop(&y);
	pd_copy_drop(&x);
	return found ? (C *)a + (found - in) : NULL;
}

/* Characters of a set, which is read whole; the string only as far as the answer needs. *end: the
 * character after them. */
static size_t span(const C *s, const C *set, bool in, U *end)
{
	struct pd_copy y;
	const C *members = copy(&y, set, SIZE_MAX);
	size_t n = 0;

	while ((*end = get(s + n)) && (NAME(chr)(members, *end) != NULL) == in)
		n++;
	pd_copy_drop(&y);
	return n;
}

size_t WRAP(spn)(const C *s, const C *set)
{
	U end;

	pd_wrap_enter();
	return PM(s) || PM(set) ? span(s, set, true, &end) : NAME(spn)(s, set);
}

size_t WRAP(cspn)(const C *s, const C *set)
{
	U end;

	pd_wrap_enter();
	return PM(s) || PM(set) ? span(s, set, false, &end) : NAME(cspn)(s, set);
}

C *WRAP(pbrk)(const C *s, const C *set)
{
	size_t n;
	U end;

	pd_wrap_enter();
	if (!PM(s) && !PM(set))
		return NAME(pbrk)(s, set);
	n = span(s, set, false, &end);
	return end ? (C *)s + n : NULL;
}

/* ---- compare -------------------------------------------------------------------------------- */

static L same(L c)
{
	return c;
}

static int compare(const C *a, const C *b, size_t n, L (*as)(L))
{
	for (size_t i = 0; i < n; i++) {
		L x = as((L)get(a + i)), y = as((L)get(b + i));

		if (x != y || !x)
			return ORDER(x, y);
	}
	return 0;
}

int WRAP(cmp)(const C *a, const C *b)
{
	pd_wrap_enter();
	return PM(a) || PM(b) ? compare(a, b, SIZE_MAX, same) : NAME(cmp)(a, b);
}

int WRAP(ncmp)(const C *a, const C *b, size_t n)
{
	pd_wrap_enter();
	return PM(a) || PM(b) ? compare(a, b, n, same) : NAME(ncmp)(a, b, n);
}

int WRAP(casecmp)(const C *a, const C *b)
{
	pd_wrap_enter();
	return PM(a) || PM(b) ? compare(a, b, SIZE_MAX, LOWER) : NAME(casecmp)(a, b);
}

int WRAP(ncasecmp)(const C *a, const C *b, size_t n)
{
	pd_wrap_enter();
	return PM(a) || PM(b) ? compare(a, b, n, LOWER) : NAME(ncasecmp)(a, b, n);
}

int WRAP(coll)(const C *a, const C *b)
{
	struct pd_copy x, y;
	const C *from;
	int r;

	pd_wrap_enter();
	if (!PM(a) && !PM(b))
		return NAME(coll)(a, b);
	from = copy(&x, a, SIZE_MAX);
	r = NAME(coll)(from, copy(&y, b, SIZE_MAX));
	pd_copy_drop(&y);
	pd_copy_drop(&x);
	return r;
}

/* ---- copy ----------------------------------------------------------------------------------- */

/* Copies s with its NUL to d, if that has room; returns where the NUL went. */
static C *copy_to(C *d, const C *s, size_t room)
{
	struct pd_copy x;
	const C *from = copy(&x, s, SIZE_MAX);
	size_t n = x.n;

	if (n >= room)
		__chk_fail();
	pd_wrap_put(d, from, (n + 1) * sizeof(*d));
	pd_copy_drop(&x);
	return d + n;
}

/* Pads with zeros; returns where the first of them went, or the end. */
static C *copy_padded(C *d, const C *s, size_t n)
{
	struct pd_copy x, pad;
	const C *from = copy(&x, s, n);
	C *end = d + x.n;
	size_t zeros = (n - x.n) * sizeof(*d);

	pd_wrap_put(d, from, x.n * sizeof(*d));
	pd_copy_room(&pad, zeros);
	memset(pad.p, 0, zeros);
	pd_wrap_put(end, pad.p, zeros);
	pd_copy_drop(&pad);
	pd_copy_drop(&x);
	return end;
}

static void append(C *d, const C *s, size_t n, size_t room)
{
	size_t k = length(d, SIZE_MAX);
	struct pd_copy x;
	const C *from = copy(&x, s, n);

	if (k >= room || x.n >= room - k)
		__chk_fail();
	pd_wrap_put(d + k, from, (x.n + 1) * sizeof(*d));
	pd_copy_drop(&x);
}

/* A function that copies s to d: what it is called, what it does in PM, what it returns. */
#define COPIES(wrapper, name, parameters, arguments, does, result)                                 \
	C *wrapper parameters                                                                      \
	{                                                                                          \
		C *end = d;                                                                        \
                                                                                                   \
		pd_wrap_enter();                                                                   \
		if (!PM(d) && !PM(s))                                                              \
			return name arguments;                                                     \
		does;                                                                              \
		return result;                                                                     \
	}

#define D_S	(C *restrict d, const C *restrict s)
#define D_S_N	(C *restrict d, const C *restrict s, size_t n)
#define D_S_R	(C * d, const C *s, size_t room)
#define D_S_N_R (C * d, const C *s, size_t n, size_t room)

COPIES(WRAP(cpy), NAME(cpy), D_S, (d, s), copy_to(d, s, SIZE_MAX), end)
COPIES(WRAP_PAST(cpy), PAST(cpy), D_S, (d, s), end = copy_to(d, s, SIZE_MAX), end)
COPIES(WRAP(ncpy), NAME(ncpy), D_S_N, (d, s, n), copy_padded(d, s, n), end)
COPIES(WRAP_PAST(ncpy), PAST(ncpy), D_S_N, (d, s, n), end = copy_padded(d, s, n), end)
COPIES(WRAP(cat), NAME(cat), D_S, (d, s), append(d, s, SIZE_MAX, SIZE_MAX), end)
COPIES(WRAP(ncat), NAME(ncat), D_S_N, (d, s, n), append(d, s, n, SIZE_MAX), end)
COPIES(WRAP_1(CHECKED(cpy)), CHECKED(cpy), D_S_R, (d, s, room), copy_to(d, s, room), end)
COPIES(WRAP_1(CHECKED_PAST(cpy)), CHECKED_PAST(cpy), D_S_R, (d, s, room), end = copy_to(d, s, room),
       end)
COPIES(WRAP_1(CHECKED(cat)), CHECKED(cat), D_S_R, (d, s, room), append(d, s, SIZE_MAX, room), end)
COPIES(WRAP_1(CHECKED(ncat)), CHECKED(ncat), D_S_N_R, (d, s, n, room), append(d, s, n, room), end)

C *WRAP_1(CHECKED(ncpy))(C *d, const C *s, size_t n, size_t room)
{
	if (n > room)
		__chk_fail();
	return WRAP(ncpy)(d, s, n);
}

C *WRAP_1(CHECKED_PAST(ncpy))(C *d, const C *s, size_t n, size_t room)
{
	if (n > room)
		__chk_fail();
	return WRAP_PAST(ncpy)(d, s, n);
}

size_t WRAP(xfrm)(C *restrict d, const C *restrict s, size_t n)
{
	struct pd_copy x, out;
	const C *from;
	size_t r;

	pd_wrap_enter();
	if (!PM(d) && !PM(s))
		return NAME(xfrm)(d, s, n);
	from = copy(&x, s, SIZE_MAX);
	pd_copy_room(&out, (n + 1) * sizeof(*d));
	r = NAME(xfrm)((C *)out.p, from, n);
	pd_wrap_put(d, out.p, PD_MIN(n, r + 1) * sizeof(*d));
	pd_copy_drop(&out);
	pd_copy_drop(&x);
	return r;
}
