/* libc/str.c - strings; see wrap.h. */
#include "runtime/libc/wrap.h"
#include "runtime/libc/fault.h"
#include <ctype.h>

/* ---- length and search -------------------------------------------------------------------------
 */

static size_t length(const char *s, size_t max)
{
	size_t n = 0;

	while (n < max && pd_wrap_get(s + n))
		n++;
	return n;
}

size_t __pd_w_strlen(const char *s)
{
	pd_wrap_enter();
	return PM(s) ? length(s, SIZE_MAX) : strlen(s);
}

size_t __pd_w_strnlen(const char *s, size_t max)
{
	pd_wrap_enter();
	return PM(s) ? length(s, max) : strnlen(s, max);
}

char *__pd_w_strchrnul(const char *s, int v)
{
	unsigned char b;

	pd_wrap_enter();
	if (!PM(s))
		return strchrnul(s, v);
	while ((b = pd_wrap_get(s)) && b != (unsigned char)v)
		s++;
	return (char *)s;
}

char *__pd_w_strchr(const char *s, int v)
{
	unsigned char b;

	pd_wrap_enter();
	if (!PM(s))
		return strchr(s, v);
	while ((b = pd_wrap_get(s)) != (unsigned char)v) {
		if (!b)
			return NULL;
		s++;
	}
	return (char *)s;
}

char *__pd_w_strrchr(const char *s, int v)
{
	char *found = NULL;
	unsigned char b;

	pd_wrap_enter();
	if (!PM(s))
		return strrchr(s, v);
	do {
		b = pd_wrap_get(s);
		if (b == (unsigned char)v)
			found = (char *)s;
		s++;
	} while (b);
	return found;
}

char *__pd_w_index(const char *s, int v)
{
	return __pd_w_strchr(s, v);
}

char *__pd_w_rindex(const char *s, int v)
{
	return __pd_w_strrchr(s, v);
}

/* Two strings, read to their ends; `call` is libc's function on the copies x and y. */
#define ON_COPIES(a, b, direct, type, call)                                                        \
	do {                                                                                       \
		struct pd_copy x, y;                                                               \
		type r;                                                                            \
                                                                                                   \
		pd_wrap_enter();                                                                   \
		if (!PM(a) && !PM(b))                                                              \
			return direct;                                                             \
		pd_copy_string(&x, a, SIZE_MAX);                                                   \
		pd_copy_string(&y, b, SIZE_MAX);                                                   \
		r = call;                                                                          \
		pd_copy_drop(&y);                                                                  \
		pd_copy_drop(&x);                                                                  \
		return r;                                                                          \
	} while (0)

char *__pd_w_strstr(const char *a, const char *b)
{
	ON_COPIES(a, b, strstr(a, b), char *, pd_copy_back(&x, a, strstr(x.p, y.p)));
}

char *__pd_w_strcasestr(const char *a, const char *b)
{
	ON_COPIES(a, b, strcasestr(a, b), char *, pd_copy_back(&x, a, strcasestr(x.p, y.p)));
}

int __pd_w_strcoll(const char *a, const char *b)
{
	ON_COPIES(a, b, strcoll(a, b), int, strcoll(x.p, y.p));
}

int __pd_w_strverscmp(const char *a, const char *b)
{
	ON_COPIES(a, b, strverscmp(a, b), int, strverscmp(x.p, y.p));
}

int __pd_w_strcoll_l(const char *a, const char *b, locale_t l)
{
	ON_COPIES(a, b, strcoll_l(a, b, l), int, strcoll_l(x.p, y.p, l));
}

int __pd_w_strcasecmp_l(const char *a, const char *b, locale_t l)
{
	ON_COPIES(a, b, strcasecmp_l(a, b, l), int, strcasecmp_l(x.p, y.p, l));
}

int __pd_w_strncasecmp_l(const char *a, const char *b, size_t n, locale_t l)
{
	struct pd_copy x, y;
	int r;

	pd_wrap_enter();
	if (!PM(a) && !PM(b))
		return strncasecmp_l(a, b, n, l);
	pd_copy_string(&x, a, n);
	pd_copy_string(&y, b, n);
	r = strncasecmp_l(x.p, y.p, n, l);
	pd_copy_drop(&y);
	pd_copy_drop(&x);
	return r;
}

