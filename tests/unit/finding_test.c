/* finding_test.c - ids, deduplication, order, lack of memory. */
#include "unit/tight.h"
#include "finding/finding.h"
#include "finding/text.h"

static const struct pd_frame main_frame = {"main", "src/main.c", 10, 0};

static const struct pd_finding_site sites[] = {
	{.role = PD_ROLE_STORE,
	 .at = {"insert", "src/list.c", 42, 7},
	 .stack = &main_frame,
	 .nstack = 1},
	{.role = PD_ROLE_LOAD, .at = {"recover", "src/list.c", 90, 3}},
	{.role = PD_ROLE_CRASH, .at = {"insert", "src/list.c", 44, 1}},
};

static const struct pd_choice choices[] = {{PD_CHOICE_CRASH, 2, 1}, {PD_CHOICE_VALUE, 3, 2}};

static struct pd_finding sample(void)
{
	return (struct pd_finding){
		.kind = PD_KIND_CRASH_SIGNAL,
		.message = "recovery reads a lost store",
		.field = "head",
		.fix = "flush it",
		.output = "boom\n",
		.sites = sites,
		.nsites = 3,
		.witness = {.given = true, .n = 2, .choices = choices},
	};
}

/* ---- ids ------------------------------------------------------------------------------------ */

/* Printed in reports and kept in suppression files: a new value here breaks users. */
static void id_is_pinned(void **state)
{
	struct pd_finding f = sample();
	char buf[32];
	struct pd_outbuf b;

	(void)state;
	pd_outbuf_init(&b, buf, sizeof(buf));
	pd_finding_id_print(&b.out, pd_finding_id(&f));
	assert_string_equal(buf, "c9e1e8e249");
}

static void id_ignores_what_varies(void **state)
{
	struct pd_finding f = sample();
	struct pd_finding_site s[3];
	uint64_t id = pd_finding_id(&f);

	(void)state;
	memcpy(s, sites, sizeof(s));
	f.sites = s;
	s[0].stack = NULL;
	s[0].nstack = 0;
	s[0].at.column = 0;
	s[0].at.file = "/elsewhere/list.c";
	s[0].at.function = "insert.part.0";
	s[2].at.line = 57; /* the crash point */
	f.witness = (struct pd_witness){0};
	f.confirmed = true;
	f.cause = PD_CAUSE_ORDER;
	f.message = "said differently";
	f.output = f.fix = NULL;
	f.count = 9;
	assert_int_equal(pd_finding_id(&f), id);
	f.nsites = 2; /* no crash site at all */
	assert_int_equal(pd_finding_id(&f), id);
	s[0] = sites[1];
	s[1] = sites[0];
	assert_int_equal(pd_finding_id(&f), id);
}

static void id_keeps_causes_apart(void **state)
{
	struct pd_finding f = sample();
	struct pd_finding_site s[3];
	uint64_t id = pd_finding_id(&f);

	(void)state;
	memcpy(s, sites, sizeof(s));
	f.sites = s;
	f.kind = PD_KIND_CRASH_ABORT;
	assert_true(pd_finding_id(&f) != id);
	f = sample();
	f.field = "tail";
	assert_true(pd_finding_id(&f) != id);
	f = sample();
	f.nsites = 1;
	assert_true(pd_finding_id(&f) != id);
	f = sample();
	f.sites = s;
	s[0].at.line++;
	assert_true(pd_finding_id(&f) != id);
	s[0] = sites[0];
	s[0].at.function = "insert2";
	assert_true(pd_finding_id(&f) != id);
	s[0] = sites[0];
	s[0].at.file = "src/list2.c";
	assert_true(pd_finding_id(&f) != id);
	s[0] = sites[0];
	s[0].role = PD_ROLE_FLUSH;
	assert_true(pd_finding_id(&f) != id);
	/* Roles belong to their sites. */
	s[0] = sites[0];
	s[0].role = PD_ROLE_LOAD;
	s[1].role = PD_ROLE_STORE;
	assert_true(pd_finding_id(&f) != id);
}

static void id_counts_lines_from_the_function(void **state)
{
	struct pd_finding f = sample(), g = sample();
	struct pd_finding_site s[3], t[3];

	(void)state;
	memcpy(s, sites, sizeof(s));
	s[0].function_line = 40;
	memcpy(t, s, sizeof(t));
	t[0].at.line += 100; /* a hundred lines were added above the function */
	t[0].function_line += 100;
	f.sites = s;
	g.sites = t;
	assert_int_equal(pd_finding_id(&f), pd_finding_id(&g));
	t[0].at.line++;
	assert_true(pd_finding_id(&f) != pd_finding_id(&g));
}

