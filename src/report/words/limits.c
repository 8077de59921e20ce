/* limits.c - see limits.h. */
#include "report/words/limits.h"
#include "report/words/words.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- check: what was not explored ----------------------------------------------------------- */

void pd_limit_interrupt(struct pd_result *r, const char *by)
{
	pd_result_limit(r, "interrupted (%s)", by);
}

void pd_limit_time(struct pd_result *r)
{
	pd_result_limit(r, "ran out of time (--time-limit)");
}

void pd_limit_no_end(struct pd_result *r)
{
	pd_result_limit(r, "ran out of time (--time-limit) before the program ended or reached a "
			   "point where a crash matters; check a run that ends by itself");
}

void pd_limit_random(struct pd_result *r, uint64_t recoveries)
{
	pd_result_limit(r, "--random sampled %" PRIu64 " recoveries, not all", recoveries);
}

/* "3 recoveries WHAT: why the first did". */
static void limit_unknown(struct pd_result *r, uint32_t recoveries, const char *what,
			  const struct pd_unknown *first)
{
	char *why = NULL;
	size_t n;
	FILE *to = open_memstream(&why, &n);

	if (to)
		pd_words_unknown(to, first);
	if (to && fclose(to) == 0)
		pd_result_limit(r, "%" PRIu32 " recover%s %s: %s", recoveries,
				recoveries == 1 ? "y" : "ies", what, why);
	free(why);
}

void pd_limit_diverged(struct pd_result *r, uint32_t recoveries, const struct pd_unknown *first)
{
	limit_unknown(r, recoveries,
		      "behaved differently when repeated, so recovery is not deterministic", first);
}

void pd_limit_not_deterministic(struct pd_result *r, uint32_t points, uint32_t again)
{
	pd_result_limit(r,
			"the program is not deterministic: %" PRIu32 " crash points, and %" PRIu32
			" the second time",
			points, again);
}

void pd_limit_moved(struct pd_result *r)
{
	pd_result_limit(r, "the program was restarted at other addresses, which are random on this "
			   "machine (see 'perdure doctor')");
}

void pd_limit_not_run(struct pd_result *r, uint32_t recoveries, const struct pd_unknown *first)
{
	limit_unknown(r, recoveries, "could not be run", first);
}

void pd_limit_memory(struct pd_result *r, uint32_t times)
{
	pd_result_limit(r, "shared memory ran out (%" PRIu32 " times)", times);
}

void pd_limit_torn_memory(struct pd_result *r, uint32_t times)
{
	pd_result_limit(r, "shared memory for torn stores ran out (%" PRIu32 " times)", times);
}

void pd_limit_coverage(struct pd_result *r)
{
	pd_result_limit(r, "too many stores or files for complete coverage");
}

void pd_limit_blind_asm(struct pd_result *r, const char *example)
{
	pd_result_limit(r,
			"PM was changed or flushed by inline assembly that perdure does not "
			"understand (%s), and not all of that is seen, so no failure is confirmed; "
			"use the compiler's intrinsics instead",
			example);
}

void pd_limit_blind(struct pd_result *r, const char *suspects)
{
	pd_result_limit(r,
			"PM was changed or flushed by code that was not compiled with 'perdure "
			"cc'%s%s%s, and not all of that is seen, so no failure is confirmed; build "
			"it with CC='perdure cc'",
			*suspects ? " (" : "", suspects, *suspects ? "?)" : "");
}

void pd_limit_child(struct pd_result *r)
{
	pd_result_limit(r, "a child of fork stored to PM or flushed it; children are not followed, "
			   "so no failure is confirmed");
}

void pd_limit_call(struct pd_result *r, const char *example)
{
	pd_result_limit(r,
			"calls that perdure does not model may have changed PM, or what recovery "
			"finds of it (%s), so no failure is confirmed",
			example);
}

void pd_limit_readers_asm(struct pd_result *r)
{
	pd_result_limit(r, "PM was read by inline assembly that perdure does not understand: all "
			   "values were tried, but torn stores were not judged");
}

void pd_limit_readers(struct pd_result *r, const char *names, bool standard, bool other)
{
	pd_result_limit(r,
			"PM was read by code that was not compiled with 'perdure cc' (%s): all "
			"values were tried, but torn stores were not judged; %s%s%s",
			names, other ? "build it with CC='perdure cc'" : "",
			standard && other ? ", and " : "",
			!standard ? ""
			: other	  ? "copy out of PM what the C and C++ libraries read"
				  : "copy what it reads out of PM first (memcpy)");
}

