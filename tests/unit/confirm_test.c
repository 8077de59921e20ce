/*
 * confirm_test.c - races that are made to happen, with a made-up front end: threads are numbers,
 * what they do is told to the model and to the engine, and a recovery is a counter.
 */
#include "unit.h"
#include "engine/lockset/confirm.h"

enum { STORE = 11, LOAD = 12, ACT = 13, WRITER = 1, READER = 2, OTHER = 3, MEM = 1024 };

static struct made {
	struct unit_host host;
	struct pd_arena arena;
	struct pd_model model;
	uint8_t mem[MEM];
	struct pd_meet_asked asked;
	struct pd_meet_seen seen;
	struct pd_meet meet;
	uint32_t scouts, acted;
	bool fails, looks, resets, seeks, none;
} x;

static void acted(void *ctx, uint32_t effect)
{
	(void)ctx;
	assert_int_equal(effect, ACT);
	x.acted++;
}

static bool scout(void *ctx, uint32_t site)
{
	(void)ctx, (void)site;
	assert_true(x.meet.scouting);
	if (x.none)
		return false;
	x.scouts++;
	x.seen.judged += x.looks;
	x.seen.resets += x.resets;
	x.seen.sought += x.seeks;
	if (x.fails)
		x.seen.bad = &x;
	return true;
}

static void begin(void)
{
	memset(&x, 0, sizeof(x));
	x.host.left = -1;
	pd_arena_init(&x.arena, unit_host(&x.host));
	pd_model_init(&x.model, &x.arena, PD_PARAMS_ADR, x.mem, false);
	x.asked = (struct pd_meet_asked){
		.store = {.site = STORE}, .nload = 1, .load = {{.site = LOAD}}};
	x.meet.asked = &x.asked;
	x.meet.seen = &x.seen;
	x.meet.model = &x.model;
	x.meet.acted = acted;
	x.meet.scout = scout;
	pd_meet_seed(&x.meet, 1);
}

static void end(void)
{
	pd_model_finish(&x.model);
	pd_arena_finish(&x.arena);
}

static void store(uint32_t thread, uint64_t addr, uint32_t site)
{
	uint64_t value = 1;

	pd_model_store(&x.model, thread, addr, &value, 8, site, 0);
	pd_meet_stored(&x.meet, thread, addr, 8, site);
}

static void persist(uint32_t thread, uint64_t addr)
{
	pd_model_flush(&x.model, thread, addr, PD_FLUSH_CLWB);
	pd_meet_flushed(&x.meet, thread, addr, false, 1);
	pd_model_sfence(&x.model, thread);
	pd_meet_fenced(&x.meet, thread, 1);
}

static void load(uint32_t thread, uint64_t addr)
{
	pd_meet_loading(&x.meet, thread, addr, 8, LOAD);
	pd_meet_loaded(&x.meet, thread, addr, 8, LOAD);
}

/* Candidates 0, 1, 2 are threads 1, 2, 3. */
static uint32_t number(uint32_t candidate)
{
	return candidate + 1;
}

/* ---- who runs ------------------------------------------------------------------------------- */

static void the_writer_is_held(void **state)
{
	(void)state;
	begin();
	assert_int_equal(pd_meet_choose(&x.meet, 0, 3, number), 0);
	store(WRITER, 0, STORE);
	assert_false(x.meet.held);
	pd_meet_persisting(&x.meet, OTHER, 0, false);
	assert_false(x.meet.held);
	pd_meet_persisting(&x.meet, WRITER, 64, false); /* another line */
	assert_false(x.meet.held);
	pd_meet_persisting(&x.meet, WRITER, 0, false);
	assert_true(x.meet.held);
	for (uint32_t i = 0; i < 50; i++)
		assert_int_not_equal(pd_meet_choose(&x.meet, i % 3, 3, number), 0);
	assert_int_equal(pd_meet_choose(&x.meet, 0, 1, number), 0); /* nobody else can */
	assert_false(x.meet.held);
	pd_meet_persisting(&x.meet, WRITER, 0, true); /* once is enough */
	assert_false(x.meet.held);
	end();
}

