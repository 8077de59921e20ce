/*
 * cause_test.c - why a recovery fails: each line of the table in engine/crash/cause.c, and what
 * tells it from its neighbours.
 */
#include "failures.h"

struct single {
	struct world w;
	struct pd_crash_run *run;
	struct pd_crash_choice *lost; /* the store at 10, number 5 in the log, by the read at 1 */
	struct pd_failure f;
};

/* One lost store, which the program has made durable by its end. */
static void single_init(struct single *s)
{
	world_init(&s->w);
	s->run = run_new(&s->w, PD_OUTCOME_ABORT, 7, 3);
	s->lost = lose(&s->w, s->run, 1, 10, 5);
	s->f = (struct pd_failure){.run = s->run};
}

static enum pd_cause cause_of(struct single *s)
{
	pd_failure_blame(&s->f, &s->w.arena);
	for (uint32_t i = 0; i < s->f.n; i++)
		s->f.blame[i].at_end = PD_AT_END_DURABLE;
	pd_failure_conclude(&s->w.x, &s->f);
	return s->f.cause;
}

#define SINGLE()                                                                                   \
	struct single s;                                                                           \
	(void)state;                                                                               \
	single_init(&s)

static void a_store_that_is_durable_too_late_is_order(void **state)
{
	SINGLE();
	see(&s.w, s.run, 2, 11, 6);
	assert_int_equal(cause_of(&s), PD_CAUSE_ORDER);
	assert_int_equal(s.f.trusted, 11);
	assert_int_equal(pd_cause_trusts(&s.f)->seen, 11);
	world_finish(&s.w);
}

/* What was stored before the lost one says nothing. */
static void an_earlier_store_is_not_trusted(void **state)
{
	SINGLE();
	see(&s.w, s.run, 2, 11, 4);
	assert_int_equal(cause_of(&s), PD_CAUSE_ORDER);
	assert_int_equal(s.f.trusted, 0);
	assert_null(pd_cause_trusts(&s.f));
	assert_int_equal(pd_cause_before(&s.f)->seen, 11);
	world_finish(&s.w);
}

/* Of several, the last one; not one of another thread, nor one of the same place. */
static void the_last_store_before_it(void **state)
{
	SINGLE();
	see(&s.w, s.run, 2, 11, 3);
	see(&s.w, s.run, 3, 12, 2);
	see(&s.w, s.run, 4, 10, 4);
	see(&s.w, s.run, 5, 13, 4)->seen_tid = 1;
	cause_of(&s);
	assert_int_equal(pd_cause_before(&s.f)->seen, 11);
	world_finish(&s.w);
}

static void flushed_without_a_fence(void **state)
{
	SINGLE();
	s.lost->next.flush = 6;
	see(&s.w, s.run, 2, 11, 7);
	assert_int_equal(cause_of(&s), PD_CAUSE_MISSING_FENCE);
	assert_int_equal(s.f.went_on, 7);
	world_finish(&s.w);
}

/* Another thread went on, and the fence came: that is order. */
static void another_thread_does_not_make_it_a_fence(void **state)
{
	SINGLE();
	s.lost->next.flush = 6;
	see(&s.w, s.run, 2, 11, 7)->seen_tid = 1;
	assert_int_equal(cause_of(&s), PD_CAUSE_ORDER);
	world_finish(&s.w);
}

static void nobody_makes_it_durable(void **state)
{
	SINGLE();
	pd_failure_blame(&s.f, &s.w.arena);
	s.f.blame[0].at_end = PD_AT_END_OPEN;
	pd_failure_conclude(&s.w.x, &s.f);
	assert_int_equal(s.f.cause, PD_CAUSE_MISSING_FLUSH);
	/* It was flushed, and no fence came until the end. */
	s.f.blame[0].lost.flush = 6;
	pd_failure_conclude(&s.w.x, &s.f);
	assert_int_equal(s.f.cause, PD_CAUSE_MISSING_FENCE);
	world_finish(&s.w);
}

