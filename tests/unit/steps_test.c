/* steps_test.c - which steps of a failure are listed, and the line of each (engine/crash/steps.c,
 * report/words/steps.c). */
#include "failures.h"
#include "report/words/words.h"

enum { STORES = 30 };

struct failed {
	struct world w;
	struct pd_story story;
	struct pd_again_file file;
	struct pd_again_event before[STORES + 2], after[40];
	struct pd_blamed blame;
	struct pd_failure f;
};

static struct pd_finding_site find(void *ctx, bool recovery, const struct pd_board_site *s,
				   const uint64_t *pc, uint32_t n)
{
	(void)ctx, (void)recovery, (void)pc, (void)n;
	return (struct pd_finding_site){.at = {s->at.function, s->at.file, s->at.line, 0}};
}

static struct pd_again_event event(enum pd_event_kind kind, uint32_t site, uint64_t addr,
				   uint64_t value)
{
	return (struct pd_again_event){.kind = (uint8_t)kind,
				       .site = site,
				       .addr = addr,
				       .size = kind == PD_EV_SFENCE ? 0 : 8,
				       .value = value};
}

/* A store at line 7 is lost; the read at line 5 of recovery misses it. */
static void begin(struct failed *s)
{
	struct pd_crash_run *run;

	*s = (struct failed){.file = {.base = 0x1000, .size = 0x1000, .name = "/a/x.pm"}};
	world_init(&s->w);
	run = run_new(&s->w, PD_OUTCOME_ABORT, 9, 1);
	s->blame = (struct pd_blamed){.load = 5, .choice = lose(&s->w, run, 5, 7, 1)};
	((struct pd_crash_choice *)(uintptr_t)s->blame.choice)->addr = 0x1040;
	s->blame.lost = (struct pd_crash_source){.site = 7, .shown = 0x2a};
	s->story.line_shift = 6;
	s->story.nfile = 1;
	s->story.file = &s->file;
	s->story.event[0] = s->before;
	s->story.event[1] = s->after;
	s->f = (struct pd_failure){.run = run, .blame = &s->blame, .n = 1, .story = &s->story};
	find_places(&s->w, &s->f);
}

static void add(struct failed *s, uint32_t depth, struct pd_again_event e)
{
	s->story.event[depth][s->story.n[depth]++] = e;
}

static void expect(struct failed *s, const char *text)
{
	struct pd_step_places places = {find, NULL};
	struct pd_steps steps = pd_failure_steps(&s->w.x, &s->f, &places, &s->w.arena);

	assert_string_equal(pd_words_steps(&s->w.arena, &steps), text);
	world_finish(&s->w);
}

/* Its line, the flush that came too late, the crash, and what recovery read instead; not another
 * line's store. */
static void lost(void **state)
{
	struct failed s;
	struct pd_again_event read = event(PD_EV_LOAD, 5, 0x1040, 0);

	(void)state;
	begin(&s);
	add(&s, 0, event(PD_EV_STORE, 7, 0x1040, 0x2a));
	add(&s, 0, event(PD_EV_STORE, 8, 0x1080, 1));
	add(&s, 0, event(PD_EV_LOAD, 13, 0x1080, 1)); /* if what crashed was a recovery itself */
	add(&s, 0, event(PD_EV_SFENCE, 9, 0, 0));
	s.story.crash[0] = 4;
	add(&s, 0, event(PD_EV_CLWB, 10, 0x1080, 0));
	add(&s, 0, event(PD_EV_CLWB, 11, 0x1040, 0));
	read.chosen = 1;
	add(&s, 1, read);
	add(&s, 1, event(PD_EV_LOAD, 5, 0x1040, 0)); /* the same read, done */
	add(&s, 1, event(PD_EV_LOAD, 6, 0x5000, 3));
	add(&s, 1, event(PD_EV_LOAD, 6, 0x5000, 3));
	s.f.at_crash = place(PD_ROLE_CRASH, "save", 12);
	s.f.proven = true;
	expect(&s, "the cache line at x.pm+0x40, before the crash:\n"
		   "  first.c:7 in f7: store of 8 bytes to x.pm+0x40: 0x2a\n"
		   "  first.c:9 in f9: sfence\n"
		   "  -- crash; what would have followed:\n"
		   "  first.c:11 in f11: clwb of x.pm+0x40\n"
		   "power fails before p.c:12 in save\n"
		   "recovery:\n"
		   "  recover.c:5 in f5: reads x.pm+0x40: 0x0, not the 0x2a that first.c:7 stored "
		   "(one of 2 possible values)\n"
		   "  recover.c:6 in f6: reads PM 0x5000: 0x3\n"
		   "  (2 times)\n"
		   "recovery aborts at p.c:9 in fails\n"
		   "tried: with the store at first.c:7 durable and all else unchanged, recovery "
		   "fails differently\n");
}