static void not_for_ever(void **state)
{
	uint32_t n = 0;

	(void)state;
	begin();
	x.asked.early = 1;
	store(WRITER, 0, STORE);
	assert_true(x.meet.held); /* at once */
	while (n < 5000 && pd_meet_choose(&x.meet, 0, 3, number) != 0)
		n++;
	assert_int_equal(n, 3000);
	end();
}

/* Somebody else has made it durable: there is nothing to wait for. */
static void held_until_durable(void **state)
{
	(void)state;
	begin();
	x.asked.early = 1;
	store(WRITER, 0, STORE);
	assert_int_not_equal(pd_meet_choose(&x.meet, 0, 3, number), 0);
	persist(OTHER, 0);
	assert_int_equal(pd_meet_choose(&x.meet, 0, 3, number), 0);
	assert_false(x.meet.held);
	end();
}

/* What was made before there were threads was for another race. */
static void nobody_is_held_for_an_older_question(void **state)
{
	(void)state;
	begin();
	x.asked.early = 1;
	store(WRITER, 0, STORE);
	assert_true(x.meet.held);
	x.asked.store.site = ACT;
	pd_meet_find(&x.meet);
	assert_false(x.meet.held || x.meet.next.to);
	x.asked.store.site = STORE;
	pd_meet_find(&x.meet);
	assert_false(x.meet.held); /* it is to make threads first */
	pd_meet_persisting(&x.meet, WRITER, 0, false);
	assert_true(x.meet.held);
	end();
}

static const uint64_t *called_by;

static bool is_called_by(void *ctx, const uint64_t *caller, uint32_t n)
{
	(void)ctx;
	return memcmp(caller, called_by, n * sizeof(*caller)) == 0;
}

/* One line of a header is everybody's. */
static void callers_decide(void **state)
{
	static const uint64_t one[] = {100, 200}, other[] = {100, 201};

	(void)state;
	begin();
	x.meet.is_called_by = is_called_by;
	x.asked.store = (struct pd_meet_place){.site = STORE, .ncaller = 2, .caller = {100, 200}};
	x.asked.load[0] = (struct pd_meet_place){.site = LOAD, .ncaller = 2, .caller = {100, 200}};
	called_by = other;
	store(WRITER, 0, STORE);
	assert_int_equal(x.meet.made, 0);
	called_by = one;
	store(WRITER, 0, STORE);
	assert_int_equal(x.meet.made, 1);
	called_by = other;
	load(READER, 0);
	assert_false(x.meet.met);
	called_by = one;
	load(READER, 0);
	assert_true(x.meet.met);
	end();
}

static void before_and_after_are_close(void **state)
{
	(void)state;
	begin();
	load(READER, 64);
	store(WRITER, 0, STORE);
	assert_false(x.seen.close); /* other bytes */
	load(READER, 128);
	store(WRITER, 128, STORE);
	assert_true(x.seen.close);
	x.seen.close = 0;
	persist(WRITER, 128);
	load(READER, 128);
	assert_true(x.seen.close && !x.seen.met);
	end();
}

static void the_reader_goes_on(void **state)
{
	uint32_t n = 0;

	(void)state;
	begin();
	store(WRITER, 0, STORE);
	load(READER, 0);
	assert_true(x.meet.met && x.meet.held);
	for (uint32_t i = 0; i < 100; i++)
		n += pd_meet_choose(&x.meet, 2, 3, number) == 1;
	assert_int_equal(n, 75);
	end();
}

static void who_is_too_early_waits(void **state)
{
	uint32_t waits = 0;

	(void)state;
	begin();
	load(READER, 0);
	assert_int_equal(x.meet.early, 0);
	x.asked.rarely = 1;
	for (uint32_t i = 0; i < 400; i++) {
		x.meet.early = 0;
		load(READER, 0);
		waits += x.meet.early == READER + 1;
	}
	assert_true(waits > 60 && waits < 140); /* one in four */
	x.meet.early = READER + 1;
	assert_int_not_equal(pd_meet_choose(&x.meet, 1, 3, number), 1);
	store(WRITER, 0, STORE);
	assert_int_equal(x.meet.early, 0);
	end();
}

/* ---- what they meet at ---------------------------------------------------------------------- */

