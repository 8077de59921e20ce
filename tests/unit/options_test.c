/* options_test.c - command lines: common options, a verb's own, what is wrong; delivering a result.
 */
#include "unit/report_sample.h"
#include "cli/options.h"
#include "host/number.h"
#include <sys/stat.h>
#include <unistd.h>

static struct {
	uint32_t level;
	uint64_t count, ms;
	bool fast;
	const char *name, *word, *called;
} own;

static bool call(void *to, const char *arg, struct pd_error *e)
{
	if (arg && strcmp(arg, "bad") == 0)
		return pd_error_set(e, PD_EXIT_USAGE, "--call takes anything but 'bad'");
	*(const char **)to = arg ? arg : "(left out)";
	return true;
}

static const char *const colours[] = {"red", "green", "blue", NULL};

static const struct pd_own own_options[] = {
	PD_OWN_U32("level", "N", 1, 9, &own.level, "how deep"),
	PD_OWN_U64("count", "N", 0, UINT64_MAX, &own.count, "how many"),
	PD_OWN_TIME("wait", 0, "TIME", &own.ms, "how long"),
	PD_OWN_FLAG("fast", 'f', &own.fast, "less thorough"),
	PD_OWN_TEXT("name", 'n', "NAME", &own.name, "what it is called"),
	PD_OWN_WORD("word", "WORD", colours, &own.word, "which one"),
	PD_OWN_CALL("call", "[ARG]", call, &own.called, "whatever"),
	{0},
};

static const struct pd_command command = {
	.verb = "try",
	.arguments = "PROGRAM [ARGS]",
	.doc = "Tries.",
	.common = PD_OPT_ALL,
	.needs = "name the program to run",
	.own = own_options,
};

/* Splits at spaces; "try" comes first. */
static enum pd_parsed parse(struct pd_options *o, struct pd_arena *a, const struct pd_command *cmd,
			    const char *line, struct pd_error *e)
{
	static char words[512];
	static char *argv[64];
	int argc = 0;

	snprintf(words, sizeof(words), "try %s", line);
	for (char *p = strtok(words, " "); p; p = strtok(NULL, " "))
		argv[argc++] = p;
	argv[argc] = NULL;
	memset(e, 0, sizeof(*e));
	return pd_options_parse(o, a, cmd, argc, argv, e);
}

static void all_options(void **state)
{
	struct pd_options o;
	struct pd_arena a;
	struct pd_error e;

	(void)state;
	unsetenv("PERDURE_PM");
	pd_arena_init(&a, pd_host_memory());
	assert_int_equal(
		parse(&o, &a, &command,
		      "--pm /mnt/* --pm=b --out d --json - -q --color always --jobs 3 "
		      "--time-limit 5m --suppress s --suppress t --seed 0x10 --stats --level 4 "
		      "-f --count 0 --wait 2s -n me --word blue --call prog --pm x -q",
		      &e),
		PD_PARSED_OK);
	assert_int_equal(o.pm.n, 2);
	assert_string_equal(o.pm.v[0], "/mnt/*");
	assert_string_equal(o.pm.v[1], "b");
	assert_string_equal(o.out, "d");
	assert_string_equal(o.json, "-");
	assert_true(o.quiet);
	assert_int_equal(o.color, PD_COLOR_ALWAYS);
	assert_int_equal(o.jobs, 3);
	assert_int_equal(o.time_limit_ms, 300000);
	assert_int_equal(o.suppress.n, 2);
	assert_int_equal(o.seed, 16);
	assert_true(o.stats);
	assert_int_equal(own.level, 4);
	assert_int_equal(own.count, 0);
	assert_int_equal(own.ms, 2000);
	assert_true(own.fast);
	assert_string_equal(own.name, "me");
	assert_string_equal(own.word, "blue");
	assert_string_equal(own.called, "(left out)");
	/* What follows the program is the program's. */
	assert_int_equal(o.argc, 4);
	assert_string_equal(o.argv[0], "prog");
	assert_string_equal(o.argv[3], "-q");
	pd_arena_finish(&a);
}

static void defaults(void **state)
{
	struct pd_options o;
	struct pd_arena a;
	struct pd_error e;

	(void)state;
	setenv("PERDURE_PM", "a:/b/*::c", 1);
	pd_arena_init(&a, pd_host_memory());
	assert_int_equal(parse(&o, &a, &command, "--pm d -- -prog --", &e), PD_PARSED_OK);
	assert_int_equal(o.argc, 2);
	assert_string_equal(o.argv[0], "-prog");
	assert_string_equal(o.argv[1], "--");
	assert_int_equal(o.pm.n, 4);
	assert_string_equal(o.pm.v[1], "/b/*");
	assert_string_equal(o.pm.v[3], "d");
	assert_null(o.out);
	assert_null(o.json);
	assert_false(o.quiet);
	assert_int_equal(o.color, PD_COLOR_AUTO);
	assert_true(o.jobs >= 1);
	assert_int_equal(o.time_limit_ms, 0);
	assert_int_equal(o.seed, 1);
	unsetenv("PERDURE_PM");
	pd_arena_finish(&a);
}

