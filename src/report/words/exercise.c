/*
 * exercise.c - what no recovery of `check` has tried, as far as its stores show. A clean result is
 * about what recovery did: one that only reads tolerates states in which the next insertion or
 * deletion would fail.
 *
 * Only recoveries that found data count (engine/crash/cover.h): where the program is its own
 * recovery, a crash before its file has anything in it just runs the program again. What makes such
 * a file is not missing elsewhere: functions that store in such recoveries, and in the program over
 * nothing but zeros.
 *
 * Only the names of functions show whether something is deleted (docs/report-format.md says so). A
 * crash in a recovery that stores nothing leaves what was there before: it does not count as
 * missing.
 */
#include "report/words/words.h"
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- names that delete ---------------------------------------------------------------------- */

/* The name itself, without class, parameters and arguments of templates: where it begins and ends.
 */
static const char *own_name(const char *function, const char **end)
{
	const char *own = function, *p = function;
	uint32_t depth = 0;

	*end = NULL;
	for (; *p && (*p != '(' || depth); p++) {
		if (*p == '<' && !depth++ && !*end)
			*end = p;
		else if (*p == '>' && depth)
			depth--;
		else if (!depth && p[0] == ':' && p[1] == ':') {
			own = p + 2;
			*end = NULL;
		}
	}
	if (!*end)
		*end = p;
	return own;
}

/* The end of the word at `p`: insertNode, insert_node and INSERT_NODE have two each. */
static const char *end_of_word(const char *p, const char *end)
{
	const char *q = p + 1;

	while (q < end && isalpha((unsigned char)*q) &&
	       (!isupper((unsigned char)*q) || isupper((unsigned char)q[-1])))
		q++;
	return q;
}

static bool is_deletion_word(const char *word, size_t n)
{
	/* Short ones are part of words that mean something else: populate, mistake, freeze */
	static const char *const whole[] = {"pop",  "deq",  "del",  "take", "drop",
					    "free", "lpop", "rpop", "pfree"};
	static const char *const begins[] = {"remov", "delet", "eras", "dequeu", "evict", "unlink"};

	for (size_t i = 0; i < PD_LEN(whole); i++)
		if (n == strlen(whole[i]) && strncasecmp(word, whole[i], n) == 0)
			return true;
	for (size_t i = 0; i < PD_LEN(begins); i++)
		if (n >= strlen(begins[i]) && strncasecmp(word, begins[i], strlen(begins[i])) == 0)
			return true;
	return false;
}

static bool is_word(const char *word, size_t n, const char *what)
{
	return n == strlen(what) && strncasecmp(word, what, n) == 0;
}

static bool is_deletion(const char *function)
{
	const char *end, *p = own_name(function, &end);
	bool without = false; /* lock_free */

	for (const char *q; p < end; p = q) {
		if (!isalpha((unsigned char)*p)) {
			q = p + 1;
			continue;
		}
		q = end_of_word(p, end);
		if (is_deletion_word(p, (size_t)(q - p)) &&
		    !(without && is_word(p, (size_t)(q - p), "free")))
			return true;
		without =
			is_word(p, (size_t)(q - p), "lock") || is_word(p, (size_t)(q - p), "wait");
	}
	return false;
}

/* ---- functions ------------------------------------------------------------------------------ */

static bool stored_in(const struct pd_exercise *x, const char *function, enum pd_stored_how how)
{
	for (uint32_t i = 0; i < x->items.n; i++)
		if (x->items.v[i].how == how && strcmp(x->items.v[i].function, function) == 0)
			return true;
	return false;
}

static bool makes_the_file(const struct pd_exercise *x, const char *function)
{
	return stored_in(x, function, PD_STORED_ANEW) && !stored_in(x, function, PD_STORED_CHANGED);
}

static bool came_before(const struct pd_exercise *x, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (x->items.v[i].how == PD_STORED_FIRST &&
		    strcmp(x->items.v[i].function, x->items.v[n].function) == 0)
			return true;
	return false;
}

/* The number of functions that have stored in the program but in no recovery, and the first of
 * them. */
static uint32_t functions_left(const struct pd_exercise *x, const char **first)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < x->items.n; i++) {
		const char *function = x->items.v[i].function;

		if (x->items.v[i].how != PD_STORED_FIRST || came_before(x, i) ||
		    stored_in(x, function, PD_STORED_TRIED) || makes_the_file(x, function))
			continue;
		if (!n++)
			*first = function;
	}
	return n;
}

static void put_functions(FILE *to, const struct pd_exercise *x)
{
	const char *first = NULL;
	uint32_t n = functions_left(x, &first);

	if (!n)
		return;
	fprintf(to, "the stores of %s()", first);
	if (n > 1)
		fprintf(to, " and %" PRIu32 " more function%s", n - 1, pd_words_plural(n - 1));
}

/* ---- the list ------------------------------------------------------------------------------- */

static void put_item(FILE *to, const char *item)
{
	fprintf(to, "%s%s", ftell(to) ? ", " : "", item);
}

static void put_all(FILE *to, const struct pd_exercise *x)
{
	bool deletes = false;

	for (uint32_t i = 0; i < x->items.n; i++)
		deletes |=
			x->items.v[i].how == PD_STORED_TRIED && is_deletion(x->items.v[i].function);
	if (!x->tried) {
		put_item(to, x->anew ? "writing or deleting (it stored to PM only where it found "
				       "nothing there)"
				     : "writing or deleting (it stored nothing to PM)");
		return;
	}
	put_functions(to, x);
	if (!deletes)
		put_item(to, "deleting");
	if (x->one_crash)
		put_item(to, "a second crash (--crashes 2)");
}

const char *pd_words_not_exercised(struct pd_arena *a, const struct pd_exercise *x)
{
	char *text = NULL;
	size_t n = 0;
	FILE *to = open_memstream(&text, &n);

	if (to)
		put_all(to, x);
	return pd_words_keep(a, to, &text, &n);
}
