/* lint.c - findings of lint in words. See words.h. */
#include "report/words/words.h"
#include <inttypes.h>

enum { CALLERS_NAMED = 4 };

static uint64_t number(const struct pd_words *w, enum pd_fact_key key)
{
	return pd_fact_number(&w->f->facts, key);
}

static bool is_one_byte(const struct pd_words *w)
{
	return number(w, PD_FACT_SIZE) == 1;
}

static void put_site(const struct pd_words *w, FILE *to, enum pd_role role)
{
	pd_words_site(to, w->f, role, 0);
}

/* ---- what never becomes durable ------------------------------------------------------------- */

static void put_when(struct pd_words *w)
{
	switch ((int)number(w, PD_FACT_WHEN)) { /* an int: see the fact's set */
	case PD_WORD_AT_UNMAP:
		fputs(" before the file is unmapped", w->message);
		break;
	case PD_WORD_AT_POINT:
		fputs(", but ", w->message);
		put_site(w, w->message, PD_ROLE_CHECK);
		fputs(" declares them durable", w->message);
		break;
	}
}

static void put_stored(struct pd_words *w)
{
	pd_words_bytes(w->message, &w->f->facts);
	fputs(", stored at ", w->message);
	put_site(w, w->message, PD_ROLE_STORE);
	fprintf(w->message, ", %s ", is_one_byte(w) ? "is" : "are");
}

static void missing_flush(struct pd_words *w)
{
	put_stored(w);
	fprintf(w->message, "never %s", number(w, PD_FACT_PAGE) ? "synced" : "flushed");
	put_when(w);
}

static void missing_fence(struct pd_words *w)
{
	if (pd_words_has(w->f, PD_ROLE_FLUSH)) {
		put_stored(w);
		fputs("flushed at ", w->message);
		put_site(w, w->message, PD_ROLE_FLUSH);
	} else {
		pd_words_bytes(w->message, &w->f->facts);
		fprintf(w->message, " %s stored non-temporally at ", is_one_byte(w) ? "is" : "are");
		put_site(w, w->message, PD_ROLE_STORE);
	}
	fputs(", but the thread never fences afterwards", w->message);
	put_when(w);
}

static void transient(struct pd_words *w)
{
	put_stored(w);
	fprintf(w->message, "never flushed, and look%s like %s", is_one_byte(w) ? "s" : "",
		number(w, PD_FACT_LOOKS_LIKE) == PD_WORD_LIKE_LOCK
			? "a lock: changed by locked instructions, and 0 at the end"
			: "scratch data: never read before it was written in this run");
}

static void overwritten(struct pd_words *w)
{
	pd_words_address(w->message, pd_fact_get(&w->f->facts, PD_FACT_ADDRESS, 0));
	fputs(" is flushed at ", w->message);
	put_site(w, w->message, PD_ROLE_FLUSH);
	fputs(" and stored to again at ", w->message);
	put_site(w, w->message, PD_ROLE_STORE);
	fputs(" before the fence at ", w->message);
	put_site(w, w->message, PD_ROLE_BEFORE);
	fputs(", so neither value is sure to be durable", w->message);
}

/* ---- transactions --------------------------------------------------------------------------- */

static void unlogged(struct pd_words *w)
{
	bool one = is_one_byte(w);

	pd_words_bytes(w->message, &w->f->facts);
	fprintf(w->message, " %s changed at ", one ? "is" : "are");
	put_site(w, w->message, PD_ROLE_STORE);
	fputs(" in the transaction begun at ", w->message);
	put_site(w, w->message, PD_ROLE_TX);
	fprintf(w->message, ", which has not logged %s", one ? "it" : "them");
	if (number(w, PD_FACT_UNFLUSHED))
		fprintf(w->message, "; %s never flushed either", one ? "it is" : "they are");
}

static void redundant_log(struct pd_words *w)
{
	pd_words_bytes(w->message, &w->f->facts);
	fprintf(w->message, " %s logged again at ", is_one_byte(w) ? "is" : "are");
	put_site(w, w->message, PD_ROLE_LOG);
	fputs(": this transaction has already logged that", w->message);
}

static void open_tx(struct pd_words *w)
{
	fputs("the transaction begun at ", w->message);
	put_site(w, w->message, PD_ROLE_TX);
	fputs(" never ends", w->message);
}

