/* text_test.c - the text report and SARIF. */
#include "unit/report_sample.h"
#include "report/screen.h"
#include <jansson.h>
#include <unistd.h>

static char *text_of(const struct pd_result *r, struct pd_text_style style)
{
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	assert_true(pd_report_text(r, &style, f));
	fclose(f);
	return text;
}

static void has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("'%s' is not in:\n%s", part, text);
}

static uint32_t times(const char *text, const char *part)
{
	uint32_t n = 0;

	while ((text = strstr(text, part))) {
		text++;
		n++;
	}
	return n;
}

static void says_what_where_why_fix_replay(void **state)
{
	struct sample s;
	char *t;

	(void)state;
	sample_init(&s);
	t = text_of(&s.r, (struct pd_text_style){0});
	has(t, "crash/recovery-signal ");
	has(t, ": recovery dies of SIGSEGV: 'head' was lost\n");
	has(t, "what      after some crash, a signal kills recovery\n");
	has(t, "store     src/my list.c:42:3 in list_insert\n");
	has(t, "called from app.c:5 in main\n");
	has(t, "load      /abs/read.c:7 in list_read\n");
	has(t, "crash     (unknown: built without -g?)\n");
	has(t, "why       the store is never flushed\n");
	has(t, "fix       flush list.head");
	has(t, "seen      3 times; confirmed");
	has(t, "replay    perdure replay --out 'out dir' ");
	has(t, "inside libpmemobj.so.1: 1 finding, seen 1 time;");
	has(t, "coverage: recovery read 1 of the 1 stores at stake (--coverage lists them)\n");
	has(t, "perdure check: 1 bug, 4 suppressed; incomplete: the time limit of 60 s; not seen: "
	       "inline-asm 2 (a.c:3: rdtsc). Took 1.25 s\n");
	free(t);
	sample_finish(&s);
}

/* One place, reached in two ways: both are shown. The same way: once. */
static void each_way_to_a_place_is_shown(void **state)
{
	static const struct pd_frame put[] = {{"put", "kv.c", 5, 0}},
				     get[] = {{"get", "kv.c", 9, 0}};
	const struct pd_finding_site sites[] = {
		{.role = PD_ROLE_STORE, .at = {"lock", "kv.c", 2, 0}, .stack = put, .nstack = 1},
		{.role = PD_ROLE_LOAD, .at = {"lock", "kv.c", 2, 0}, .stack = put, .nstack = 1},
		{.role = PD_ROLE_FAIL, .at = {"lock", "kv.c", 2, 0}, .stack = get, .nstack = 1},
	};
	struct pd_finding f = {.kind = PD_KIND_CRASH_HANG, .sites = sites, .nsites = 3};
	struct pd_arena a;
	struct pd_result r;
	char *t;

	(void)state;
	pd_arena_init(&a, pd_host_memory());
	pd_result_init(&r, &a, "check");
	pd_findings_add(&r.findings, &f);
	pd_result_finish(&r);
	t = text_of(&r, (struct pd_text_style){0});
	has(t, "called from kv.c:9 in get\n");
	assert_int_equal(times(t, "called from kv.c:5 in put\n"), 1);
	free(t);
	pd_arena_finish(&a);
}

/* The tested program must not get escape sequences through to the terminal. */
static void no_control_characters(void **state)
{
	struct sample s;
	char *t;

	(void)state;
	sample_init(&s);
	t = text_of(&s.r, (struct pd_text_style){0});
	has(t, "| ?[31mred");
	assert_null(strchr(t, '\033'));
	free(t);
	t = text_of(&s.r, (struct pd_text_style){.color = true});
	has(t, "\033[1;31mcrash/recovery-signal\033[0m");
	assert_null(strstr(t, "\033[31mred"));
	free(t);
	sample_finish(&s);
}

static void brief_is_one_line(void **state)
{
	struct sample s;
	char *t;

	(void)state;
	sample_init(&s);
	t = text_of(&s.r, (struct pd_text_style){.brief = true});
	assert_int_equal(strcspn(t, "\n"), strlen(t) - 1);
	free(t);
	sample_finish(&s);
}

/* On a terminal lines break between words; what follows a label stays in its column. */
static void lines_break_at_the_width(void **state)
{
	struct sample s;
	char *t;

	(void)state;
	sample_init(&s);
	t = text_of(&s.r, (struct pd_text_style){.width = 40});
	has(t, "what      after some crash, a signal\n            kills recovery\n");
	for (const char *line = t; *line; line += strcspn(line, "\n") + 1)
		assert_true(strcspn(line, "\n") <= 40 || strncmp(line, "  replay", 8) == 0);
	free(t);
	sample_finish(&s);
}

