/* crash.c - failed recoveries in words: what happened, and how to fix it. See words.h. */
#include "report/words/words.h"
#include "event/wait.h"
#include "finding/text.h"
#include <inttypes.h>
#include <string.h>

enum { NAMED = 3, STUCK_TEXT = 2048 };

/* ---- places --------------------------------------------------------------------------------- */

static void put_lost_store(struct pd_words *w)
{
	pd_words_fact_site(w->fix, w->f, PD_FACT_LOST_STORE, 0);
}

static void put_line(FILE *to, const struct pd_facts *f, enum pd_fact_key file,
		     enum pd_fact_key line)
{
	pd_words_frame(to, &(struct pd_frame){.file = pd_fact_text(f, file),
					      .line = (uint32_t)pd_fact_number(f, line)});
}

static bool has(const struct pd_words *w, enum pd_fact_key key)
{
	return pd_fact_get(&w->f->facts, key, 0);
}

/* ---- how it ended --------------------------------------------------------------------------- */

static void put_waits(FILE *to, const struct pd_facts *f)
{
	struct pd_waits w = {.n = (uint32_t)pd_fact_number(f, PD_FACT_WAITS_ALL)};
	char text[STUCK_TEXT];
	struct pd_outbuf b;

	for (uint32_t i = 0; i < pd_waits_listed(&w); i++) {
		const struct pd_fact *what = pd_fact_get(f, PD_FACT_WAITS_WHAT, i);
		const struct pd_fact *held = pd_fact_get(f, PD_FACT_WAITS_HELD, i);
		const struct pd_fact *thread = pd_fact_get(f, PD_FACT_WAITS_THREAD, i);
		const struct pd_fact *holder = pd_fact_get(f, PD_FACT_WAITS_HOLDER, i);
		const struct pd_fact *on = pd_fact_get(f, PD_FACT_WAITS_ON, i);

		w.v[i] = (struct pd_waiter){
			.thread = thread ? (uint32_t)thread->number : 0,
			.holder = holder ? (uint32_t)holder->number : 0,
			.wait = what ? (uint8_t)(what->number - PD_WORD_WAIT_NOTHING) : 0,
			.held = held ? (uint8_t)(held->number - PD_WORD_HELD_UNKNOWN) : 0,
			.on = on ? on->number : 0};
	}
	pd_outbuf_init(&b, text, sizeof(text));
	pd_waits_put(&b.out, &w);
	fputs(text, to);
}

static void put_hang(FILE *to, const struct pd_facts *f)
{
	switch ((int)pd_fact_word(f, PD_FACT_HANG)) { /* an int: the set has many others */
	case PD_WORD_HANG_LOOP:
		fputs("it never ends: it comes back to the same state", to);
		break;
	case PD_WORD_HANG_IDLE:
		fputs("it loops or waits without touching PM; if it is only slow, raise --hang",
		      to);
		break;
	case PD_WORD_HANG_BUDGET:
		fputs("it used up its budget of events; if it is only slow, raise --hang", to);
		break;
	default:
		fputs("no thread makes progress: ", to);
		put_waits(to, f);
	}
}

void pd_words_end(FILE *to, enum pd_kind kind, const struct pd_facts *f)
{
	unsigned signal = (unsigned)pd_fact_number(f, PD_FACT_SIGNAL);

	switch ((int)pd_words_crash_kind(kind)) { /* an int: only kinds of crash get here */
	case PD_KIND_CRASH_SIGNAL:
		fprintf(to,
			pd_fact_number(f, PD_FACT_OUT_OF_STACK)
				? "recovery runs out of stack (signal %u, %s)"
				: "recovery is killed by signal %u (%s)",
			signal, strsignal((int)signal));
		break;
	case PD_KIND_CRASH_ABORT:
		fputs("recovery aborts", to);
		break;
	case PD_KIND_CRASH_EXIT:
		fprintf(to, "recovery exits with status %" PRIu64,
			pd_fact_number(f, PD_FACT_STATUS));
		break;
	case PD_KIND_CRASH_HANG:
		fputs("recovery hangs (", to);
		put_hang(to, f);
		fputc(')', to);
		break;
	case PD_KIND_CRASH_DEADLOCK:
		fputs("recovery deadlocks (", to);
		put_waits(to, f);
		fputc(')', to);
		break;
	case PD_KIND_CRASH_CHECK:
		fprintf(to, "a pd_check() of the program fails: %s",
			pd_fact_text(f, PD_FACT_CONDITION) ? pd_fact_text(f, PD_FACT_CONDITION)
							   : "");
		break;
	default:
		if (!pd_words_history(to, kind, f))
			fputs("recovery ends", to);
	}
}

