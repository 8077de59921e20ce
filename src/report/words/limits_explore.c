/* limits_explore.c - what kept an exploration from being complete. See limits.h. */
#include "report/words/limits.h"
#include "report/words/words.h"
#include <inttypes.h>

/* "; 3 paths that were found were not run" */
static void limit_left(struct pd_result *r, const char *why, uint64_t left)
{
	if (left)
		pd_result_limit(r, "%s: %" PRIu64 " path%s found and not run (--resume continues)",
				why, left, pd_words_plural(left));
	else
		pd_result_limit(r, "%s", why);
}

void pd_limit_explore_interrupt(struct pd_result *r, const char *by, uint64_t left)
{
	char why[40];

	snprintf(why, sizeof(why), "interrupted (%s)", by);
	limit_left(r, why, left);
}

void pd_limit_explore_time(struct pd_result *r, uint64_t left)
{
	limit_left(r, "ran out of time (--time-limit)", left);
}

void pd_limit_explore_paths(struct pd_result *r, uint64_t max, uint64_t left)
{
	pd_result_limit(r,
			"--max-paths %" PRIu64 ": %" PRIu64
			" more path%s found and not run (--resume continues)",
			max, left, pd_words_plural(left));
}

void pd_limit_explore_stopped(struct pd_result *r, uint64_t left)
{
	limit_left(r, "the exploration stopped early", left);
}

void pd_limit_explore_diverged(struct pd_result *r, uint64_t runs, const char *where)
{
	pd_result_limit(r,
			"the program is not deterministic: %" PRIu64
			" run%s left the path that the input had taken before%s%s",
			runs, pd_words_plural(runs), *where ? ", first at " : "", where);
}

void pd_limit_explore_unknown(struct pd_result *r, uint64_t questions, bool no_solver,
			      uint64_t limit_ms)
{
	if (no_solver)
		pd_result_limit(r,
				"%" PRIu64 " branch%s whose other side needs a solver, and none "
				"could be started",
				questions, questions == 1 ? "" : "es");
	else
		pd_result_limit(r,
				"%" PRIu64 " branch%s undecided: no input was found, and none "
				"ruled out, within %" PRIu64 " ms (--query-limit)",
				questions, questions == 1 ? "" : "es", limit_ms);
}

void pd_limit_explore_steps(struct pd_result *r, uint64_t steps, uint32_t most)
{
	pd_result_limit(r,
			"paths with more than %" PRIu32
			" branches on the input (an endless loop?): "
			"%" PRIu64 " later branch%s followed one way only",
			most, steps, steps == 1 ? "" : "es");
}

void pd_limit_explore_pins(struct pd_result *r, uint64_t values, uint32_t most)
{
	pd_result_limit(r,
			"%" PRIu64 " place%s use%s a value of the input, such as an address or a "
			"size, that can have more than %" PRIu32 " values; no more were tried",
			values, pd_words_plural(values), values == 1 ? "s" : "", most);
}

void pd_limit_explore_frontier(struct pd_result *r, uint64_t paths)
{
	pd_result_limit(r, "no room for %" PRIu64 " path%s that %s found (--memory)", paths,
			pd_words_plural(paths), paths == 1 ? "was" : "were");
}

void pd_limit_explore_lost(struct pd_result *r, uint64_t paths)
{
	pd_result_limit(r, "%" PRIu64 " path%s killed the process exploring %s, twice", paths,
			pd_words_plural(paths), paths == 1 ? "it" : "them");
}

void pd_limit_explore_findings(struct pd_result *r, uint64_t times)
{
	pd_result_limit(r, "no room for %" PRIu64 " more finding%s", times, pd_words_plural(times));
}

void pd_limit_explore_in_part(struct pd_result *r, uint32_t objects, const char *first)
{
	pd_result_limit(r,
			"%" PRIu32 " object%s not built for symbolic execution (%s): branches in "
			"%s are followed one way only; rebuild with 'perdure cc --symbolic'",
			objects, pd_words_plural(objects), first, objects == 1 ? "it" : "them");
}

void pd_limit_explore_failed(struct pd_result *r, uint64_t paths, const char *first)
{
	pd_result_limit(r, "%" PRIu64 " path%s could not be run to the end (%s)", paths,
			pd_words_plural(paths), first);
}

void pd_limit_explore_concrete(struct pd_result *r)
{
	pd_result_limit(r, "some symbolic values were used as they were, without trying others");
}

