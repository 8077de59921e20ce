/*
 * text.h - the few operations on strings that a core without libc needs.
 *
 * Strings are terminated; NULL stands for "not known" and sorts before everything, so that callers
 * need no special case.
 */
#ifndef PD_FINDING_TEXT_H
#define PD_FINDING_TEXT_H

#include "base/arena.h"

/* Where a text written by the user could not be parsed. */
struct pd_text_error {
	uint32_t line; /* from 1 */
	uint32_t column;
	const char *expected; /* static */
	const char *got;      /* into the text; not terminated */
	size_t ngot;
	bool nomem; /* the text may be right: memory ran out */
};

static inline size_t pd_text_len(const char *s)
{
	size_t n = 0;

	while (s && s[n])
		n++;
	return n;
}

static inline int pd_text_cmp(const char *a, const char *b)
{
	if (!a || !b)
		return (a != NULL) - (b != NULL);
	for (; *a && *a == *b; a++)
		b++;
	return (unsigned char)*a - (unsigned char)*b;
}

static inline bool pd_text_is(const char *s, size_t n, const char *word)
{
	return pd_text_len(word) == n && memcmp(s, word, n) == 0;
}

/* What follows the last '/'. */
static inline const char *pd_text_base(const char *path)
{
	const char *base = path;

	for (const char *p = path; p && *p; p++)
		if (*p == '/')
			base = p + 1;
	return base;
}

static inline bool pd_text_starts(const char *s, const char *with)
{
	size_t n = pd_text_len(with);

	return s && pd_text_len(s) >= n && memcmp(s, with, n) == 0;
}

/* The first occurrence of `what`; NULL: none. */
static inline const char *pd_text_find(const char *s, const char *what)
{
	for (; s && *s; s++)
		if (pd_text_starts(s, what))
			return s;
	return NULL;
}

/* The number of bytes before c, or in all. */
static inline size_t pd_text_until(const char *s, char c)
{
	size_t n = 0;

	while (s[n] && s[n] != c)
		n++;
	return n;
}

/* Decimal digits only, at most max; false leaves *v alone. */
bool pd_text_number(const char *s, size_t n, uint64_t max, uint64_t *v);

#endif