size_t __pd_w_strxfrm(char *restrict d, const char *restrict s, size_t n)
{
	struct pd_copy x, out;
	size_t r;

	pd_wrap_enter();
	if (!PM(d) && !PM(s))
		return strxfrm(d, s, n);
	pd_copy_string(&x, s, SIZE_MAX);
	pd_copy_room(&out, n + 1);
	r = strxfrm(out.p, x.p, n);
	pd_wrap_put(d, out.p, PD_MIN(n, r + 1));
	pd_copy_drop(&out);
	pd_copy_drop(&x);
	return r;
}

/* Characters of a set, which is read whole; the string only as far as the answer needs. */
static size_t span(const char *s, const char *set, bool in)
{
	struct pd_copy y;
	size_t n = 0;
	unsigned char b;

	pd_copy_string(&y, set, SIZE_MAX);
	while ((b = pd_wrap_get(s + n)) && (strchr(y.p, b) != NULL) == in)
		n++;
	pd_copy_drop(&y);
	return n;
}

size_t __pd_w_strspn(const char *s, const char *set)
{
	pd_wrap_enter();
	return PM(s) || PM(set) ? span(s, set, true) : strspn(s, set);
}

size_t __pd_w_strcspn(const char *s, const char *set)
{
	pd_wrap_enter();
	return PM(s) || PM(set) ? span(s, set, false) : strcspn(s, set);
}

char *__pd_w_strpbrk(const char *s, const char *set)
{
	size_t n;

	pd_wrap_enter();
	if (!PM(s) && !PM(set))
		return strpbrk(s, set);
	n = span(s, set, false);
	return pd_wrap_get(s + n) ? (char *)s + n : NULL;
}

/* ---- compare ----------------------------------------------------------------------------------
 */

static int same(int b)
{
	return b;
}

static int compare(const char *a, const char *b, size_t n, int (*as)(int))
{
	for (size_t i = 0; i < n; i++) {
		int x = as(pd_wrap_get(a + i)), y = as(pd_wrap_get(b + i));

		if (x != y || !x)
			return x - y;
	}
	return 0;
}

int __pd_w_strcmp(const char *a, const char *b)
{
	pd_wrap_enter();
	return PM(a) || PM(b) ? compare(a, b, SIZE_MAX, same) : strcmp(a, b);
}

int __pd_w_strncmp(const char *a, const char *b, size_t n)
{
	pd_wrap_enter();
	return PM(a) || PM(b) ? compare(a, b, n, same) : strncmp(a, b, n);
}

int __pd_w_strcasecmp(const char *a, const char *b)
{
	pd_wrap_enter();
	return PM(a) || PM(b) ? compare(a, b, SIZE_MAX, tolower) : strcasecmp(a, b);
}

int __pd_w_strncasecmp(const char *a, const char *b, size_t n)
{
	pd_wrap_enter();
	return PM(a) || PM(b) ? compare(a, b, n, tolower) : strncasecmp(a, b, n);
}

/* ---- copy -------------------------------------------------------------------------------------
 */

/* Copies s with its NUL to d; returns where the NUL went. */
static char *copy_string(char *d, const char *s, size_t room)
{
	struct pd_copy x;
	char *end;

	pd_copy_string(&x, s, SIZE_MAX);
	if (x.n >= room)
		__chk_fail();
	pd_wrap_put(d, x.p, x.n + 1);
	end = d + x.n;
	pd_copy_drop(&x);
	return end;
}

char *__pd_w_strcpy(char *restrict d, const char *restrict s)
{
	pd_wrap_enter();
	if (!PM(d) && !PM(s))
		return strcpy(d, s);
	copy_string(d, s, SIZE_MAX);
	return d;
}

char *__pd_w_stpcpy(char *restrict d, const char *restrict s)
{
	pd_wrap_enter();
	return PM(d) || PM(s) ? copy_string(d, s, SIZE_MAX) : stpcpy(d, s);
}

