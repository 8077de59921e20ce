/*
 * facts.c - states what is known of a failed recovery as facts of a finding (finding/facts.def).
 * See failure.h.
 */
#include "engine/crash/failure.h"

_Static_assert(PD_WORD_WAIT_ALL - PD_WORD_WAIT_NOTHING == PD_WAIT_ALL, "the order of event/wait.h");
_Static_assert(PD_WORD_HELD_ENDED - PD_WORD_HELD_UNKNOWN == PD_HOLDER_ENDED,
	       "the order of event/wait.h");

enum { CIRCLE = 12 }; /* words, at most */

/* ---- how it ended --------------------------------------------------------------------------- */

static void put_waits(const struct pd_waits *w, struct pd_fact_list *to)
{
	pd_fact_put_if(to, PD_FACT_WAITS_ALL, w->n);
	for (uint32_t i = 0; i < pd_waits_listed(w); i++) {
		const struct pd_waiter *x = &w->v[i];

		pd_fact_put_nth(to, PD_FACT_WAITS_THREAD, i, x->thread);
		pd_fact_put_nth(to, PD_FACT_WAITS_WHAT, i, PD_WORD_WAIT_NOTHING + x->wait);
		if (x->on)
			pd_fact_put_nth(to, PD_FACT_WAITS_ON, i, x->on);
		if (x->held == PD_HOLDER_UNKNOWN)
			continue;
		pd_fact_put_nth(to, PD_FACT_WAITS_HELD, i, PD_WORD_HELD_UNKNOWN + x->held);
		if (x->held != PD_HOLDER_NOBODY)
			pd_fact_put_nth(to, PD_FACT_WAITS_HOLDER, i, x->holder);
	}
}

static enum pd_word hang_word(uint32_t hang)
{
	static const enum pd_word words[] = {
		[PD_HANG_NOT] = PD_WORD_NONE,
		[PD_HANG_LOOP] = PD_WORD_HANG_LOOP,
		[PD_HANG_IDLE] = PD_WORD_HANG_IDLE,
		[PD_HANG_BUDGET] = PD_WORD_HANG_BUDGET,
		[PD_HANG_LIVELOCK] = PD_WORD_HANG_LIVELOCK,
	};

	return words[hang];
}

void pd_run_facts(const struct pd_crash_run *run, struct pd_fact_list *to)
{
	if (run->outcome == PD_OUTCOME_SIGNAL)
		pd_fact_put(to, PD_FACT_SIGNAL, run->detail);
	pd_fact_put_if(to, PD_FACT_OUT_OF_STACK, run->out_of_stack);
	if (run->outcome == PD_OUTCOME_EXIT)
		pd_fact_put(to, PD_FACT_STATUS, run->detail);
	if (run->outcome == PD_OUTCOME_CHECK)
		pd_fact_put_text(to, PD_FACT_CONDITION, run->text);
	if (run->outcome == PD_OUTCOME_HISTORY) {
		pd_fact_put_text(to, PD_FACT_UNEXPLAINED, run->text);
		if (run->operation[0])
			pd_fact_put_text(to, PD_FACT_OPERATION, run->operation);
		if (run->in_part)
			pd_fact_put(to, PD_FACT_OPERATION_IN_PART, 1);
	}
	if (run->outcome == PD_OUTCOME_HANG)
		pd_fact_put_if(to, PD_FACT_HANG, hang_word(run->hang));
	if (run->outcome == PD_OUTCOME_DEADLOCK || run->hang == PD_HANG_LIVELOCK)
		put_waits(&run->waits, to);
}

static void put_others(const struct pd_failure *f, struct pd_fact_list *to)
{
	static const enum pd_word words[PD_OUTCOMES] = {
		[PD_OUTCOME_SIGNAL] = PD_WORD_END_SIGNAL,
		[PD_OUTCOME_ABORT] = PD_WORD_END_ABORT,
		[PD_OUTCOME_EXIT] = PD_WORD_END_EXIT,
		[PD_OUTCOME_HANG] = PD_WORD_END_HANG,
		[PD_OUTCOME_DEADLOCK] = PD_WORD_END_DEADLOCK,
		[PD_OUTCOME_CHECK] = PD_WORD_END_CHECK,
		[PD_OUTCOME_HISTORY] = PD_WORD_END_HISTORY,
	};
	uint32_t n = 0;

	for (uint32_t i = 0; i < PD_OUTCOMES; i++)
		if (words[i] && i != f->run->outcome && f->outcomes >> i & 1)
			pd_fact_put_nth(to, PD_FACT_ALSO_ENDS, n++, words[i]);
}