/* ---- needless work -------------------------------------------------------------------------- */

static bool is_flush(const struct pd_words *w)
{
	return pd_words_has(w->f, PD_ROLE_FLUSH);
}

/* The reasons, most frequent first. */
static void put_reasons(struct pd_words *w)
{
	static const struct {
		enum pd_fact_key key;
		const char *words;
	} why[] = {
		{PD_FACT_PENDING, "the line is already flushed and waits for a fence"},
		{PD_FACT_CLEAN, "nothing has changed since the line was made durable"},
		{PD_FACT_NEVER, "nothing was ever stored to the line"},
	};
	const char *sep = ":";
	bool said[PD_LEN(why)] = {false};

	for (size_t k = 0; k < PD_LEN(why); k++) {
		size_t most = PD_LEN(why);

		for (size_t i = 0; i < PD_LEN(why); i++)
			if (!said[i] && number(w, why[i].key) &&
			    (most == PD_LEN(why) ||
			     number(w, why[i].key) > number(w, why[most].key)))
				most = i;
		if (most == PD_LEN(why))
			return;
		said[most] = true;
		fprintf(w->message, "%s %s", sep, why[most].words);
		sep = ", or";
	}
}

static void put_why(struct pd_words *w)
{
	const char *model = pd_fact_text(&w->f->facts, PD_FACT_MODEL);

	if (!is_flush(w))
		fputs(": no flush or non-temporal store since the thread's last fence", w->message);
	else if (model)
		fprintf(w->message, ": flushes do nothing under --model %s", model);
	else
		put_reasons(w);
}

static void put_named_callers(struct pd_words *w)
{
	const struct pd_facts *facts = &w->f->facts;
	uint64_t affected = number(w, PD_FACT_NAFFECTED);

	for (uint32_t i = 0; i < PD_MIN(affected, CALLERS_NAMED); i++) {
		const struct pd_fact *site = pd_fact_get(facts, PD_FACT_CALLER_SITE, i);
		const struct pd_fact *needless = pd_fact_get(facts, PD_FACT_CALLER_NEEDLESS, i);
		const struct pd_fact *times = pd_fact_get(facts, PD_FACT_CALLER_TIMES, i);

		if (!site || !needless || !times || site->number >= w->f->nsites)
			continue;
		fputs(i ? ", " : " ", w->message);
		pd_words_frame(w->message, &w->f->sites[site->number].at);
		fprintf(w->message, " (%" PRIu64 " of %" PRIu64 ")", needless->number,
			times->number);
	}
	if (affected > CALLERS_NAMED)
		fprintf(w->message, ", and %" PRIu64 " more", affected - CALLERS_NAMED);
}

static void put_callers(struct pd_words *w)
{
	if (number(w, PD_FACT_CALLED) == PD_WORD_CALLED_SOME)
		fprintf(w->message,
			", for %" PRIu64 " of %" PRIu64 " callers:", number(w, PD_FACT_NAFFECTED),
			number(w, PD_FACT_NCALLERS));
	else
		fprintf(w->message, ", for all %" PRIu64 " callers:", number(w, PD_FACT_NCALLERS));
	put_named_callers(w);
}

static void extra(struct pd_words *w)
{
	uint64_t needless = number(w, PD_FACT_NEEDLESS);
	bool joined = number(w, PD_FACT_NAFFECTED);

	fprintf(w->message, "%" PRIu64 " of %" PRIu64 " %s at ", needless, number(w, PD_FACT_TIMES),
		is_flush(w) ? "flushes" : "fences");
	put_site(w, w->message, is_flush(w) ? PD_ROLE_FLUSH : PD_ROLE_FENCE);
	fprintf(w->message, " %s nothing to %s", needless == 1 && !joined ? "has" : "have",
		is_flush(w) ? "write back" : "wait for");
	if (joined)
		put_callers(w);
	else
		put_why(w);
	if (number(w, PD_FACT_FOR_OTHERS))
		fputs("; it also flushes lines that other threads store to, so it must stay",
		      w->message);
}