/* As one would type it, where that is shorter. */
static void paths_are_relative(void **state)
{
	static const struct {
		const char *path, *shown;
	} row[] = {
		{"/home/u/src/a.c", "a.c"},
		{"/home/u/src/x/a.c", "x/a.c"},
		{"/home/u/include/a.h", "../include/a.h"},
		{"/home/u/srcs/a.c", "../srcs/a.c"},
		{"/usr/include/a.h", "/usr/include/a.h"},
		{"a.c", "a.c"},
		{"/home/u/src", "../src"},
		{"", ""},
	};
	char buf[64];

	(void)state;
	for (size_t i = 0; i < PD_LEN(row); i++)
		assert_string_equal(pd_screen_path("/home/u/src", row[i].path, buf, sizeof(buf)),
				    row[i].shown);
	assert_string_equal(pd_screen_path(NULL, "/a/b", buf, sizeof(buf)), "/a/b");
	assert_string_equal(pd_screen_path("/", "/a/b", buf, sizeof(buf)), "/a/b");
	assert_string_equal(pd_screen_path("/home/u/src", "/home/u/src/long", buf, 4),
			    "/home/u/src/long");
}

static char *summary_of(struct pd_finding *f, bool strict)
{
	struct pd_arena a;
	struct pd_result r;
	char *t;

	pd_arena_init(&a, pd_host_memory());
	pd_result_init(&r, &a, "check");
	r.complete = true;
	r.strict = strict;
	pd_findings_add(&r.findings, f);
	t = text_of(&r, (struct pd_text_style){.brief = true});
	pd_arena_finish(&a);
	return t;
}

/* "bug" is said only of what was executed and replayed. */
static void only_what_is_confirmed_is_a_bug(void **state)
{
	static const struct {
		enum pd_kind kind;
		bool confirmed, strict;
		const char *shown;
	} row[] = {
		{PD_KIND_CRASH_ABORT, true, false, "perdure check: 1 bug\n"},
		{PD_KIND_CRASH_ABORT, false, false, "perdure check: 1 potential bug\n"},
		{PD_KIND_LINT_EXTRA_FLUSH, false, false, "perdure check: 1 performance issue\n"},
		{PD_KIND_TORN_STORE, false, false, "perdure check: clean; 1 portability warning\n"},
		{PD_KIND_TORN_STORE, false, true, "perdure check: 1 portability warning\n"},
		{PD_KIND_CRASH_AMBIGUOUS, false, false, "perdure check: clean; 1 note\n"},
	};

	(void)state;
	for (size_t i = 0; i < PD_LEN(row); i++) {
		struct pd_finding f = {.kind = row[i].kind, .confirmed = row[i].confirmed};
		char *t = summary_of(&f, row[i].strict);

		assert_string_equal(t, row[i].shown);
		free(t);
	}
}

static void quotes_the_source_line(void **state)
{
	char path[] = "/tmp/perdure-text-XXXXXX";
	struct pd_finding_site site = {.role = PD_ROLE_STORE, .at = {.function = "f"}};
	struct pd_finding f = {
		.kind = PD_KIND_TORN_BLOCK, .message = "m", .sites = &site, .nsites = 1};
	struct pd_arena a;
	struct pd_result r;
	int fd = mkstemp(path);
	char *t;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, "one\n\ttwo\t\033;\nthree", 17), 17);
	close(fd);
	site.at.file = path;
	for (uint32_t line = 0; line < 6; line++) {
		pd_arena_init(&a, pd_host_memory());
		pd_result_init(&r, &a, "check");
		site.at.line = line;
		pd_findings_add(&r.findings, &f);
		t = text_of(&r, (struct pd_text_style){0});
		if (line == 1)
			has(t, " 1 | one\n");
		else if (line == 2)
			has(t, " 2 | two ?;\n");
		else if (line == 3)
			has(t, " 3 | three\n");
		else
			assert_null(strstr(t, " | "));
		free(t);
		pd_arena_finish(&a);
	}
	unlink(path);
}

/* A report must not wait for a pipe that plays the source file. */
static void odd_source_files_are_left_alone(void **state)
{
	static const char *const files[] = {"/dev/zero", "/", "/proc/self/mem", "/nowhere/x.c", ""};

	(void)state;
	for (size_t i = 0; i < PD_LEN(files); i++) {
		struct pd_finding_site site = {.role = PD_ROLE_LOAD, .at = {"f", files[i], 1, 1}};
		struct pd_finding f = {.sites = &site, .nsites = 1};
		struct pd_arena a;
		struct pd_result r;
		char *t;

		pd_arena_init(&a, pd_host_memory());
		pd_result_init(&r, &a, "check");
		pd_findings_add(&r.findings, &f);
		t = text_of(&r, (struct pd_text_style){0});
		assert_null(strstr(t, " | "));
		free(t);
		pd_arena_finish(&a);
	}
}

static void color_by_option_and_environment(void **state)
{
	FILE *f = tmpfile();

	(void)state;
	assert_true(pd_color_wanted(PD_COLOR_ALWAYS, f));
	assert_false(pd_color_wanted(PD_COLOR_NEVER, f));
	assert_false(pd_color_wanted(PD_COLOR_AUTO, f));
	fclose(f);
	f = fopen("/dev/ptmx", "r+");
	if (!f)
		UNIT_SKIP();
	setenv("TERM", "xterm", 1);
	unsetenv("NO_COLOR");
	assert_true(pd_color_wanted(PD_COLOR_AUTO, f));
	setenv("NO_COLOR", "", 1); /* empty: as if it were not set */
	assert_true(pd_color_wanted(PD_COLOR_AUTO, f));
	setenv("NO_COLOR", "1", 1);
	assert_false(pd_color_wanted(PD_COLOR_AUTO, f));
	assert_true(pd_color_wanted(PD_COLOR_ALWAYS, f));
	unsetenv("NO_COLOR");
	setenv("TERM", "dumb", 1);
	assert_false(pd_color_wanted(PD_COLOR_AUTO, f));
	fclose(f);
}

