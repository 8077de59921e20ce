/*
 * callers_test.c - the verdict of lint (engine/lint/judge.h), with a front end that is made up:
 * which findings become one, whose fault it is, and what to do about it.
 *
 * A place is a row of names, innermost first; "f" is line 10 of f in f.c, "f:7" line 7. Objects:
 * "lib/f" is in libx.so, which the user did not build, "sys/f" in libc.
 */
#include "unit/unit.h"
#include "engine/lint/judge.h"
#include "finding/text.h"
#include <stdio.h>

enum { PLACES = 24, REPORTED = 16, TIMES = 24 };

struct fixture {
	struct unit_host h;
	struct pd_arena a;
	const char *place[PLACES]; /* number i + 1 */
	uint32_t nplace;
	struct pd_raw_finding raw[REPORTED];
	uint32_t nraw;
	struct pd_lint_times times[TIMES];
	uint32_t ntimes;
	bool no_notes;
	bool libraries; /* are the program's own */
	struct pd_findings found;
	struct pd_lint_sums sums;
};

/* ---- the front end -------------------------------------------------------------------------- */

static void push(struct fixture *x, struct pd_stack *s, const char *word, size_t n)
{
	char name[32], file[40];
	const char *object = NULL;
	enum pd_owner owner = PD_OWNER_USER;
	struct pd_frame f = {.line = 10};
	char *colon;

	if (pd_text_starts(word, "lib/")) {
		object = "/usr/lib/libx.so.1";
		owner = PD_OWNER_LIBRARY;
	} else if (pd_text_starts(word, "sys/")) {
		object = "/usr/lib/libc.so.6";
		owner = PD_OWNER_SYSTEM;
	}
	snprintf(name, sizeof(name), "%.*s", (int)(n - (object ? 4 : 0)), word + (object ? 4 : 0));
	if ((colon = strchr(name, ':'))) {
		f.line = (uint32_t)atoi(colon + 1);
		*colon = 0;
	}
	snprintf(file, sizeof(file), "%s.c", name);
	f.function = pd_arena_strndup(&x->a, name, strlen(name));
	f.file = pd_arena_strndup(&x->a, file, strlen(file));
	pd_stack_push(s, f, owner, object);
}

static bool place(void *ctx, uint32_t number, enum pd_role role, struct pd_place *to)
{
	struct fixture *x = ctx;
	struct pd_stack s = {.n = 0};

	if (!number || number > x->nplace)
		return false;
	for (const char *p = x->place[number - 1]; *p;) {
		size_t n = strcspn(p, " ");

		push(x, &s, p, n);
		p += n + (p[n] == ' ');
	}
	pd_stack_tidy(&s);
	return pd_place_choose(&x->a, &s, role, to);
}

static void locate(void *ctx, struct pd_fact *f)
{
	(void)ctx;
	f->text = "x.pm";
	f->number -= 0x1000;
}

static bool wants(void *ctx, enum pd_kind kind)
{
	return !((struct fixture *)ctx)->no_notes || kind != PD_KIND_LINT_EXTRA_AT_TIMES;
}

static bool wants_library(void *ctx, const char *library)
{
	assert_string_equal(library, "libx");
	return ((struct fixture *)ctx)->libraries;
}

/* ---- what was reported ---------------------------------------------------------------------- */

static void begin(struct fixture *x)
{
	memset(x, 0, sizeof(*x));
	x->h.left = -1;
	pd_arena_init(&x->a, unit_host(&x->h));
	pd_findings_init(&x->found, &x->a);
}

static uint32_t at(struct fixture *x, const char *names)
{
	assert_true(x->nplace < PLACES);
	x->place[x->nplace++] = names;
	return x->nplace;
}

static struct pd_raw_finding *reported(struct fixture *x, enum pd_kind kind, enum pd_role role,
				       uint32_t place_)
{
	struct pd_raw_finding *t = &x->raw[x->nraw];

	assert_true(x->nraw < REPORTED);
	*t = (struct pd_raw_finding){.number = x->nraw++, .kind = kind, .count = 1};
	t->site[t->nsites++] = (struct pd_raw_site){(uint8_t)role, place_};
	return t;
}

static void executed(struct fixture *x, uint32_t place_, uint64_t n, bool fence)
{
	x->times[x->ntimes++] = (struct pd_lint_times){.place = place_, .n = n, .fence = fence};
}