static void flush_volatile(struct pd_words *w)
{
	uint64_t n = number(w, PD_FACT_NEEDLESS);

	put_site(w, w->message, PD_ROLE_FLUSH);
	fprintf(w->message, " flushes memory that is not persistent, %" PRIu64 " time%s", n,
		n == 1 ? "" : "s");
}

static const struct pd_frame *caller_at_fault(const struct pd_words *w)
{
	uint64_t depth = number(w, PD_FACT_CALLER_DEPTH);

	return depth && w->f->nsites && depth <= w->f->sites[0].nstack
		       ? &w->f->sites[0].stack[depth - 1]
		       : NULL;
}

/* The end of the sentences of all kinds that cost time. */
static void put_cost_and_callers(struct pd_words *w)
{
	const struct pd_frame *caller = caller_at_fault(w);

	pd_words_cost(w->message, &w->f->facts);
	if (number(w, PD_FACT_CALLED) == PD_WORD_CALLED_MOST)
		fprintf(w->message, "; most often for this one of %" PRIu64 " callers",
			number(w, PD_FACT_NCALLERS));
	if (!caller)
		return;
	fputs("; called from ", w->message);
	pd_words_frame(w->message, caller);
	fprintf(w->message, ", while other callers need the %s", is_flush(w) ? "flush" : "fence");
}

/* ---- what to do about it -------------------------------------------------------------------- */

static void fix_missing_flush(struct pd_words *w, enum pd_word fix)
{
	switch ((int)fix) { /* an int: only values of a missing flush */
	case PD_WORD_FIX_LOG_IN_TX:
		fputs("log the range in the transaction begun at ", w->fix);
		put_site(w, w->fix, PD_ROLE_TX);
		fputs(", before ", w->fix);
		put_site(w, w->fix, PD_ROLE_STORE);
		fputs(": the commit flushes what is logged", w->fix);
		break;
	case PD_WORD_FIX_SYNC:
		fputs("msync the page after ", w->fix);
		put_site(w, w->fix, PD_ROLE_STORE);
		fputs(" (MS_SYNC: MS_ASYNC makes nothing durable)", w->fix);
		break;
	case PD_WORD_FIX_REACH:
		fputs("another thread flushes what ", w->fix);
		put_site(w, w->fix, PD_ROLE_STORE);
		fputs(" stores, but missed this: let the flush at ", w->fix);
		put_site(w, w->fix, PD_ROLE_BEFORE);
		fputs(" cover it before that thread stops", w->fix);
		break;
	case PD_WORD_FIX_FLUSH_BEFORE:
		fputs("flush the line after ", w->fix);
		put_site(w, w->fix, PD_ROLE_STORE);
		fputs(", before the fence at ", w->fix);
		put_site(w, w->fix, PD_ROLE_BEFORE);
		break;
	default:
		fputs("flush the line after ", w->fix);
		put_site(w, w->fix, PD_ROLE_STORE);
		fputs(", and fence", w->fix);
	}
	fputs("; if recovery does not need it, mark it with pd_transient()", w->fix);
}

static void fix_missing_fence(struct pd_words *w, enum pd_word fix)
{
	bool flush = fix == PD_WORD_FIX_FENCE_AFTER_FLUSH;

	fprintf(w->fix, "add an sfence after %s", flush ? "the flush at " : "");
	put_site(w, w->fix, flush ? PD_ROLE_FLUSH : PD_ROLE_STORE);
	fputs(", in the same thread", w->fix);
}

static void fix_log(struct pd_words *w)
{
	fputs("log the range before ", w->fix);
	put_site(w, w->fix, PD_ROLE_STORE);
	/* libpmemobj's commit flushes; otherwise it is reported as a missing flush */
	if (number(w, PD_FACT_UNFLUSHED))
		fputs("; then the commit flushes it, too", w->fix);
}