static void id_without_identifying_sites(void **state)
{
	struct pd_finding f = sample(), g;

	(void)state;
	f.sites = sites + 2;
	f.nsites = 1;
	g = f;
	g.nsites = 0;
	g.sites = NULL;
	assert_true(pd_finding_id(&f) != pd_finding_id(&g));
	f = g;
	f.message = "another";
	assert_true(pd_finding_id(&f) != pd_finding_id(&g));
}

/* Without debug information the dots belong to the module's name. */
static void id_of_modules(void **state)
{
	struct pd_finding f = {.nsites = 1}, g = {.nsites = 1};
	struct pd_finding_site s = {.at = {.function = "libx.so+0x10"}};
	struct pd_finding_site t = {.at = {.function = "libx.so+0x20"}};

	(void)state;
	f.sites = &s;
	g.sites = &t;
	assert_true(pd_finding_id(&f) != pd_finding_id(&g));
}

static void id_text_round_trip(void **state)
{
	static const char *const wrong[] = {"",		  "0",		"0000000000", "00000000001",
					    "000000000g", "ABCDEF0123", "-000000001", "0x00000001"};
	uint64_t id = 0;

	(void)state;
	assert_true(pd_finding_id_parse("00000000ff", &id));
	assert_int_equal(id, 255);
	assert_true(pd_finding_id_parse("ffffffffff", &id));
	assert_true(id == PD_FINDING_ID_MAX);
	for (size_t i = 0; i < PD_LEN(wrong); i++) {
		assert_false(pd_finding_id_parse(wrong[i], &id));
		assert_true(id == PD_FINDING_ID_MAX);
	}
}

/* ---- the tables -------------------------------------------------------------------------------
 */

static void names_are_unique_and_found(void **state)
{
	(void)state;
	for (unsigned i = 0; i < PD_KIND_N; i++) {
		assert_int_equal(pd_kind_find(pd_kind_info[i].name), i);
		assert_true(strlen(pd_kind_info[i].doc) > 10);
		for (const char *p = pd_kind_info[i].name; *p; p++)
			assert_true((*p >= 'a' && *p <= 'z') || *p == '-' || *p == '/');
	}
	for (unsigned i = 0; i < PD_ROLE_N; i++)
		assert_int_equal(pd_role_find(pd_role_info[i].name), i);
	for (unsigned i = 0; i < PD_CAUSE_N; i++)
		assert_int_equal(pd_cause_find(pd_cause_info[i].name), i);
	assert_int_equal(pd_kind_find("lint/nothing"), PD_KIND_N);
	assert_int_equal(pd_role_find(""), PD_ROLE_N);
	assert_int_equal(pd_cause_find("x"), PD_CAUSE_N);
}

/* ---- the set ----------------------------------------------------------------------------------
 */

struct fixture {
	struct unit_host h;
	struct pd_arena a;
	struct pd_findings fs;
};

static void set_up(struct fixture *x)
{
	x->h = (struct unit_host){.left = -1};
	pd_arena_init(&x->a, unit_host(&x->h));
	pd_findings_init(&x->fs, &x->a);
}

static void add_copies_everything(void **state)
{
	struct fixture x;
	struct pd_finding f = sample(), *g;
	struct pd_finding_site s[3];
	char message[] = "recovery reads a lost store", next[] = "clflush", function[] = "recover";
	struct pd_chosen chosen[] = {{.next = next}, {.at = {.function = function}, .seen = 7}};

	(void)state;
	set_up(&x);
	memcpy(s, sites, sizeof(s));
	f.sites = s;
	f.witness.chosen = chosen;
	f.message = message;
	g = pd_findings_add(&x.fs, &f);
	memset(s, 0xee, sizeof(s));
	memset(message, 'x', 5);
	memset(next, 'x', 5);
	memset(function, 'x', 5);
	memset(chosen, 0xee, sizeof(chosen));
	assert_string_equal(g->message, "recovery reads a lost store");
	assert_int_equal(g->nsites, 3);
	assert_string_equal(g->sites[1].at.function, "recover");
	assert_string_equal(g->sites[0].stack[0].file, "src/main.c");
	assert_int_equal(g->witness.choices[1].pick, 2);
	assert_non_null(g->witness.chosen);
	assert_string_equal(g->witness.chosen[0].next, "clflush");
	assert_string_equal(g->witness.chosen[1].at.function, "recover");
	assert_int_equal(g->witness.chosen[1].seen, 7);
	assert_int_equal(g->count, 1);
	assert_ptr_equal(pd_findings_get(&x.fs, g->id), g);
	pd_arena_finish(&x.a);
}