/* ---- why ------------------------------------------------------------------------------------ */

static void put_site(struct pd_fact_list *to, enum pd_fact_key key, uint32_t nth, uint32_t site)
{
	if (site != PD_NO_SITE)
		pd_fact_put_nth(to, key, nth, site);
}

static void put_lost(const struct pd_failure *f, const struct pd_failure_sites *sites,
		     struct pd_fact_list *to)
{
	for (uint32_t i = 0; i < f->n; i++) {
		const struct pd_crash_source *lost = &f->blame[i].lost;

		put_site(to, PD_FACT_LOST_STORE, i, sites->store[i]);
		put_site(to, PD_FACT_LOST_LOAD, i, sites->load[i]);
		pd_fact_put_nth(to, PD_FACT_LOST_SEEN, i, lost->shown_seen);
		pd_fact_put_nth(to, PD_FACT_LOST_EXPECTED, i, lost->shown);
		if (lost->written)
			pd_fact_put_nth(to, PD_FACT_LOST_WRITTEN, i, 1);
	}
}

static void put_passed(const struct pd_failure *f, const struct pd_failure_sites *sites,
		       struct pd_fact_list *to)
{
	for (uint32_t i = 0; i < 1u + f->story->passed.waited; i++) {
		put_site(to, PD_FACT_PASSED_STORE, i, sites->waited[i]);
		put_site(to, PD_FACT_PASSED_LOAD, i, sites->passed[i]);
	}
}

static void put_address(const struct pd_story *s, struct pd_fact_list *to, enum pd_fact_key key,
			uint32_t nth, uint64_t addr)
{
	struct pd_fact fact = pd_story_address(s, addr);

	fact.key = (uint16_t)key;
	fact.nth = (uint16_t)nth;
	pd_fact_add(to, &fact);
}

/* The words that it reads over and over at its end. */
static void put_circle(const struct pd_failure *f, struct pd_fact_list *to)
{
	uint64_t addr[CIRCLE];
	struct pd_spin spin;
	uint32_t n;

	if (f->run->outcome != PD_OUTCOME_HANG)
		return;
	if (f->cause == PD_CAUSE_LOCK_HELD && pd_story_spins(f->story, f->run->depth, &spin))
		put_address(f->story, to, PD_FACT_SPINS_ON, 0, spin.addr);
	n = f->n ? 0 : pd_story_circles(f->story, f->run->depth, addr, CIRCLE);
	for (uint32_t i = 0; i < n; i++)
		put_address(f->story, to, PD_FACT_CIRCLE_WORD, i, addr[i]);
}

/* The user's own code: code inlined from system headers is not helpful. */
static const struct pd_site *users_own(const struct pd_site *at)
{
	const struct pd_site *s = at;

	while (s && pd_frame_is_system(&(struct pd_frame){.file = s->file}))
		s = s->inlined_at;
	return s ? s : at;
}

/* Without a later one: the store that came first, and should have come after the lost one. */
static void put_before(const struct pd_explored *x, const struct pd_failure *f,
		       struct pd_fact_list *to)
{
	const struct pd_crash_choice *c = pd_cause_before(f);
	const struct pd_board_site *seen = c ? pd_explored_site(x, c->seen_exec, c->seen) : NULL;

	if (!seen)
		return;
	pd_fact_put_text(to, PD_FACT_BEFORE_FILE, users_own(&seen->at)->file);
	pd_fact_put_if(to, PD_FACT_BEFORE_LINE, users_own(&seen->at)->line);
}

/* The later store by which recovery trusts the lost one, and the thread that makes that durable. */
static void put_order(const struct pd_explored *x, const struct pd_failure *f,
		      struct pd_fact_list *to)
{
	const struct pd_crash_choice *c = pd_cause_trusts(f);
	const struct pd_board_site *seen = c ? pd_explored_site(x, c->seen_exec, c->seen) : NULL;
	const struct pd_blamed *l = &f->blame[0];
	const struct pd_board_site *stored = pd_explored_site(x, l->lost.exec, l->lost.site);
	const struct pd_board_site *helper = pd_cause_helper(x, l);

	if (!seen) {
		put_before(x, f, to);
		return;
	}
	pd_fact_put_text(to, PD_FACT_TRUSTED_FILE, users_own(&seen->at)->file);
	pd_fact_put_if(to, PD_FACT_TRUSTED_LINE, users_own(&seen->at)->line);
	if (c->seen_tid != l->lost.tid)
		pd_fact_put(to, PD_FACT_TRUSTED_THREAD, c->seen_tid);
	if (!helper)
		return;
	pd_fact_put_text(to, PD_FACT_HELPER_FILE, helper->at.file);
	pd_fact_put_if(to, PD_FACT_HELPER_LINE, helper->at.line);
	pd_fact_put(to, PD_FACT_HELPER_THREAD, stored->helper_tid);
	pd_fact_put_if(to, PD_FACT_HELPER_TRUSTED, c->seen_tid == stored->helper_tid);
}

