/*
 * linear.c - operations of a structure that a crash has undone, in words. See words.h.
 *
 * Failing recoveries are worded as in crash.c; this is about operations.
 */
#include "report/words/words.h"

enum pd_kind pd_words_crash_kind(enum pd_kind kind)
{
	switch ((int)kind) { /* an int: handles few of many */
	case PD_KIND_LINEAR_SIGNAL:
		return PD_KIND_CRASH_SIGNAL;
	case PD_KIND_LINEAR_ABORT:
		return PD_KIND_CRASH_ABORT;
	case PD_KIND_LINEAR_EXIT:
		return PD_KIND_CRASH_EXIT;
	case PD_KIND_LINEAR_HANG:
		return PD_KIND_CRASH_HANG;
	case PD_KIND_LINEAR_DEADLOCK:
		return PD_KIND_CRASH_DEADLOCK;
	case PD_KIND_LINEAR_CHECK:
		return PD_KIND_CRASH_CHECK;
	default:
		return kind;
	}
}

/* If no single operation accounts for it, only that can be said. */
static void put_lost(FILE *to, const char *op, const char *response, const char *what)
{
	if (op)
		fprintf(to, "%s returned, but %s (%s)", op, what, response);
	else
		fprintf(to, "no order of the operations explains %s", response);
}

bool pd_words_history(FILE *to, enum pd_kind kind, const struct pd_facts *f)
{
	const char *op = pd_fact_text(f, PD_FACT_OPERATION);
	const char *response = pd_fact_text(f, PD_FACT_UNEXPLAINED);
	bool in_part = pd_fact_number(f, PD_FACT_OPERATION_IN_PART);

	if (!response)
		response = "";
	switch ((int)kind) { /* an int: handles few of many */
	case PD_KIND_LINEAR_ORDER:
		fprintf(to, "no order of the operations explains %s", response);
		return true;
	case PD_KIND_LINEAR_LOST:
		put_lost(to, op, response,
			 in_part ? "only part of it is durable" : "its effect is gone");
		return true;
	case PD_KIND_LINEAR_VOLATILE:
		put_lost(to, op, response,
			 in_part ? "only part of it is there after a restart"
				 : "its effect is gone after a restart");
		return true;
	case PD_KIND_LINEAR_PARTIAL:
		fprintf(to, "%s leaves the structure inconsistent (%s)",
			op ? op : "an interrupted operation", response);
		return true;
	case PD_KIND_LINEAR_VISIBLE:
		fprintf(to, "%s used what another operation had written, and that is gone (%s)",
			op ? op : "an operation", response);
		return true;
	default:
		return false;
	}
}

char *pd_words_minimised(const struct pd_facts *f)
{
	uint64_t left = pd_fact_number(f, PD_FACT_OPERATIONS_LEFT);
	uint64_t all = pd_fact_number(f, PD_FACT_OPERATIONS);
	char *text = NULL;
	size_t n;
	FILE *to = all ? open_memstream(&text, &n) : NULL;

	if (!to)
		return NULL;
	fprintf(to, "minimised: %lu of the %lu operations %s enough", (unsigned long)left,
		(unsigned long)all, left == 1 ? "is" : "are");
	if (pd_fact_number(f, PD_FACT_MINIMISING_CUT))
		fputs("; out of time: fewer may be", to);
	return fclose(to) == 0 ? text : NULL;
}

void pd_words_points(FILE *to, uint32_t points, uint32_t stores, uint32_t fresh)
{
	fprintf(to, "likely linearization points: %u of %u stores; %u others are to new memory\n",
		points, stores, fresh);
}

void pd_words_point(FILE *to, const struct pd_frame *at, enum pd_point_reason why, uint32_t times)
{
	static const char *const reason[] = {[PD_POINT_ATOMIC] = "an atomic instruction",
					     [PD_POINT_GUARDED] = "a branch depends on reading it",
					     [PD_POINT_GIVEN] = "given",
					     [PD_POINT_ALL] = "all stores are"};

	fprintf(to, "  %s:%u in %s: %s, %u time%s\n", at->file ? at->file : "?", at->line,
		at->function ? at->function : "?", reason[why], times, times == 1 ? "" : "s");
}

static void write_file(void *ctx, const char *s, size_t n)
{
	fwrite(s, 1, n, ctx);
}

void pd_words_draw(FILE *to, const struct pd_diagram *d)
{
	pd_diagram_draw(d, &(struct pd_out){write_file, to});
}

char *pd_words_diagram(const struct pd_facts *f)
{
	struct pd_diagram d;
	char *text = NULL;
	size_t n;
	FILE *to = pd_diagram_of_facts(&d, f) ? open_memstream(&text, &n) : NULL;

	if (!to)
		return NULL;
	pd_words_draw(to, &d);
	return fclose(to) == 0 ? text : NULL;
}

static void put_order(struct pd_words *w)
{
	pd_words_history(w->message, w->f->kind, &w->f->facts);
	fputs(", even without a crash: the structure violates its specification, or the driver or "
	      "program reports its operations wrongly",
	      w->message);
	fputs("compare the driver, or what the program announces, with the specification; then "
	      "look for the operations that overlap in the history",
	      w->fix);
}

static void put_visible(struct pd_words *w)
{
	pd_words_crash_message(w);
	fputs("make what ", w->fix);
	pd_words_site(w->fix, w->f, PD_ROLE_STORE, 0);
	fputs(" stores durable before another thread can read it", w->fix);
	if (pd_fact_get(&w->f->facts, PD_FACT_READER, 0))
		pd_words_reader(w);
	else
		fputs(", or let readers flush and fence it before they return", w->fix);
}

static void put_volatile(struct pd_words *w)
{
	pd_words_history(w->message, w->f->kind, &w->f->facts);
	fputs(", although every store was durable: it was kept in ordinary memory", w->message);
	if (pd_words_has(w->f, PD_ROLE_FAIL)) {
		fputs(", which ", w->message);
		pd_words_site(w->message, w->f, PD_ROLE_FAIL, 0);
		fputs(" read", w->message);
	}
	fputs(", or closing or recovery dropped it", w->message);
	fputs("keep it in PM, or rebuild it from PM when the structure is opened", w->fix);
}

void pd_words_linear(struct pd_words *w)
{
	if (w->f->kind == PD_KIND_LINEAR_ORDER)
		put_order(w);
	else if (w->f->kind == PD_KIND_LINEAR_VOLATILE)
		put_volatile(w);
	else if (w->f->kind == PD_KIND_LINEAR_VISIBLE && pd_words_has(w->f, PD_ROLE_STORE))
		put_visible(w);
	else
		pd_words_crash(w);
}