static void duplicates_are_counted_once(void **state)
{
	struct fixture x;
	struct pd_finding f = sample();

	(void)state;
	set_up(&x);
	for (int i = 0; i < 5; i++)
		pd_findings_add(&x.fs, &f);
	f.count = 10;
	pd_findings_add(&x.fs, &f);
	assert_int_equal(x.fs.items.n, 1);
	assert_int_equal(x.fs.items.v[0]->count, 15);
	pd_arena_finish(&x.a);
}

/* The best representative wins, whatever the order of arrival. */
static void representative_does_not_depend_on_order(void **state)
{
	static const struct pd_choice longer[] = {{0, 2, 0}, {0, 2, 1}, {1, 3, 2}};
	static const struct pd_choice smaller[] = {{0, 2, 0}, {1, 3, 2}};
	static const struct pd_fact eight = {.key = PD_FACT_SIZE, .number = 8};
	static const struct pd_frame caller = {"a", "a.c", 1, 0};
	struct pd_finding_site called[3];
	struct pd_finding v[6];

	(void)state;
	memcpy(called, sites, sizeof(called));
	called[2].stack = &caller;
	called[2].nstack = 1;
	for (int i = 0; i < 6; i++)
		v[i] = sample();
	v[0].witness = (struct pd_witness){0};
	v[1].witness.choices = longer;
	v[1].witness.n = 3;
	v[2].fix = NULL;
	v[3].witness.choices = smaller;
	v[3].fix = NULL;
	v[3].facts = v[4].facts = v[5].facts = (struct pd_facts){1, &eight};
	v[4].witness.choices = v[5].witness.choices = smaller;
	v[4].sites = called;
	for (int perm = 0; perm < 720; perm++) {
		struct fixture x;
		int left[6] = {0, 1, 2, 3, 4, 5};

		set_up(&x);
		for (int i = 6, p = perm; i > 0; p /= i, i--) {
			int k = p % i;

			pd_findings_add(&x.fs, &v[left[k]]);
			left[k] = left[i - 1];
		}
		assert_int_equal(x.fs.items.n, 1);
		assert_int_equal(x.fs.items.v[0]->count, 6);
		assert_int_equal(x.fs.items.v[0]->witness.n, 2);
		assert_int_equal(x.fs.items.v[0]->witness.choices[0].pick, 0);
		assert_string_equal(x.fs.items.v[0]->fix, "flush it");
		assert_int_equal(x.fs.items.v[0]->facts.n, 1);
		assert_int_equal(x.fs.items.v[0]->sites[2].nstack, 0);
		pd_arena_finish(&x.a);
	}
}

static void confirmed_beats_short(void **state)
{
	struct fixture x;
	struct pd_finding f = sample(), g = sample();

	(void)state;
	g.witness.n = 1;
	f.confirmed = true;
	set_up(&x);
	pd_findings_add(&x.fs, &g);
	pd_findings_add(&x.fs, &f);
	pd_findings_add(&x.fs, &g);
	assert_true(x.fs.items.v[0]->confirmed);
	assert_int_equal(x.fs.items.v[0]->witness.n, 2);
	pd_arena_finish(&x.a);
}

static void cause_is_kept(void **state)
{
	struct fixture x;
	struct pd_finding f = sample();

	(void)state;
	set_up(&x);
	f.cause = PD_CAUSE_ORDER;
	pd_findings_add(&x.fs, &f);
	f = sample();
	f.witness.n = 1;
	pd_findings_add(&x.fs, &f);
	assert_int_equal(x.fs.items.v[0]->cause, PD_CAUSE_ORDER);
	assert_int_equal(x.fs.items.v[0]->witness.n, 1);
	pd_arena_finish(&x.a);
}

static void order_is_deterministic(void **state)
{
	enum { N = 300 };
	struct fixture x[2];
	struct pd_finding f = sample();
	struct pd_finding_site s = sites[0];

	(void)state;
	f.sites = &s;
	f.nsites = 1;
	for (int r = 0; r < 2; r++) {
		set_up(&x[r]);
		for (int i = 0; i < N; i++) {
			int k = r ? N - 1 - i : (i * 7) % N;

			f.kind = (enum pd_kind)(k % PD_KIND_N);
			s.at.line = (uint32_t)(k / 3);
			s.at.file = k % 2 ? "a.c" : NULL;
			pd_findings_add(&x[r].fs, &f);
		}
		pd_findings_sort(&x[r].fs);
	}
	assert_int_equal(x[0].fs.items.n, x[1].fs.items.n);
	for (uint32_t i = 0; i < x[0].fs.items.n; i++) {
		const struct pd_finding *a = x[0].fs.items.v[i];

		assert_int_equal(a->id, x[1].fs.items.v[i]->id);
		assert_ptr_equal(pd_findings_get(&x[0].fs, a->id), a);
		if (i)
			assert_true(pd_kind_info[x[0].fs.items.v[i - 1]->kind].severity <=
				    pd_kind_info[a->kind].severity);
	}
	pd_arena_finish(&x[0].a);
	pd_arena_finish(&x[1].a);
}

