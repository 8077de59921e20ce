/* result_test.c - what may be called clean, exit statuses, joining. */
#include "unit/report_sample.h"
#include "report/screen.h"
#include <math.h>

struct row {
	bool complete, limit, loss, failure, dropped;
	int finding; /* 0 none, 1 correctness, 2 performance, 3 note, 4 in a library */
	enum pd_exit status;
};

static void build(struct sample *s, const struct row *row)
{
	static const enum pd_kind kinds[] = {0, PD_KIND_LINT_MISSING_FLUSH,
					     PD_KIND_LINT_EXTRA_FLUSH, PD_KIND_CRASH_AMBIGUOUS,
					     PD_KIND_LINT_MISSING_FLUSH};
	struct pd_finding f = {.kind = kinds[row->finding], .message = "m"};

	pd_arena_init(&s->a, pd_host_memory());
	pd_result_init(&s->r, &s->a, "check");
	s->r.complete = row->complete;
	if (row->limit)
		pd_result_limit(&s->r, "the limit");
	if (row->loss)
		pd_result_loss(&s->r, "inline-asm", 1, NULL);
	if (row->failure)
		pd_result_fail(&s->r, "broke");
	if (row->dropped)
		s->r.findings.dropped = 1;
	if (row->finding == 4)
		f.library = "libx.so";
	if (row->finding)
		pd_findings_add(&s->r.findings, &f);
}

static void status_table(void **state)
{
	static const struct row rows[] = {
		{.complete = true, .status = PD_EXIT_CLEAN},
		{.complete = false, .status = PD_EXIT_INCOMPLETE},
		{.complete = true, .limit = true, .status = PD_EXIT_INCOMPLETE},
		{.complete = true, .loss = true, .status = PD_EXIT_INCOMPLETE},
		{.complete = true, .dropped = true, .status = PD_EXIT_INCOMPLETE},
		{.complete = true, .finding = 1, .status = PD_EXIT_FINDINGS},
		{.complete = true, .finding = 2, .status = PD_EXIT_FINDINGS},
		{.complete = true, .finding = 3, .status = PD_EXIT_CLEAN},
		{.complete = true, .finding = 4, .status = PD_EXIT_CLEAN},
		{.limit = true, .finding = 1, .status = PD_EXIT_FINDINGS},
		{.limit = true, .finding = 3, .status = PD_EXIT_INCOMPLETE},
		{.loss = true, .finding = 4, .status = PD_EXIT_INCOMPLETE},
		{.complete = true, .failure = true, .status = PD_EXIT_INTERNAL},
		{.complete = true, .failure = true, .finding = 1, .status = PD_EXIT_INTERNAL},
	};

	(void)state;
	for (size_t i = 0; i < PD_LEN(rows); i++) {
		struct sample s;
		char *line = NULL;
		size_t n;
		FILE *f = open_memstream(&line, &n);
		struct pd_screen screen = {.f = f};

		build(&s, &rows[i]);
		assert_int_equal(pd_result_status(&s.r), rows[i].status);
		/* The word and the status must agree. */
		pd_report_summary(&s.r, &screen);
		fclose(f);
		assert_int_equal(strstr(line, "clean") != NULL, rows[i].status == PD_EXIT_CLEAN);
		assert_int_equal(strchr(line, '\n') - line, n - 1);
		free(line);
		sample_finish(&s);
	}
}

static void fresh_result_is_not_complete(void **state)
{
	struct sample s;

	(void)state;
	pd_arena_init(&s.a, pd_host_memory());
	pd_result_init(&s.r, &s.a, "lint");
	assert_int_equal(pd_result_status(&s.r), PD_EXIT_INCOMPLETE);
	sample_finish(&s);
}

static void stats_keep_order_and_last_value(void **state)
{
	struct sample s;

	(void)state;
	sample_init(&s);
	pd_result_stat_int(&s.r, "executions", 7);
	pd_result_stat_real(&s.r, "ratio", NAN);
	assert_int_equal(s.r.stats.n, 4);
	assert_string_equal(s.r.stats.v[0].name, "executions");
	assert_int_equal(s.r.stats.v[0].i, 7);
	assert_string_equal(pd_result_stat(&s.r, "ratio")->text, "nan");
	assert_null(pd_result_stat(&s.r, "nothing"));
	sample_finish(&s);
}

