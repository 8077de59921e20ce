/* fix.c - patches in words: what was changed, why nothing was, and whether it helped. See
 * words.h. */
#include "report/words/words.h"
#include "report/result.h"
#include <inttypes.h>

static const char *const reasons[PD_NO_REMEDY_N] = {
	[PD_NO_REMEDY_KIND] =
		"findings of this kind need more than a flush, a fence or an atomic store",
	[PD_NO_REMEDY_LOGIC] = "several stores must become one atomic update, which is a design "
			       "decision",
	[PD_NO_REMEDY_LAYOUT] =
		"the layout of the data must change, and with it that of existing files",
	[PD_NO_REMEDY_LOCK] = "a lock must be taken or held longer; an earlier flush is not enough",
	[PD_NO_REMEDY_BLOCK] = "more than one word is stored, which no atomic store can do",
	[PD_NO_REMEDY_BITFIELD] = "a bit-field cannot be stored atomically",
	[PD_NO_REMEDY_AT_TIMES] = "it is needed at other times",
	[PD_NO_REMEDY_OTHER_THREAD] = "another thread makes it durable, and must do so earlier",
	[PD_NO_REMEDY_WHAT_IS_MEANT] =
		"the flush may be meant for something else, and only you know "
		"what",
	[PD_NO_REMEDY_UNSURE] = "a change there may or may not help; perdure tries it with --build",
	[PD_NO_REMEDY_TOO_MANY] = "too many places would change",
	[PD_NO_REMEDY_LIBRARY] = "the place is inside a library",
	[PD_NO_REMEDY_NO_PLACE] = "the source line is not known; build with -g",
	[PD_NO_REMEDY_NO_SOURCE] = "the source cannot be read",
	[PD_NO_REMEDY_CHANGED] = "the source changed after the program was built or run; rebuild "
				 "it, run perdure again, and use the new id",
	[PD_NO_REMEDY_NOT_FOUND] = "perdure recognises no store or call there",
	[PD_NO_REMEDY_DIRECTIVE] = "the place is in a macro definition",
	[PD_NO_REMEDY_MACRO] = "a macro makes the store, and perdure cannot tell which of its "
			       "arguments is stored to",
	[PD_NO_REMEDY_CONDITION] = "the store is part of a condition",
	[PD_NO_REMEDY_HEADER] = "the store is in the header of a loop",
	[PD_NO_REMEDY_RETURN] = "the store is in a return statement",
	[PD_NO_REMEDY_INITIALISER] = "the store is made by an initialiser",
	[PD_NO_REMEDY_DIRECTIVES] = "a preprocessor directive divides the statement",
	[PD_NO_REMEDY_STATEMENT] = "the statement is too complex for perdure to change",
	[PD_NO_REMEDY_EFFECTS] = "the expression that is stored to cannot be evaluated twice",
	[PD_NO_REMEDY_NEEDED] = "the call also does what is needed",
	[PD_NO_REMEDY_NOT_ALONE] = "the call is not a statement on a line of its own",
	[PD_NO_REMEDY_MOVE] =
		"the store that makes recovery trust it comes first, so the two must change "
		"places",
	[PD_NO_REMEDY_TOGETHER] =
		"recovery can see an earlier store without this one; they must change places, or "
		"become one atomic update",
	[PD_NO_REMEDY_NO_POOL] = "that function has no pool handle to call pmemobj_persist() with",
	[PD_NO_REMEDY_GENERATED] = "the source is generated; change what it is made from",
};

void pd_words_no_patch(FILE *to, const struct pd_finding *f, enum pd_no_remedy no,
		       const struct pd_frame *at)
{
	fputs("no patch: ", to);
	if (at && at->file) {
		pd_words_frame(to, at);
		fputs(": ", to);
	}
	fputs(reasons[no] ? reasons[no] : "not known", to);
	if (f->fix && *f->fix)
		fprintf(to, "\nwhat to do: %s", f->fix);
	fputc('\n', to);
}

void pd_words_patched(FILE *to, enum pd_remedy_what what, const struct pd_frame *at,
		      const char *put, bool fences)
{
	pd_words_frame(to, at);
	switch (what) {
	case PD_REMEDY_REMOVE:
		fprintf(to, ": removes '%s'", put);
		if (fences)
			fputs(", which also fences; make sure that nothing relies on that fence",
			      to);
		break;
	case PD_REMEDY_ATOMIC:
		fprintf(to, ": makes the store atomic: '%s'", put);
		break;
	case PD_REMEDY_PERSIST_READ:
		fprintf(to, ": makes what it reads durable before using it: '%s'", put);
		break;
	case PD_REMEDY_MOVE:
		fprintf(to, ": moves '%s' behind it", put);
		break;
	case PD_REMEDY_LOG:
		fprintf(to, ": logs the range before the store: '%s'", put);
		break;
	case PD_REMEDY_PERSIST:
	case PD_REMEDY_SYNC:
	case PD_REMEDY_FENCE:
	case PD_REMEDY_FENCE_FLUSH:
	case PD_REMEDY_FULL_FENCE:
	case PD_REMEDY_N:
		fprintf(to, ": adds '%s'", put);
	}
	fputc('\n', to);
}

static void put_new(FILE *to, const struct pd_finding *f)
{
	fprintf(to, "  new: %s %s\n", pd_kind_info[f->kind].name,
		f->message ? f->message : pd_kind_info[f->kind].doc);
}

void pd_words_new(FILE *to, const struct pd_finding *const *v, uint32_t n)
{
	enum { LISTED = 5 };

	for (uint32_t i = 0; i < PD_MIN(n, (uint32_t)LISTED); i++)
		put_new(to, v[i]);
	if (n > LISTED)
		fprintf(to, "  and %" PRIu32 " more\n", n - LISTED);
}

/* What the second run did not cover. */
static void put_limits(FILE *to, const struct pd_result *r)
{
	for (uint32_t i = 0; i < r->limits.n; i++)
		fprintf(to, "%s%s", i ? "; " : ": ", r->limits.v[i]);
	for (uint32_t i = 0; i < r->losses.n; i++)
		fprintf(to, "%s%s", i || r->limits.n ? "; " : ": ", r->losses.v[i].name);
	fputc('\n', to);
}

void pd_words_verdict(FILE *to, enum pd_fix_verdict what, const struct pd_result *after)
{
	switch (what) {
	case PD_FIX_VERIFIED:
	case PD_FIX_VERIFIED_BUT:
		fputs("verified: the failure is gone, and ", to);
		fputs(what == PD_FIX_VERIFIED ? "nothing new"
					      : "nothing new decides the exit status",
		      to);
		fprintf(to, "%s%s%s\n", after->scope ? " (" : "", after->scope ? after->scope : "",
			after->scope ? ")" : "");
		break;
	case PD_FIX_STILL:
		fputs("not verified: the failure is still there with the patch\n", to);
		break;
	case PD_FIX_NOT_BUILT:
		fputs("not verified: the build command did not change the program in the copy of "
		      "the sources; is it the right command, and does it build where it is run?\n",
		      to);
		break;
	case PD_FIX_NEW:
		fputs("not verified: the failure is gone, but this is new:\n", to);
		break;
	case PD_FIX_INCOMPLETE:
		fputs("not verified: the failure was not found again, but the run is incomplete",
		      to);
		put_limits(to, after);
	}
}
