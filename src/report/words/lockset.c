/* lockset.c - races in words. See words.h. */
#include "report/words/words.h"
#include <inttypes.h>

static uint64_t number(const struct pd_words *w, enum pd_fact_key key)
{
	return pd_fact_number(&w->f->facts, key);
}

/* ---- what came of it ------------------------------------------------------------------------ */

static void put_never_met(struct pd_words *w, uint64_t schedules)
{
	uint64_t close = number(w, PD_FACT_CLOSE);

	fprintf(w->message,
		"in %" PRIu64 " schedules the load never fell between the store and its persist: ",
		schedules);
	if (!close)
		fputs("the threads could not meet", w->message);
	else if (close == schedules)
		fputs("it came before or after each time", w->message);
	else
		fprintf(w->message,
			"in %" PRIu64
			" it came before or after, in the others the threads could not meet",
			close);
}

static void put_potential(struct pd_words *w)
{
	uint64_t schedules = number(w, PD_FACT_SCHEDULES);

	fputs("potential (", w->message);
	switch ((int)number(w, PD_FACT_VERDICT_WHY)) { /* an int: see the fact's set */
	case PD_WORD_WHY_NOT_INSTRUMENTED:
		fputs("the load is not in instrumented code", w->message);
		break;
	case PD_WORD_WHY_NEVER_MET:
		put_never_met(w, schedules);
		break;
	default:
		fprintf(w->message,
			"in %" PRIu64 " of %" PRIu64
			" schedules the load came before the persist, but nothing that the reader "
			"stored then was durable before the store",
			number(w, PD_FACT_MET), schedules);
	}
	fputs("): ", w->message);
}

static void put_not_tried(struct pd_words *w)
{
	fputs("not tried (", w->message);
	switch ((int)number(w, PD_FACT_VERDICT_WHY)) { /* an int: see the fact's set */
	case PD_WORD_WHY_LIBRARY:
		fputs("the store is inside a library", w->message);
		break;
	case PD_WORD_WHY_TIME_LIMIT:
		fputs("out of time; raise --time-limit", w->message);
		break;
	default:
		fputs("out of time; raise --confirm", w->message);
	}
	fputs("): ", w->message);
}

static void put_verdict(struct pd_words *w)
{
	switch ((int)number(w, PD_FACT_VERDICT)) { /* an int: none if nothing was tried */
	case PD_WORD_VERDICT_FAILED:
		fputs("failed: recovery fails without the store: ", w->message);
		break;
	case PD_WORD_VERDICT_NOT_REPLAYED:
		fputs("observed: recovery failed without the store, but not when replayed: ",
		      w->message);
		break;
	case PD_WORD_VERDICT_FAILS_ANYWAY:
		fputs("observed: recovery fails with and without the store: ", w->message);
		break;
	case PD_WORD_VERDICT_ANOTHER:
		fputs("observed: recovery fails because another store was lost with it: ",
		      w->message);
		break;
	case PD_WORD_VERDICT_OBSERVED:
		fputs("observed: effect without cause: ", w->message);
		break;
	case PD_WORD_VERDICT_TOLERATED:
		fputs("observed: effect without cause, which recovery tolerates: ", w->message);
		break;
	case PD_WORD_VERDICT_UNREAD:
		fputs("observed: recovery without the store never reads what it stores: ",
		      w->message);
		break;
	case PD_WORD_VERDICT_HELPED:
		fputs("observed: the reader made it durable itself each time, before it acted: ",
		      w->message);
		break;
	case PD_WORD_VERDICT_POTENTIAL:
		put_potential(w);
		break;
	case PD_WORD_VERDICT_NOT_TRIED:
		put_not_tried(w);
		break;
	}
}

/* ---- the race ------------------------------------------------------------------------------- */

static const char *locks(enum pd_word why)
{
	switch ((int)why) { /* an int: see the fact's set */
	case PD_WORD_LOCKS_RELEASED:
		return "the lock that both hold is released before that";
	case PD_WORD_LOCKS_SHARED:
		return "both hold their lock for reading only";
	case PD_WORD_LOCKS_DIFFERENT:
		return "they hold different locks";
	case PD_WORD_LOCKS_NOT_AT_LOAD:
		return "the load does not hold the store's lock";
	case PD_WORD_LOCKS_ONLY_AT_LOAD:
		return "only the load holds a lock";
	case PD_WORD_LOCKS_ONLY_AT_STORE:
		return "only the store holds a lock, and not until it is durable";
	default:
		return "no lock is held";
	}
}