static void loss_examples_are_few_and_different(void **state)
{
	struct sample s;

	(void)state;
	sample_init(&s);
	for (int i = 0; i < 100; i++) {
		char example[16];

		snprintf(example, sizeof(example), "e%d", i / 10);
		pd_result_loss(&s.r, "system-call", 2, example);
	}
	assert_int_equal(s.r.losses.v[1].count, 200);
	assert_int_equal(s.r.losses.v[1].nexamples, PD_LOSS_EXAMPLES);
	assert_string_equal(s.r.losses.v[1].examples[4], "e4");
	assert_int_equal(pd_result_losses(&s.r), 202);
	sample_finish(&s);
}

static void dropped_findings_become_a_loss(void **state)
{
	struct sample s;

	(void)state;
	sample_init(&s);
	s.r.findings.dropped = 5;
	pd_result_finish(&s.r);
	pd_result_finish(&s.r);
	assert_string_equal(s.r.losses.v[1].name, "finding-dropped");
	assert_int_equal(s.r.losses.v[1].count, 5);
	assert_int_equal(pd_result_losses(&s.r), 7);
	sample_finish(&s);
}

static double real_of(const struct pd_result *r, const char *name)
{
	const struct pd_stat *s = pd_result_stat(r, name);

	assert_non_null(s);
	return s->type == PD_STAT_INT ? (double)s->i : s->real;
}

static void part(struct sample *s, int k)
{
	sample_init(s);
	s->r.limits.n = 0;
	s->r.complete = true;
	pd_result_stat_real(&s->r, "eager_states_log10", 100);
	pd_result_stat_int(&s->r, "depth_max", 10 * k);
	pd_result_stat_int(&s->r, "depth_min", 10 * k);
	pd_result_stat_real(&s->r, "executions_per_point", k);
	pd_result_stat_int(&s->r, "jobs", 2);
	pd_result_stat_int(&s->r, "seed", k);
}

static void joined_stats(void **state)
{
	struct sample s[3];

	(void)state;
	for (int i = 0; i < 3; i++)
		part(&s[i], i + 1);
	pd_result_join(&s[0].r, &s[1].r);
	pd_result_join(&s[0].r, &s[2].r);
	assert_int_equal(pd_result_stat(&s[0].r, "executions")->i, 3 * 621);
	assert_float_equal(real_of(&s[0].r, "seconds"), 3.75, 1e-9);
	assert_float_equal(real_of(&s[0].r, "eager_states_log10"), 100 + log10(3), 1e-9);
	assert_float_equal(real_of(&s[0].r, "depth_max"), 30, 0);
	assert_float_equal(real_of(&s[0].r, "depth_min"), 10, 0);
	assert_float_equal(real_of(&s[0].r, "jobs"), 2, 0);
	assert_string_equal(pd_result_stat(&s[0].r, "model")->text, "adr");
	/* Dropped: an empty text, which the writers leave out. */
	assert_string_equal(pd_result_stat(&s[0].r, "seed")->text, "");
	assert_string_equal(pd_result_stat(&s[0].r, "executions_per_point")->text, "");
	for (int i = 0; i < 3; i++)
		sample_finish(&s[i]);
}

/* Each finding keeps the settings of its own run; equal ones are one. */
static void joined_settings(void **state)
{
	struct pd_finding f = sample_finding();
	struct sample s[3];

	(void)state;
	for (int i = 0; i < 3; i++)
		part(&s[i], 1);
	pd_result_settings(&s[1].r, "{\"seed\":2}");
	f.field = "other";
	f.witness.settings = 1;
	pd_findings_add(&s[1].r.findings, &f);
	f.field = "third";
	f.witness.settings = PD_NO_SETTINGS;
	pd_findings_add(&s[1].r.findings, &f);
	pd_result_settings(&s[2].r, "{\"seed\":3}");
	f.field = "fourth";
	f.witness.settings = 1;
	pd_findings_add(&s[2].r.findings, &f);
	pd_result_join(&s[0].r, &s[1].r);
	pd_result_join(&s[0].r, &s[2].r);
	assert_int_equal(s[0].r.settings.n, 3);
	assert_string_equal(s[0].r.settings.v[0], sample_settings);
	for (uint32_t i = 0; i < s[0].r.findings.items.n; i++) {
		const struct pd_finding *g = s[0].r.findings.items.v[i];
		uint32_t k = g->witness.settings;

		if (g->witness.given && strcmp(g->field, "third") == 0)
			assert_int_equal(k, PD_NO_SETTINGS);
		else if (g->witness.given)
			assert_string_equal(s[0].r.settings.v[k],
					    strcmp(g->field, "other") == 0    ? "{\"seed\":2}"
					    : strcmp(g->field, "fourth") == 0 ? "{\"seed\":3}"
									      : sample_settings);
	}
	for (int i = 0; i < 3; i++)
		sample_finish(&s[i]);
}

