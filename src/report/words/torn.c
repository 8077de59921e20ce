/* torn.c - torn stores in words: what may be torn, when, and how to fix it. See words.h. */
#include "finding/place.h"
#include "report/words/words.h"
#include <inttypes.h>
#include <string.h>

static void put_window(struct pd_words *w)
{
	bool page = pd_fact_number(&w->f->facts, PD_FACT_PAGE);

	switch ((int)pd_fact_word(&w->f->facts,
				  PD_FACT_TORN_WHEN)) { /* an int: a word of one of many sets */
	case PD_WORD_TORN_BEFORE_FLUSH:
		fprintf(w->message, "since nothing it has read by then is ordered after the %s at ",
			page ? "sync" : "flush");
		pd_words_site(w->message, w->f, PD_ROLE_FLUSH, 0);
		fputs(", so power may have failed before that", w->message);
		break;
	case PD_WORD_TORN_UNORDERED_FLUSH:
		fputs(page ? "although its page is synced, since no sync of it happens after the "
			     "store"
			   : "although its line is flushed, since no flush of it happens after "
			     "the store",
		      w->message);
		break;
	case PD_WORD_TORN_BEFORE_CRASH:
		fputs("if power fails after the store, ", w->message);
		pd_words_crash_place(w->message, w->f);
		break;
	case PD_WORD_TORN_UNTIL_END:
		fputs("if power fails any time after the store: nothing makes it durable before "
		      "the end",
		      w->message);
		break;
	case PD_WORD_TORN_BEFORE_SYNC:
		fputs("if power fails before the next msync or fsync makes it durable", w->message);
		break;
	default:
		fputs("if power fails before anything makes it durable", w->message);
	}
}

static const char *nature(const struct pd_facts *f)
{
	switch ((int)pd_fact_word(f, PD_FACT_STORE_IS)) { /* an int: a word of one of many sets */
	case PD_WORD_STORE_BLOCK:
		return "a block copy is not atomic";
	case PD_WORD_STORE_WIDE:
		return "wider than 8 bytes: only an aligned 8-byte word is failure-atomic";
	case PD_WORD_STORE_CROSSING:
		return "unaligned: it crosses a word boundary, and a crash may keep one side of it";
	case PD_WORD_STORE_BITFIELD:
		return "a bit-field is stored by rewriting the word around it";
	case PD_WORD_STORE_CONSTRUCTED:
		return "std::atomic's constructor is a plain store";
	default:
		return "a plain store";
	}
}

/* What the compiler really made of it. */
static const char *fate(const struct pd_facts *f)
{
	switch ((int)pd_fact_word(f, PD_FACT_BUILD)) { /* an int: a word of one of many sets */
	case PD_WORD_BUILD_SPLIT:
		return ", which this build splits into several stores";
	case PD_WORD_BUILD_SET:
		return ", which this build merges into a memset";
	case PD_WORD_BUILD_COPY:
		return ", which this build merges into a memcpy";
	case PD_WORD_BUILD_NOT_FOUND:
		return ", for which this build has no instruction of its own: the compiler merged "
		       "it with others, or removed it";
	default:
		return "";
	}
}

static bool is_unlogged(const struct pd_finding *f)
{
	return pd_fact_count(&f->facts, PD_FACT_GROUP_UNLOGGED);
}

/* Of a store in a transaction: why recovery can see it. */
static void put_unlogged(struct pd_words *w)
{
	const struct pd_facts *f = &w->f->facts;
	uint32_t n = pd_fact_count(f, PD_FACT_GROUP_UNLOGGED);

	if (!n)
		return;
	fputs("; recovery does not undo it, since the transaction that begins at ", w->message);
	pd_words_fact_site(w->message, w->f, PD_FACT_TRANSACTION, 0);
	fputs(" has not logged the store at ", w->message);
	pd_words_fact_site(w->message, w->f, PD_FACT_UNLOGGED_STORE, 0);
	if (n > 1)
		fprintf(w->message, " (and %u more)", n - 1);
}