/* Only where the kind, the facts and the place allow one. */
static void patch_is_offered(void **state)
{
	struct pd_finding_site site = {.role = PD_ROLE_STORE, .at = {.file = "a.c", .line = 3}};
	struct pd_finding f = {
		.id = 0xcd, .kind = PD_KIND_LINT_MISSING_FLUSH, .sites = &site, .nsites = 1};
	struct pd_result r = {.out = "a dir"};
	char *t = pd_report_patch(&r, &f);

	(void)state;
	assert_string_equal(t, "perdure fix --out 'a dir' 00000000cd");
	free(t);
	f.library = "libx";
	assert_null(pd_report_patch(&r, &f));
	f.library = NULL;
	site.at.line = 0;
	assert_null(pd_report_patch(&r, &f));
	site.at.line = 3;
	f.kind = PD_KIND_CRASH_HANG;
	assert_null(pd_report_patch(&r, &f));
	f.kind = PD_KIND_LINT_MISSING_FLUSH;
	r.out = NULL;
	assert_null(pd_report_patch(&r, &f));
}

static void replay_is_quoted(void **state)
{
	struct sample s;
	struct pd_finding *f;
	char *t;

	(void)state;
	sample_init(&s);
	f = s.r.findings.items.v[0];
	f->id = 0xab;
	s.r.out = "it's";
	t = pd_report_replay(&s.r, f);
	assert_string_equal(t, "perdure replay --out 'it'\\''s' 00000000ab");
	free(t);
	s.r.out = "perdure.out/3";
	t = pd_report_replay(&s.r, f);
	assert_string_equal(t, "perdure replay --out perdure.out/3 00000000ab");
	free(t);
	f->replay = "as it was";
	t = pd_report_replay(&s.r, f);
	assert_string_equal(t, "as it was");
	free(t);
	assert_null(pd_report_replay(&s.r, s.r.findings.items.v[1]));
	sample_finish(&s);
}

static const char *get(json_t *o, const char *path)
{
	char key[64];

	while (*path) {
		size_t n = strcspn(path, ".");

		memcpy(key, path, n);
		key[n] = '\0';
		o = key[0] >= '0' && key[0] <= '9' ? json_array_get(o, (size_t)atoi(key))
						   : json_object_get(o, key);
		path += n + (path[n] == '.');
	}
	return json_string_value(o);
}

static void sarif(void **state)
{
	struct sample s;
	size_t n;
	char *t;
	json_t *j, *run;

	(void)state;
	sample_init(&s);
	t = written(&s.r, pd_report_sarif, &n);
	j = json_loadb(t, n, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(j);
	assert_string_equal(get(j, "version"), "2.1.0");
	run = json_array_get(json_object_get(j, "runs"), 0);
	assert_string_equal(get(run, "tool.driver.name"), "perdure");
	assert_string_equal(get(run, "tool.driver.rules.0.id"), "crash/recovery-signal");
	assert_string_equal(get(run, "results.0.ruleId"), "crash/recovery-signal");
	assert_string_equal(get(run, "results.0.level"), "error");
	assert_non_null(get(run, "results.0.message.text"));
	assert_string_equal(get(run, "results.0.locations.0.physicalLocation.artifactLocation.uri"),
			    "src/my%20list.c");
	assert_string_equal(
		get(run, "results.0.relatedLocations.0.physicalLocation.artifactLocation.uri"),
		"file:///abs/read.c");
	assert_int_equal(strlen(get(run, "results.0.partialFingerprints.perdure/v1")), 10);
	assert_string_equal(get(run, "results.1.level"), "note"); /* in a library */
	assert_string_equal(get(run, "invocations.0.toolExecutionNotifications.0.message.text"),
			    "incomplete: the time limit of 60 s");
	assert_string_equal(get(run, "invocations.0.toolExecutionNotifications.1.message.text"),
			    "not everything was seen: inline-asm");
	json_decref(j);
	free(t);
	sample_finish(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(says_what_where_why_fix_replay),
		cmocka_unit_test(each_way_to_a_place_is_shown),
		cmocka_unit_test(no_control_characters),
		cmocka_unit_test(brief_is_one_line),
		cmocka_unit_test(lines_break_at_the_width),
		cmocka_unit_test(paths_are_relative),
		cmocka_unit_test(only_what_is_confirmed_is_a_bug),
		cmocka_unit_test(quotes_the_source_line),
		cmocka_unit_test(odd_source_files_are_left_alone),
		cmocka_unit_test(color_by_option_and_environment),
		cmocka_unit_test(patch_is_offered),
		cmocka_unit_test(replay_is_quoted),
		cmocka_unit_test(sarif),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