static uint32_t count(const struct pd_words *w, enum pd_role role)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < w->f->nsites; i++)
		n += w->f->sites[i].role == role;
	return n;
}

static void put_others(struct pd_words *w, enum pd_role role)
{
	uint32_t n = count(w, role);

	if (n > 1)
		fprintf(w->message, " and %" PRIu32 " other place%s", n - 1, n == 2 ? "" : "s");
}

static void persistent_race(struct pd_words *w)
{
	fputs("another thread can read, at ", w->message);
	pd_words_site(w->message, w->f, PD_ROLE_LOAD, 0);
	fputs(", what ", w->message);
	pd_words_site(w->message, w->f, PD_ROLE_STORE, 0);
	fputs(" stores ", w->message);
	if (w->f->field)
		fprintf(w->message, "to %s ", w->f->field);
	switch ((int)number(w, PD_FACT_UNTIL)) { /* an int: see the fact's set */
	case PD_WORD_UNTIL_DURABLE:
		fputs("before it is durable (at ", w->message);
		pd_words_site(w->message, w->f, PD_ROLE_FLUSH, 0);
		put_others(w, PD_ROLE_FLUSH);
		fputs(")", w->message);
		break;
	case PD_WORD_UNTIL_OVERWRITTEN:
		fputs("and it is overwritten before it is durable", w->message);
		break;
	default:
		fputs("and nothing makes it durable", w->message);
	}
	fprintf(w->message, ": %s", locks((enum pd_word)number(w, PD_FACT_LOCKS)));
}

static void write_race(struct pd_words *w)
{
	fprintf(w->message, "two threads can store to %s at the same time (",
		w->f->field ? w->f->field : "the same bytes");
	pd_words_site(w->message, w->f, PD_ROLE_STORE, 0);
	fputs(", ", w->message);
	pd_words_site(w->message, w->f, PD_ROLE_STORE, 1);
	fputs("): no lock is common to both", w->message);
}

static void put_loads(struct pd_words *w)
{
	uint32_t n = count(w, PD_ROLE_LOAD);

	if (n > 1)
		fprintf(w->message, "; %" PRIu32 " places read it", n);
}

static void put_fix(struct pd_words *w)
{
	switch ((int)number(w, PD_FACT_FIX)) { /* an int: only fixes of lockset */
	case PD_WORD_FIX_PERSIST_AT_ONCE:
		fputs("flush and fence right after the store, before others can see it", w->fix);
		break;
	case PD_WORD_FIX_PERSIST_IN_LOCK:
		fputs("flush and fence after the store, before its lock is released", w->fix);
		break;
	case PD_WORD_FIX_KEEP_LOCK:
		fputs("keep the lock that both hold until the store is flushed and fenced", w->fix);
		break;
	case PD_WORD_FIX_LOCK_FOR_WRITING:
		fputs("both hold the lock for reading only: take it for writing, until the store "
		      "is flushed and fenced",
		      w->fix);
		break;
	case PD_WORD_FIX_LOCK_LOAD:
		fputs("take the store's lock for the load, too", w->fix);
		break;
	case PD_WORD_FIX_LOCK_STORE:
		fputs("take the load's lock before the store, and keep it until the store is "
		      "flushed and fenced",
		      w->fix);
		break;
	case PD_WORD_FIX_ONE_LOCK:
		fputs("hold one lock over the store, its flush and its fence, and over the load; "
		      "or let the reader flush and fence the line before it acts on what it read",
		      w->fix);
		break;
	case PD_WORD_FIX_LOCK_BOTH:
		fputs("hold one lock over both stores, or make them atomic if their order does "
		      "not matter",
		      w->fix);
		break;
	}
}

void pd_words_lockset(struct pd_words *w)
{
	put_verdict(w);
	if (w->f->kind == PD_KIND_LOCKSET_WRITE)
		write_race(w);
	else
		persistent_race(w);
	put_loads(w);
	put_fix(w);
}