static void they_meet(void **state)
{
	(void)state;
	begin();
	store(WRITER, 0, STORE);
	load(WRITER, 0); /* itself */
	load(READER, 8); /* other bytes */
	assert_false(x.meet.met);
	pd_meet_loaded(&x.meet, READER, 0, 8, LOAD + 5); /* another load */
	assert_false(x.meet.met);
	load(READER, 0);
	assert_true(x.meet.met);
	assert_int_equal(x.seen.met, 1);
	assert_int_equal(x.meet.reader, READER);
	end();
	begin();
	store(WRITER, 0, STORE);
	persist(WRITER, 0);
	load(READER, 0); /* it is durable */
	assert_false(x.meet.met);
	assert_int_equal(x.seen.met, 0);
	end();
}

static void a_reader_that_does_not_act_is_left(void **state)
{
	(void)state;
	begin();
	store(WRITER, 0, STORE);
	for (uint32_t i = 0; i < 4; i++) {
		load(READER, 0);
		assert_true(x.meet.met);
	}
	load(READER, 0);
	assert_false(x.meet.met || x.meet.held);
	load(READER, 0); /* not again with this one */
	assert_false(x.meet.met);
	store(WRITER, 0, STORE);
	load(READER, 0);
	assert_true(x.meet.met);
	end();
}

/* ---- effects -------------------------------------------------------------------------------- */

static void act(uint64_t addr)
{
	store(READER, addr, ACT);
	persist(READER, addr);
}

static void an_effect_without_its_cause(void **state)
{
	(void)state;
	begin();
	x.looks = true;
	store(WRITER, 0, STORE);
	act(64); /* before it has read */
	assert_int_equal(x.seen.acted, 0);
	load(READER, 0);
	store(READER, 8, ACT); /* in one line a later store is never there without an earlier one */
	assert_int_equal(x.meet.neffect, 0);
	assert_false(x.meet.acts);
	persist(READER, 8);
	assert_int_equal(x.seen.acted, 0);
	store(WRITER, 0, STORE); /* (that made it durable) */
	load(READER, 0);
	store(READER, 64, ACT);
	pd_meet_fenced(&x.meet, READER, 1); /* it is not flushed */
	assert_int_equal(x.seen.acted, 0);
	store(OTHER, 128, ACT);
	persist(OTHER, 128); /* somebody else */
	assert_int_equal(x.seen.acted, 0);
	persist(READER, 64);
	assert_int_equal(x.seen.acted, x.meet.at.number);
	assert_int_equal(x.seen.effect, ACT);
	assert_int_equal(x.seen.scouts, 1);
	assert_int_equal(x.seen.looked, 1);
	assert_int_equal(x.seen.reset, 0);
	assert_int_equal(x.acted, 1);
	end();
}

static void recoveries_at_effects(void **state)
{
	(void)state;
	begin();
	x.resets = true;
	store(WRITER, 0, STORE);
	load(READER, 0);
	for (uint64_t i = 1; i < 9; i++)
		act(64 * i);
	assert_int_equal(x.scouts, 3); /* of one window */
	assert_int_equal(x.acted, 8);
	assert_int_equal(x.seen.reset, 3);
	assert_int_equal(x.seen.looked, 0);
	end();
	begin();
	x.fails = true;
	store(WRITER, 0, STORE);
	load(READER, 0);
	act(64);
	act(128); /* one that fails is enough */
	assert_int_equal(x.scouts, 1);
	end();
	begin();
	x.none = true; /* to be had */
	store(WRITER, 0, STORE);
	load(READER, 0);
	act(64);
	assert_int_equal(x.seen.scouts, 0);
	assert_int_equal(x.seen.acted, 1);
	end();
	begin();
	store(WRITER, 0, STORE);
	load(READER, 0);
	store(READER, 64, ACT);
	pd_model_flush(&x.model, READER, 64, PD_FLUSH_CLFLUSH);
	pd_meet_flushed(&x.meet, READER, 64, true, 1); /* clflush waits for no fence */
	assert_int_equal(x.seen.scouts, 1);
	end();
}

