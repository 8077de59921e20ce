/* steps.c - what led to a failure, one line per step (--explain). See words.h. */
#include "report/words/words.h"
#include <inttypes.h>
#include <stdlib.h>

static void put_place(FILE *to, const struct pd_finding_site *at)
{
	pd_words_frame(to, &at->at);
	if (at->at.file && at->at.function)
		fprintf(to, " in %s", at->at.function);
	if (at->nstack) {
		fputs(", called from ", to);
		pd_words_frame(to, &at->stack[0]);
	}
}

static void put_value(FILE *to, const struct pd_step *s)
{
	fputs(": ", to);
	pd_words_value(to, s->value);
	if (s->size > 8)
		fputs(" ...", to);
}

static const char *store_name(enum pd_event_kind event)
{
	return event == PD_EV_RMW	? "locked store"
	       : event == PD_EV_NTSTORE ? "non-temporal store"
	       : event == PD_EV_STORE	? "store"
					: NULL;
}

static void put_event(FILE *to, const struct pd_step *s)
{
	const char *store = store_name(s->event);

	fputs("  ", to);
	put_place(to, &s->at);
	if (s->thread)
		fprintf(to, " [thread %" PRIu32 "]", s->thread);
	if (s->event == PD_EV_RMW_FAILED) {
		fputs(": compare-and-swap of ", to);
		pd_words_address(to, &s->address);
		fputs(" finds ", to);
		pd_words_value(to, s->value);
	} else if (store) {
		fprintf(to, ": %s of %" PRIu64 " byte%s to ", store, s->size,
			pd_words_plural(s->size));
		pd_words_address(to, &s->address);
		put_value(to, s);
	} else {
		fprintf(to, ": %s", pd_event_info[s->event].name);
		if (s->size) { /* has a line, so it is not a fence */
			fputs(" of ", to);
			pd_words_address(to, &s->address);
		}
	}
}

static void put_read(FILE *to, const struct pd_step *s)
{
	fputs("  ", to);
	put_place(to, &s->at);
	fputs(": reads ", to);
	pd_words_address(to, &s->address);
	put_value(to, s);
	if (!s->n)
		return;
	if (s->sees_newest) {
		fprintf(to, ", the newest of %" PRIu64 " possible values", s->n);
		return;
	}
	if (s->size > 8) {
		fputs(", with ", to);
		pd_words_value(to, s->seen);
		fputs(" in it", to);
	}
	fputs(", not the ", to);
	pd_words_value(to, s->newest);
	fputs(" that ", to);
	pd_words_frame(to, &s->other.at);
	fprintf(to, " stored (one of %" PRIu64 " possible values)", s->n);
}

static void put_passed(FILE *to, const struct pd_step *s)
{
	fprintf(to, "thread %" PRIu32 " loads at ", s->thread);
	put_place(to, &s->at);
	fputs(" while what it stored before, at ", to);
	put_place(to, &s->other);
	fprintf(to, ", is still in its store buffer: thread %" PRIu32 " does not see it",
		s->other_thread);
}

static void put_line(FILE *to, const struct pd_step *s)
{
	fprintf(to, "the %s at ", s->page ? "page" : "cache line");
	pd_words_address(to, &s->address);
	fprintf(to, ", %s:", s->recovery ? "in the recovery that crashed" : "before the crash");
}

static void put_crash(FILE *to, const struct pd_step *s)
{
	if (s->at_exit) {
		fputs("power fails after the program has ended", to);
		return;
	}
	if (s->event == PD_EV_MARK) {
		fputs("power fails right after an operation returned", to);
		return;
	}
	fputs(s->after_store ? "power fails right after the store at " : "power fails before ", to);
	put_place(to, &s->at);
}

static void put_end(FILE *to, const struct pd_step *s)
{
	pd_words_end(to, s->kind, &s->end);
	if (s->at.at.file || s->at.at.function) {
		fputs(" at ", to);
		put_place(to, &s->at);
	}
}

static void put_tried(FILE *to, const struct pd_step *s)
{
	fputs("tried: with the store at ", to);
	pd_words_frame(to, &s->at.at);
	fprintf(to, " durable and all else unchanged, recovery %s",
		s->well ? "succeeds" : "fails differently");
}

void pd_words_step(FILE *to, const struct pd_step *s)
{
	switch (s->what) {
	case PD_STEP_LINE:
		put_line(to, s);
		break;
	case PD_STEP_LAST:
		fputs("nothing was lost: every store before the crash is durable. The last events "
		      "on what recovery reads:",
		      to);
		break;
	case PD_STEP_LEFT_OUT:
		fputs(s->recovery ? "  (earlier reads omitted, except those with more than one "
				    "possible value)"
				  : "  (earlier ones omitted)",
		      to);
		break;
	case PD_STEP_EVENT:
		put_event(to, s);
		break;
	case PD_STEP_LATE:
		fputs("  -- crash; what would have followed:", to);
		break;
	case PD_STEP_PASSED:
		put_passed(to, s);
		break;
	case PD_STEP_CRASH:
		put_crash(to, s);
		break;
	case PD_STEP_RECOVERY:
		fputs("recovery:", to);
		break;
	case PD_STEP_READ:
		put_read(to, s);
		break;
	case PD_STEP_TIMES:
		fprintf(to, "  (%" PRIu64 " times)", s->n);
		break;
	case PD_STEP_END:
		put_end(to, s);
		break;
	case PD_STEP_TRIED:
		put_tried(to, s);
		break;
	case PD_STEP_TRIED_ALL:
		fputs("tried: with every store durable, recovery still fails like this", to);
		break;
	}
}

const char *pd_words_steps(struct pd_arena *a, const struct pd_steps *steps)
{
	char *text = NULL;
	size_t n = 0;
	FILE *to = steps->n ? open_memstream(&text, &n) : NULL;

	for (uint32_t i = 0; to && i < steps->n; i++) {
		if (steps->v[i].aside)
			continue;
		pd_words_step(to, &steps->v[i]);
		fputc('\n', to);
	}
	return pd_words_keep(a, to, &text, &n);
}

/* ---- a replay under a debugger -------------------------------------------------------------- */

const char *pd_words_stop(enum pd_stop where)
{
	switch (where) {
	case PD_STOP_CRASH:
		return "perdure: power fails here; what follows is not executed. 'quit' continues "
		       "with recovery.";
	case PD_STOP_LOAD:
		return "perdure: this read of recovery does not see the newest value. 'continue' "
		       "runs to the failure.";
	case PD_STOP_START:
		return "perdure: this crash lost nothing; recovery begins. 'continue' runs to the "
		       "failure.";
	case PD_STOP_NOWHERE:
	default:
		return "perdure: stopped.";
	}
}
