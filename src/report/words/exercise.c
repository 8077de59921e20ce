/*
 * exercise.c - what no recovery of `check` has tried, as far as its stores show. A clean result is
 * about what recovery did: one that only reads tolerates states in which the next insertion or
 * deletion would fail.
 *
 * Coverage gives the functions that store, in the program and in its recoveries. Only their names
 * show whether something is deleted (docs/report-format.md says so). A crash in a recovery that
 * stores nothing leaves what was there before: it does not count as missing.
 */
#include "report/coverage.h"
#include "report/words/words.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool is_deletion(const char *function)
{
	static const char *const names[] = {"remove", "delete", "erase", "free",
					    "Remove", "Delete", "Erase", "Free"};

	for (size_t i = 0; i < PD_LEN(names); i++)
		if (strstr(function, names[i]))
			return true;
	return false;
}

static bool recovery_stores_in(const struct pd_coverage *c, const char *function)
{
	for (uint32_t i = 0; i < c->items.n; i++)
		if (c->items.v[i].recovery && c->items.v[i].at.function &&
		    strcmp(c->items.v[i].at.function, function) == 0)
			return true;
	return false;
}

static bool came_before(const struct pd_coverage *c, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (!c->items.v[i].recovery && c->items.v[i].at.function &&
		    strcmp(c->items.v[i].at.function, c->items.v[n].at.function) == 0)
			return true;
	return false;
}

/* The number of functions that have stored in the program but in no recovery, and the first of
 * them. */
static uint32_t functions_left(const struct pd_coverage *c, const char **first)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < c->items.n; i++) {
		const struct pd_covered *x = &c->items.v[i];

		if (x->recovery || !x->at.function || came_before(c, i) ||
		    recovery_stores_in(c, x->at.function))
			continue;
		if (!n++)
			*first = x->at.function;
	}
	return n;
}

static void put_functions(FILE *to, const struct pd_coverage *c)
{
	const char *first = NULL;
	uint32_t n = functions_left(c, &first);

	if (!n)
		return;
	fprintf(to, "the stores of %s()", first);
	if (n > 1)
		fprintf(to, " and %" PRIu32 " more function%s", n - 1, pd_words_plural(n - 1));
}

static void put_item(FILE *to, const char *item)
{
	fprintf(to, "%s%s", ftell(to) ? ", " : "", item);
}

static void put_all(FILE *to, const struct pd_coverage *c, bool one_crash)
{
	bool stores = false, deletes = false;

	for (uint32_t i = 0; i < c->items.n; i++) {
		const struct pd_covered *x = &c->items.v[i];

		stores |= x->recovery;
		deletes |= x->recovery && x->at.function && is_deletion(x->at.function);
	}
	if (!stores) {
		put_item(to, "writing or deleting (it stored nothing to PM)");
		return;
	}
	put_functions(to, c);
	if (!deletes)
		put_item(to, "deleting");
	if (one_crash)
		put_item(to, "a second crash (--crashes 2)");
}

const char *pd_words_not_exercised(struct pd_arena *a, const struct pd_coverage *c, bool one_crash)
{
	char *text = NULL;
	size_t n = 0;
	FILE *to = open_memstream(&text, &n);

	if (to)
		put_all(to, c, one_crash);
	return pd_words_keep(a, to, &text, &n);
}