/* What is drawn of it: when the line became durable, and which store the read took. Of another
 * line, of which recovery saw the newest, the events are there, but aside. */
static void drawn(void **state)
{
	struct pd_again_certain durable = {.line = 0x1040 >> 6, .event = 1, .must = 1};
	struct pd_step_places places = {find, NULL};
	struct pd_again_event read = event(PD_EV_LOAD, 5, 0x1040, 0);
	struct pd_crash_choice *newest, *missed;
	struct pd_steps steps;
	struct failed s;

	(void)state;
	begin(&s);
	missed = (struct pd_crash_choice *)(uintptr_t)s.blame.choice;
	missed->seen_order = 1;
	missed->newest_order = 3;
	newest = lose(&s.w, (struct pd_crash_run *)(uintptr_t)s.f.run, 5, 8, 1);
	newest->pick = 0;
	newest->addr = 0x1080;
	newest->newest = 8;
	for (uint32_t i = 0; i < 4; i++) {
		struct pd_again_event e =
			event(i == 1 ? PD_EV_CLFLUSH : PD_EV_STORE, 7, i == 2 ? 0x1080 : 0x1040, i);

		e.before = i > 1 ? i - 1 : i;
		e.after = i > 0 ? i : 1;
		add(&s, 0, e);
	}
	s.story.certain[0] = &durable;
	s.story.ncertain[0] = 1;
	s.story.crash[0] = 4;
	read.chosen = 1;
	read.choice = missed->number;
	add(&s, 1, read);
	steps = pd_failure_steps(&s.w.x, &s.f, &places, &s.w.arena);
	assert_int_equal(steps.v[1].certain, 0);
	assert_int_equal(steps.v[2].certain, 1);
	assert_int_equal(steps.v[3].certain, 1);
	assert_int_equal(steps.v[3].time, 3);
	assert_int_equal(steps.v[3].after, 3);
	assert_int_equal(steps.v[4].what, PD_STEP_LINE);
	assert_int_equal(steps.v[4].address.number, 0x80);
	assert_true(steps.v[4].aside && steps.v[5].aside && !steps.v[3].aside);
	assert_int_equal(steps.v[6].what, PD_STEP_CRASH);
	assert_int_equal(steps.v[6].time, 4);
	assert_int_equal(steps.v[8].what, PD_STEP_READ);
	assert_int_equal(steps.v[8].took, 1);
	assert_int_equal(steps.v[8].newest_at, 3);
	assert_null(strstr(pd_words_steps(&s.w.arena, &steps), "x.pm+0x80"));
	world_finish(&s.w);
}