/* Whichever store has the lower number: the fence explains nothing that the flush does not. */
static void a_missing_flush_before_a_missing_fence(void **state)
{
	for (uint32_t open = 0; open < 2; open++) {
		SINGLE();
		lose(&s.w, s.run, 2, 12, 6);
		see(&s.w, s.run, 3, 13, 9);
		pd_failure_blame(&s.f, &s.w.arena);
		assert_int_equal(s.f.n, 2);
		s.f.blame[open].at_end = PD_AT_END_OPEN;
		s.f.blame[!open].at_end = PD_AT_END_DURABLE;
		s.f.blame[!open].lost.flush = 8;
		pd_failure_conclude(&s.w.x, &s.f);
		assert_int_equal(s.f.cause, PD_CAUSE_MISSING_FLUSH);
		assert_int_equal(s.f.blame[0].lost.site, open ? 12 : 10);
		assert_int_equal(s.f.blame[1].lost.site, open ? 10 : 12);
		assert_int_equal(s.f.went_on, 0);
		world_finish(&s.w);
	}
}

/* Of what was not asked about, the site knows how many stores were left open. */
static void what_a_site_left_open_counts(void **state)
{
	SINGLE();
	s.w.site[0][10].left_open = 1;
	pd_failure_blame(&s.f, &s.w.arena);
	pd_failure_conclude(&s.w.x, &s.f);
	assert_int_equal(s.f.cause, PD_CAUSE_MISSING_FLUSH);
	/* A function with one store may store for others: then this one is durable. */
	assert_int_equal(cause_of(&s), PD_CAUSE_ORDER);
	/* One with several does not: it is durable by chance. */
	s.w.site[0][20] = (struct pd_board_site){
		.at = {.file = "first.c", .function = s.w.site[0][10].at.function, .line = 20},
		.stores = 1};
	assert_int_equal(cause_of(&s), PD_CAUSE_MISSING_FLUSH);
	world_finish(&s.w);
}

static void the_wrong_line_is_flushed(void **state)
{
	SINGLE();
	s.run->idle_flush = 30;
	s.run->idle_order = 5;
	pd_failure_blame(&s.f, &s.w.arena);
	s.f.blame[0].at_end = PD_AT_END_OPEN;
	pd_failure_conclude(&s.w.x, &s.f);
	assert_int_equal(s.f.cause, PD_CAUSE_WRONG_TARGET);
	s.run->idle_order = 4; /* before the store */
	pd_failure_conclude(&s.w.x, &s.f);
	assert_int_equal(s.f.cause, PD_CAUSE_MISSING_FLUSH);
	world_finish(&s.w);
}

static void without_the_end_of_the_program_it_is_unknown(void **state)
{
	SINGLE();
	s.w.x.ended = false;
	assert_int_equal(cause_of(&s), PD_CAUSE_UNKNOWN);
	world_finish(&s.w);
}

static void a_part_of_a_store_is_torn(void **state)
{
	SINGLE();
	s.lost->torn = true;
	assert_int_equal(cause_of(&s), PD_CAUSE_TORN);
	world_finish(&s.w);
}

/* Stores that the compiler has made of one copy have one place, and sites of their own. */
static void pieces_of_one_copy_are_torn(void **state)
{
	SINGLE();
	s.w.site[0][10].at.column = 3;
	s.w.site[0][11] = s.w.site[0][10];
	see(&s.w, s.run, 2, 11, 6);
	assert_int_equal(cause_of(&s), PD_CAUSE_TORN);
	s.w.site[0][11].at.column = 4; /* another copy on that line */
	assert_int_equal(cause_of(&s), PD_CAUSE_ORDER);
	world_finish(&s.w);
}

