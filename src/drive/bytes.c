/* bytes.c - see bytes.h. */
#include "drive/bytes.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

json_t *pd_bytes_json(const char *s, size_t n)
{
	json_t *j = memchr(s, 0, n) ? NULL : json_stringn(s, n);
	char *hex;

	if (j)
		return j;
	hex = calloc(n + 1, 2);
	for (size_t i = 0; hex && i < n; i++)
		snprintf(hex + 2 * i, 3, "%02x", (unsigned char)s[i]);
	j = hex ? json_pack("{s:s}", "hex", hex) : NULL;
	free(hex);
	return j;
}

static int digit(char c)
{
	const char *digits = "0123456789abcdef", *at = c ? strchr(digits, c) : NULL;

	return at ? (int)(at - digits) : -1;
}

char *pd_bytes_of(struct pd_arena *a, const json_t *j, size_t *n)
{
	const char *hex = json_string_value(json_object_get(j, "hex"));
	char *s;

	*n = json_is_string(j) ? json_string_length(j) : hex ? strlen(hex) / 2 : 0;
	if (json_is_string(j))
		return pd_arena_strndup(a, json_string_value(j), *n);
	s = hex && strlen(hex) == 2 * *n ? pd_arena_alloc(a, *n + 1) : NULL;
	for (size_t i = 0; s && i < *n; i++) {
		int high = digit(hex[2 * i]), low = digit(hex[2 * i + 1]);

		if (high < 0 || low < 0)
			return NULL;
		s[i] = (char)(high << 4 | low);
	}
	if (s)
		s[*n] = '\0';
	return s;
}