/* strncpy: pads with zeros; returns where the first of them went, or the end. */
static char *copy_padded(char *d, const char *s, size_t n)
{
	struct pd_copy x, pad;
	char *end;

	pd_copy_string(&x, s, n);
	pd_wrap_put(d, x.p, x.n);
	end = d + x.n;
	pd_copy_room(&pad, n - x.n);
	memset(pad.p, 0, n - x.n);
	pd_wrap_put(end, pad.p, n - x.n);
	pd_copy_drop(&pad);
	pd_copy_drop(&x);
	return end;
}

char *__pd_w_strncpy(char *restrict d, const char *restrict s, size_t n)
{
	pd_wrap_enter();
	if (!PM(d) && !PM(s))
		return strncpy(d, s, n);
	copy_padded(d, s, n);
	return d;
}

char *__pd_w_stpncpy(char *restrict d, const char *restrict s, size_t n)
{
	pd_wrap_enter();
	return PM(d) || PM(s) ? copy_padded(d, s, n) : stpncpy(d, s, n);
}

char *__pd_w___stpcpy(char *restrict d, const char *restrict s)
{
	return __pd_w_stpcpy(d, s);
}

char *__pd_w___stpncpy(char *restrict d, const char *restrict s, size_t n)
{
	return __pd_w_stpncpy(d, s, n);
}

/* The whole of s is read, and as much of it as there is room for is copied, with a NUL. */
static size_t copy_cut(char *d, const char *s, size_t room)
{
	struct pd_copy x;
	size_t n;
	char nul = 0;

	pd_copy_string(&x, s, SIZE_MAX);
	n = x.n;
	if (room) {
		pd_wrap_put(d, x.p, PD_MIN(n, room - 1));
		pd_wrap_put(d + PD_MIN(n, room - 1), &nul, 1);
	}
	pd_copy_drop(&x);
	return n;
}

size_t __pd_w_strlcpy(char *restrict d, const char *restrict s, size_t n)
{
	pd_wrap_enter();
	return copy_cut(d, s, n);
}

size_t __pd_w_strlcat(char *restrict d, const char *restrict s, size_t n)
{
	size_t have;

	pd_wrap_enter();
	have = length(d, n);
	return have + copy_cut(d + have, s, n - have);
}

size_t __pd_w___strlcpy_chk(char *restrict d, const char *restrict s, size_t n, size_t room)
{
	if (n > room)
		__chk_fail();
	return __pd_w_strlcpy(d, s, n);
}

size_t __pd_w___strlcat_chk(char *restrict d, const char *restrict s, size_t n, size_t room)
{
	if (n > room)
		__chk_fail();
	return __pd_w_strlcat(d, s, n);
}

static void append(char *d, const char *s, size_t n, size_t room)
{
	size_t k = length(d, SIZE_MAX);
	struct pd_copy x;

	pd_copy_string(&x, s, n);
	if (k >= room || x.n >= room - k)
		__chk_fail();
	pd_wrap_put(d + k, x.p, x.n + 1);
	pd_copy_drop(&x);
}

char *__pd_w_strcat(char *restrict d, const char *restrict s)
{
	pd_wrap_enter();
	if (!PM(d) && !PM(s))
		return strcat(d, s);
	append(d, s, SIZE_MAX, SIZE_MAX);
	return d;
}

char *__pd_w_strncat(char *restrict d, const char *restrict s, size_t n)
{
	pd_wrap_enter();
	if (!PM(d) && !PM(s))
		return strncat(d, s, n);
	append(d, s, n, SIZE_MAX);
	return d;
}

char *__pd_w_strdup(const char *s)
{
	struct pd_copy x;
	char *r;

	if (pd_fault_call(PD_FAULTY_strdup))
		return NULL;
	pd_wrap_enter();
	if (!PM(s))
		return strdup(s);
	pd_copy_string(&x, s, SIZE_MAX);
	r = strdup(x.p);
	pd_copy_drop(&x);
	return r;
}

char *__pd_w___strdup(const char *s)
{
	return __pd_w_strdup(s);
}