static void fix_extra(struct pd_words *w, enum pd_word fix)
{
	const struct pd_facts *facts = &w->f->facts;
	const struct pd_frame *caller = caller_at_fault(w);
	const struct pd_frame store = {pd_fact_text(facts, PD_FACT_FIX_FUNCTION),
				       pd_fact_text(facts, PD_FACT_FIX_FILE),
				       (uint32_t)number(w, PD_FACT_FIX_LINE), 0};
	const char *what = is_flush(w) ? "flush" : "fence";

	if (fix == PD_WORD_FIX_FLUSH_FIRST) {
		fputs("flush what ", w->fix);
		pd_words_frame(w->fix, &store);
		fputs(" stores before it, so that it has something to wait for; remove it only if "
		      "that need not be durable",
		      w->fix);
	} else if (fix == PD_WORD_FIX_LEAVE_OUT_THERE && caller) {
		fprintf(w->fix, "skip the %s when called from ", what);
		pd_words_frame(w->fix, caller);
		fputs("; other callers need it", w->fix);
	} else if (fix == PD_WORD_FIX_WHEN_NEEDED) {
		fputs(is_flush(w) ? "flush only lines that have changed"
				  : "fence only after a flush",
		      w->fix);
	} else {
		fprintf(w->fix, "remove the %s", what);
	}
}

static void put_fix(struct pd_words *w)
{
	enum pd_word fix = pd_fact_word(&w->f->facts, PD_FACT_FIX);

	switch ((int)w->f->kind) { /* an int: only kinds of lint */
	case PD_KIND_LINT_MISSING_FLUSH:
		fix_missing_flush(w, fix);
		break;
	case PD_KIND_LINT_MISSING_FENCE:
		fix_missing_fence(w, fix);
		break;
	case PD_KIND_LINT_TRANSIENT:
		fputs("keep it in ordinary memory; or, if recovery needs it, flush it after ",
		      w->fix);
		put_site(w, w->fix, PD_ROLE_STORE);
		break;
	case PD_KIND_LINT_OVERWRITTEN:
		fputs("flush again after ", w->fix);
		put_site(w, w->fix, PD_ROLE_STORE);
		fputs(", or fence before it", w->fix);
		break;
	case PD_KIND_LINT_EXTRA_FLUSH:
	case PD_KIND_LINT_EXTRA_FENCE:
	case PD_KIND_LINT_EXTRA_AT_TIMES:
		if (!number(w, PD_FACT_FOR_OTHERS))
			fix_extra(w, fix);
		break;
	case PD_KIND_LINT_FLUSH_VOLATILE:
		fputs("remove the flush, or flush what was meant; if the memory is a PM file, "
		      "name the file with --pm",
		      w->fix);
		break;
	case PD_KIND_LINT_UNLOGGED:
		fix_log(w);
		break;
	case PD_KIND_LINT_REDUNDANT_LOG:
		fputs("log the range only once", w->fix);
		break;
	case PD_KIND_LINT_OPEN_TX:
		fputs("end it on every path", w->fix);
		break;
	}
}

static void oracle(struct pd_words *w)
{
	const char *says = pd_fact_text(&w->f->facts, PD_FACT_ORACLE_SAYS);
	const char *fix = pd_fact_text(&w->f->facts, PD_FACT_ORACLE_FIX);

	fputs(says ? says : "", w->message);
	fputs(fix ? fix : "", w->fix);
}

void pd_words_lint(struct pd_words *w)
{
	static void (*const message[PD_KIND_N])(struct pd_words *) = {
		[PD_KIND_LINT_MISSING_FLUSH] = missing_flush,
		[PD_KIND_LINT_MISSING_FENCE] = missing_fence,
		[PD_KIND_LINT_TRANSIENT] = transient,
		[PD_KIND_LINT_OVERWRITTEN] = overwritten,
		[PD_KIND_LINT_EXTRA_FLUSH] = extra,
		[PD_KIND_LINT_EXTRA_FENCE] = extra,
		[PD_KIND_LINT_EXTRA_AT_TIMES] = extra,
		[PD_KIND_LINT_FLUSH_VOLATILE] = flush_volatile,
		[PD_KIND_LINT_UNLOGGED] = unlogged,
		[PD_KIND_LINT_REDUNDANT_LOG] = redundant_log,
		[PD_KIND_LINT_OPEN_TX] = open_tx,
		[PD_KIND_LINT_CUSTOM] = oracle,
		[PD_KIND_LINT_CUSTOM_PERF] = oracle,
		[PD_KIND_LINT_CUSTOM_NOTE] = oracle,
	};

	if (!message[w->f->kind])
		return;
	message[w->f->kind](w);
	put_cost_and_callers(w);
	put_fix(w);
}
