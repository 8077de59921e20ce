/* explore.c - findings of explore in words; and the input, for all findings on a path. */
#include "report/words/words.h"
#include <inttypes.h>
#include <string.h>

static void put_where(struct pd_words *w, enum pd_role role)
{
	if (!pd_words_has(w->f, role))
		return;
	fputs(" at ", w->message);
	pd_words_site(w->message, w->f, role, 0);
}

static void put_with(struct pd_words *w)
{
	const char *input = pd_fact_text(&w->f->facts, PD_FACT_INPUT);

	if (input)
		fprintf(w->message, ", with %s", input);
}

static void put_signal(struct pd_words *w)
{
	int sig = (int)pd_fact_number(&w->f->facts, PD_FACT_SIGNAL);
	const char *name = sigabbrev_np(sig);

	if (name)
		fprintf(w->message, "the program is killed by SIG%s", name);
	else
		fprintf(w->message, "the program is killed by signal %d", sig);
	put_where(w, PD_ROLE_FAIL);
}

static void put_abort(struct pd_words *w)
{
	const char *said = pd_fact_text(&w->f->facts, PD_FACT_SAID);

	fputs("the program aborts", w->message);
	put_where(w, PD_ROLE_FAIL);
	if (said)
		fprintf(w->message, " (%s)", said);
}

static void put_check(struct pd_words *w)
{
	const char *condition = pd_fact_text(&w->f->facts, PD_FACT_CONDITION);

	/* The condition is followed by its place. */
	fprintf(w->message, "pd_check() fails: %s", condition ? condition : "");
}

static void put_hang(struct pd_words *w)
{
	uint64_t ms = pd_fact_number(&w->f->facts, PD_FACT_LIMIT_MS);

	fprintf(w->message, "the program has not ended after %" PRIu64 " ms", ms);
	if (pd_words_has(w->f, PD_ROLE_FAIL)) {
		fputs(", when it was", w->message);
		put_where(w, PD_ROLE_FAIL);
	}
}

void pd_words_explore(struct pd_words *w)
{
	static void (*const message[PD_KIND_N])(struct pd_words *) = {
		[PD_KIND_EXPLORE_SIGNAL] = put_signal,
		[PD_KIND_EXPLORE_ABORT] = put_abort,
		[PD_KIND_EXPLORE_CHECK] = put_check,
		[PD_KIND_EXPLORE_HANG] = put_hang,
	};

	if (!message[w->f->kind])
		return;
	message[w->f->kind](w);
	put_with(w);
}

bool pd_words_input(FILE *to, const struct pd_facts *f)
{
	const char *input = pd_fact_text(f, PD_FACT_INPUT);
	const char *dir = pd_fact_text(f, PD_FACT_INPUT_DIR);
	uint64_t paths = pd_fact_number(f, PD_FACT_PATHS);

	if (!input)
		return false;
	fputs(input, to);
	if (dir)
		fprintf(to, " (%s)", dir);
	if (paths > 1)
		fprintf(to, "; %" PRIu64 " paths have it", paths);
	return true;
}