/* A flush or fence there was executed `times` times, `needless` of them for nothing. */
static void extra(struct fixture *x, bool fence, const char *names, uint64_t needless,
		  uint64_t times)
{
	uint32_t p = at(x, names);
	struct pd_raw_finding *t;

	executed(x, p, times, fence);
	if (!needless)
		return;
	t = reported(x, fence ? PD_KIND_LINT_EXTRA_FENCE : PD_KIND_LINT_EXTRA_FLUSH,
		     fence ? PD_ROLE_FENCE : PD_ROLE_FLUSH, p);
	t->count = needless;
	t->of = times;
	t->weight = needless * (fence ? PD_LINT_NS_FENCE : PD_LINT_NS_FLUSH);
}

static void judge(struct fixture *x, bool ended)
{
	struct pd_namer namer = {place, locate, wants, wants_library, x, &x->a};
	struct pd_lint_run run = {x->raw, x->nraw, x->times, x->ntimes, ended};

	x->sums = pd_lint_judge(&namer, &run, &x->found);
	pd_findings_sort(&x->found);
}

static const struct pd_finding *found(const struct fixture *x, uint32_t i, enum pd_kind kind)
{
	assert_true(i < x->found.items.n);
	assert_int_equal(x->found.items.v[i]->kind, kind);
	return x->found.items.v[i];
}

static uint64_t fact(const struct pd_finding *f, enum pd_fact_key key)
{
	return pd_fact_number(&f->facts, key);
}

static void assert_site(const struct pd_finding *f, uint32_t i, enum pd_role role,
			const char *function)
{
	assert_true(i < f->nsites);
	assert_int_equal(f->sites[i].role, role);
	assert_string_equal(f->sites[i].at.function, function);
}

/* ---- how often is often --------------------------------------------------------------------- */

static void three_of_four(void **state)
{
	static const struct {
		uint64_t needless;
		enum pd_kind kind;
	} of_eight[] = {{8, PD_KIND_LINT_EXTRA_FLUSH},
			{6, PD_KIND_LINT_EXTRA_FLUSH},
			{5, PD_KIND_LINT_EXTRA_AT_TIMES}};

	(void)state;
	for (size_t i = 0; i < PD_LEN(of_eight); i++) {
		struct fixture x;
		const struct pd_finding *f;

		begin(&x);
		extra(&x, false, "put main", of_eight[i].needless, 8);
		judge(&x, true);
		assert_int_equal(x.found.items.n, 1);
		f = found(&x, 0, of_eight[i].kind);
		assert_int_equal(fact(f, PD_FACT_NEEDLESS), of_eight[i].needless);
		assert_int_equal(fact(f, PD_FACT_TIMES), 8);
		assert_int_equal(fact(f, PD_FACT_FIX), of_eight[i].needless == 8
							       ? PD_WORD_FIX_LEAVE_OUT
							       : PD_WORD_FIX_WHEN_NEEDED);
		assert_int_equal(fact(f, PD_FACT_COST_NS), of_eight[i].needless * 100);
		pd_arena_finish(&x.a);
	}
}

/* Needed as a rule, but a good part of all that flushing costs. */
static void costly_is_no_note(void **state)
{
	struct fixture x;
	const struct pd_finding *f;

	(void)state;
	begin(&x);
	extra(&x, false, "put main", 20, 80);
	judge(&x, true);
	f = found(&x, 0, PD_KIND_LINT_EXTRA_FLUSH);
	assert_int_equal(fact(f, PD_FACT_COST_PERCENT), 25);
	pd_arena_finish(&x.a);

	begin(&x);
	extra(&x, false, "put main", 19, 80); /* below what one can be sure of */
	judge(&x, true);
	f = found(&x, 0, PD_KIND_LINT_EXTRA_AT_TIMES);
	assert_int_equal(fact(f, PD_FACT_COST_PERCENT), 0);
	pd_arena_finish(&x.a);

	begin(&x);
	extra(&x, false, "put main", 20, 80);
	extra(&x, false, "get main", 0, 1000); /* and nothing against this */
	judge(&x, true);
	found(&x, 0, PD_KIND_LINT_EXTRA_AT_TIMES);
	pd_arena_finish(&x.a);
}

