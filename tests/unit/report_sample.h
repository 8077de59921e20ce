/* report_sample.h - one result with everything in it, for the tests of the writers. */
#ifndef PD_TESTS_REPORT_SAMPLE_H
#define PD_TESTS_REPORT_SAMPLE_H

#include "unit/unit.h"
#include "finding/steps.h"
#include "host/host.h"
#include "report/report.h"

struct sample {
	struct pd_arena a;
	struct pd_result r;
};

static const struct pd_frame sample_stack[] = {{"main", "app.c", 5, 0}, {NULL, NULL, 0, 0}};

static const struct pd_finding_site sample_sites[] = {
	{.role = PD_ROLE_STORE,
	 .at = {"list_insert", "src/my list.c", 42, 3},
	 .function_line = 40,
	 .stack = sample_stack,
	 .nstack = 2},
	{.role = PD_ROLE_LOAD, .at = {"list_read", "/abs/read.c", 7, 0}},
	{.role = PD_ROLE_CRASH},
};

static const struct pd_choice sample_choices[] = {
	{PD_CHOICE_CRASH, 2, 0}, {PD_CHOICE_CRASH, 2, 1}, {PD_CHOICE_VALUE, 4, 2}};

static const struct pd_chosen sample_chosen[] = {
	{.at = {"list_insert", "src/my list.c", 42, 3}, .next = "clflush"},
	{.next = "exit"},
	{.at = {"list_read", "/abs/read.c", 7, 0}, .seen = UINT64_MAX}};

/* One of each type. */
static const struct pd_fact sample_facts[] = {
	{.key = PD_FACT_ADDRESS, .number = 0x40, .text = "/mnt/x.pm"},
	{.key = PD_FACT_SIZE, .number = 8},
	{.key = PD_FACT_UNFLUSHED, .number = 1},
	{.key = PD_FACT_FIX, .number = PD_WORD_FIX_LOG},
	{.key = PD_FACT_LOST_STORE, .number = 0},
	{.key = PD_FACT_LOST_SEEN, .number = UINT64_MAX},
	{.key = PD_FACT_LOST_STORE, .nth = 1, .number = 2},
};

static const struct pd_fact sample_end[] = {{.key = PD_FACT_SIGNAL, .number = 11}};

/* A step of each kind that has fields of its own. */
static const struct pd_step sample_story[] = {
	{.what = PD_STEP_LINE, .address = {.number = 0x40, .text = "/mnt/x.pm"}, .page = true},
	{.what = PD_STEP_EVENT,
	 .event = PD_EV_STORE,
	 .thread = 2,
	 .at = {.at = {"list_insert", "src/my list.c", 42, 3}, .stack = sample_stack, .nstack = 1},
	 .address = {.number = 0x48, .text = "/mnt/x.pm"},
	 .size = 8,
	 .value = 5,
	 .time = 3,
	 .before = 1,
	 .after = 2,
	 .certain = 1},
	{.what = PD_STEP_CRASH, .event = PD_EV_CLFLUSH, .at_exit = true, .time = 4},
	{.what = PD_STEP_RECOVERY},
	{.what = PD_STEP_READ,
	 .event = PD_EV_LOAD,
	 .at = {.at = {"list_read", "/abs/read.c", 7, 0}},
	 .other = {.at = {"list_insert", "src/my list.c", 42, 3}},
	 .address = {.number = 0x48, .text = "/mnt/x.pm"},
	 .size = 8,
	 .n = 2,
	 .newest = 5,
	 .exec = 1,
	 .took = 1,
	 .newest_at = 2},
	{.what = PD_STEP_END, .kind = PD_KIND_CRASH_SIGNAL, .end = {1, sample_end}},
	{.what = PD_STEP_TRIED,
	 .at = {.at = {"list_insert", "src/my list.c", 42, 3}},
	 .well = true},
};

static const char sample_settings[] = "{\"program\":[\"./prog\"],\"environment\":{\"HOME\":\"/"
				      "root\"},\"stdin\":\"in\",\"new\":[1]}";

static inline struct pd_finding sample_finding(void)
{
	return (struct pd_finding){
		.kind = PD_KIND_CRASH_SIGNAL,
		.cause = PD_CAUSE_MISSING_FLUSH,
		.confirmed = true,
		.message = "recovery dies of SIGSEGV: 'head' was lost",
		.field = "list.head",
		.fix = "flush list.head after src/my list.c:42",
		.output = "line 1\n\033[31mred\xff\n",
		.sites = sample_sites,
		.nsites = 3,
		.facts = {PD_LEN(sample_facts), sample_facts},
		.count = 3,
		.story = {PD_LEN(sample_story), sample_story},
		.witness =
			{true, 3, {PD_POLICY_LATE, 17, .nth = 2}, sample_choices, sample_chosen, 0},
	};
}

static inline void sample_init(struct sample *s)
{
	char *argv[] = {"./prog", "a b", "\xff"};
	struct pd_finding f = sample_finding();
	struct pd_result *r = &s->r;

	pd_arena_init(&s->a, pd_host_memory());
	pd_result_init(r, &s->a, "check");
	pd_result_command(r, 3, argv);
	pd_result_settings(r, sample_settings);
	pd_findings_add(&r->findings, &f);
	f = (struct pd_finding){.kind = PD_KIND_LINT_EXTRA_FLUSH,
				.message = "the line is clean",
				.library = "libpmemobj.so.1"};
	pd_findings_add(&r->findings, &f);
	r->findings.suppressed = 4;
	pd_result_covered(r, &(struct pd_covered){
				     .at = {"put", "kv.c", 9, 2}, .pm = "/b.pm", .at_stake = true});
	pd_result_covered(r, &(struct pd_covered){.at = {"put", "kv.c", 9, 2},
						  .pm = "/a.pm",
						  .at_stake = true,
						  .read = true});
	pd_result_covered(r, &(struct pd_covered){.pm = "/a.pm", .recovery = true});
	r->out = "out dir";
	pd_result_stat_int(r, "executions", 621);
	pd_result_stat_real(r, "seconds", 1.25);
	pd_result_stat_text(r, "model", "adr");
	pd_result_limit(r, "the time limit of %d s", 60);
	pd_result_loss(r, "inline-asm", 2, "a.c:3: rdtsc");
	pd_result_finish(r);
}

static inline void sample_finish(struct sample *s)
{
	pd_arena_finish(&s->a);
}

/* What a writer writes. free() it. */
static inline char *written(const struct pd_result *r, pd_report_writer *write, size_t *n)
{
	char *text = NULL;
	FILE *f = open_memstream(&text, n);

	assert_non_null(f);
	assert_true(write(r, f));
	assert_int_equal(fclose(f), 0);
	return text;
}

#endif