/* Other ends of recovery with the same cause. */
static void put_others(struct pd_words *w)
{
	static const char *const words[] = {"is killed by a signal",
					    "aborts",
					    "exits with a failure status",
					    "hangs",
					    "deadlocks",
					    "fails a check",
					    "loses operations"};

	for (uint32_t i = 0; i < pd_fact_count(&w->f->facts, PD_FACT_GROUP_ALSO); i++) {
		const struct pd_fact *end = pd_fact_get(&w->f->facts, PD_FACT_ALSO_ENDS, i);
		uint64_t n = end ? end->number - PD_WORD_END_SIGNAL : PD_LEN(words);

		if (n < PD_LEN(words))
			fprintf(w->message, "%s%s", i ? " or " : "; after other crashes it ",
				words[n]);
	}
}

/* ---- what happened -------------------------------------------------------------------------- */

static void put_crash(struct pd_words *w)
{
	fputs(" after a crash ", w->message);
	if (has(w, PD_FACT_OF_RECOVERY))
		fputs("of recovery itself, ", w->message);
	if (has(w, PD_FACT_AT_END)) {
		fputs("after the program had ended normally", w->message);
	} else if (has(w, PD_FACT_AFTER_RETURN)) {
		fputs("right after an operation returned", w->message);
	} else {
		pd_words_crash_place(w->message, w->f);
	}
}

static void put_lost(struct pd_words *w, uint32_t i)
{
	const struct pd_facts *f = &w->f->facts;
	const struct pd_fact *seen = pd_fact_get(f, PD_FACT_LOST_SEEN, i);
	const struct pd_fact *expected = pd_fact_get(f, PD_FACT_LOST_EXPECTED, i);

	fprintf(w->message, "%sthe %s at ", i ? "; " : ": ",
		pd_fact_get(f, PD_FACT_LOST_WRITTEN, i) ? "write" : "store");
	pd_words_fact_site(w->message, w->f, PD_FACT_LOST_STORE, i);
	fputs(" was lost, so ", w->message);
	pd_words_fact_site(w->message, w->f, PD_FACT_LOST_LOAD, i);
	fputs(" read ", w->message);
	pd_words_value(w->message, seen ? seen->number : 0);
	fputs(" instead of ", w->message);
	pd_words_value(w->message, expected ? expected->number : 0);
}

static void put_unlogged(struct pd_words *w)
{
	uint32_t n = pd_fact_count(&w->f->facts, PD_FACT_GROUP_UNLOGGED);

	fputs(": the store at ", w->message);
	pd_words_fact_site(w->message, w->f, PD_FACT_UNLOGGED_STORE, 0);
	if (n > 1)
		fprintf(w->message, " and %u more of the same range were", n - 1);
	else
		fputs(" was", w->message);
	fputs(" not logged in the transaction", w->message);
	if (has(w, PD_FACT_TRANSACTION)) {
		fputs(" that begins at ", w->message);
		pd_words_fact_site(w->message, w->f, PD_FACT_TRANSACTION, 0);
	}
}

static void put_open(struct pd_words *w)
{
	fputs(": the transaction that begins at ", w->message);
	pd_words_fact_site(w->message, w->f, PD_FACT_TRANSACTION, 0);
	fputs(" was left without being ended, so recovery rolls back all that its thread has done "
	      "since",
	      w->message);
}

/* Nothing was lost. It may have seen something too early. */
static void put_early(struct pd_words *w)
{
	uint32_t n = pd_fact_count(&w->f->facts, PD_FACT_GROUP_EARLY);

	fputs(", even with every earlier store durable", w->message);
	for (uint32_t i = 0; i < n; i++) {
		fputs(i == 0 ? "; without the store at " : i + 1 < n ? ", " : " and ", w->message);
		pd_words_fact_site(w->message, w->f, PD_FACT_EARLY_STORE, i);
	}
	if (n)
		fputs(", recovery succeeds", w->message);
}