/* Of a long line the last events. */
static void long_line(void **state)
{
	struct pd_step_places places = {find, NULL};
	struct pd_steps steps;
	struct failed s;

	(void)state;
	begin(&s);
	for (uint32_t i = 0; i < STORES; i++)
		add(&s, 0, event(PD_EV_STORE, 1 + i, 0x1040, i));
	s.story.crash[0] = STORES;
	steps = pd_failure_steps(&s.w.x, &s.f, &places, &s.w.arena);
	assert_int_equal(steps.v[1].what, PD_STEP_LEFT_OUT);
	assert_int_equal(steps.v[2].value, STORES - 24);
	assert_int_equal(steps.v[25].value, STORES - 1);
	world_finish(&s.w);
}

/* With nothing lost: what was done last; and the program had ended. */
static void nothing_lost(void **state)
{
	struct failed s;

	(void)state;
	begin(&s);
	s.f.n = 0;
	s.f.proven = true;
	((struct pd_crash_run *)(uintptr_t)s.f.run)->crash_kind = PD_EV_EXIT;
	for (uint32_t i = 0; i < 8; i++)
		add(&s, 0, event(PD_EV_STORE, 1, 0x1000, i)); /* the last 8 are shown */
	add(&s, 0, event(PD_EV_RMW, 2, 0x1000, 9));
	s.before[8].tid = 2;
	s.before[8].size = 16;
	for (uint32_t i = 3; i < 10; i++)
		add(&s, 0, event(PD_EV_SFENCE, i, 0, 0));
	s.story.crash[0] = s.story.n[0];
	expect(&s, "nothing was lost: every store before the crash is durable. The last events on "
		   "what recovery reads:\n"
		   "  first.c:2 in f2 [thread 2]: locked store of 16 bytes to x.pm+0x0: 0x9 ...\n"
		   "  first.c:3 in f3: sfence\n  first.c:4 in f4: sfence\n"
		   "  first.c:5 in f5: sfence\n  first.c:6 in f6: sfence\n"
		   "  first.c:7 in f7: sfence\n  first.c:8 in f8: sfence\n"
		   "  first.c:9 in f9: sfence\n"
		   "power fails after the program has ended\n"
		   "recovery:\n"
		   "recovery aborts at p.c:9 in fails\n"
		   "tried: with every store durable, recovery still fails like this\n");
}

/* Without memory there is no text, and nothing breaks. */
static void no_memory(void **state)
{
	struct failed s;
	struct pd_step_places places = {find, NULL};
	struct pd_steps steps;

	(void)state;
	begin(&s);
	for (uint32_t i = 0; i < STORES; i++)
		add(&s, 0, event(PD_EV_STORE, 1 + i, 0x1040, i));
	s.story.crash[0] = STORES;
	s.w.host.left = 0;
	s.w.arena.cur = s.w.arena.end; /* nor is there any left in the block */
	steps = pd_failure_steps(&s.w.x, &s.f, &places, &s.w.arena);
	assert_int_equal(steps.n, 0);
	assert_null(pd_words_steps(&s.w.arena, &steps));
	world_finish(&s.w);
}

static void value_is(uint64_t value, const char *want)
{
	char *text;
	size_t n;
	FILE *to = open_memstream(&text, &n);

	pd_words_value(to, value);
	fclose(to);
	assert_string_equal(text, want);
	free(text);
}

static void values_that_are_text(void **state)
{
	(void)state;
	value_is(0, "0x0");
	value_is(0x6f6c6c6568, "0x6f6c6c6568 (\"hello\")");
	value_is(0x7878787878783162, "0x7878787878783162 (\"b1xxxxxx\")");
	value_is(0x636261, "0x636261"); /* too short to be meant */
	value_is(0x64636261, "0x64636261 (\"abcd\")");
	value_is(0x6400636261, "0x6400636261");
	value_is(0x65646362617f, "0x65646362617f");
	value_is(0x2264636261, "0x2264636261"); /* a quote */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lost),	     cmocka_unit_test(drawn),
		cmocka_unit_test(long_line), cmocka_unit_test(nothing_lost),
		cmocka_unit_test(no_memory), cmocka_unit_test(values_that_are_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
