/* pace_test.c - what hangs: budgets, states that come back; and whose turn it is. */
#include "unit.h"
#include "engine/crash/loop.h"
#include "engine/crash/pace.h"
#include "engine/crash/share.h"

/* ---- time ----------------------------------------------------------------------------------- */

static void idle_time(void **state)
{
	struct pd_pace_seen s = {.computed = 1000, .now = 5000};

	(void)state;
	pd_pace_see(&s, 0, 1400, 9000, false, false); /* it computes: what it has computed */
	assert_int_equal(s.idle, 400);
	pd_pace_see(&s, 0, 1400, 9500, true, false); /* it sleeps: what has gone by */
	assert_int_equal(s.idle, 900);
	pd_pace_see(&s, 1, 1500, 9600, false, false);
	assert_int_equal(s.idle, 0);
	pd_pace_see(&s, 1, 1600, 9700, false, false);
	assert_int_equal(s.idle, 100);
	pd_pace_see(&s, 1, 9600, 9800, false, true); /* it waits for another recovery */
	assert_int_equal(s.idle, 0);
}

static void hangs_only_when_the_program_is_known(void **state)
{
	struct pd_pace program = {0};
	struct pd_pace_seen s = {.idle = 999999};

	(void)state;
	assert_false(pd_pace_is_idle(&s, &program, 1000));
	assert_int_equal(program.state, PD_PACE_UNKNOWN);
	s.idle = 1000000;
	assert_false(pd_pace_is_idle(&s, &program, 1000));
	assert_int_equal(program.state, PD_PACE_WANTED);
	assert_false(pd_pace_is_idle(&s, &program, 1000));
	program.state = PD_PACE_KNOWN;
	assert_true(pd_pace_is_idle(&s, &program, 1000));
	program.idle_us = 250000;
	assert_true(pd_pace_is_idle(&s, &program, 1000));
	program.idle_us = 250001; /* four times what it took is more */
	assert_false(pd_pace_is_idle(&s, &program, 1000));
}

static void budgets(void **state)
{
	struct pd_pace p = {0};

	(void)state;
	assert_int_equal(pd_pace_budget(&p, 1000, 0, false), 4000000);
	assert_int_equal(pd_pace_budget(&p, 20000, 0, false), 8000000);
	assert_int_equal(pd_pace_budget(&p, 1000, 10, false), 4001000);
	assert_int_equal(pd_pace_budget(&p, 1000, 10, true), 200200);
	/* Many hang: the first ones get all of it. */
	for (int i = 0; i < 3; i++) {
		assert_int_equal(pd_pace_budget(&p, 1000, 10, false), 4001000);
		pd_pace_used_up(&p);
	}
	assert_int_equal(pd_pace_budget(&p, 1000, 10, false), 200200);
	/* A recovery that took longer has ended. */
	pd_pace_ends(&p, 100000);
	pd_pace_ends(&p, 70000);
	assert_int_equal(pd_pace_budget(&p, 1000, 10, false), 400000);
	assert_int_equal(pd_pace_budget(&p, 1000, 10, true), 400000);
	assert_int_equal(pd_pace_tick(10000), 250);
	assert_int_equal(pd_pace_tick(800), 100);
	assert_int_equal(pd_pace_tick(3), 1);
}

/* ---- states that come back ------------------------------------------------------------------ */

struct made {
	uint64_t here;
	uint64_t turn, state;
	bool no_turn, unknown;
	uint32_t taken;
};

static bool turn(void *ctx, struct pd_loop_state *s)
{
	struct made *m = ctx;

	*s = (struct pd_loop_state){m->turn, 1};
	return !m->no_turn;
}

static bool take_state(void *ctx, struct pd_loop_state *s)
{
	struct made *m = ctx;

	m->taken++;
	*s = (struct pd_loop_state){m->state, 2};
	return !m->unknown;
}

/* A loop of three places, from event `from` until something comes of it; how many events. */
static uint64_t go_round(struct pd_loop *l, struct made *m, struct pd_loop_now now, uint32_t flags)
{
	struct pd_loop_front front = {turn, take_state, m, NULL};
	uint64_t from = now.events;

	for (; now.events < from + 100000; now.events++) {
		now.site = now.events % 3;
		if (now.events < l->look)
			continue;
		if (pd_loop_look(l, &now, &front) & flags)
			return now.events;
	}
	return 0;
}

static void the_same_state_is_endless(void **state)
{
	struct pd_loop_now now = {.can_run = 1};
	struct pd_loop l;
	struct made m = {0};

	(void)state;
	pd_loop_init(&l);
	assert_int_equal(go_round(&l, &m, now, PD_LOOP_ENDLESS), 10003);
	assert_int_equal(m.taken, 2);
}

