/* utf8.c - texts of tested programs are arbitrary bytes; JSON only takes UTF-8. Pure: any
 * thread. */
#include "report/report.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Length of the valid sequence at s, 0 if it is invalid (overlong, surrogate, truncated). */
static size_t sequence(const unsigned char *s)
{
	uint32_t c = s[0];
	size_t n;

	if (c < 0x80)
		return 1;
	if (c >= 0xc2 && c <= 0xdf)
		n = 2, c &= 0x1f;
	else if (c >= 0xe0 && c <= 0xef)
		n = 3, c &= 0x0f;
	else if (c >= 0xf0 && c <= 0xf4)
		n = 4, c &= 0x07;
	else
		return 0;
	for (size_t i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (s[i] & 0x3fu);
	}
	if ((n == 3 && (c < 0x800 || (c >= 0xd800 && c < 0xe000))) ||
	    (n == 4 && (c < 0x10000 || c > 0x10ffff)))
		return 0;
	return n;
}

char *pd_utf8_clean(const char *s)
{
	size_t n = strlen(s);
	char *out = n <= (SIZE_MAX - 1) / 3 ? malloc(3 * n + 1) : NULL;
	char *to = out;

	if (!out)
		return NULL;
	while (*s) {
		size_t k = sequence((const unsigned char *)s);

		memcpy(to, k ? s : "\xef\xbf\xbd", k ? k : 3);
		to += k ? k : 3;
		s += k ? k : 1;
	}
	*to = '\0';
	return out;
}