/* Nothing of PM was lost. */
static void put_unsynced(struct pd_words *w)
{
	fprintf(w->message,
		", even with every earlier store durable: '%s' had not been synced, and with it "
		"recovery succeeds",
		pd_fact_text(&w->f->facts, PD_FACT_UNSYNCED));
}

static void unsynced_fix(struct pd_words *w)
{
	const char *name = pd_fact_text(&w->f->facts, PD_FACT_UNSYNCED);

	fprintf(w->fix,
		"sync '%s' (fsync) before the store that makes recovery rely on it; '--pm %s' has "
		"perdure explore all that a crash can leave of it",
		name, name);
}

/* "struct.entry" of C, "class.map::entry" of C++. */
static const char *plain_type(const char *type)
{
	static const char *const keyword[] = {"struct.", "class.", "union."};

	for (uint32_t i = 0; i < PD_LEN(keyword); i++)
		if (strncmp(type, keyword[i], strlen(keyword[i])) == 0)
			return type + strlen(keyword[i]);
	return type;
}

static void put_type(FILE *to, const struct pd_finding *f)
{
	const struct pd_fact *type = pd_fact_get(&f->facts, PD_FACT_STRADDLES, 0);

	fputs(type && type->text ? plain_type(type->text) : "a struct", to);
}

static void put_layout(struct pd_words *w)
{
	fputs(": ", w->message);
	put_type(w->message, w->f);
	fputs(" (", w->message);
	pd_words_bytes(w->message, &w->f->facts);
	fputs(") straddles two cache lines", w->message);
}

void pd_words_crash_message(struct pd_words *w)
{
	const struct pd_finding *f = w->f;
	uint32_t lost = pd_fact_count(&f->facts, PD_FACT_GROUP_LOST);

	pd_words_end(w->message, f->kind, &f->facts);
	if (pd_words_has(f, PD_ROLE_FAIL) && pd_words_crash_kind(f->kind) != PD_KIND_CRASH_CHECK) {
		fputs(" at ", w->message);
		pd_words_site(w->message, f, PD_ROLE_FAIL, 0);
	}
	put_crash(w);
	if (f->cause == PD_CAUSE_UNLOGGED)
		put_unlogged(w);
	else if (f->cause == PD_CAUSE_OPEN_TX)
		put_open(w);
	else if (f->cause == PD_CAUSE_UNSYNCED)
		put_unsynced(w);
	else if (!lost)
		put_early(w);
	if (f->cause == PD_CAUSE_STORE_BUFFER) {
		fputs(": the load at ", w->message);
		pd_words_fact_site(w->message, f, PD_FACT_PASSED_LOAD, 0);
		fputs(" ran before the store at ", w->message);
		pd_words_fact_site(w->message, f, PD_FACT_PASSED_STORE, 0);
		fputs(" of the same thread had left the store buffer", w->message);
	}
	if (f->cause == PD_CAUSE_LAYOUT)
		put_layout(w);
	for (uint32_t i = 0; i < lost; i++)
		put_lost(w, i);
	put_others(w);
}

/* ---- the fix -------------------------------------------------------------------------------- */

#define ATOMIC                                                                                     \
	"make the update atomic: log it first, or build it aside and publish it with one aligned " \
	"8-byte store"

/* "durable", and how. */
static const char *durable(const struct pd_words *w)
{
	return !has(w, PD_FACT_PAGE)	      ? "durable (flush and fence)"
	       : has(w, PD_FACT_LOST_WRITTEN) ? "durable (fsync)"
					      : "durable (msync)";
}

static void put_trusted(struct pd_words *w)
{
	put_line(w->fix, &w->f->facts, PD_FACT_TRUSTED_FILE, PD_FACT_TRUSTED_LINE);
}

static void put_helper(struct pd_words *w)
{
	put_line(w->fix, &w->f->facts, PD_FACT_HELPER_FILE, PD_FACT_HELPER_LINE);
}

/* Another thread makes this thread's store durable. */
static void helper_fix(struct pd_words *w)
{
	uint64_t thread = pd_fact_number(&w->f->facts, PD_FACT_HELPER_THREAD);

	if (has(w, PD_FACT_HELPER_TRUSTED)) {
		fprintf(w->fix, "let thread %" PRIu64 " %s (at ", thread,
			has(w, PD_FACT_PAGE) ? "sync" : "flush and fence");
		put_helper(w);
		fputs(") what ", w->fix);
		put_lost_store(w);
		fputs(" stores before its own store at ", w->fix);
		put_trusted(w);
		fputs(", which makes recovery trust it", w->fix);
		return;
	}
	fputs("delay the store at ", w->fix);
	put_trusted(w);
	fputs(", which makes recovery trust what ", w->fix);
	put_lost_store(w);
	fprintf(w->fix, " stores, until thread %" PRIu64 " has made that durable (at ", thread);
	put_helper(w);
	fputc(')', w->fix);
}