static bool take_here(void *ctx, struct pd_loop_state *s)
{
	struct made *m = ctx;

	*s = (struct pd_loop_state){m->here, 3};
	return true;
}

/* All of the state is taken only where the cheap part of it has come back. */
static void a_loop_that_counts_is_cheap(void **state)
{
	struct pd_loop_now now = {.can_run = 1, .events = 10000};
	struct made m = {0};
	struct pd_loop_front front = {turn, take_state, &m, take_here};
	struct pd_loop l;

	(void)state;
	pd_loop_init(&l);
	for (uint32_t i = 0; i < 5; i++, now.events++, m.here++)
		assert_int_equal(pd_loop_look(&l, &now, &front), 0);
	assert_false(l.armed);
	assert_int_equal(m.taken, 0);
	for (now.events = 20000; now.events < 20002; now.events++)
		assert_int_equal(pd_loop_look(&l, &now, &front), 0);
	assert_int_equal(m.taken, 1);
	m.state++; /* memory has changed */
	assert_int_equal(pd_loop_look(&l, &now, &front), 0);
	m.state--;
	assert_int_equal(pd_loop_look(&l, &now, &front), PD_LOOP_ENDLESS);
}

/* One of a finite list of things is done: what was armed counts no more, and the next one has its
 * own time. */
static void who_advances_begins_anew(void **state)
{
	struct pd_loop_front front = {turn, take_state, NULL, NULL};
	struct pd_loop_now now = {.can_run = 1, .events = 10000};
	struct made m = {0};
	struct pd_loop l;

	(void)state;
	front.ctx = &m;
	pd_loop_init(&l);
	pd_loop_look(&l, &now, &front);
	assert_true(l.armed);
	pd_loop_advance(&l, 10001);
	assert_false(l.armed);
	assert_int_equal(l.look, 20001);
	now.events = 10002;
	assert_int_equal(pd_loop_look(&l, &now, &front), 0);
	assert_int_equal(m.taken, 1);
	now.events = 20001;
	pd_loop_look(&l, &now, &front);
	now.events++;
	assert_int_equal(pd_loop_look(&l, &now, &front), PD_LOOP_ENDLESS);
}

static void another_state_is_not(void **state)
{
	struct pd_loop_front front = {turn, take_state, NULL, NULL};
	struct pd_loop_now now = {.can_run = 1, .events = 10000};
	struct made m = {0};
	struct pd_loop l;

	(void)state;
	front.ctx = &m;
	pd_loop_init(&l);
	assert_int_equal(pd_loop_look(&l, &now, &front), 0);
	for (uint32_t i = 0; i < 4; i++) { /* it counts: given up after some tries */
		now.events++;
		m.state++;
		assert_true(l.armed);
		assert_int_equal(pd_loop_look(&l, &now, &front), 0);
	}
	assert_false(l.armed);
	assert_int_equal(l.look, 20000);
}

static void what_disturbs_it(void **state)
{
	struct pd_loop_front front = {turn, take_state, NULL, NULL};
	struct pd_loop_now now = {.can_run = 1, .events = 10000};
	struct made m = {0};
	struct pd_loop l;

	(void)state;
	front.ctx = &m;
	pd_loop_init(&l);
	pd_loop_look(&l, &now, &front);
	now.events++;
	now.changes++; /* PM has changed */
	assert_int_equal(pd_loop_look(&l, &now, &front), 0);
	assert_false(l.armed);
	now.events = 20000;
	m.unknown = true; /* nobody can say what the state is */
	assert_int_equal(pd_loop_look(&l, &now, &front), 0);
	assert_false(l.armed);
	assert_int_equal(l.look, 40000);
	m.unknown = false;
	now.events = 40000;
	pd_loop_look(&l, &now, &front);
	assert_true(l.armed);
	now.events = 40001;
	now.addr = 8; /* the same place, another address */
	assert_int_equal(pd_loop_look(&l, &now, &front), 0);
	now.addr = 0;
	now.events = 80000; /* too long ago */
	assert_int_equal(pd_loop_look(&l, &now, &front), 0);
	assert_false(l.armed);
}

static void a_thread_alone_gives_way(void **state)
{
	struct pd_loop_now now = {.can_run = 2, .thread = 1};
	struct made m = {0};
	struct pd_loop l;
	uint64_t at;

	(void)state;
	pd_loop_init(&l);
	at = go_round(&l, &m, now, PD_LOOP_GIVE_WAY | PD_LOOP_ENDLESS);
	assert_int_equal(at, 10003);
	assert_true(l.round[1].on);
	/* From then on each time it is there; nobody says that it is endless while others wait */
	now.events = at + 1;
	assert_int_equal(go_round(&l, &m, now, PD_LOOP_GIVE_WAY), at + 3);
	assert_int_equal(go_round(&l, &m, now, PD_LOOP_ENDLESS), 0);
}