static void put_message(struct pd_words *w)
{
	const struct pd_finding *f = w->f;

	fprintf(w->message, "%s%s", f->field ? f->field : "the store",
		f->field ? ", stored at " : " at ");
	pd_words_site(w->message, f, PD_ROLE_STORE, 0);
	fprintf(w->message, "%s may be torn when recovery reads it at ", f->field ? "," : "");
	pd_words_site(w->message, f, PD_ROLE_LOAD, 0);
	fputs(", ", w->message);
	put_window(w);
	fprintf(w->message, "; %s%s", nature(&f->facts), fate(&f->facts));
	put_unlogged(w);
}

static bool ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), m = strlen(end);

	return n >= m && strcmp(s + n - m, end) == 0;
}

/* By the names of files that the store is in, or is inlined or called from: C++. */
static bool in_cxx(const struct pd_finding *f)
{
	static const char *const ends[] = {".cc", ".cpp", ".cxx", ".C", ".hh", ".hpp", ".hxx"};

	for (uint32_t i = 0; i < f->nsites; i++)
		for (uint32_t k = 0; k < PD_LEN(ends) && f->sites[i].role == PD_ROLE_STORE; k++)
			if (f->sites[i].at.file && (ends_with(f->sites[i].at.file, ends[k]) ||
						    strstr(f->sites[i].at.file, "/c++/")))
				return true;
	return false;
}

static void put_store(struct pd_words *w)
{
	const struct pd_facts *f = &w->f->facts;
	uint64_t size = pd_fact_number(f, PD_FACT_SIZE);

	if (pd_fact_number(f, PD_FACT_BITFIELD))
		fprintf(w->message, "bit-field of a %" PRIu64 "-byte word", size);
	else if (pd_fact_word(f, PD_FACT_STORE_IS) == PD_WORD_STORE_BLOCK)
		fprintf(w->message, "block copy of %" PRIu64 " bytes", size);
	else
		fprintf(w->message, "%s %" PRIu64 "-byte store",
			pd_fact_word(f, PD_FACT_STORE_IS) == PD_WORD_STORE_VOLATILE ? "volatile"
										    : "plain",
			size);
}

static void put_verdict(struct pd_words *w)
{
	const struct pd_facts *f = &w->f->facts;

	switch ((int)w->f->kind) { /* an int: only kinds shown as one line */
	case PD_KIND_TORN_VOLATILE:
		fputs("compilers do not split it, but the language lets them", w->message);
		break;
	case PD_KIND_TORN_COMPARED:
		fputs("harmless: recovery only compares it with a constant", w->message);
		break;
	case PD_KIND_TORN_UNCHANGED:
		fputs("harmless: it writes the value that was already there", w->message);
		break;
	case PD_KIND_TORN_BENIGN:
		fputs("a checksum guards it", w->message);
		break;
	default:
		fprintf(w->message, "a compiler may %s; use %s",
			pd_fact_number(f, PD_FACT_SIZE) == 1 ? "store another value there first"
							     : "split it",
			pd_fact_number(f, PD_FACT_BITFIELD) ? "an atomic word"
			: in_cxx(w->f)			    ? "std::atomic"
							    : "_Atomic");
	}
}

/* One line, a row of the table: this build has no bug. */
static void put_row(struct pd_words *w)
{
	const struct pd_facts *f = &w->f->facts;
	uint64_t stores = pd_fact_number(f, PD_FACT_STORES);

	pd_words_site(w->message, w->f, PD_ROLE_STORE, 0);
	if (stores > 1)
		fprintf(w->message, " and %" PRIu64 " more", stores - 1);
	if (w->f->field)
		fprintf(w->message, " %s", w->f->field);
	fputs(": ", w->message);
	if (w->f->kind == PD_KIND_TORN_STORE &&
	    pd_fact_word(f, PD_FACT_STORE_IS) == PD_WORD_STORE_CONSTRUCTED) {
		fputs("std::atomic's constructor is a plain store, which a compiler may split; "
		      "use store() before recovery can find it",
		      w->message);
		return;
	}
	put_store(w);
	fputs("; ", w->message);
	put_verdict(w);
}