static void joined_findings_limits_losses(void **state)
{
	struct sample s[2];
	struct pd_finding f = sample_finding();

	(void)state;
	part(&s[0], 1);
	part(&s[1], 1);
	f.field = "other";
	pd_findings_add(&s[1].r.findings, &f);
	pd_result_join(&s[0].r, &s[1].r);
	assert_true(s[0].r.complete);
	assert_int_equal(s[0].r.findings.items.n, 3);
	assert_int_equal(s[0].r.findings.items.v[0]->count, 6);
	assert_int_equal(s[0].r.findings.suppressed, 8);
	assert_int_equal(s[0].r.losses.v[0].count, 4);
	assert_int_equal(s[0].r.losses.v[0].nexamples, 1);
	assert_int_equal(s[0].r.command.n, 3);
	assert_string_equal(s[0].r.verb, "check");
	pd_result_limit(&s[1].r, "memory");
	s[1].r.command.n = 1;
	s[1].r.verb = "lint";
	pd_result_join(&s[0].r, &s[1].r);
	assert_false(s[0].r.complete);
	assert_string_equal(s[0].r.limits.v[0], "memory");
	assert_int_equal(s[0].r.command.n, 0);
	assert_string_equal(s[0].r.verb, "merge");
	/* The parts may go. */
	sample_finish(&s[1]);
	assert_string_equal(s[0].r.findings.items.v[2]->field, "other");
	assert_string_equal(s[0].r.limits.v[0], "memory");
	sample_finish(&s[0]);
}

/* Each sum of parts in which one is incomplete is incomplete, in either order. */
static void incomplete_part_makes_incomplete_whole(void **state)
{
	(void)state;
	for (int which = 0; which < 2; which++) {
		struct sample s[2];

		part(&s[0], 1);
		part(&s[1], 1);
		s[which].r.complete = false;
		pd_result_join(&s[0].r, &s[1].r);
		assert_false(s[0].r.complete);
		sample_finish(&s[0]);
		sample_finish(&s[1]);
	}
}

static void lack_of_memory_is_a_failure(void **state)
{
	struct unit_host h = {.left = 0};
	struct pd_arena a;
	struct pd_result r;
	char *argv[] = {"x"};
	int calls = 0;

	(void)state;
	pd_arena_init(&a, unit_host(&h));
	for (; calls < 6; calls++) {
		pd_result_init(&r, &a, "check");
		r.complete = true;
		switch (calls) {
		case 0:
			pd_result_command(&r, 1, argv);
			break;
		case 1:
			pd_result_limit(&r, "l");
			break;
		case 2:
			pd_result_stat_int(&r, "n", 1);
			break;
		case 3:
			pd_result_stat_text(&r, "n", "t");
			break;
		case 4:
			pd_result_loss(&r, "n", 1, "e");
			break;
		case 5:
			pd_result_fail(&r, "f");
			break;
		}
		assert_true(r.nomem);
		assert_int_equal(pd_result_status(&r), PD_EXIT_INTERNAL);
	}
	pd_arena_finish(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(status_table),
		cmocka_unit_test(fresh_result_is_not_complete),
		cmocka_unit_test(stats_keep_order_and_last_value),
		cmocka_unit_test(loss_examples_are_few_and_different),
		cmocka_unit_test(dropped_findings_become_a_loss),
		cmocka_unit_test(joined_stats),
		cmocka_unit_test(joined_settings),
		cmocka_unit_test(joined_findings_limits_losses),
		cmocka_unit_test(incomplete_part_makes_incomplete_whole),
		cmocka_unit_test(lack_of_memory_is_a_failure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