static void recoveries_that_do_not_need_it(void **state)
{
	(void)state;
	begin();
	x.seeks = true;
	store(WRITER, 0, STORE);
	load(READER, 0);
	act(64);
	assert_int_equal(x.seen.unneeded, 1);
	x.resets = true; /* it overwrites the bytes */
	act(128);
	assert_int_equal(x.seen.unneeded, 1);
	x.looks = true;
	act(192);
	assert_int_equal(x.seen.unneeded, 1);
	assert_int_equal(x.seen.looked, 1);
	assert_int_equal(x.seen.reset, 1);
	end();
}

/* Flushes and fences as a front end reports them: before, and after. */
static void persist_now(uint32_t thread, uint64_t addr)
{
	pd_meet_persisting(&x.meet, thread, addr, false);
	pd_model_flush(&x.model, thread, addr, PD_FLUSH_CLWB);
	pd_meet_flushed(&x.meet, thread, addr, false, 1);
	pd_meet_persisting(&x.meet, thread, 0, true);
	pd_meet_point(&x.meet, thread);
	pd_model_sfence(&x.model, thread);
	pd_meet_fenced(&x.meet, thread, 1);
}

/* The fence is a locked instruction, which nobody announces as one. */
static void persist_locked(uint32_t thread, uint64_t addr)
{
	pd_meet_persisting(&x.meet, thread, addr, false);
	pd_model_flush(&x.model, thread, addr, PD_FLUSH_CLWB);
	pd_meet_flushed(&x.meet, thread, addr, false, 1);
	pd_meet_point(&x.meet, thread);
	pd_model_mfence(&x.model, thread);
	pd_meet_fenced(&x.meet, thread, 1);
}

static void the_reader_makes_it_durable(void **state)
{
	(void)state;
	begin();
	store(WRITER, 0, STORE);
	load(READER, 0);
	assert_int_equal(x.seen.loose, 1);
	persist_now(READER, 64); /* another line */
	assert_int_equal(x.seen.helped, 0);
	persist_now(READER, 0);
	assert_int_equal(x.seen.helped, 1);
	assert_int_equal(x.seen.loose, 0);
	assert_false(x.meet.met);
	store(WRITER, 0, STORE);
	load(READER, 0);
	persist_now(WRITER, 0); /* not the reader */
	persist_now(READER, 0);
	assert_int_equal(x.seen.helped, 1);
	assert_int_equal(x.seen.loose, 1);
	end();
	begin();
	store(WRITER, 0, STORE);
	load(READER, 0);
	persist_locked(READER, 0);
	assert_int_equal(x.seen.helped, 1);
	assert_int_equal(x.seen.loose, 0);
	end();
	begin();
	store(WRITER, 0, STORE);
	load(READER, 0);
	store(READER, 64, ACT);
	persist_now(READER, 64); /* too late */
	persist_now(READER, 0);
	assert_int_equal(x.seen.helped, 0);
	assert_int_equal(x.seen.loose, 1);
	end();
}

/* ---- crashes -------------------------------------------------------------------------------- */

static void power_fails_in_the_window(void **state)
{
	(void)state;
	begin();
	x.asked.instance = 2;
	store(WRITER, 0, STORE);
	load(READER, 0);
	assert_false(pd_meet_is_crash_point(&x.meet)); /* it is another one */
	persist(WRITER, 0);
	assert_false(pd_meet_is_over(&x.meet));
	store(WRITER, 0, STORE);
	assert_false(pd_meet_is_crash_point(&x.meet));
	load(READER, 0);
	assert_true(pd_meet_is_crash_point(&x.meet));
	x.asked.acted = 1; /* then only after it has acted */
	assert_false(pd_meet_is_crash_point(&x.meet));
	store(READER, 64, ACT);
	assert_true(pd_meet_is_crash_point(&x.meet));
	persist(READER, 64);
	assert_int_equal(x.scouts, 0);
	assert_false(pd_meet_is_over(&x.meet));
	persist(WRITER, 0);
	assert_true(pd_meet_is_over(&x.meet));
	assert_false(pd_meet_is_crash_point(&x.meet));
	end();
}

