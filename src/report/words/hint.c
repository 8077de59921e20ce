/*
 * hint.c - what to do about a run that did not get to its end. See words.h.
 *
 * Made of figures: many recoveries for few crash points mean that recovery reads much that may or may not be
 * durable, and each combination is a state of its own.
 */
#include "report/report.h"
#include "report/words/words.h"
#include <inttypes.h>
#include <string.h>

enum { EXPLODES = 100 }; /* recoveries a crash point */

static int64_t figure(const struct pd_result *r, const char *name)
{
	const struct pd_stat *s = pd_result_stat(r, name);

	return s && s->type == PD_STAT_INT ? s->i : 0;
}

static bool put_explosion(FILE *to, const struct pd_result *r)
{
	int64_t points = figure(r, "crash_points"), runs = figure(r, "executions");

	if (strcmp(r->verb, "check") != 0 || runs < EXPLODES * PD_MAX(points, 1))
		return false;
	fprintf(to,
		"%" PRId64 " recoveries at %" PRId64
		" crash point%s: recovery reads much that may or may not be durable. If a function "
		"validates it by a checksum, name that: --checksum FUNCTION (--ambiguous lists "
		"what "
		"is read). --random N samples",
		runs, points, pd_words_plural((uint64_t)points));
	return true;
}

bool pd_words_hint(FILE *to, const struct pd_result *r)
{
	if (r->complete || r->failure)
		return false;
	if (put_explosion(to, r))
		return true;
	if (strcmp(r->verb, "explore") == 0 && figure(r, "paths_pending") && r->out) {
		fprintf(to, "--resume %s goes on where this run stopped", r->out);
		return true;
	}
	return false;
}
