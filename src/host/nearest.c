/*
 * nearest.c - see nearest.h.
 *
 * The distance is that of optimal string alignment: a table whose cell (i, k) says how many changes
 * make the first i letters of one word the first k of the other; three rows of it are enough.
 */
#include "host/nearest.h"
#include "base/types.h"
#include <stdio.h>
#include <string.h>

enum { LONGEST = 48 };

static size_t distance(const char *a, size_t na, const char *b, size_t nb)
{
	size_t rows[3][LONGEST + 1], *before = rows[0], *above = rows[1], *row = rows[2];

	for (size_t k = 0; k <= nb; k++)
		above[k] = k;
	for (size_t i = 1; i <= na; i++) {
		size_t *spare = before;

		row[0] = i;
		for (size_t k = 1; k <= nb; k++) {
			size_t best = above[k - 1] + (a[i - 1] != b[k - 1]);

			best = PD_MIN(best, PD_MIN(above[k], row[k - 1]) + 1);
			if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1])
				best = PD_MIN(best, before[k - 2] + 1);
			row[k] = best;
		}
		before = above;
		above = row;
		row = spare;
	}
	return above[nb];
}

void pd_nearest_offer(struct pd_nearest *n, const char *name)
{
	size_t word = strlen(n->word), length = strlen(name), d;

	if (word > LONGEST || length > LONGEST)
		return;
	d = distance(n->word, word, name, length);
	if (d > (PD_MIN(word, length) + 1) / 3 || (n->name && d >= n->distance))
		return;
	n->name = name;
	n->distance = d;
}

const char *pd_nearest_words(const struct pd_nearest *n, const char *prefix)
{
	static char text[LONGEST + 64];

	if (!n->name)
		return "";
	snprintf(text, sizeof(text), "; did you mean '%s%s'?", prefix, n->name);
	return text;
}