/* The store at 10 is to the first half of a record of 16 bytes, the last 8 of a cache line. */
static void a_struct_on_two_lines(void **state)
{
	struct pd_again_event stored = {
		.kind = PD_EV_STORE, .site = 10, .addr = 56, .size = 8, .before = 4, .after = 5};
	struct pd_story story = {.event = {&stored}, .n = {1}};
	struct pd_crash_choice *later;
	SINGLE();

	later = see(&s.w, s.run, 2, 11, 6);
	later->addr = 80; /* in the line of the other half */
	s.f.story = &story;
	assert_int_equal(cause_of(&s), PD_CAUSE_ORDER); /* no struct is known */
	s.w.site[0][10].at.type = "struct.entry";
	s.w.site[0][10].at.type_size = 16;
	assert_int_equal(cause_of(&s), PD_CAUSE_ORDER); /* a counter is there, or a flag */
	s.w.site[0][11].at.type = "struct.entry";
	assert_int_equal(cause_of(&s), PD_CAUSE_LAYOUT);
	assert_string_equal(s.f.straddling, "struct.entry");
	assert_int_equal(s.f.object.from, 56);
	assert_int_equal(s.f.object.to, 72);
	/* Its second half: the other line is the first */
	s.w.site[0][10].at.offset = 8;
	stored.addr = 64;
	assert_int_equal(cause_of(&s), PD_CAUSE_ORDER);
	later->addr = 40;
	assert_int_equal(cause_of(&s), PD_CAUSE_LAYOUT);
	/* What is larger than a line always straddles: that is nobody's mistake */
	s.w.site[0][10].at.type_size = 72;
	assert_int_equal(cause_of(&s), PD_CAUSE_ORDER);
	s.w.site[0][10].at.type_size = 16;
	/* It lies in one line */
	stored.addr = later->addr = 48;
	assert_int_equal(cause_of(&s), PD_CAUSE_ORDER);
	/* What recovery saw on the other line was there before */
	stored.addr = 64;
	later->addr = 40;
	later->seen_order = 4;
	assert_int_equal(cause_of(&s), PD_CAUSE_ORDER);
	later->seen_order = 6;
	assert_int_equal(cause_of(&s), PD_CAUSE_LAYOUT);
	s.w.x.page = true;
	assert_int_equal(cause_of(&s), PD_CAUSE_ORDER);
	world_finish(&s.w);
}

/* ---- nothing was lost ----------------------------------------------------------------------- */

static void nothing_lost_is_not_atomic_or_the_recovery(void **state)
{
	SINGLE();
	s.f.run = s.run = run_new(&s.w, PD_OUTCOME_ABORT, 7, 3);
	assert_int_equal(cause_of(&s), PD_CAUSE_NOT_ATOMIC);
	s.f.unasked = true; /* which of both it is takes an execution that there was no time for */
	assert_int_equal(cause_of(&s), PD_CAUSE_UNKNOWN);
	s.f.unsynced = "a.log";
	assert_int_equal(cause_of(&s), PD_CAUSE_UNSYNCED);
	s.f.undisturbed = true; /* it does not need the crash to fail */
	assert_int_equal(cause_of(&s), PD_CAUSE_RECOVERY);
	world_finish(&s.w);
}

/* Thread 1 reads what thread 0 has stored (number 5), and makes the store that recovery trusts
 * (number 7). */
static void who_read_it_before_it_was_durable(void **state)
{
	struct pd_again_event read[] = {
		{.tid = 1, .site = 20, .addr = 64, .size = 8, .before = 4}, /* too early */
		{.tid = 0, .site = 21, .addr = 64, .size = 8, .before = 5}, /* who has stored it */
		{.tid = 1, .site = 22, .addr = 72, .size = 8, .before = 5}, /* something else */
		{.tid = 1, .site = 23, .addr = 60, .size = 8, .before = 5},
		{.tid = 2, .site = 24, .addr = 64, .size = 8, .before = 6}, /* another one */
		{.tid = 1, .site = 25, .addr = 64, .size = 8, .before = 7}, /* too late */
	};
	struct pd_story story = {.read = read, .nread = PD_LEN(read)};
	struct pd_crash_choice *trusts;
	SINGLE();

	s.lost->size = 8;
	assert_int_equal(cause_of(&s), PD_CAUSE_ORDER);
	assert_null(pd_failure_reader(&s.f)); /* it was not run again */
	s.f.story = &story;
	assert_int_equal(pd_failure_reader(&s.f)->site, 25); /* the last one */
	trusts = see(&s.w, s.run, 2, 11, 7);
	trusts->seen_tid = 1;
	assert_int_equal(pd_failure_reader(&s.f)->site, 23);
	trusts->seen_tid = 0;
	assert_null(pd_failure_reader(&s.f)); /* one thread, in the wrong order */
	world_finish(&s.w);
}

