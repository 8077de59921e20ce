/*
 * cmd_check.c - perdure check PROGRAM: every crash, every state that recovery can distinguish.
 *
 * Starts two zygotes of the program: one for the first execution, one for recoveries. They
 * coordinate over the board (protocol/board.h); this process watches, shows progress, stops them
 * when time is over, and reports the result.
 */
#include "drive/check/check.h"
#include "base/names.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "drive/rerun.h"
#include "drive/driven.h"
#include "host/demangle.h"
#include "host/host.h"
#include "host/words.h"
#include "report/words/limits.h"
#include "report/words/words.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- options -------------------------------------------------------------------------------- */

static bool parse_statuses(const char *s, uint64_t bits[4])
{
	while (*s) {
		char *end;
		unsigned long v = strtoul(s, &end, 10);

		if (end == s || v > 255 || (*end && *end != ','))
			return false;
		bits[v / 64] |= 1ULL << (v % 64);
		s = *end ? end + 1 : end;
	}
	return true;
}

bool pd_take_recover(void *to, const char *arg, struct pd_error *e)
{
	struct pd_check_run *c = to;

	c->recover = pd_words_split(&c->arena, arg, "--recover", e);
	return c->recover;
}

static bool take_ok_exit(void *to, const char *arg, struct pd_error *e)
{
	return parse_statuses(arg, to) ||
	       pd_error_set(e, PD_EXIT_USAGE,
			    "--ok-exit takes statuses from 0 to 255, separated by ',', not '%s'",
			    arg);
}

static bool take_checksum(void *to, const char *arg, struct pd_error *e)
{
	struct pd_check_run *c = to;

	if (c->nchecksum == PD_CHECKSUM_NAMES || strlen(arg) >= PD_CHECKSUM_NAME)
		return pd_error_set(e, PD_EXIT_USAGE,
				    "--checksum: at most %d functions, with names shorter than 128 "
				    "bytes",
				    PD_CHECKSUM_NAMES);
	c->checksum[c->nchecksum++] = arg;
	return true;
}

/* ---- the end -------------------------------------------------------------------------------- */

static void stats(struct pd_check_run *c)
{
	const struct pd_board *b = c->board;
	struct pd_result *r = &c->result;
	char digest[20];

	pd_result_stat_int(r, "executions",
			   (int64_t)b->executions +
				   (c->random ? 1 : c->ran + c->passes + c->known.again));
	if (c->resume)
		pd_result_stat_int(r, "executions_before", (int64_t)c->executions_before);
	pd_check_tests_stats(c, r);
	pd_result_stat_int(r, "schedules", c->ran);
	pd_result_stat_int(r, "jobs", c->jobs);
	pd_result_stat_int(r, "crash_points", b->points);
	pd_result_stat_int(r, "crash_points_done", b->points_done);
	pd_result_stat_int(r, "crash_points_executed", b->points_run);
	pd_result_stat_real(r, "eager_states_log10", pd_board_eager(b));
	pd_result_stat_real(r, "executions_per_crash_point",
			    b->points ? (double)b->executions / b->points : 0);
	pd_result_stat_int(r, "failed_recoveries", b->failed);
	if (c->spec)
		pd_result_stat_int(r, "recoveries_without_operations", b->silent);
	pd_result_stat_int(r, "outcomes", b->outcomes.n);
	snprintf(digest, sizeof(digest), "%016lx", (unsigned long)b->outcomes.sum);
	pd_result_stat_text(r, "outcomes_digest", digest);
	pd_result_stat_int(r, "events", (int64_t)b->first_events);
	pd_result_stat_int(r, "largest_process_kb", b->largest_kb);
	pd_result_stat_int(r, "shared_kb", (int64_t)(b->used / 1024));
}

/* An example of what was not seen, as the runtime reports it. */
static const char *example_of(const struct pd_check_run *c, int kind)
{
	const char *what = c->first.channel->loss_what[kind];

	for (uint32_t j = 0; j < c->jobs && !*what; j++)
		for (uint32_t d = 0; d < c->crashes && !*what; d++)
			what = c->worker[j][d].channel->loss_what[kind];
	return *what ? what : "'perdure trace' names them";
}