/* An optimiser makes two places of one line: one of them is always needless, the line is not. */
static void places_of_one_line_are_one(void **state)
{
	struct fixture x;
	const struct pd_finding *f;

	(void)state;
	begin(&x);
	extra(&x, false, "put main", 2, 2);
	extra(&x, false, "put main", 1, 4);
	executed(&x, at(&x, "put main"), 4, false);
	judge(&x, true);
	assert_int_equal(x.found.items.n, 1);
	f = found(&x, 0, PD_KIND_LINT_EXTRA_AT_TIMES);
	assert_int_equal(f->count, 3);
	assert_int_equal(fact(f, PD_FACT_TIMES), 10);
	assert_int_equal(x.sums.needless_ns, 300);
	pd_arena_finish(&x.a);
}

/* ---- callers -------------------------------------------------------------------------------- */

static void callers_of_a_wrapper_have_one_each(void **state)
{
	struct fixture x;
	const struct pd_finding *f;

	(void)state;
	begin(&x);
	extra(&x, false, "persist get main", 9, 9);
	extra(&x, false, "persist put main", 0, 9);
	judge(&x, true);
	assert_int_equal(x.found.items.n, 1);
	f = found(&x, 0, PD_KIND_LINT_EXTRA_FLUSH);
	assert_site(f, 0, PD_ROLE_FLUSH, "persist");
	assert_site(f, 1, PD_ROLE_CALLER, "get");
	assert_int_equal(f->sites[0].about, 1);
	assert_int_equal(fact(f, PD_FACT_FIX), PD_WORD_FIX_LEAVE_OUT);
	pd_arena_finish(&x.a);
}

static void what_is_needless_for_all_is_the_wrappers(void **state)
{
	struct fixture x;
	const struct pd_finding *f;

	(void)state;
	begin(&x);
	extra(&x, true, "persist:3 get main", 4, 4);
	extra(&x, true, "persist:3 put main", 7, 8);
	judge(&x, true);
	assert_int_equal(x.found.items.n, 1);
	f = found(&x, 0, PD_KIND_LINT_EXTRA_FENCE);
	assert_int_equal(f->count, 11);
	assert_int_equal(f->nsites, 3);
	assert_site(f, 0, PD_ROLE_FENCE, "persist");
	assert_site(f, 1, PD_ROLE_CALLER, "put"); /* the most frequent first */
	assert_int_equal(fact(f, PD_FACT_CALLED), PD_WORD_CALLED_ALL);
	assert_int_equal(fact(f, PD_FACT_NCALLERS), 2);
	assert_int_equal(fact(f, PD_FACT_TIMES), 12);
	assert_int_equal(pd_fact_get(&f->facts, PD_FACT_CALLER_NEEDLESS, 0)->number, 7);
	assert_int_equal(pd_fact_get(&f->facts, PD_FACT_CALLER_TIMES, 1)->number, 4);
	assert_int_equal(fact(f, PD_FACT_FIX), PD_WORD_FIX_WHEN_NEEDED);
	pd_arena_finish(&x.a);
}

/* Needed by some: who never needs it has a finding, the notes of the others are one. */
static void notes_of_callers_are_one(void **state)
{
	struct fixture x;
	const struct pd_finding *f;

	(void)state;
	begin(&x);
	extra(&x, false, "persist b main", 2, 9);
	extra(&x, false, "persist a main", 1, 9);
	extra(&x, false, "persist c main", 9, 9);
	extra(&x, false, "persist d main", 0, 9);
	judge(&x, true);
	assert_int_equal(x.found.items.n, 2);
	f = found(&x, 0, PD_KIND_LINT_EXTRA_FLUSH);
	assert_site(f, 1, PD_ROLE_CALLER, "c");
	f = found(&x, 1, PD_KIND_LINT_EXTRA_AT_TIMES);
	assert_int_equal(fact(f, PD_FACT_CALLED), PD_WORD_CALLED_SOME);
	assert_int_equal(fact(f, PD_FACT_NAFFECTED), 2);
	assert_int_equal(fact(f, PD_FACT_NCALLERS), 4);
	assert_site(f, 1, PD_ROLE_CALLER, "b");
	pd_arena_finish(&x.a);
}

/* Who calls and needs it is not known where the program was killed. */
static void nothing_is_joined_without_an_end(void **state)
{
	struct fixture x;

	(void)state;
	begin(&x);
	extra(&x, true, "persist get main", 4, 4);
	extra(&x, true, "persist put main", 4, 4);
	judge(&x, false);
	assert_int_equal(x.found.items.n, 2);
	pd_arena_finish(&x.a);
}

