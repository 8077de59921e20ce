/*
 * nearest.h - which of some names somebody probably meant who mistyped one: the one that takes the
 * fewest letters to insert, leave out, change, or swap with their neighbour, if those are few.
 */
#ifndef PD_HOST_NEAREST_H
#define PD_HOST_NEAREST_H

#include <stddef.h>

struct pd_nearest {
	const char *word;
	const char *name; /* NULL: none is near */
	size_t distance;
};

/* Compares what was typed with one more name. */
void pd_nearest_offer(struct pd_nearest *n, const char *name);

/* "; did you mean '--jobs'?", or nothing; in a static buffer. */
const char *pd_nearest_words(const struct pd_nearest *n, const char *prefix);

#endif
