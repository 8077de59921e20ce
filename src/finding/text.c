/* text.c - see text.h. */
#include "finding/text.h"

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