/* Reads of PM by uninstrumented code: seen, but coarsely. */
static void report_readers(struct pd_check_run *c)
{
	char names[4 * PD_CHANNEL_WHAT] = "";
	uint32_t kinds = c->known.reader_kinds;

	pd_names_add(names, sizeof(names), c->known.readers);
	for (uint32_t j = 0; j < c->jobs; j++)
		for (uint32_t d = 0; d < c->crashes; d++) {
			const struct pd_channel *ch = c->worker[j][d].channel;

			pd_names_add(names, sizeof(names), ch->readers);
			kinds |= ch->reader_kinds;
		}
	if (*names && pd_check_lost(c, PD_LOSS_ASM) &&
	    strcmp(names, pd_text_base(c->options.argv[0])) == 0)
		pd_limit_readers_asm(&c->result);
	else if (*names)
		pd_limit_readers(&c->result, pd_demangle_all(&c->arena, names),
				 kinds & PD_READER_STANDARD, kinds & PD_READER_OTHER);
}

/*
 * Executes the program and its last recovery once more, with all that is known: with equal values
 * of PM it must read the same. A recovery is executed once for what it reads, so nothing else would
 * show that it is not deterministic.
 */
static void recheck(struct pd_check_run *c)
{
	struct pd_choice end = {PD_CHOICE_CRASH, 0, PD_POINT_AT_END};
	struct pd_board *b = c->board;
	struct pd_witness w = {true, 1, pd_schedule_of(b->seed), &end, NULL, 0};
	const struct pd_crash_run *run;
	struct pd_error e;
	uint32_t points = b->points;

	if (c->cut || b->crashes > 1 || b->no_incremental || c->random ||
	    c->known.failed_schedules || c->wrong_alone)
		return;
	c->rechecking = true;
	if (pd_check_again(c, &w, &run, &e) && !b->stop && b->points - points != c->last_points)
		pd_limit_not_deterministic(&c->result, c->last_points, b->points - points);
	c->rechecking = false;
}

bool pd_check_recovery_did(const struct pd_check_run *c, enum pd_event_kind kind)
{
	if (c->known.did >> kind & 1)
		return true;
	for (uint32_t j = 0; j < c->jobs; j++)
		for (uint32_t d = 0; d < c->crashes; d++)
			if (c->worker[j][d].channel->events[kind])
				return true;
	return false;
}

static void limits(struct pd_check_run *c)
{
	const struct pd_board *b = c->board;
	struct pd_result *r = &c->result;

	if (c->interrupted)
		pd_limit_interrupt(r, c->interrupted);
	else if (c->cut && !b->executions && !b->finished)
		pd_limit_no_end(r);
	else if (c->cut)
		pd_limit_time(r);
	if (c->random)
		pd_limit_random(r, c->random);
	if (b->diverged)
		pd_limit_diverged(r, b->diverged, &b->why_diverged);
	if (c->moved)
		pd_limit_moved(r);
	if (b->lost)
		pd_limit_not_run(r, b->lost, &b->why_lost);
	if (b->lost && b->why_lost.why == PD_UNKNOWN_DEFECT)
		pd_result_fail(r, "%s", b->why_lost.text);
	if (b->capped + b->several.full)
		pd_limit_memory(r, b->capped + b->several.full);
	for (int k = 0; k < PD_LOSS_N; k++) {
		uint64_t n = pd_check_lost(c, (enum pd_loss)k);

		if (n)
			pd_result_loss(r, pd_loss_name((enum pd_loss)k), n,
				       pd_demangle_all(&c->arena, example_of(c, k)));
	}
	if (c->known.lost[PD_LOSS_CHILD])
		pd_limit_child(r);
	if (pd_check_lost(c, PD_LOSS_CALL))
		pd_limit_call(r, example_of(c, PD_LOSS_CALL));
	if (c->known.lost[PD_LOSS_BLIND] || pd_check_lost(c, PD_LOSS_FLUSH)) {
		if (pd_check_lost(c, PD_LOSS_ASM) && !*c->known.suspects)
			pd_limit_blind_asm(r, example_of(c, PD_LOSS_ASM));
		else
			pd_limit_blind(r, c->known.suspects);
	}
	report_readers(c);
	if (c->known.failed_schedules)
		pd_limit_schedules(r, c->known.failed_schedules, c->ran, c->known.why_failed);
	if (c->why_refused[0])
		pd_limit_refused(r, c->refused, c->why_refused);
	if (b->finished != c->ran + c->passes && !r->limits.n)
		pd_limit_bypassed_exit(r);
	pd_check_tests_limits(c, r);
	pd_check_exhausted(c, r);
	pd_check_was_tested(c, r);
	r->complete = !r->limits.n;
	pd_check_origin(c);
	r->scope = c->exhaustive ? pd_words_exhaustive(&c->arena, c->ran, c->preemptions)
				 : pd_words_scope(&c->arena, strcmp(c->verb, "linear") == 0,
						  pd_check_has_threads(c) ? c->ran : 0);
	r->only = pd_words_only(&c->arena, c->options.only.asked, false);
	r->not_judged =
		pd_words_side_files(&c->arena, c->first.channel->mapped, c->first.channel->synced);
	pd_check_not_exercised(c, r);
}