/* The range to log, and where. */
static void put_unlogged(const struct pd_explored *x, const struct pd_failure *f,
			 const struct pd_failure_sites *sites, struct pd_fact_list *to)
{
	struct pd_stretch r = pd_unlogged_range(x, f);

	put_address(f->story, to, PD_FACT_ADDRESS, 0, r.from);
	pd_fact_put(to, PD_FACT_SIZE, r.to - r.from);
	for (uint32_t i = 0; i < f->nunlogged; i++)
		put_site(to, PD_FACT_UNLOGGED_STORE, i, sites->unlogged[i]);
	put_site(to, PD_FACT_TRANSACTION, 0, sites->transaction);
}

/* The struct that straddles two lines, and where the line boundary cuts it. */
static void put_layout(const struct pd_failure *f, struct pd_fact_list *to)
{
	put_address(f->story, to, PD_FACT_ADDRESS, 0, f->object.from);
	pd_fact_put(to, PD_FACT_SIZE, f->object.to - f->object.from);
	pd_fact_put_text(to, PD_FACT_STRADDLES, f->straddling);
	pd_fact_put(to, PD_FACT_STRADDLES_AFTER, 64 - f->object.from % 64);
}

static void put_early(const struct pd_failure *f, const struct pd_failure_sites *sites,
		      struct pd_fact_list *to)
{
	for (uint32_t i = 0; i < PD_LEN(sites->early) && f->cause == PD_CAUSE_NOT_ATOMIC; i++)
		put_site(to, PD_FACT_EARLY_STORE, i, sites->early[i]);
}

static void put_unsynced(const struct pd_failure *f, struct pd_fact_list *to)
{
	if (f->cause == PD_CAUSE_UNSYNCED)
		pd_fact_put_text(to, PD_FACT_UNSYNCED, f->unsynced);
}

static bool is_streamed(const struct pd_failure *f)
{
	const struct pd_again_event *e = f->n ? pd_story_store(f->story, &f->blame[0].lost) : NULL;

	return e && e->kind == PD_EV_NTSTORE;
}

struct pd_facts pd_failure_facts(const struct pd_explored *x, const struct pd_failure *f,
				 const struct pd_failure_sites *sites, struct pd_arena *a)
{
	struct pd_fact_list to = {.arena = a};

	pd_run_facts(f->run, &to);
	pd_diagram_facts(&f->run->diagram, &to);
	pd_fact_put_if(&to, PD_FACT_OF_RECOVERY, f->run->depth > 1);
	pd_fact_put_if(&to, PD_FACT_AFTER_RETURN, f->run->crash_kind == PD_EV_MARK);
	pd_fact_put_if(&to, PD_FACT_AFTER_STORE, pd_run_crashed_after_store(f->run));
	put_unsynced(f, &to);
	if (f->shorter.all) {
		pd_fact_put(&to, PD_FACT_OPERATIONS_LEFT, f->shorter.left);
		pd_fact_put(&to, PD_FACT_OPERATIONS, f->shorter.all);
		pd_fact_put_if(&to, PD_FACT_MINIMISING_CUT, f->shorter.cut);
	}
	pd_fact_put_if(&to, PD_FACT_AT_END, f->run->crash_kind == PD_EV_EXIT);
	pd_fact_put_if(&to, PD_FACT_PAGE, x->page);
	if (f->cause == PD_CAUSE_UNLOGGED)
		put_unlogged(x, f, sites, &to);
	else if (f->cause == PD_CAUSE_OPEN_TX)
		put_site(&to, PD_FACT_TRANSACTION, 0, sites->transaction);
	else
		put_lost(f, sites, &to);
	put_early(f, sites, &to);
	put_site(&to, PD_FACT_READER, 0, sites->reader);
	put_others(f, &to);
	put_circle(f, &to);
	pd_fact_put_if(&to, PD_FACT_STREAMED, is_streamed(f));
	if (f->cause == PD_CAUSE_STORE_BUFFER)
		put_passed(f, sites, &to);
	if (f->cause == PD_CAUSE_LAYOUT)
		put_layout(f, &to);
	if (f->n && (f->cause == PD_CAUSE_ORDER || f->cause == PD_CAUSE_UNKNOWN))
		put_order(x, f, &to);
	return pd_facts_of(&to);
}