void pd_words_reader(struct pd_words *w)
{
	if (!has(w, PD_FACT_READER))
		return;
	fputs("; or let the thread that reads it at ", w->fix);
	pd_words_fact_site(w->fix, w->f, PD_FACT_READER, 0);
	fprintf(w->fix, " make it %s before it goes on", durable(w));
}

static void order_fix(struct pd_words *w)
{
	if (!has(w, PD_FACT_TRUSTED_FILE)) {
		fputs("recovery can see part of the update without what ", w->fix);
		put_lost_store(w);
		fprintf(w->fix,
			" stores: make that %s before the store that makes recovery trust it, "
			"or " ATOMIC,
			durable(w));
		pd_words_reader(w);
	} else if (has(w, PD_FACT_HELPER_FILE)) {
		helper_fix(w);
	} else {
		fputs("make what ", w->fix);
		put_lost_store(w);
		fprintf(w->fix, " stores %s before ", durable(w));
		if (has(w, PD_FACT_TRUSTED_THREAD))
			fprintf(w->fix,
				"another thread can act on it, that is, before the lock is "
				"released: thread %" PRIu64 " has stored at ",
				pd_fact_number(&w->f->facts, PD_FACT_TRUSTED_THREAD));
		else
			fputs("the store at ", w->fix);
		put_trusted(w);
		fputs(has(w, PD_FACT_TRUSTED_THREAD) ? " meanwhile"
						     : ", which makes recovery trust it",
		      w->fix);
		if (has(w, PD_FACT_TRUSTED_THREAD))
			pd_words_reader(w);
	}
}

static void lock_fix(struct pd_words *w)
{
	const struct pd_fact *word = pd_fact_get(&w->f->facts, PD_FACT_SPINS_ON, 0);

	if (word) {
		fputs("recovery waits for ", w->fix);
		pd_words_address(w->fix, word);
		fputs(", which no thread will ever change: reset locks", w->fix);
	} else {
		fputs("reinitialise locks", w->fix);
	}
	fputs(" when the file is opened, or keep them outside PM", w->fix);
}

static void hang_fix(struct pd_words *w)
{
	const struct pd_facts *f = &w->f->facts;
	bool idle = pd_fact_word(f, PD_FACT_HANG) == PD_WORD_HANG_IDLE;
	uint32_t n = idle ? 0 : pd_fact_count(f, PD_FACT_GROUP_CIRCLE);

	if (!n) {
		fputs(pd_words_has(w->f, PD_ROLE_FAIL) ? "look at " : "find out where", w->fix);
		if (pd_words_has(w->f, PD_ROLE_FAIL)) {
			pd_words_site(w->fix, w->f, PD_ROLE_FAIL, 0);
			fputs(", where", w->fix);
		}
		fprintf(w->fix, " recovery %s; let it handle what the crash leaves, or " ATOMIC,
			idle ? "loops or waits without touching PM (if it is only slow, raise "
			       "--hang)"
			     : "never ends");
		return;
	}
	for (uint32_t i = 0; i < PD_MIN(n, NAMED); i++) {
		fputs(i == 0 ? "recovery reads " : i + 1 < n ? ", " : " and ", w->fix);
		pd_words_address(w->fix, pd_fact_get(f, PD_FACT_CIRCLE_WORD, i));
	}
	if (n > NAMED)
		fprintf(w->fix, " and %u more words", n - NAMED);
	fputs(" over and over, which no thread will ever change: reset what it waits for when the "
	      "file is opened, or let it detect the cycle, or " ATOMIC,
	      w->fix);
}

/* Power failed before anything was stored: the file exists, but is empty. */
static bool is_before_stores(const struct pd_finding *f)
{
	for (uint32_t i = 0; i < f->nsites; i++)
		if (f->sites[i].role == PD_ROLE_STORE)
			return false;
	return true;
}