static void threads_that_missed_each_other(void **state)
{
	SINGLE();
	struct pd_story story = {.passed = {.known = true}};

	s.f.story = &story;
	assert_int_equal(cause_of(&s), PD_CAUSE_ORDER); /* something was lost */
	s.f.run = s.run = run_new(&s.w, PD_OUTCOME_ABORT, 7, 3);
	assert_int_equal(cause_of(&s), PD_CAUSE_STORE_BUFFER);
	world_finish(&s.w);
}

static void a_lock_that_nobody_holds(void **state)
{
	SINGLE();
	s.f.run = s.run = run_new(&s.w, PD_OUTCOME_DEADLOCK, 7, 3);
	s.run->waits = (struct pd_waits){1, {{.wait = PD_WAIT_MUTEX, .held = PD_HOLDER_NOBODY}}};
	assert_int_equal(cause_of(&s), PD_CAUSE_LOCK_HELD);
	s.f.undisturbed = true; /* it waits like that after any run */
	assert_int_equal(cause_of(&s), PD_CAUSE_RECOVERY);
	s.f.undisturbed = false;
	s.run->waits.v[0].held = PD_HOLDER_LIVE;
	assert_int_equal(cause_of(&s), PD_CAUSE_NOT_ATOMIC);
	world_finish(&s.w);
}

/* Recovery reads one word over and over: it was held, or its release was lost. */
static void a_lock_that_is_spun_on(void **state)
{
	struct pd_again_event spin[20];
	struct pd_story story = {.event = {[1] = spin}, .n = {[1] = PD_LEN(spin)}};
	struct pd_spin at;
	SINGLE();

	for (uint32_t i = 0; i < PD_LEN(spin); i++)
		spin[i] = (struct pd_again_event){.kind = PD_EV_LOAD, .addr = 64, .size = 8};
	s.run->outcome = PD_OUTCOME_HANG;
	s.f.story = &story;
	assert_true(pd_story_spins(&story, 1, &at));
	assert_int_equal(at.addr, 64);
	assert_int_equal(cause_of(&s), PD_CAUSE_LOCK_HELD); /* the read at 1 is of address 64 */
	s.lost->addr = 128;
	assert_int_equal(cause_of(&s), PD_CAUSE_ORDER);
	s.lost->addr = 64;
	spin[15].addr = 128;
	assert_false(pd_story_spins(&story, 1, &at));
	assert_int_equal(cause_of(&s), PD_CAUSE_ORDER);
	world_finish(&s.w);
}