static void stores_from_before_there_were_threads(void **state)
{
	(void)state;
	begin();
	store(0, 128, STORE);
	store(0, 64, STORE);
	store(0, 0, STORE);
	store(0, 192, ACT);
	persist(0, 64);
	store(0, 136, STORE);
	store(0, 72, ACT); /* in a line of which the other store is durable */
	x.meet.made = 77;
	pd_meet_find(&x.meet);
	assert_int_equal(x.meet.made, 3);
	assert_int_equal(x.meet.window[0].addr, 128); /* as they were made */
	assert_int_equal(x.meet.window[1].addr, 0);
	assert_int_equal(x.meet.window[1].end, 8);
	assert_int_equal(x.meet.window[1].number, 2);
	assert_int_equal(x.meet.window[2].addr, 136);
	load(READER, 0);
	assert_int_equal(x.seen.met, 2);
	end();
}

static void bytes_of_the_store(void **state)
{
	struct pd_meet_seen s = {.addr = 72, .end = 76};
	uint64_t block;

	(void)state;
	assert_int_equal(pd_meet_bytes(&s, &block), 0xf00);
	assert_int_equal(block, 64);
	s = (struct pd_meet_seen){.addr = 64, .end = 128};
	assert_true(pd_meet_bytes(&s, &block) == UINT64_MAX);
	s.end = 129;
	assert_int_equal(pd_meet_bytes(&s, &block), 0);
	s = (struct pd_meet_seen){0};
	assert_int_equal(pd_meet_bytes(&s, &block), 0);
}

/* ---- turns and verdicts --------------------------------------------------------------------- */

static const struct pd_confirm_policy policy = {.turns = 12, .acts = 20};

static void ways_of_holding(void **state)
{
	struct pd_confirm_race r = {0};
	struct pd_meet_asked asked = {.instance = 3, .scout = 1};
	uint32_t ways = 0;

	(void)state;
	for (; r.turns < 4; r.turns++) {
		pd_confirm_begin(&r, &asked);
		ways |= 1u << (asked.early + 2 * asked.rarely);
		assert_int_equal(asked.instance, 0);
		assert_int_equal(asked.scout, 0);
	}
	assert_int_equal(ways, 15);
}

static void one_failure_is_enough(void **state)
{
	struct pd_confirm_race r = {0};
	struct pd_meet_seen seen = {.met = 1, .acted = 1, .effect = 5, .scouts = 1, .bad = &x};

	(void)state;
	assert_false(pd_confirm_took_turn(&r, &policy, &seen));
	assert_true(pd_confirm_is_decided(&r, &policy));
	assert_int_equal(pd_confirm_verdict(&r, true), PD_CONFIRM_FAILS);
	assert_int_equal(r.effect, 5);
}

static void never_met(void **state)
{
	struct pd_confirm_race r = {0};
	struct pd_meet_seen seen = {0};

	(void)state;
	while (!pd_confirm_is_decided(&r, &policy))
		assert_false(pd_confirm_took_turn(&r, &policy, &seen));
	assert_int_equal(r.turns, 48);
	assert_int_equal(r.close, 0);
	assert_int_equal(pd_confirm_verdict(&r, true), PD_CONFIRM_POTENTIAL);
	assert_false(pd_confirm_is_unfinished(&r, &policy));
}

/* What may yet meet has the time that there is; that it was over is then no limit. */
static void close_goes_on(void **state)
{
	struct pd_confirm_race r = {0};
	struct pd_meet_seen seen = {.close = 1};

	(void)state;
	while (!pd_confirm_is_decided(&r, &policy)) {
		assert_int_equal(pd_confirm_is_unfinished(&r, &policy), r.turns < 24);
		assert_false(pd_confirm_took_turn(&r, &policy, &seen));
	}
	assert_int_equal(r.turns, 480);
	assert_int_equal(r.close, 480);
}