/* Nothing was lost: the update is not atomic, or recovery mishandles it. */
static void half_done_fix(struct pd_words *w)
{
	if (is_before_stores(w->f)) {
		fputs("nothing was stored yet: the file is new, and empty or all zero. Let "
		      "recovery treat such a file as missing and create it again (pmemobj_open() "
		      "crashes on an empty file: check its size first); to check only what comes "
		      "later, create the file before you run 'perdure check'",
		      w->fix);
		return;
	}
	switch ((int)pd_words_crash_kind(w->f->kind)) { /* an int: only kinds of crash get here */
	case PD_KIND_CRASH_HANG:
		hang_fix(w);
		break;
	case PD_KIND_CRASH_DEADLOCK:
		fputs("recovery takes locks in an order that can block, or waits for locks in PM "
		      "that the crash left held: reinitialise those when the file is opened",
		      w->fix);
		break;
	case PD_KIND_CRASH_SIGNAL:
		if (has(w, PD_FACT_OUT_OF_STACK)) {
			fputs("let the recursion end in every state that a crash can leave; "
			      "or " ATOMIC,
			      w->fix);
			break;
		}
		fputs(ATOMIC
		      "; if recovery follows a pointer kept in PM: what it points to must be "
		      "in PM, too, or it is gone after a crash",
		      w->fix);
		break;
	default:
		fputs(ATOMIC "; or let recovery handle the half-done update", w->fix);
	}
}

static const struct pd_frame *frame_of(const struct pd_finding *f, enum pd_fact_key key,
				       uint32_t nth)
{
	static const struct pd_frame nowhere;
	const struct pd_fact *x = pd_fact_get(&f->facts, key, nth);

	return x && x->number < f->nsites ? &f->sites[x->number].at : &nowhere;
}

static bool same_place(const struct pd_finding *f, enum pd_fact_key key)
{
	const struct pd_frame *a = frame_of(f, key, 0), *b = frame_of(f, key, 1);

	return a->file && a->line == b->line && pd_text_cmp(a->file, b->file) == 0;
}

/* One fence does not help if stores of both threads were in their buffers. */
static void buffer_fix(struct pd_words *w)
{
	uint32_t n = pd_fact_count(&w->f->facts, PD_FACT_GROUP_PASSED);

	if (same_place(w->f, PD_FACT_PASSED_STORE) && same_place(w->f, PD_FACT_PASSED_LOAD))
		n = 1;
	for (uint32_t i = 0; i < PD_MAX(n, 1u); i++) {
		fputs(i ? ", and between the store at " : "put an mfence between the store at ",
		      w->fix);
		pd_words_fact_site(w->fix, w->f, PD_FACT_PASSED_STORE, i);
		fputs(" and the load at ", w->fix);
		pd_words_fact_site(w->fix, w->f, PD_FACT_PASSED_LOAD, i);
	}
	fputs(": a load may pass an earlier store of its own thread, and an sfence does not "
	      "prevent that",
	      w->fix);
}

/* "before AT after": most fixes concern the lost store. */
static void store_fix(struct pd_words *w, const char *before, const char *after)
{
	fputs(before, w->fix);
	put_lost_store(w);
	fputs(after, w->fix);
}

static void flush_fix(struct pd_words *w)
{
	if (!has(w, PD_FACT_PAGE))
		store_fix(w, "flush the line after the store at ", ", and fence");
	else if (has(w, PD_FACT_LOST_WRITTEN))
		store_fix(w, "fsync the file after the write at ", "");
	else
		store_fix(w, "msync the page after the store at ", "");
}

static void fence_fix(struct pd_words *w)
{
	if (has(w, PD_FACT_STREAMED))
		store_fix(w, "add an sfence after the non-temporal store at ", ", before going on");
	else
		store_fix(w, "add an sfence after the flush of what ", " stores, before going on");
}

static void log_fix(struct pd_words *w)
{
	fputs("log the ", w->fix);
	pd_words_bytes(w->fix, &w->f->facts);
	fputs(" before the store at ", w->fix);
	pd_words_fact_site(w->fix, w->f, PD_FACT_UNLOGGED_STORE, 0);
	fputs(": TX_ADD, or pmemobj_tx_add_range()", w->fix);
}