char *__pd_w_strndup(const char *s, size_t n)
{
	struct pd_copy x;
	char *r;

	if (pd_fault_call(PD_FAULTY_strndup))
		return NULL;
	pd_wrap_enter();
	if (!PM(s))
		return strndup(s, n);
	pd_copy_string(&x, s, n);
	r = strdup(x.p);
	pd_copy_drop(&x);
	return r;
}

/* ---- with the size of the object ---------------------------------------------------------------
 */

char *__pd_w___strcpy_chk(char *d, const char *s, size_t room)
{
	pd_wrap_enter();
	if (!PM(d) && !PM(s))
		return __strcpy_chk(d, s, room);
	copy_string(d, s, room);
	return d;
}

char *__pd_w___stpcpy_chk(char *d, const char *s, size_t room)
{
	pd_wrap_enter();
	return PM(d) || PM(s) ? copy_string(d, s, room) : __stpcpy_chk(d, s, room);
}

char *__pd_w___strncpy_chk(char *d, const char *s, size_t n, size_t room)
{
	if (n > room)
		__chk_fail();
	return __pd_w_strncpy(d, s, n);
}

char *__pd_w___stpncpy_chk(char *d, const char *s, size_t n, size_t room)
{
	if (n > room)
		__chk_fail();
	return __pd_w_stpncpy(d, s, n);
}

char *__pd_w___strcat_chk(char *d, const char *s, size_t room)
{
	pd_wrap_enter();
	if (!PM(d) && !PM(s))
		return __strcat_chk(d, s, room);
	append(d, s, SIZE_MAX, room);
	return d;
}

char *__pd_w___strncat_chk(char *d, const char *s, size_t n, size_t room)
{
	pd_wrap_enter();
	if (!PM(d) && !PM(s))
		return __strncat_chk(d, s, n, room);
	append(d, s, n, room);
	return d;
}

/* ---- tokens -----------------------------------------------------------------------------------
 */

/* Ends the token at s by a NUL; returns the token, and what follows it in *rest (NULL: nothing). */
static char *token(char *s, const char *set, char **rest)
{
	static const char nul;
	size_t n = span(s, set, false);

	*rest = NULL;
	if (pd_wrap_get(s + n)) {
		pd_wrap_put(s + n, &nul, 1);
		*rest = s + n + 1;
	}
	return s;
}

/* strtok_r: the rest is never NULL, an empty string stands for nothing. */
static char *next_token(char *s, const char *set, char **rest)
{
	char *t;

	s += span(s, set, true);
	if (!pd_wrap_get(s)) {
		*rest = s;
		return NULL;
	}
	t = token(s, set, rest);
	if (!*rest)
		*rest = t + length(t, SIZE_MAX);
	return t;
}

char *__pd_w_strtok_r(char *restrict s, const char *restrict set, char **restrict save)
{
	char *rest, *t;

	pd_wrap_enter();
	pd_file_from_user(&rest, save, sizeof(rest));
	if (!PM(s) && !PM(set) && !PM(save) && !(!s && PM(rest)))
		return strtok_r(s, set, save);
	if (!s && !rest)
		return NULL;
	t = next_token(s ? s : rest, set, &rest);
	pd_wrap_put(save, &rest, sizeof(rest));
	return t;
}

char *__pd_w___strtok_r(char *restrict s, const char *restrict set, char **restrict save)
{
	return __pd_w_strtok_r(s, set, save);
}

/* Our own state while the string is PM, libc's while it is not. */
char *__pd_w_strtok(char *restrict s, const char *restrict set)
{
	static char *rest;
	struct pd_copy y;
	char *t;

	pd_wrap_enter();
	if (PM(s) || (!s && rest))
		return next_token(s ? s : rest, set, &rest);
	rest = NULL;
	pd_copy_string(&y, set, SIZE_MAX);
	t = strtok(s, y.p);
	pd_copy_drop(&y);
	return t;
}

char *__pd_w_strsep(char **restrict sp, const char *restrict set)
{
	char *s, *rest;

	pd_wrap_enter();
	pd_file_from_user(&s, sp, sizeof(s));
	if (!PM(sp) && !PM(s) && !PM(set))
		return strsep(sp, set);
	if (!s)
		return NULL;
	token(s, set, &rest);
	pd_wrap_put(sp, &rest, sizeof(rest));
	return s;
}
