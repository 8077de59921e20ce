/* libc/str.c - strings; see wrap.h. */
#include "runtime/libc/wrap.h"
#include "runtime/libc/fault.h"
#include <ctype.h>

#define get pd_wrap_get

static const char *copy(struct pd_copy *c, const char *s, size_t max)
{
	pd_copy_string(c, s, max);
	return c->p;
}

#define C	    char
#define U	    unsigned char
#define A	    int
#define L	    int
#define NAME(x)	    str##x
#define PAST(x)	    stp##x
#define LOWER	    tolower
#define ORDER(x, y) ((x) - (y))
#include "runtime/libc/text.h"

/* ---- what wide characters do not have -------------------------------------------------------- */

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

char *__pd_w_strcasestr(const char *a, const char *b)
{
	ON_COPIES(a, b, strcasestr(a, b), char *, pd_copy_back(&x, a, strcasestr(x.p, y.p)));
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

/* ---- tokens -----------------------------------------------------------------------------------
 */

/* Ends the token at s by a NUL, `known` characters of which are known to belong to it; returns what
 * follows it, or NULL: nothing does. *n: its length. */
static char *end_token(char *s, const char *set, size_t known, size_t *n)
{
	static const char nul;
	unsigned char end;

	*n = known + span(s + known, set, false, &end);
	if (!end)
		return NULL;
	pd_wrap_put(s + *n, &nul, 1);
	return s + *n + 1;
}

/* strtok_r: the rest is never NULL, an empty string stands for nothing. */
static char *next_token(char *s, const char *set, char **rest)
{
	unsigned char first;
	size_t n;

	s += span(s, set, true, &first);
	if (!first) {
		*rest = s;
		return NULL;
	}
	*rest = end_token(s, set, 1, &n);
	if (!*rest)
		*rest = s + n;
	return s;
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
	size_t n;

	pd_wrap_enter();
	pd_file_from_user(&s, sp, sizeof(s));
	if (!PM(sp) && !PM(s) && !PM(set))
		return strsep(sp, set);
	if (!s)
		return NULL;
	rest = end_token(s, set, 0, &n);
	pd_wrap_put(sp, &rest, sizeof(rest));
	return s;
}