/* Under a checksum, recovery may read what is torn: but perdure has to know of it. */
static void put_checksum(struct pd_words *w)
{
	const char *member = w->f->field ? strrchr(w->f->field, '.') : NULL;

	if (member && pd_place_is_checksum(member + 1)) {
		fputs("; if it is the checksum of other data, a torn one matches none: put its "
		      "comparison between pd_checksum_begin() and pd_checksum_end()",
		      w->fix);
		return;
	}
	for (uint32_t i = 0; i < w->f->nsites; i++) {
		const struct pd_finding_site *s = &w->f->sites[i];

		if (s->role != PD_ROLE_LOAD || !s->at.function ||
		    !(pd_place_is_checksum(s->at.function) ||
		      (s->nstack && pd_place_is_checksum(s->stack[0].function))))
			continue;
		fprintf(w->fix,
			"; if recovery does not use it unless the checksum that %s() computes "
			"matches, nothing is wrong: say so with --checksum %s",
			s->at.function, s->at.function);
		return;
	}
}

static void put_fix(struct pd_words *w)
{
	const struct pd_finding *f = w->f;

	if (f->kind == PD_KIND_TORN_BENIGN || f->kind == PD_KIND_TORN_UNCHANGED)
		return;
	if (is_unlogged(f)) {
		fputs("log what ", w->fix);
		pd_words_fact_site(w->fix, f, PD_FACT_UNLOGGED_STORE, 0);
		fputs(" stores, before it does: TX_ADD, or pmemobj_tx_add_range()", w->fix);
	} else if (f->kind == PD_KIND_TORN_COMPARED)
		fputs("none needed as long as it is only compared; making it _Atomic (std::atomic) "
		      "states the intent",
		      w->fix);
	else if (pd_fact_word(&f->facts, PD_FACT_STORE_IS) == PD_WORD_STORE_CONSTRUCTED)
		fprintf(w->fix, "make %s durable (flush and fence) before recovery can find it",
			f->field ? f->field : "it");
	else if (f->kind == PD_KIND_TORN_BLOCK)
		fprintf(w->fix,
			"make it durable before recovery can find it: %s the copy, and only then "
			"publish it with one atomic store (memory_order_release) that recovery "
			"reads first",
			pd_fact_number(&f->facts, PD_FACT_PAGE) ? "msync" : "flush and fence");
	else if (pd_fact_number(&f->facts, PD_FACT_BITFIELD))
		fputs("a bit-field cannot be atomic: keep these flags in an atomic word, stored "
		      "with memory_order_release",
		      w->fix);
	else
		/* Partly: a one-word struct is assigned, and recovery reads a part of it. */
		fprintf(w->fix,
			"make %s%s _Atomic (std::atomic) and store it with "
			"memory_order_release%s%s",
			pd_fact_number(&f->facts, PD_FACT_READ_IN_PART) ? "all that is stored with "
									: "",
			f->field ? f->field : "it",
			f->kind == PD_KIND_TORN_STORE
				? ": the same instruction, which no compiler may split"
				: ": on x86 that is one instruction",
			pd_fact_word(&f->facts, PD_FACT_STORE_IS) == PD_WORD_STORE_CROSSING
				? ", once it is aligned"
				: "");
	if (f->kind == PD_KIND_TORN_BLOCK || f->kind == PD_KIND_TORN_SPLIT)
		put_checksum(w);
}

void pd_words_torn(struct pd_words *w)
{
	if (pd_kind_info[w->f->kind].severity >= PD_SEVERITY_PORTABILITY && !is_unlogged(w->f))
		put_row(w);
	else
		put_message(w);
	put_fix(w);
}
