/* lint.c - findings of lint in words. See words.h. */
#include "report/words/words.h"

static void unlogged(struct pd_words *w)
{
	const struct pd_facts *facts = &w->f->facts;
	bool one = pd_fact_number(facts, PD_FACT_SIZE) == 1;

	pd_words_bytes(w->message, facts);
	fprintf(w->message, " %s changed at ", one ? "is" : "are");
	pd_words_site(w->message, w->f, PD_ROLE_STORE, 0);
	fputs(" in the transaction of ", w->message);
	pd_words_site(w->message, w->f, PD_ROLE_TX, 0);
	fprintf(w->message, ", which has not logged %s", one ? "it" : "them");
	if (pd_fact_number(facts, PD_FACT_UNFLUSHED))
		fprintf(w->message, "; %s never flushed either", one ? "it is" : "they are");
}

static void open_tx(struct pd_words *w)
{
	fputs("the transaction of ", w->message);
	pd_words_site(w->message, w->f, PD_ROLE_TX, 0);
	fputs(" is never ended", w->message);
}

static void put_fix(struct pd_words *w)
{
	const struct pd_facts *facts = &w->f->facts;

	switch ((int)pd_fact_word(facts, PD_FACT_FIX)) { /* an int: there are many others */
	case PD_WORD_FIX_LOG:
		fputs("log the range before ", w->fix);
		pd_words_site(w->fix, w->f, PD_ROLE_STORE, 0);
		/* libpmemobj's commit; one that does not is reported as a missing flush then */
		if (pd_fact_number(facts, PD_FACT_UNFLUSHED))
			fputs("; then the commit flushes it, too", w->fix);
		break;
	case PD_WORD_FIX_END_TX:
		fputs("end it on every path", w->fix);
		break;
	}
}

void pd_words_lint(struct pd_words *w)
{
	switch ((int)w->f->kind) { /* an int: only those of lint come here */
	case PD_KIND_LINT_UNLOGGED:
		unlogged(w);
		break;
	case PD_KIND_LINT_OPEN_TX:
		open_tx(w);
		break;
	}
	put_fix(w);
}