static void everybody_has_had_a_turn(void **state)
{
	struct pd_loop_now now = {.can_run = 2, .thread = 1, .events = 10000};
	struct made m = {0};
	struct pd_loop_front front = {turn, take_state, &m, NULL};
	struct pd_loop l;

	(void)state;
	pd_loop_init(&l);
	pd_loop_look(&l, &now, &front);
	now.events++;
	now.switches = 1; /* one of two */
	assert_int_equal(pd_loop_look(&l, &now, &front), 0);
	now.switches = 2;
	m.turn = 7; /* it is not the same one's */
	assert_int_equal(pd_loop_look(&l, &now, &front), 0);
	m.turn = 0;
	m.no_turn = true;
	assert_int_equal(pd_loop_look(&l, &now, &front), 0);
	m.no_turn = false;
	assert_int_equal(pd_loop_look(&l, &now, &front), PD_LOOP_ENDLESS);
}

/* ---- shares --------------------------------------------------------------------------------- */

static void shares(void **state)
{
	static struct pd_share s;

	(void)state;
	s.jobs = 2;
	assert_int_equal(pd_share_walkers(&s), 8);
	s.walker[0] = (struct pd_share_walker){.pid = 1, .served = PD_SHARE};
	assert_int_equal(pd_share_walkers(&s), 9); /* one with much to do is in nobody's way */
	s.walker[0].pid = 0;
	assert_int_equal(pd_share_walkers(&s), 8);
	s.jobs = 64;
	assert_int_equal(pd_share_walkers(&s), PD_SHARE_WALKERS);
	s.jobs = 2;
	s.walking = 1;
	/* Few recoveries are not worth it */
	assert_false(pd_share_is_hungry(&s));
	assert_true(pd_share_is_alone(&s));
	s.walker[0].served = PD_SHARE_FEW - 1;
	assert_true(pd_share_is_little(&s, 0));
	s.walker[0].served = PD_SHARE_FEW;
	assert_false(pd_share_is_little(&s, PD_SHARE_FEW));
	assert_int_equal(pd_share_order(&s), PD_SHARE_FEW);
	s.begun = 1;
	s.walker[0].served = 0;
	assert_false(pd_share_is_little(&s, 0));
	assert_false(pd_share_is_alone(&s));
	assert_int_equal(pd_share_order(&s), PD_SHARE);
	assert_true(pd_share_is_hungry(&s));
	s.walking = 2;
	assert_false(pd_share_is_hungry(&s));
	s.jobs = 1;
	s.walking = 0;
	assert_false(pd_share_is_hungry(&s));
	assert_true(pd_share_is_alone(&s));
	assert_int_equal(pd_share_order(&s), PD_SHARE);
	s.walker[0].served = 1000;
	assert_true(pd_share_is_little(&s, 1000 - PD_SHARE + 1));
	assert_false(pd_share_is_little(&s, 1000 - PD_SHARE));
}

static void turns(void **state)
{
	static struct pd_share s;

	(void)state;
	s.walker[0] = (struct pd_share_walker){.pid = 1, .served = 2 * PD_SHARE};
	s.walker[1] = (struct pd_share_walker){.pid = 2, .served = 2 * PD_SHARE - 1, .waiting = 1};
	assert_false(pd_share_is_turn(&s, 0));
	assert_true(pd_share_is_turn(&s, 1));
	s.walker[1].waiting = 0;
	assert_true(pd_share_is_turn(&s, 0));
	s.walker[1].waiting = 1;
	s.walker[1].served = 2 * PD_SHARE; /* as much, more or less */
	assert_true(pd_share_is_turn(&s, 0));
	s.walker[1].served = 0;
	s.walker[1].pid = 0;
	assert_true(pd_share_is_turn(&s, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(idle_time),
		cmocka_unit_test(hangs_only_when_the_program_is_known),
		cmocka_unit_test(budgets),
		cmocka_unit_test(the_same_state_is_endless),
		cmocka_unit_test(a_loop_that_counts_is_cheap),
		cmocka_unit_test(who_advances_begins_anew),
		cmocka_unit_test(another_state_is_not),
		cmocka_unit_test(what_disturbs_it),
		cmocka_unit_test(a_thread_alone_gives_way),
		cmocka_unit_test(everybody_has_had_a_turn),
		cmocka_unit_test(shares),
		cmocka_unit_test(turns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