static void wrong_lines(void **state)
{
	static const struct {
		const char *line, *says;
	} bad[] = {
		{"", "try: name the program to run; 'perdure try --help' explains"},
		{"-q --", "try: name the program to run"},
		{"--bogus p", "try: there is no option '--bogus'; 'perdure try --help' lists them"},
		{"-z p", "try: there is no option '-z'"},
		{"-qz p", "try: there is no option '-z'"},
		{"-zq p", "try: there is no option '-z'"},
		{"-q -zq", "try: there is no option '-z'"},
		{"-qn", "try: -qn needs a value"},
		{"--out", "try: --out needs a value: DIR"},
		{"-n", "try: -n needs a value"},
		{"--out= p", "try: --out needs the name of a directory"},
		{"--quiet=yes p", "try: --quiet takes no value"},
		{"--color red p", "try: --color 'red': use auto, always or never"},
		{"--jobs 0 p", "try: --jobs '0': use a number from 1 to 4096"},
		{"--jobs -1 p", "try: --jobs '-1'"},
		{"--jobs 2x p", "try: --jobs '2x'"},
		{"--jobs 99999999999999999999 p", "try: --jobs"},
		{"--time-limit soon p",
		 "try: --time-limit 'soon': use a time such as 60s, 5m or 1h"},
		{"--time-limit 0s p", "try: --time-limit '0s'"},
		{"--time-limit -5s p", "try: --time-limit '-5s'"},
		{"--time-limit 5d p", "try: --time-limit '5d'"},
		{"--seed many p", "try: --seed 'many': use a number"},
		{"--json= p", "try: --json needs the name of a file"},
		{"--pm= p", "try: --pm needs a file name"},
		{"--level 0 p", "try: --level takes a number from 1 to 9, not '0'"},
		{"--level 10 p", "try: --level takes a number from 1 to 9, not '10'"},
		{"--count x p", "try: --count takes a number, not 'x'"},
		{"--wait 0s p", "try: --wait takes a time such as 500ms, 30s or 5m, not '0s'"},
		{"--word pink p", "try: --word takes red, green or blue, not 'pink'"},
		{"--call=bad p", "--call takes anything but 'bad'"},
		{"--fast=1 p", "try: --fast takes no value"},
	};

	(void)state;
	for (size_t i = 0; i < PD_LEN(bad); i++) {
		struct pd_options o;
		struct pd_arena a;
		struct pd_error e;

		pd_arena_init(&a, pd_host_memory());
		assert_int_equal(parse(&o, &a, &command, bad[i].line, &e), PD_PARSED_ERROR);
		assert_int_equal(e.status, PD_EXIT_USAGE);
		if (strncmp(e.text, bad[i].says, strlen(bad[i].says)) != 0)
			fail_msg("'%s': got '%s'", bad[i].line, e.text);
		pd_arena_finish(&a);
	}
}

static void verb_without_some_options(void **state)
{
	struct pd_command cmd = command;
	struct pd_options o;
	struct pd_arena a;
	struct pd_error e;

	(void)state;
	cmd.common = PD_OPT_BIT(QUIET);
	cmd.own = NULL;
	cmd.needs = NULL;
	cmd.mixed = true;
	pd_arena_init(&a, pd_host_memory());
	assert_int_equal(parse(&o, &a, &cmd, "--jobs 2", &e), PD_PARSED_ERROR);
	assert_non_null(strstr(e.text, "there is no option '--jobs'"));
	assert_int_equal(parse(&o, &a, &cmd, "a -q b", &e), PD_PARSED_OK);
	assert_true(o.quiet);
	assert_int_equal(o.argc, 2);
	assert_string_equal(o.argv[1], "b");
	assert_int_equal(parse(&o, &a, &cmd, "", &e), PD_PARSED_OK);
	assert_int_equal(o.argc, 0);
	pd_arena_finish(&a);
}

static void times(void **state)
{
	uint64_t ms = 7;

	(void)state;
	assert_true(pd_parse_time("60s", &ms) && ms == 60000);
	assert_true(pd_parse_time("60", &ms) && ms == 60000);
	assert_true(pd_parse_time("5m", &ms) && ms == 300000);
	assert_true(pd_parse_time("1h", &ms) && ms == 3600000);
	assert_true(pd_parse_time("1ms", &ms) && ms == 1);
	assert_false(pd_parse_time("", &ms));
	assert_false(pd_parse_time("s", &ms));
	assert_false(pd_parse_time("1.5s", &ms));
	assert_false(pd_parse_time("60 s", &ms));
	assert_false(pd_parse_time("18446744073709551615h", &ms));
	assert_false(pd_parse_time("99999999999999999999999", &ms));
	assert_int_equal(ms, 1);
}