/* It reads a link (128) on the way to the lock (64), which a locked instruction has set. */
static void a_lock_that_is_reached_by_a_link(void **state)
{
	struct pd_again_event spin[40],
		before[2] = {{.kind = PD_EV_STORE, .addr = 128, .size = 8},
			     {.kind = PD_EV_RMW, .addr = 64, .size = 8, .site = 7, .value = 6}};
	struct pd_story story = {.event = {[0] = before, [1] = spin},
				 .n = {[0] = 2, [1] = PD_LEN(spin)},
				 .crash = {[0] = 2}};
	struct pd_spin at;
	SINGLE();

	for (uint32_t i = 0; i < PD_LEN(spin); i++)
		spin[i] = (struct pd_again_event){.kind = PD_EV_LOAD,
						  .addr = i % 2 ? 128 : 64,
						  .size = 8,
						  .site = i % 2 ? 1 : 2,
						  .value = i % 2 ? 4096 : 6};
	s.f.run = s.run = run_new(&s.w, PD_OUTCOME_HANG, 7, 3);
	s.f.story = &story;
	assert_true(pd_story_spins(&story, 1, &at));
	assert_int_equal(at.addr, 64);
	assert_int_equal(at.load, 2);
	assert_int_equal(at.taken, 7);
	assert_int_equal(cause_of(&s), PD_CAUSE_LOCK_HELD);
	before[0].kind = PD_EV_RMW; /* two words that are exchanged: links of a list */
	assert_int_equal(cause_of(&s), PD_CAUSE_NOT_ATOMIC);
	before[1].kind = PD_EV_STORE; /* the one that is leads to a word of the loop */
	for (uint32_t i = 1; i < PD_LEN(spin); i += 2)
		spin[i].value = PD_LAYOUT_PM + 64;
	assert_int_equal(cause_of(&s), PD_CAUSE_NOT_ATOMIC);
	before[0].kind = PD_EV_STORE; /* nothing that it reads is a lock */
	assert_int_equal(cause_of(&s), PD_CAUSE_NOT_ATOMIC);
	for (uint32_t i = 0; i < PD_LEN(spin); i += 2)
		spin[i].kind = PD_EV_RMW_FAILED; /* but it tries to take it */
	assert_int_equal(cause_of(&s), PD_CAUSE_LOCK_HELD);
	spin[20].kind = PD_EV_STORE; /* it does more than wait */
	assert_int_equal(cause_of(&s), PD_CAUSE_NOT_ATOMIC);
	world_finish(&s.w);
}

/* Only what hangs waits for a word: what ends may have read one over and over, too. */
static void what_it_waits_for_is_shown_if_it_hangs(void **state)
{
	struct pd_again_event spin[20],
		before[2] = {{.kind = PD_EV_RMW, .addr = 64, .size = 8, .site = 7},
			     {.kind = PD_EV_STORE, .addr = 128, .size = 8, .site = 8}};
	struct pd_story story = {.event = {[0] = before, [1] = spin},
				 .n = {[0] = 2, [1] = PD_LEN(spin)},
				 .crash = {[0] = 2}};
	SINGLE();

	for (uint32_t i = 0; i < PD_LEN(spin); i++)
		spin[i] = (struct pd_again_event){.kind = PD_EV_LOAD, .addr = 64, .size = 8};
	s.f.story = &story;
	s.run->last_store = 8;
	s.run->outcome = PD_OUTCOME_HANG;
	assert_ptr_equal(pd_failure_last_store(&s.f), &before[0]);
	s.run->outcome = PD_OUTCOME_HISTORY;
	assert_ptr_equal(pd_failure_last_store(&s.f), &before[1]);
	world_finish(&s.w);
}

static void another_thread_flushes_for_it(void **state)
{
	SINGLE();
	assert_int_equal(cause_of(&s), PD_CAUSE_ORDER);
	assert_null(pd_cause_helper(&s.w.x, &s.f.blame[0]));
	s.w.site[0][10].helper = 30;
	assert_ptr_equal(pd_cause_helper(&s.w.x, &s.f.blame[0]), &s.w.site[0][30]);
	s.w.site[0][10].flushes_itself = 1;
	assert_null(pd_cause_helper(&s.w.x, &s.f.blame[0]));
	world_finish(&s.w);
}

/* ---- transactions --------------------------------------------------------------------------- */

/* One that begins at log length 2 and is left at 4; places 1 and 2. */
static const struct pd_tx_span left_open[] = {
	{.from = 2, .to = UINT32_MAX, .begin = 1, .left = 4, .tid = 0}};