static void met_and_nothing_came_of_it(void **state)
{
	struct pd_confirm_race r = {0};
	struct pd_meet_seen seen = {.met = 4};
	struct pd_meet_asked asked = {0};
	uint32_t crashes = 0;

	(void)state;
	while (!pd_confirm_is_decided(&r, &policy))
		if (pd_confirm_took_turn(&r, &policy, &seen)) {
			crashes++;
			pd_confirm_begin_crashes(&asked, &seen);
			assert_int_equal(asked.instance, 4);
			assert_int_equal(asked.scout, 1);
			pd_confirm_crashed(&r, &seen, false);
		}
	assert_int_equal(crashes, 3);
	assert_int_equal(r.met, 24);
	assert_int_equal(pd_confirm_verdict(&r, true), PD_CONFIRM_UNREAD);
	assert_int_equal(pd_confirm_verdict(&r, false), PD_CONFIRM_POTENTIAL); /* nobody looked */
	r.read = 1;
	assert_int_equal(pd_confirm_verdict(&r, true), PD_CONFIRM_POTENTIAL);
	r.read = 0;
	r.idle = 2; /* time ran out in one */
	assert_int_equal(pd_confirm_verdict(&r, true), PD_CONFIRM_POTENTIAL);
}

static void helped_each_time(void **state)
{
	struct pd_confirm_race r = {0};
	struct pd_meet_seen seen = {.met = 4, .helped = 2},
			    loose = {.met = 4, .helped = 2, .loose = 1};

	(void)state;
	while (!pd_confirm_is_decided(&r, &policy))
		if (pd_confirm_took_turn(&r, &policy, &seen))
			pd_confirm_crashed(&r, &seen, true);
	assert_int_equal(pd_confirm_verdict(&r, true), PD_CONFIRM_HELPED);
	pd_confirm_took_turn(&r, &policy, &loose);
	assert_int_equal(pd_confirm_verdict(&r, true), PD_CONFIRM_POTENTIAL);
	r = (struct pd_confirm_race){.turns = 24, .met = 11, .helped = 11}; /* too few */
	assert_int_equal(pd_confirm_verdict(&r, true), PD_CONFIRM_POTENTIAL);
}

/* At each effect recovery reads that, and not the store. */
static void never_read(void **state)
{
	struct pd_confirm_race r = {0};
	struct pd_meet_seen seen = {.met = 1, .acted = 1, .effect = 5, .scouts = 3, .unneeded = 3};
	uint32_t crashes = 0;

	(void)state;
	while (!pd_confirm_is_decided(&r, &policy))
		if (pd_confirm_took_turn(&r, &policy, &seen)) {
			crashes++;
			assert_int_equal(pd_confirm_verdict(&r, true), PD_CONFIRM_EFFECT);
			pd_confirm_crashed(&r, &seen, false);
		}
	assert_int_equal(crashes, 3);
	assert_int_equal(pd_confirm_verdict(&r, true), PD_CONFIRM_UNREAD);
	assert_true(pd_confirm_is_judged(&r));
	r.looked = 1;
	assert_int_equal(pd_confirm_verdict(&r, true), PD_CONFIRM_BENIGN);
	r = (struct pd_confirm_race){0};
	assert_false(pd_confirm_is_judged(&r));
	/* Not at each effect is that looked at, but at enough of them */
	seen.unneeded = 2;
	while (!pd_confirm_is_decided(&r, &policy))
		if (pd_confirm_took_turn(&r, &policy, &seen))
			pd_confirm_crashed(&r, &seen, false);
	assert_int_equal(pd_confirm_verdict(&r, true), PD_CONFIRM_UNREAD);
	/* Once it was looked for, and mostly not: nothing follows */
	r = (struct pd_confirm_race){.looked = 1};
	while (!pd_confirm_is_decided(&r, &policy))
		assert_false(pd_confirm_took_turn(&r, &policy, &seen));
	assert_int_equal(pd_confirm_verdict(&r, true), PD_CONFIRM_EFFECT);
	assert_int_equal(r.turns, 12);
}

/* Recovery tolerates it each time; how many executions with crashes, each of which is `cut` or
 * not. */
static uint32_t tolerate(struct pd_confirm_race *r, bool cut)
{
	struct pd_meet_seen seen = {.met = 1, .acted = 2, .effect = 5, .scouts = 3, .looked = 3};
	struct pd_meet_asked asked = {0};
	uint32_t crashes = 0;

	while (!pd_confirm_is_decided(r, &policy))
		if (pd_confirm_took_turn(r, &policy, &seen)) {
			assert_true(r->turns >= policy.turns && r->acted >= policy.acts);
			pd_confirm_begin_crashes(&asked, &seen);
			assert_int_equal(asked.instance, 2);
			assert_int_equal(asked.scout, 0);
			pd_confirm_crashed(r, &seen, cut);
			crashes++;
		}
	return crashes;
}

