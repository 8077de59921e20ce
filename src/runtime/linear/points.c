/* points.c - see points.h. */
#include "runtime/linear/points.h"
#include "base/out.h"
#include <string.h>

/* Whether the text ends with this line of the list, alone or after a slash. */
static bool ends_with(const char *text, size_t n, const char *line, size_t k)
{
	return k && k <= n && memcmp(text + n - k, line, k) == 0 &&
	       (k == n || text[n - k - 1] == '/');
}

bool pd_points_has(const struct pd_stress *stress, const struct pd_site *s)
{
	const char *at = stress->points, *end = at + stress->npoints;
	struct pd_outbuf b;
	char place[300];

	if (!s)
		return false;
	pd_outbuf_init(&b, place, sizeof(place));
	pd_outf(&b.out, "%s:%u", s->file, s->line);
	while (at < end) {
		const char *eol = memchr(at, '\n', (size_t)(end - at));

		eol = eol ? eol : end;
		if (ends_with(place, strlen(place), at, (size_t)(eol - at)))
			return true;
		at = eol + 1;
	}
	return false;
}
