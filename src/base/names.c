/* names.c - see names.h. */
#include "base/names.h"

static size_t length(const char *s)
{
	size_t n = 0;

	while (s[n])
		n++;
	return n;
}

static size_t name_length(const char *s)
{
	size_t n = 0;

	while (s[n] && s[n] != ',')
		n++;
	return n;
}

static const char *next_name(const char *s)
{
	s += name_length(s);
	while (*s == ',' || *s == ' ')
		s++;
	return s;
}

static bool has_name(const char *list, const char *name, size_t n)
{
	for (; *list; list = next_name(list))
		if (name_length(list) == n && memcmp(list, name, n) == 0)
			return true;
	return false;
}

static void append(char *list, size_t room, const char *name, size_t n)
{
	size_t have = length(list), gap = have ? 2 : 0;

	if (have + gap + n + 1 > room)
		return;
	memcpy(list + have, ", ", gap);
	memcpy(list + have + gap, name, n);
	list[have + gap + n] = '\0';
}

void pd_names_add(char *list, size_t room, const char *names)
{
	for (; *names; names = next_name(names))
		if (!has_name(list, names, name_length(names)))
			append(list, room, names, name_length(names));
}