void pd_limit_explore_unseen(struct pd_result *r)
{
	pd_result_limit(r, "code that perdure cannot see was not explored");
}

void pd_limit_explore_foreign(struct pd_result *r, const char *callee, uint32_t more)
{
	if (more)
		pd_result_limit(r,
				"input is passed to code that is not instrumented: %s, and %" PRIu32
				" other call%s; what it does with other inputs was not explored",
				*callee ? callee : "a function", more, pd_words_plural(more));
	else
		pd_result_limit(r,
				"input is passed to %s, which is not instrumented; what it does "
				"with other inputs was not explored",
				*callee ? callee : "a function");
}

void pd_limit_explore_outside(struct pd_result *r, const char *by)
{
	pd_result_limit(
		r,
		"input is written to a file, pipe or stream and read again there (%s); what "
		"follows from it was not explored",
		by);
}

void pd_limit_explore_memory(struct pd_result *r, uint32_t asked, uint32_t have)
{
	pd_result_limit(r,
			"pd_symbolic() was asked for %" PRIu32 " bytes, of which only %" PRIu32
			" were symbolic; raise --sym-memory",
			asked, have);
}

void pd_limit_explore_faults(struct pd_result *r, uint32_t calls, uint32_t asked, uint32_t most)
{
	pd_result_limit(r,
			"a path makes %" PRIu32 " calls that can fail, and only the first %" PRIu32
			" did (--sym-faults=%" PRIu32 ",%" PRIu32 ")",
			calls, asked, most, calls);
}

void pd_limit_explore_packets(struct pd_result *r, uint32_t received, uint32_t sent)
{
	pd_result_limit(
		r,
		"no path receives more than %" PRIu32 " of the %" PRIu32
		" symbolic bytes of the packets: the program ends before, or does not listen "
		"on that port (--sym-socket)",
		received, sent);
}

void pd_limit_explore_not_judged(struct pd_result *r, uint64_t paths, const char *why)
{
	pd_result_limit(r,
			"%" PRIu64 " path%s with something to report could not be run again%s%s%s",
			paths, pd_words_plural(paths), *why ? " (" : ", for lack of time", why,
			*why ? ")" : "");
}

void pd_limit_explore_not_again(struct pd_result *r, uint32_t paths)
{
	pd_result_limit(r,
			"%" PRIu32 " path%s failed while explored, but not when run again on "
			"the same input",
			paths, pd_words_plural(paths));
}

void pd_limit_explore_not_reported(struct pd_result *r, uint32_t findings)
{
	pd_result_limit(r,
			"%" PRIu32 " finding%s of lint on explored paths that it did not report "
			"again on the same input",
			findings, pd_words_plural(findings));
}

void pd_limit_explore_not_checked(struct pd_result *r, uint32_t paths, const char *why)
{
	pd_result_limit(r, "%" PRIu32 " path%s could not be checked for crashes (%s)", paths,
			pd_words_plural(paths), why);
}

void pd_limit_explore_check(struct pd_result *r, const char *limit)
{
	pd_result_limit(r, "check: %s", limit);
}

void pd_limit_explore_check_time(struct pd_result *r, uint32_t paths)
{
	pd_result_limit(r, "ran out of time before checking %" PRIu32 " path%s for crashes", paths,
			pd_words_plural(paths));
}

void pd_limit_explore_not_kept(struct pd_result *r, uint64_t inputs, const char *why)
{
	pd_result_limit(r, "the input%s of %" PRIu64 " path%s could not be kept: %s",
			pd_words_plural(inputs), inputs, pd_words_plural(inputs), why);
}

/* ---- losses --------------------------------------------------------------------------------- */

void pd_loss_explore(struct pd_result *r, uint32_t why, uint64_t count, const char *what)
{
	/* In the order of enum pd_sym_why (event/symbolic.h) */
	static const char *const names[] = {
		"symbolic-float",    "symbolic-address", "symbolic-size",     "symbolic-call",
		"symbolic-indirect", "symbolic-asm",	 "symbolic-operator", "symbolic-line",
		"symbolic-memory",   "symbolic-outside",
	};

	pd_result_loss(r,
		       why < PD_LEN(names)    ? names[why]
		       : why == PD_LEN(names) ? "symbolic-other"
					      : "symbolic-labels",
		       count, *what ? what : NULL);
}