void pd_limit_schedules(struct pd_result *r, uint32_t failed, uint32_t all, const char *why)
{
	pd_result_limit(r, "the program itself failed in %" PRIu32 " of %" PRIu32 " schedules: %s",
			failed, all, why);
}

#define NOT_DETERMINISTIC "the structure or its driver is not deterministic"

void pd_limit_tests_beyond(struct pd_result *r, uint32_t tests, uint32_t operation, uint32_t store)
{
	pd_result_limit(r,
			"%" PRIu32 " tests were not run: they are beyond operation %" PRIu32
			", or of three operations beyond store %" PRIu32 " of the first",
			tests, operation, store);
}

void pd_limit_tests_not_started(struct pd_result *r, uint32_t tests)
{
	pd_result_limit(r, "%" PRIu32 " tests were not run: no process could be started for them",
			tests);
}

void pd_limit_points_gone(struct pd_result *r, uint32_t points)
{
	pd_result_limit(r,
			"%" PRIu32 " likely linearization points were not there when the "
			"operations were run again: " NOT_DETERMINISTIC,
			points);
}

void pd_limit_result_differs(struct pd_result *r, uint32_t operation)
{
	pd_result_limit(r,
			"operation %" PRIu32 " of the workload returned something else when it "
			"was run again: " NOT_DETERMINISTIC,
			operation);
}

void pd_limit_not_announced(struct pd_result *r, const char *recovery, bool nothing)
{
	const char *quote = recovery ? "'" : "";

	pd_result_limit(
		r,
		"%s: recovery (%s%s%s) announced no operation, or did not end by exit,%s "
		"so the operations before the crash were not judged; let it use what the "
		"crash left, between pd_op_begin and pd_op_end, or name a command that does "
		"(--recover CMD)",
		nothing ? "nothing was tested" : "not all was tested", quote,
		recovery ? recovery : "the same command", quote,
		nothing ? "" : " after some crashes,");
}

void pd_limit_schedules_left(struct pd_result *r, uint64_t schedules)
{
	pd_result_limit(r, "at least %" PRIu64 " schedules were not tried (--schedules)",
			schedules);
}

void pd_limit_schedules_beyond(struct pd_result *r, uint64_t steps)
{
	pd_result_limit(r,
			"the workload is too large for --exhaustive: %" PRIu64
			" switches between threads could not be numbered; try fewer --ops or "
			"--threads",
			steps);
}

void pd_limit_refused(struct pd_result *r, uint32_t n, const char *why)
{
	pd_result_limit(r,
			"%" PRIu32
			" of the longer workloads, which reach more of the code, could not "
			"be used: %s (--no-grow leaves them out)",
			n, why);
}

void pd_limit_bypassed_exit(struct pd_result *r)
{
	pd_result_limit(r, "the program bypassed normal exit; stores after its last flush were not "
			   "checked");
}

#define RECOVER_READS "(--recover CMD names the command that reads the data after a crash)"

/* What recovery did instead of reading. */
static const char *unread(enum pd_untested why)
{
	return why == PD_UNTESTED_DELETES      ? "it deletes a PM file"
	       : why == PD_UNTESTED_NOT_OPENED ? "it never opened a PM file"
	       : why == PD_UNTESTED_NOT_READ
		       ? "it reads nothing from PM"
		       : "it reads other data, or empties or overwrites the file first";
}

void pd_limit_untested(struct pd_result *r, enum pd_untested why, const char *recovery)
{
	const char *quote = recovery ? "'" : "";

	if (why == PD_UNTESTED_NO_STORE)
		pd_result_limit(r, "nothing was tested: the program stored nothing to PM; check a "
				   "run that does " RECOVER_READS);
	else if (why == PD_UNTESTED_NO_NAME)
		pd_result_limit(r, "nothing was tested: no store was at stake at a crash, since "
				   "the PM files were removed, or did not yet have a name that "
				   "--pm matches; check a run that keeps them " RECOVER_READS);
	else
		pd_result_limit(r,
				"nothing was tested: recovery (%s%s%s) read none of the data that "
				"the program stored: %s; --recover CMD names a command that reads "
				"it",
				quote, recovery ? recovery : "the same command", quote,
				unread(why));
}

/* ---- check: what is not sure of its findings ------------------------------------------------ */