/* A name that matches nothing is probably a mistake. */
static void warn_unused(const struct pd_check_run *c)
{
	for (uint32_t i = 0; i < c->nchecksum && !c->options.quiet; i++)
		if (!c->board->checksum.used[i])
			fprintf(stderr,
				"perdure: --checksum %s: no function of that name read data that a "
				"crash may change\n",
				c->checksum[i]);
}

static bool usable(struct pd_check_run *c, struct pd_error *e)
{
	const char *program = c->options.argv[0];

	return (c->known.failed_schedules || (pd_driven_judge(&c->first, program, e) &&
					      pd_driven_ended_well(&c->first, program, e))) &&
	       (!c->recover || pd_driven_works_itself(&c->worker[0][0], c->recover[0], e));
}

static void show_capture(const struct pd_check_run *c)
{
	char buf[2048];
	off_t end = lseek(c->capture, 0, SEEK_END);
	off_t from = end > (off_t)sizeof(buf) ? end - (off_t)sizeof(buf) : 0;
	ssize_t n = pread(c->capture, buf, sizeof(buf), from);

	if (n > 0)
		fprintf(stderr, "what it printed:\n%.*s%s", (int)n, buf,
			buf[n - 1] == '\n' ? "" : "\n");
}

static bool is_alone(const struct pd_check_run *c, enum pd_kind kind, enum pd_kind usual)
{
	return pd_only_wants(&c->options.only, kind) && !pd_only_wants(&c->options.only, usual);
}

/* Rejects options that contradict each other; applies those that imply another. */
static bool settle_options(struct pd_check_run *c, struct pd_error *e)
{
	bool eadr = strcmp(c->model, "eadr") == 0;

	if (!pd_check_wants_failures(c) && (c->no_torn || c->eager || eadr))
		return pd_error_set(e, PD_EXIT_USAGE,
				    "%s cannot be combined with --no-torn, --eager or "
				    "--model eadr: nothing would be left to do",
				    c->options.only.asked);
	/* Notes are reported on request: --only with their kind alone is one. */
	c->ambiguous = c->ambiguous || is_alone(c, PD_KIND_CRASH_AMBIGUOUS, PD_KIND_CRASH_SIGNAL);
	c->benign = c->benign || is_alone(c, PD_KIND_TORN_BENIGN, PD_KIND_TORN_STORE);
	c->no_torn = c->no_torn || c->eager || eadr || !pd_check_wants(c, "torn");
	return true;
}

static bool take_input(struct pd_check_run *c, struct pd_error *e)
{
	if (!c->input_dir)
		return true;
	c->given = pd_new(&c->arena, struct pd_input);
	if (!c->given || !pd_input_open(c->given, c->input_dir, e))
		return false;
	c->options.argv = pd_input_argv(c->given, &c->arena, c->options.argv, e);
	return c->options.argv;
}

