/* text.c - see text.h. */
#include "finding/text.h"

/*
 * On a mismatch only the last '*' has to give way: whatever an earlier one could take, the last one
 * can take as well. So this is O(pattern * s) at worst, without recursion.
 */
bool pd_text_glob(const char *pattern, const char *s)
{
	const char *star = NULL;
	const char *resume = s;

	while (*s) {
		if (*pattern == '*') {
			star = pattern++;
			resume = s;
		} else if (*pattern && (*pattern == '?' || *pattern == *s)) {
			pattern++;
			s++;
		} else if (star) {
			pattern = star + 1;
			s = ++resume;
		} else {
			return false;
		}
	}
	while (*pattern == '*')
		pattern++;
	return !*pattern;
}

bool pd_text_number(const char *s, size_t n, uint64_t max, uint64_t *v)
{
	uint64_t x = 0;

	if (!n)
		return false;
	for (size_t i = 0; i < n; i++) {
		uint64_t d = (uint64_t)(unsigned char)s[i] - '0';

		if (d > 9 || d > max || x > (max - d) / 10)
			return false;
		x = x * 10 + d;
	}
	*v = x;
	return true;
}