void pd_limit_doubtful(struct pd_result *r, uint32_t recoveries)
{
	pd_result_limit(r, "%" PRIu32 " failed recover%s not reported, since that may be why",
			recoveries, recoveries == 1 ? "y" : "ies");
}

void pd_limit_not_run_again(struct pd_result *r, uint32_t failures, uint32_t most)
{
	pd_result_limit(r,
			"%" PRIu32 " failure%s found but not run again, for lack of time or "
			"because there are more than %" PRIu32,
			failures, pd_words_plural(failures), most);
}

void pd_limit_not_replayed(struct pd_result *r, uint32_t findings, uint32_t drifted)
{
	static const char why[] = "the program does not store the same values each time it is run, "
				  "as with memory that it never initialised";

	if (findings > drifted)
		pd_result_limit(r,
				"%" PRIu32 " finding%s did not fail in the same way when replayed",
				findings - drifted, pd_words_plural(findings - drifted));
	if (drifted)
		pd_result_limit(
			r, "%" PRIu32 " finding%s did not fail in the same way when replayed: %s",
			drifted, pd_words_plural(drifted), why);
}

/* ---- lint and lockset: the run that was watched --------------------------------------------- */

void pd_limit_watch_time(struct pd_result *r, const char *unmapped)
{
	if (unmapped)
		pd_result_limit(r,
				"ran out of time (--time-limit) before the program mapped anything "
				"that --pm '%s' matches",
				unmapped);
	else
		pd_result_limit(
			r, "ran out of time (--time-limit): what the program would have done next, "
			   "and what it left unflushed, was not judged");
}

void pd_limit_watch_interrupt(struct pd_result *r, const char *by)
{
	pd_result_limit(r, "interrupted (%s): what the program left unflushed was not judged", by);
}

void pd_limit_watch_signal(struct pd_result *r, int signal)
{
	pd_result_limit(r,
			"the program itself was killed by signal %d (%s): what it left unflushed "
			"was not judged",
			signal, strsignal(signal));
}

void pd_limit_watch_exit_unseen(struct pd_result *r)
{
	pd_result_limit(r, "the program's exit was not seen");
}

void pd_limit_watch_status(struct pd_result *r, int status)
{
	pd_result_limit(r, "the program ended with status %d", status);
}

void pd_limit_watch_elsewhere(struct pd_result *r, const char *what)
{
	pd_result_limit(
		r,
		"%s; if it cannot do without, let it ask for the second address, or use --binary",
		what);
}

/* ---- lockset -------------------------------------------------------------------------------- */

void pd_limit_one_thread(struct pd_result *r)
{
	pd_result_limit(r, "nothing to judge: the program ran a single thread");
}

void pd_limit_one_thread_of_pm(struct pd_result *r)
{
	pd_result_limit(r, "nothing to judge: only one thread accessed PM");
}

void pd_limit_never_synced(struct pd_result *r)
{
	pd_result_limit(r, "the program never called pd_durable: with --condition buffered, only "
			   "stores that were never flushed are reported");
}

void pd_limit_races_blind(struct pd_result *r)
{
	pd_limit_races_not_tried(r, "PM was changed by code that was not compiled with 'perdure "
				    "cc', whose stores are seen late");
}

void pd_limit_races_not_tried(struct pd_result *r, const char *why)
{
	pd_result_limit(r, "races were not confirmed: %s", why);
}

void pd_limit_races_unread(struct pd_result *r, uint32_t races)
{
	pd_result_limit(r,
			"recovery never reads what %" PRIu32
			" race%s store%s (the notes): let recovery "
			"read it, or mark memory that recovery does not need with pd_transient()",
			races, pd_words_plural(races), races == 1 ? "s" : "");
}

void pd_limit_races_not_replayed(struct pd_result *r, uint32_t races)
{
	pd_result_limit(r,
			"%" PRIu32 " race%s whose failed recovery did not fail again when replayed",
			races, pd_words_plural(races));
}

void pd_limit_races_left(struct pd_result *r, enum pd_unconfirmed why, uint32_t races)
{
	static const char *const words[] = {
		[PD_UNCONFIRMED_INTERRUPT] = "interrupted (^C)",
		[PD_UNCONFIRMED_TIME_LIMIT] = "ran out of time (--time-limit)",
		[PD_UNCONFIRMED_CONFIRM] = "ran out of time (--confirm)",
	};

	pd_result_limit(r, "%s before confirming %" PRIu32 " race%s", words[why], races,
			pd_words_plural(races));
}