static void numbers(void **state)
{
	uint64_t v = 7;

	(void)state;
	assert_true(pd_parse_u64("18446744073709551615", 0, UINT64_MAX, &v) && v == UINT64_MAX);
	assert_true(pd_parse_u64("0xFFffffffffffffff", 0, UINT64_MAX, &v) && v == UINT64_MAX);
	assert_true(pd_parse_u64("0", 0, 0, &v) && v == 0);
	assert_false(pd_parse_u64("18446744073709551616", 0, UINT64_MAX, &v));
	assert_false(pd_parse_u64("0x10000000000000000", 0, UINT64_MAX, &v));
	assert_false(pd_parse_u64("0x", 0, UINT64_MAX, &v));
	assert_false(pd_parse_u64("", 0, UINT64_MAX, &v));
	assert_false(pd_parse_u64("+1", 0, UINT64_MAX, &v));
	assert_false(pd_parse_u64("a", 0, UINT64_MAX, &v));
	assert_int_equal(v, 0);
}

static void suppression_file_errors(void **state)
{
	char path[] = "/tmp/perdure-supp-XXXXXX";
	int fd = mkstemp(path);
	struct pd_suppressions s;
	struct pd_options o;
	struct pd_arena a;
	struct pd_error e;
	char line[64];

	(void)state;
	assert_int_equal(write(fd, "[n]\nkind = lint/typo\n", 21), 21);
	close(fd);
	pd_arena_init(&a, pd_host_memory());
	pd_suppress_init(&s, &a);
	snprintf(line, sizeof(line), "--suppress %s p", path);
	assert_int_equal(parse(&o, &a, &command, line, &e), PD_PARSED_OK);
	assert_false(pd_options_files(&o, &s, &e));
	assert_int_equal(e.status, PD_EXIT_USAGE);
	assert_non_null(strstr(e.text, ":2: at 'lint/typo': expected a kind"));
	unlink(path);
	assert_false(pd_options_files(&o, &s, &e));
	assert_non_null(strstr(e.text, "cannot read"));
	pd_arena_finish(&a);
}

/* stdout and stderr would break the TAP output of this test. */
static int quiet_deliver(struct pd_result *r, struct pd_options *o, struct pd_suppressions *s,
			 struct pd_outdir *d)
{
	int out = dup(1), err = dup(2), status;

	fflush(stdout);
	assert_non_null(freopen("/dev/null", "w", stdout));
	assert_non_null(freopen("/dev/null", "w", stderr));
	status = pd_deliver(r, o, s, d);
	fflush(stdout);
	fflush(stderr);
	dup2(out, 1);
	dup2(err, 2);
	close(out);
	close(err);
	return status;
}

static void deliver(void **state)
{
	static const char text[] = "[n]\nkind = crash/*\n";
	char home[] = "/tmp/perdure-deliver-XXXXXX", out[64], json[64], result[128];
	struct pd_text_error terr;
	struct pd_suppressions s;
	struct pd_options o = {0};
	struct pd_outdir d;
	struct pd_error e;
	struct sample x;
	struct pd_result back;

	(void)state;
	assert_non_null(mkdtemp(home));
	snprintf(out, sizeof(out), "%s/out", home);
	snprintf(json, sizeof(json), "%s/r.json", home);
	snprintf(result, sizeof(result), "%s/result.json", out);
	sample_init(&x);
	assert_true(pd_outdir_open(&d, out, &e));
	o.json = json;
	assert_int_equal(quiet_deliver(&x.r, &o, NULL, &d), PD_EXIT_FINDINGS);
	assert_true(pd_result_load(&back, &x.a, out, &e));
	assert_true(pd_result_load(&back, &x.a, json, &e));
	assert_int_equal(back.findings.items.n, 2);
	/* With the finding suppressed only the limit is left. */
	pd_suppress_init(&s, &x.a);
	assert_true(pd_suppress_parse(&s, "f", text, sizeof(text) - 1, &terr));
	assert_int_equal(quiet_deliver(&x.r, &o, &s, &d), PD_EXIT_INCOMPLETE);
	/* --json on a full disk: the status says that the report is not there. */
	o.json = "/dev/full";
	assert_int_equal(quiet_deliver(&x.r, &o, NULL, &d), PD_EXIT_INTERNAL);
	o.json = "/nowhere/x.json";
	assert_int_equal(quiet_deliver(&x.r, &o, NULL, &d), PD_EXIT_USAGE);
	pd_outdir_abandon(&d);
	assert_int_equal(access(out, F_OK), -1);
	unlink(json);
	assert_int_equal(rmdir(home), 0);
	sample_finish(&x);
}

int main(void)
{
	unsetenv("PERDURE_AUDIT"); /* what is delivered here is made up, and cannot be replayed */
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_options),
		cmocka_unit_test(defaults),
		cmocka_unit_test(wrong_lines),
		cmocka_unit_test(verb_without_some_options),
		cmocka_unit_test(times),
		cmocka_unit_test(numbers),
		cmocka_unit_test(suppression_file_errors),
		cmocka_unit_test(deliver),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
