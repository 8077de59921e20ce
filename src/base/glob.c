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

/* Matches what *g begins with, no '*', against c; *g ends after it. */
static bool match_one(const char **g, char c, bool shell)
{
	if (shell && **g == '[')
		return match_bracket(g, c);
	if (shell && **g == '\\' && (*g)[1])
		(*g)++;
	else if (**g == '?')
		c = '?';
	return **g && *(*g)++ == c;
}

/*
 * Backtracks to the newest '*' only, which is enough: an earlier one could not match more. So this
 * is O(pattern * text) at worst, without recursion.
 */
static bool match(const char *g, const char *t, bool shell)
{
	const char *star = NULL, *from = NULL;

	while (*t) {
		const char *next = g;

		if (*g == '*') {
			star = ++g;
			from = t;
			continue;
		}
		if (match_one(&next, *t, shell)) {
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

bool pd_glob_name(const char *glob, const char *name)
{
	return match(glob, name, false);
}

bool pd_glob_file(const char *glob, const char *path)
{
	return match(glob, path, true);
}

static const char *without_here(const char *s)
{
	while (s[0] == '.' && s[1] == '/')
		s += 2;
	return s;
}

bool pd_glob_path(const char *glob, const char *given, const char *abs)
{
	const char *g = without_here(glob), *name = abs;

	for (const char *s = abs; *s; s++)
		if (*s == '/')
			name = s + 1;
	return pd_glob_file(g, abs) || (given && pd_glob_file(g, without_here(given))) ||
	       (name != abs && *name && pd_glob_file(g, name));
}