static void who_decides(void **state)
{
	static const struct {
		enum pd_kind kind;
		bool decides;
	} of[] = {{PD_KIND_CRASH_SIGNAL, true},
		  {PD_KIND_LINT_EXTRA_FLUSH, true},
		  {PD_KIND_TORN_SPLIT, true},
		  {PD_KIND_TORN_STORE, false},
		  {PD_KIND_CRASH_AMBIGUOUS, false}};
	struct pd_finding f = sample();

	(void)state;
	for (size_t i = 0; i < PD_LEN(of); i++) {
		f.kind = of[i].kind;
		assert_int_equal(pd_finding_decides(&f, false), of[i].decides);
		assert_true(pd_finding_decides(&f, true));
	}
	f = sample();
	f.library = "libpmemobj";
	assert_false(pd_finding_decides(&f, false));
	assert_false(pd_finding_decides(&f, true));
}

static void join_adds_counts(void **state)
{
	struct fixture x, y;
	struct pd_finding f = sample();

	(void)state;
	set_up(&x);
	set_up(&y);
	pd_findings_add(&x.fs, &f);
	pd_findings_add(&y.fs, &f);
	f.field = "other";
	pd_findings_add(&y.fs, &f);
	y.fs.dropped = 3;
	y.fs.suppressed = 2;
	assert_true(pd_findings_join(&x.fs, &y.fs));
	assert_int_equal(x.fs.items.n, 2);
	assert_int_equal(x.fs.items.v[0]->count, 2);
	assert_int_equal(x.fs.dropped, 3);
	assert_int_equal(x.fs.suppressed, 2);
	pd_arena_finish(&y.a);
	assert_string_equal(x.fs.items.v[1]->field, "other");
	pd_arena_finish(&x.a);
}

/* Every request fails once; the set stays sound and says what it has dropped. */
static void lack_of_memory_is_counted(void **state)
{
	bool all_kept = false;

	(void)state;
	for (size_t room = 0; room < 24000 && !all_kept; room += 16) {
		struct unit_host h;
		struct pd_arena a;
		struct pd_findings fs;
		uint64_t kept = 0;

		tight_init(&a, &h, room);
		pd_findings_init(&fs, &a);
		for (int i = 0; i < 12; i++) {
			struct pd_finding f = sample();
			char field[] = {(char)('a' + i), '\0'};

			f.field = field;
			pd_findings_add(&fs, &f);
			f.witness.n = 1;
			pd_findings_add(&fs, &f);
		}
		pd_findings_sort(&fs);
		for (uint32_t i = 0; i < fs.items.n; i++) {
			const struct pd_finding *f = fs.items.v[i];

			kept += f->count;
			assert_ptr_equal(pd_findings_get(&fs, f->id), f);
			assert_string_equal(f->sites[0].stack[0].function, "main");
			assert_non_null(f->message);
		}
		assert_int_equal(kept + fs.dropped, 24);
		all_kept = !fs.dropped && !a.failed;
		tight_finish(&a, &h);
	}
	assert_true(all_kept);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(id_is_pinned),
		cmocka_unit_test(id_ignores_what_varies),
		cmocka_unit_test(id_keeps_causes_apart),
		cmocka_unit_test(id_counts_lines_from_the_function),
		cmocka_unit_test(id_without_identifying_sites),
		cmocka_unit_test(id_of_modules),
		cmocka_unit_test(id_text_round_trip),
		cmocka_unit_test(names_are_unique_and_found),
		cmocka_unit_test(add_copies_everything),
		cmocka_unit_test(duplicates_are_counted_once),
		cmocka_unit_test(representative_does_not_depend_on_order),
		cmocka_unit_test(confirmed_beats_short),
		cmocka_unit_test(cause_is_kept),
		cmocka_unit_test(order_is_deterministic),
		cmocka_unit_test(who_decides),
		cmocka_unit_test(join_adds_counts),
		cmocka_unit_test(lack_of_memory_is_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