static const struct pd_finding_site tx_places[] = {{.at = {"add", "p.c", 20, 0}},
						   {.at = {"main", "p.c", 30, 0}}};
/* What main stores after add() has left it: part of the transaction, but never meant to be. */
static const struct pd_unlogged stray[] = {
	{.first = 5, .last = 5, .place = 2, .begin = 1, .tx = 1}};
static const struct pd_surveyed with_left = {
	.spans = {1, left_open}, .places = tx_places, .nunlogged = 1, .unlogged = stray};

static enum pd_cause cause_in_transaction(struct single *s, uint32_t length)
{
	s->run->length = length;
	s->f.surveyed = &with_left;
	pd_failure_blame(&s->f, &s->w.arena);
	for (uint32_t i = 0; i < s->f.n; i++)
		s->f.blame[i].at_end = PD_AT_END_DURABLE;
	pd_failure_find_transaction(&s->f);
	pd_failure_conclude(&s->w.x, &s->f);
	return s->f.cause;
}

static void a_transaction_that_was_left(void **state)
{
	SINGLE();
	s.run->last = NULL; /* nothing is lost */
	s.run->lost = 0;
	assert_int_equal(cause_in_transaction(&s, 3), PD_CAUSE_NOT_ATOMIC); /* add() goes on */
	assert_int_equal(cause_in_transaction(&s, 4), PD_CAUSE_OPEN_TX);
	assert_int_equal(pd_failure_transaction(&s.f)->at.line, 20);
	s.run->nunlogged = 1; /* recovery ends well without the stray store */
	s.run->unlogged[0] = 5;
	assert_int_equal(cause_in_transaction(&s, 6), PD_CAUSE_OPEN_TX);
	world_finish(&s.w);
}

/* A commit would have flushed what the transaction has stored, and nothing else. */
static void what_was_lost_with_it(void **state)
{
	SINGLE();
	see(&s.w, s.run, 2, 11, 6);
	s.lost->next.order = 4;
	assert_int_equal(cause_in_transaction(&s, 6), PD_CAUSE_OPEN_TX);
	s.lost->next.order = 2; /* before it began */
	assert_int_equal(cause_in_transaction(&s, 6), PD_CAUSE_ORDER);
	s.lost->next.order = 4;
	s.lost->next.tid = 1; /* of another thread */
	assert_int_equal(cause_in_transaction(&s, 6), PD_CAUSE_ORDER);
	world_finish(&s.w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_struct_on_two_lines),
		cmocka_unit_test(a_store_that_is_durable_too_late_is_order),
		cmocka_unit_test(an_earlier_store_is_not_trusted),
		cmocka_unit_test(a_missing_flush_before_a_missing_fence),
		cmocka_unit_test(the_last_store_before_it),
		cmocka_unit_test(flushed_without_a_fence),
		cmocka_unit_test(another_thread_does_not_make_it_a_fence),
		cmocka_unit_test(nobody_makes_it_durable),
		cmocka_unit_test(what_a_site_left_open_counts),
		cmocka_unit_test(the_wrong_line_is_flushed),
		cmocka_unit_test(without_the_end_of_the_program_it_is_unknown),
		cmocka_unit_test(a_part_of_a_store_is_torn),
		cmocka_unit_test(pieces_of_one_copy_are_torn),
		cmocka_unit_test(nothing_lost_is_not_atomic_or_the_recovery),
		cmocka_unit_test(threads_that_missed_each_other),
		cmocka_unit_test(who_read_it_before_it_was_durable),
		cmocka_unit_test(a_lock_that_nobody_holds),
		cmocka_unit_test(a_lock_that_is_spun_on),
		cmocka_unit_test(a_lock_that_is_reached_by_a_link),
		cmocka_unit_test(what_it_waits_for_is_shown_if_it_hangs),
		cmocka_unit_test(another_thread_flushes_for_it),
		cmocka_unit_test(a_transaction_that_was_left),
		cmocka_unit_test(what_was_lost_with_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