static void benign(void **state)
{
	struct pd_confirm_race r = {0};

	(void)state;
	assert_int_equal(tolerate(&r, false), 3);
	assert_int_equal(pd_confirm_verdict(&r, true), PD_CONFIRM_BENIGN);
	assert_false(pd_confirm_is_unfinished(&r, &policy));
	assert_int_equal(r.turns, 14);
}

static void no_time_to_call_it_benign(void **state)
{
	struct pd_confirm_race r = {0};

	(void)state;
	assert_int_equal(tolerate(&r, true), 1);
	assert_int_equal(r.explored, 0);
	assert_int_equal(pd_confirm_verdict(&r, true), PD_CONFIRM_EFFECT);
	assert_true(pd_confirm_is_unfinished(&r, &policy));
	assert_int_equal(r.turns, 24);
}

static void recovery_does_not_look(void **state)
{
	struct pd_confirm_race r = {0};
	struct pd_meet_seen seen = {.met = 1, .acted = 1, .effect = 5, .scouts = 3, .looked = 2};

	(void)state;
	while (!pd_confirm_is_decided(&r, &policy))
		assert_false(pd_confirm_took_turn(&r, &policy, &seen));
	assert_int_equal(r.turns, 12);
	assert_int_equal(pd_confirm_verdict(&r, true), PD_CONFIRM_EFFECT);
}

static void set_anew_each_time(void **state)
{
	struct pd_confirm_race r = {0};
	struct pd_meet_seen seen = {.met = 1, .acted = 1, .effect = 5, .scouts = 3, .reset = 3};

	(void)state;
	while (!pd_confirm_is_decided(&r, &policy))
		assert_false(pd_confirm_took_turn(&r, &policy, &seen));
	assert_int_equal(r.turns, 7); /* 20 of them */
	assert_int_equal(pd_confirm_verdict(&r, true), PD_CONFIRM_BENIGN);
}

static void shares_of_the_time(void **state)
{
	(void)state;
	assert_true(pd_confirm_share(60, 6, 0.1) == 10);
	assert_true(pd_confirm_share(60, 0, 0.1) == 60);
	assert_true(pd_confirm_share(60, 600, 1) == 3); /* enough for an execution */
	assert_true(pd_confirm_share(2, 600, 1) == 2);	/* but not more than there is */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_writer_is_held),
		cmocka_unit_test(not_for_ever),
		cmocka_unit_test(the_reader_goes_on),
		cmocka_unit_test(who_is_too_early_waits),
		cmocka_unit_test(they_meet),
		cmocka_unit_test(a_reader_that_does_not_act_is_left),
		cmocka_unit_test(an_effect_without_its_cause),
		cmocka_unit_test(recoveries_at_effects),
		cmocka_unit_test(recoveries_that_do_not_need_it),
		cmocka_unit_test(the_reader_makes_it_durable),
		cmocka_unit_test(helped_each_time),
		cmocka_unit_test(never_read),
		cmocka_unit_test(power_fails_in_the_window),
		cmocka_unit_test(stores_from_before_there_were_threads),
		cmocka_unit_test(bytes_of_the_store),
		cmocka_unit_test(ways_of_holding),
		cmocka_unit_test(one_failure_is_enough),
		cmocka_unit_test(never_met),
		cmocka_unit_test(close_goes_on),
		cmocka_unit_test(held_until_durable),
		cmocka_unit_test(nobody_is_held_for_an_older_question),
		cmocka_unit_test(callers_decide),
		cmocka_unit_test(before_and_after_are_close),
		cmocka_unit_test(met_and_nothing_came_of_it),
		cmocka_unit_test(benign),
		cmocka_unit_test(no_time_to_call_it_benign),
		cmocka_unit_test(recovery_does_not_look),
		cmocka_unit_test(set_anew_each_time),
		cmocka_unit_test(shares_of_the_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