int pd_check_run_all(struct pd_check_run *c)
{
	struct pd_suppressions suppressions;
	struct pd_outdir out;
	struct pd_error e;

	pd_suppress_init(&suppressions, &c->arena);
	if (!settle_options(c, &e) || !take_input(c, &e) ||
	    !pd_options_files(&c->options, &suppressions, &e) || !pd_check_board(c, &e) ||
	    !pd_check_cover_prepare(c, &e) || !pd_check_load_state(c, &e) ||
	    !pd_outdir_open(&out, c->options.out, &e))
		return pd_error_print(&e);
	pd_result_init(&c->result, &c->arena, c->verb);
	if (!pd_check_execute(c, &e) || (!c->cut && !usable(c, &e)) ||
	    !pd_check_save(c, &out, &e)) {
		int status = pd_error_print(&e);

		if (c->capture > 0)
			show_capture(c);
		pd_outdir_abandon(&out);
		return status;
	}
	pd_result_command(&c->result, c->options.argc, c->options.argv);
	c->result.out = out.path;
	stats(c);
	if (!c->options.json || strcmp(c->options.json, "-") != 0)
		pd_check_tests_list(c, stdout);
	recheck(c);
	pd_check_coverage(c, &c->result);
	limits(c);
	warn_unused(c);
	if (c->ambiguous)
		pd_check_ambiguous(c, &c->result);
	if ((c->cut || pd_check_wants_failures(c)) && !pd_check_resume(c, &e))
		return pd_error_print(&e);
	if (!pd_check_save_state(c, &out, &e)) /* before it changes: what follows executes more */
		pd_error_print(&e);
	if (c->kept)
		pd_result_stat_int(&c->result, "resumable", 1);
	if (pd_check_wants_failures(c))
		pd_check_findings(c, &c->result);
	/* After the findings of crashes, which may be about the same stores; a finding that is not
	 * shown must not hide any. */
	pd_only_filter(&c->options.only, &c->result.findings);
	pd_findings_suppress(&c->result.findings, &suppressions);
	if (pd_check_wants(c, "torn"))
		pd_check_torn_findings(c, &c->result);
	pd_result_stat_real(&c->result, "seconds", pd_check_seconds(c) + c->known.seconds);
	return pd_deliver(&c->result, &c->options, &suppressions, &out);
}

/* --resume without a program: takes the command line and the input of the earlier run. */
static bool take_earlier(struct pd_check_run *c, const struct pd_check_run *defaults, int *argc,
			 char ***argv, int *status)
{
	struct pd_options now = c->options;
	struct pd_arena arena;
	const char *dir = c->resume;
	struct pd_result r;
	struct pd_error e;
	int input = -1;
	bool ok;

	ok = pd_result_load(&r, &c->arena, dir, &e) && pd_check_load_given(c, &r, dir, &e);
	input = c->input;
	*argv = ok ? pd_rerun_command(&c->arena, &r, now.words.v, now.words.n - 1, argc) : NULL;
	if (ok && (strcmp(r.verb, "check") != 0 || !*argv))
		ok = pd_error_set(
			&e, PD_EXIT_USAGE,
			"'%.300s' is not of one run of 'perdure check', so --resume cannot "
			"go on with it",
			dir);
	arena = c->arena;
	*c = *defaults;
	c->arena = arena;
	c->input = input;
	unsetenv("PERDURE_OPTIONS"); /* the words already contain them */
	unsetenv("PERDURE_PM");
	if (!ok)
		*status = pd_error_print(&e);
	return ok;
}

int pd_cmd_check(int argc, char **argv)
{
	const struct pd_check_run defaults = {.verb = "check",
					      .model = "adr",
					      .hang_ms = 10000,
					      .ok_exit = {1},
					      .capture = -1,
					      .input = -1,
					      .crashes = 1};
	struct pd_check_run c = defaults;
	const struct pd_own own[] = {
#include "cli/options/check.def"
		{0},
	};
	struct pd_command cmd = {
		.verb = "check",
		.arguments = "PROGRAM [ARGS]",
		.doc = "Tests recovery from every possible crash state: runs PROGRAM, crashes it "
		       "at every point that matters, and runs recovery on every state of "
		       "persistent memory that it can tell apart.\vRecovery is the same command "
		       "again, on what the crash left. It fails if it is killed, aborts, hangs, "
		       "deadlocks, exits with a status other than 0, or if a pd_check() of "
		       "perdure.h does not hold. PM files are never changed.",
		.common = PD_OPT_ALL,
		.engines = {"crash", "torn"},
		.needs = "name the program to check",
		.earlier = &c.resume,
		.own = own,
	};
	int status;
	bool ok;

	pd_arena_init(&c.arena, pd_host_memory());
	ok = pd_options_start(&c.options, &c.arena, &cmd, argc, argv, &status);
	if (ok && !c.options.argc) {
		ok = take_earlier(&c, &defaults, &argc, &argv, &status) &&
		     pd_options_start(&c.options, &c.arena, &cmd, argc, argv, &status);
	}
	if (ok) {
		c.no_incremental |= c.eager;
		c.asked_schedules = c.schedules;
		if (!c.schedules && !c.random)
			c.schedules = c.automatic = 1;
		status = pd_check_run_all(&c);
	}
	pd_check_finish(&c);
	return status;
}