static void the_most_frequent_way_stands_for_all(void **state)
{
	struct fixture x;
	const struct pd_finding *f;

	(void)state;
	begin(&x);
	extra(&x, false, "update a main", 2, 2);
	extra(&x, false, "update b main", 5, 5);
	extra(&x, false, "update c main", 3, 3);
	judge(&x, true);
	assert_int_equal(x.found.items.n, 1);
	f = found(&x, 0, PD_KIND_LINT_EXTRA_FLUSH);
	assert_int_equal(f->count, 10);
	assert_int_equal(fact(f, PD_FACT_NEEDLESS), 5);
	assert_string_equal(f->sites[0].stack[0].function, "b");
	assert_int_equal(fact(f, PD_FACT_CALLED), PD_WORD_CALLED_MOST);
	assert_int_equal(fact(f, PD_FACT_NCALLERS), 3);
	pd_arena_finish(&x.a);
}

/* ---- fixes ---------------------------------------------------------------------------------- */

static void others_need_it(void **state)
{
	struct fixture x;
	const struct pd_finding *f;

	(void)state;
	begin(&x);
	extra(&x, false, "update a main", 4, 4);
	extra(&x, false, "update b main", 1, 4);
	judge(&x, true);
	f = found(&x, 0, PD_KIND_LINT_EXTRA_FLUSH);
	assert_int_equal(fact(f, PD_FACT_FIX), PD_WORD_FIX_LEAVE_OUT_THERE);
	assert_int_equal(fact(f, PD_FACT_CALLER_DEPTH), 1);
	assert_string_equal(f->sites[0].stack[0].function, "a");
	pd_arena_finish(&x.a);

	/* Who needs it has a caller in common. */
	begin(&x);
	extra(&x, false, "update mid a main", 4, 4);
	extra(&x, false, "update mid b main", 0, 4);
	judge(&x, true);
	f = found(&x, 0, PD_KIND_LINT_EXTRA_FLUSH);
	assert_int_equal(fact(f, PD_FACT_CALLER_DEPTH), 2);
	pd_arena_finish(&x.a);
}

/* One way to the line flushes what other threads store to. */
static void what_helps_others_stays(void **state)
{
	struct fixture x;
	const struct pd_finding *f;

	(void)state;
	begin(&x);
	extra(&x, false, "get walk main", 100, 100);
	extra(&x, false, "get find main", 0, 4);
	x.times[1].others = true;
	extra(&x, false, "put main", 4, 4);
	judge(&x, true);
	assert_int_equal(x.found.items.n, 2);
	f = found(&x, 0, PD_KIND_LINT_EXTRA_FLUSH);
	assert_site(f, 0, PD_ROLE_FLUSH, "put");
	f = found(&x, 1, PD_KIND_LINT_EXTRA_AT_TIMES);
	assert_site(f, 0, PD_ROLE_FLUSH, "get");
	assert_int_equal(fact(f, PD_FACT_FIX), 0);
	assert_int_equal(fact(f, PD_FACT_FOR_OTHERS), 1);
	pd_arena_finish(&x.a);
}

static void a_fence_that_lacks_a_flush_stays(void **state)
{
	struct fixture x;
	const struct pd_finding *f;
	struct pd_raw_finding *t;

	(void)state;
	begin(&x);
	extra(&x, true, "commit main", 3, 3);
	extra(&x, true, "other main", 3, 3);
	t = reported(&x, PD_KIND_LINT_MISSING_FLUSH, PD_ROLE_STORE, at(&x, "set:4 main"));
	t->site[t->nsites++] = (struct pd_raw_site){PD_ROLE_BEFORE, 1};
	judge(&x, true);
	assert_int_equal(x.found.items.n, 3);
	f = found(&x, 1, PD_KIND_LINT_EXTRA_FENCE);
	assert_site(f, 0, PD_ROLE_FENCE, "commit");
	assert_int_equal(fact(f, PD_FACT_FIX), PD_WORD_FIX_FLUSH_FIRST);
	assert_string_equal(pd_fact_text(&f->facts, PD_FACT_FIX_FILE), "set.c");
	assert_int_equal(fact(f, PD_FACT_FIX_LINE), 4);
	f = found(&x, 2, PD_KIND_LINT_EXTRA_FENCE);
	assert_int_equal(fact(f, PD_FACT_FIX), PD_WORD_FIX_LEAVE_OUT);
	pd_arena_finish(&x.a);
}

/* ---- what another finding says --------------------------------------------------------------- */

