/*
 * hint.c - what to do about an incomplete run. See words.h.
 *
 * Hints follow from statistics: many recoveries for few crash points mean that recovery reads much
 * that may or may not be durable, and each combination is a separate state.
 */
#include "report/report.h"
#include "report/words/words.h"
#include <inttypes.h>
#include <string.h>

enum { EXPLODES = 20 }; /* recoveries per crash point */

static int64_t figure(const struct pd_result *r, const char *name)
{
	const struct pd_stat *s = pd_result_stat(r, name);

	return s && s->type == PD_STAT_INT ? s->i : 0;
}

static const char *text(const struct pd_result *r, const char *name)
{
	const struct pd_stat *s = pd_result_stat(r, name);

	return s && s->type == PD_STAT_TEXT ? s->text : NULL;
}

/* The whole of main is no checksum: mark its loop, or make that a function. */
static void put_checksum(FILE *to, const char *function)
{
	if (strcmp(function, "main") == 0)
		fputs("If that is a checksum, move it into a function and name that with "
		      "--checksum, or mark it with pd_checksum_begin() and pd_checksum_end()",
		      to);
	else
		fprintf(to, "If that function validates a checksum over it, use --checksum %s",
			function);
}

static bool put_explosion(FILE *to, const struct pd_result *r)
{
	int64_t points = figure(r, "crash_points"), runs = figure(r, "executions");
	const char *function = text(r, "most_states_function"), *file = text(r, "most_states_file");
	struct pd_frame at = {.file = file, .line = (uint32_t)figure(r, "most_states_line")};

	/* With a checksum, each content that the data ever had is a state: there are no others. */
	if (strcmp(r->verb, "check") != 0 || runs < EXPLODES * PD_MAX(points, 1) ||
	    figure(r, "most_states_checksum"))
		return false;
	fprintf(to, "%" PRId64 " recoveries at %" PRId64 " crash point%s: ", runs, points,
		pd_words_plural((uint64_t)points));
	if (function && file) {
		fprintf(to, "most states come from what %s() reads at ", function);
		pd_words_frame(to, &at);
		fputs(", which may or may not be durable. ", to);
		put_checksum(to, function);
	} else {
		fputs("recovery reads much that may or may not be durable. If a function validates "
		      "a checksum over it, use --checksum FUNCTION",
		      to);
	}
	fputs(" (--ambiguous lists the reads); or sample with --random N", to);
	return true;
}

/* How to continue; a complete command if possible. */
static bool put_resume(FILE *to, const struct pd_result *r, bool after)
{
	bool check = figure(r, "resumable"), explore = figure(r, "paths_pending");

	if (!r->out || !(check || explore))
		return false;
	fprintf(to, "%s%s--resume %s%s continues where this run stopped", after ? "; " : "",
		check ? "'perdure check " : "", r->out, check ? "'" : "");
	return true;
}

bool pd_words_hint(FILE *to, const struct pd_result *r)
{
	bool explodes;

	if (r->complete || r->failure)
		return false;
	explodes = put_explosion(to, r);
	return put_resume(to, r, explodes) || explodes;
}
