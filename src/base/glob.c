/* glob.c - see glob.h. */
#include "base/glob.h"

/* Matches a bracket expression at *g against c; *g ends after it. A lone '[' is itself. */
static bool match_bracket(const char **g, char c)
{
	const char *s = *g + 1;
	bool invert = *s == '!' || *s == '^', hit = false;

	if (invert)
		s++;
	for (bool first = true; *s && (first || *s != ']'); first = false) {
		char lo = *s == '\\' && s[1] ? *++s : *s;
		char hi = lo;

		s++;
		if (s[0] == '-' && s[1] && s[1] != ']') {
			hi = s[1];
			s += 2;
		}
		hit |= lo <= c && c <= hi;
	}
	if (*s != ']') {
		(*g)++;
		return c == '[';
	}
	*g = s + 1;
	return hit != invert;
}

/* Backtracks to the newest '*' only, which is enough: an earlier one could not match more. */
bool pd_glob_match(const char *g, const char *t)
{
	const char *star = NULL, *from = NULL;

	while (*t) {
		const char *next = g + 1;
		bool ok;

		if (*g == '*') {
			star = ++g;
			from = t;
			continue;
		}
		if (*g == '[') {
			next = g;
			ok = match_bracket(&next, *t);
		} else if (*g == '\\' && g[1]) {
			ok = g[1] == *t;
			next = g + 2;
		} else {
			ok = *g == '?' || *g == *t;
		}
		if (ok && *g) {
			g = next;
			t++;
		} else if (star) {
			g = star;
			t = ++from;
		} else {
			return false;
		}
	}
	while (*g == '*')
		g++;
	return !*g;
}