static void said_once(void **state)
{
	struct fixture x;
	struct pd_raw_finding *t;

	(void)state;
	begin(&x);
	reported(&x, PD_KIND_LINT_OVERWRITTEN, PD_ROLE_STORE, at(&x, "set main"));
	reported(&x, PD_KIND_LINT_MISSING_FLUSH, PD_ROLE_STORE, at(&x, "set main"));
	reported(&x, PD_KIND_LINT_OVERWRITTEN, PD_ROLE_STORE, at(&x, "put main"));
	t = reported(&x, PD_KIND_LINT_MISSING_FLUSH, PD_ROLE_STORE, at(&x, "add main"));
	t->site[t->nsites++] = (struct pd_raw_site){PD_ROLE_TX, 1};
	judge(&x, true);
	assert_int_equal(x.found.items.n, 2);
	assert_site(found(&x, 0, PD_KIND_LINT_MISSING_FLUSH), 0, PD_ROLE_STORE, "set");
	assert_site(found(&x, 1, PD_KIND_LINT_OVERWRITTEN), 0, PD_ROLE_STORE, "put");
	assert_int_equal(x.sums.overwritten_as_missing, 1);
	assert_int_equal(x.sums.unflushed_as_unlogged, 1);
	pd_arena_finish(&x.a);
}

/* ---- whose it is ---------------------------------------------------------------------------- */

static void places_have_owners(void **state)
{
	struct fixture x;
	const struct pd_finding *f;
	struct pd_fact address = {.key = PD_FACT_ADDRESS, .number = 0x1040};

	(void)state;
	begin(&x);
	reported(&x, PD_KIND_LINT_MISSING_FLUSH, PD_ROLE_STORE, at(&x, "lib/make use main"))
		->facts = (struct pd_facts){1, &address};
	reported(&x, PD_KIND_LINT_MISSING_FLUSH, PD_ROLE_STORE, at(&x, "sys/memcpy copy main"));
	reported(&x, PD_KIND_LINT_MISSING_FLUSH, PD_ROLE_STORE,
		 at(&x, "sys/pthread_mutex_lock f main"));
	extra(&x, true, "sys/memcpy copy main", 3, 3);
	judge(&x, true);
	assert_int_equal(x.found.items.n, 2); /* locks and how libc copies are its own affair */
	f = found(&x, 0, PD_KIND_LINT_MISSING_FLUSH);
	assert_null(f->library);
	assert_site(f, 0, PD_ROLE_STORE, "copy");
	f = found(&x, 1, PD_KIND_LINT_MISSING_FLUSH);
	assert_non_null(f->library);
	assert_string_equal(f->library, "libx");
	assert_site(f, 0, PD_ROLE_STORE, "make");
	assert_site(f, 1, PD_ROLE_CALLER, "use");
	assert_int_equal(f->sites[0].about, 0);
	assert_int_equal(fact(f, PD_FACT_ADDRESS), 0x40);
	assert_string_equal(pd_fact_text(&f->facts, PD_FACT_ADDRESS), "x.pm");
	pd_arena_finish(&x.a);

	begin(&x);
	x.libraries = true;
	reported(&x, PD_KIND_LINT_MISSING_FLUSH, PD_ROLE_STORE, at(&x, "lib/make use main"));
	judge(&x, true);
	assert_null(found(&x, 0, PD_KIND_LINT_MISSING_FLUSH)->library);
	pd_arena_finish(&x.a);
}

static void what_is_not_wanted_is_not_there(void **state)
{
	struct fixture x;

	(void)state;
	begin(&x);
	x.no_notes = true;
	extra(&x, false, "put main", 1, 8);
	judge(&x, true);
	assert_int_equal(x.found.items.n, 0);
	pd_arena_finish(&x.a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(three_of_four),
		cmocka_unit_test(costly_is_no_note),
		cmocka_unit_test(places_of_one_line_are_one),
		cmocka_unit_test(callers_of_a_wrapper_have_one_each),
		cmocka_unit_test(what_is_needless_for_all_is_the_wrappers),
		cmocka_unit_test(notes_of_callers_are_one),
		cmocka_unit_test(nothing_is_joined_without_an_end),
		cmocka_unit_test(the_most_frequent_way_stands_for_all),
		cmocka_unit_test(others_need_it),
		cmocka_unit_test(what_helps_others_stays),
		cmocka_unit_test(a_fence_that_lacks_a_flush_stays),
		cmocka_unit_test(said_once),
		cmocka_unit_test(places_have_owners),
		cmocka_unit_test(what_is_not_wanted_is_not_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