static void layout_fix(struct pd_words *w)
{
	const struct pd_facts *f = &w->f->facts;
	uint64_t first = pd_fact_number(f, PD_FACT_STRADDLES_AFTER);

	fputs("lay out each ", w->fix);
	put_type(w->fix, w->f);
	fprintf(w->fix,
		" within one cache line (here %" PRIu64 " bytes are on one line and %" PRIu64
		" on the next): align it to its size, and check what precedes it; or make what ",
		first, pd_fact_number(f, PD_FACT_SIZE) - first);
	put_lost_store(w);
	fputs(" stores durable (flush and fence) before going on", w->fix);
}

static void open_fix(struct pd_words *w)
{
	fputs("end the transaction that begins at ", w->fix);
	pd_words_fact_site(w->fix, w->f, PD_FACT_TRANSACTION, 0);
	fputs(" on every path: no return, goto or break out of TX_BEGIN ... TX_END", w->fix);
}

static void put_fix(struct pd_words *w)
{
	switch (w->f->cause) {
	case PD_CAUSE_MISSING_FLUSH:
		flush_fix(w);
		break;
	case PD_CAUSE_MISSING_FENCE:
		fence_fix(w);
		break;
	case PD_CAUSE_LAYOUT:
		layout_fix(w);
		break;
	case PD_CAUSE_NOT_ATOMIC:
		half_done_fix(w);
		break;
	case PD_CAUSE_TORN:
		store_fix(
			w, "publish what ",
			" stores atomically: with one aligned 8-byte store after it is durable; or "
			"let recovery validate it, for instance with a checksum");
		break;
	case PD_CAUSE_UNLOGGED:
		log_fix(w);
		break;
	case PD_CAUSE_OPEN_TX:
		open_fix(w);
		break;
	case PD_CAUSE_STORE_BUFFER:
		buffer_fix(w);
		break;
	case PD_CAUSE_WRONG_TARGET:
		store_fix(w, "flush the line of what ", " stores: the flush at ");
		pd_words_site(w->fix, w->f, PD_ROLE_FLUSH, 0);
		fputs(" flushes another line", w->fix);
		break;
	case PD_CAUSE_LOCK_HELD:
		lock_fix(w);
		break;
	case PD_CAUSE_UNSYNCED:
		unsynced_fix(w);
		break;
	case PD_CAUSE_RECOVERY:
		fputs("this needs no crash: run the program to its end, then run recovery on the "
		      "file that it leaves",
		      w->fix);
		break;
	case PD_CAUSE_ORDER:
	case PD_CAUSE_UNKNOWN:
	case PD_CAUSE_N:
	default:
		if (pd_fact_count(&w->f->facts, PD_FACT_GROUP_LOST))
			order_fix(w);
	}
}

const char *pd_words_why(const struct pd_finding *f)
{
	if (pd_fact_get(&f->facts, PD_FACT_PAGE, 0)) {
		if (f->cause == PD_CAUSE_MISSING_FLUSH)
			return "the store is never synced (msync, fsync)";
		if (f->cause == PD_CAUSE_WRONG_TARGET)
			return "the msync is of another page than the store";
	}
	return pd_cause_info[f->cause].doc;
}

/* ---- reads that could see several values ---------------------------------------------------- */

static void put_ambiguous(struct pd_words *w)
{
	const struct pd_facts *f = &w->f->facts;
	uint64_t more = pd_fact_number(f, PD_FACT_SEES_MORE);

	fputs("after some crash ", w->message);
	pd_words_site(w->message, w->f, PD_ROLE_LOAD, 0);
	fputs(" can read", w->message);
	for (uint32_t i = 0; i < pd_fact_count(f, PD_FACT_GROUP_SEES); i++) {
		const struct pd_fact *value = pd_fact_get(f, PD_FACT_SEES_VALUE, i);
		bool durable = pd_fact_get(f, PD_FACT_SEES_DURABLE, i);

		fputs(i ? " or " : " ", w->message);
		pd_words_value(w->message, value ? value->number : 0);
		fputs(durable ? " (durable earlier)" : " from ", w->message);
		if (!durable)
			pd_words_fact_site(w->message, w->f, PD_FACT_SEES_STORE, i);
	}
	if (more)
		fprintf(w->message, " or the values of %" PRIu64 " other stores", more);
}

void pd_words_crash(struct pd_words *w)
{
	if (w->f->kind == PD_KIND_CRASH_AMBIGUOUS) {
		put_ambiguous(w);
		return;
	}
	pd_words_crash_message(w);
	put_fix(w);
}
