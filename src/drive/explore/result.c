/* explore/result.c - figures of an exploration, what was cut, and what was lost. See explore.h. */
#include "drive/explore/explore.h"
#include "drive/explore/witness.h"
#include "host/demangle.h"
#include "report/words/limits.h"
#include "report/words/words.h"
#include <string.h>

bool pd_explore_witness(struct pd_explore_run *x, struct pd_input *in, uint32_t *number,
			struct pd_error *e)
{
	const struct pd_explore_settings s = {.options = &x->options,
					      .result = &x->result,
					      .arena = &x->arena,
					      .model = x->model,
					      .hang_ms = x->path_ms};

	return pd_explore_settings(&s, in, number, e);
}

/* ---- figures -------------------------------------------------------------------------------- */

static void put_questions(struct pd_result *r, const struct pd_explore *b)
{
	static const char *const by[PD_ASK_BYS] = {"constant", "input",	 "domain", "product",
						   "cache",    "shared", "solver"};
	static const char *const answers[3] = {"no", "yes", "unknown"};
	struct pd_ask_stats all = {{{0}}};
	uint64_t n = 0, by_all[PD_ASK_BYS] = {0}, hits, hard;
	char name[60];

	for (uint32_t w = 0; w < b->jobs; w++)
		for (int i = 0; i < PD_ASK_BYS; i++)
			for (int k = 0; k < 3; k++)
				all.asked[i][k] += b->worker[w].asked.asked[i][k];
	for (int i = 0; i < PD_ASK_BYS; i++)
		for (int k = 0; k < 3; k++) {
			snprintf(name, sizeof(name), "asked_%s_%s", by[i], answers[k]);
			if (all.asked[i][k])
				pd_result_stat_int(r,
						   pd_arena_strndup(r->arena, name, strlen(name)),
						   (int64_t)all.asked[i][k]);
			n += all.asked[i][k];
			by_all[i] += all.asked[i][k];
		}
	hits = by_all[PD_ASK_BY_CACHE] + by_all[PD_ASK_BY_SHARED];
	hard = hits + by_all[PD_ASK_BY_PRODUCT] + by_all[PD_ASK_BY_SOLVER];
	pd_result_stat_int(r, "questions", (int64_t)n);
	pd_result_stat_int(r, "questions_without_solver", (int64_t)(n - by_all[PD_ASK_BY_SOLVER]));
	pd_result_stat_real(r, "cache_hit_share", hard ? (double)hits / (double)hard : 0);
	pd_result_stat_real(r, "shared_hit_share",
			    hard ? (double)by_all[PD_ASK_BY_SHARED] / (double)hard : 0);
}

static void put_workers(struct pd_result *r, const struct pd_explore *b, double seconds)
{
	uint64_t runs = 0, forks = 0, in_place = 0, ns = 0, taken = 0, gone = 0, from = 0;

	for (uint32_t i = 0; i < b->jobs; i++) {
		runs += b->worker[i].runs;
		forks += b->worker[i].forks;
		in_place += b->worker[i].in_place;
		ns += b->worker[i].solver_ns;
		taken += b->worker[i].snapshots;
		gone += b->worker[i].snapshots_gone;
		from += b->worker[i].from_snapshots;
	}
	pd_result_stat_int(r, "runs", (int64_t)runs);
	pd_result_stat_int(r, "runs_forked", (int64_t)forks);
	pd_result_stat_int(r, "runs_in_place", (int64_t)in_place);
	pd_result_stat_int(r, "runs_from_snapshots", (int64_t)from);
	pd_result_stat_int(r, "snapshots", (int64_t)taken);
	pd_result_stat_int(r, "snapshots_given_up", (int64_t)gone);
	pd_result_stat_real(r, "solver_seconds", (double)ns * 1e-9);
	pd_result_stat_real(r, "solver_share_per_cpu_second",
			    seconds > 0 ? (double)ns * 1e-9 / (seconds * b->jobs) : 0);
}

/* Values that were used as they are, with or without trying others. */
static void put_pinned(struct pd_result *r, const struct pd_explore *b)
{
	static const char *const name[] = {"pinned_float",    "pinned_address",	 "pinned_size",
					   "pinned_call",     "pinned_indirect", "pinned_asm",
					   "pinned_operator", "pinned_line"};

	for (uint32_t i = 0; i < PD_LEN(name); i++)
		if (b->pinned[i])
			pd_result_stat_int(r, name[i], (int64_t)b->pinned[i]);
}

void pd_explore_stats(struct pd_explore_run *x)
{
	const struct pd_explore *b = x->board;
	struct pd_result *r = &x->result;

	pd_result_stat_int(r, "paths", (int64_t)b->paths);
	pd_result_stat_int(r, "paths_pending", (int64_t)b->search.n);
	pd_result_stat_int(r, "pending_max", (int64_t)b->search.most);
	pd_result_stat_int(r, "paths_assumed_away", (int64_t)b->assumed);
	pd_result_stat_int(r, "inputs_kept", (int64_t)x->kept);
	pd_result_stat_int(r, "paths_judged", (int64_t)x->judge.n);
	if (x->check) {
		pd_result_stat_int(r, "paths_checked", (int64_t)x->checked);
		pd_result_stat_int(r, "paths_that_fail_unchecked", (int64_t)x->unchecked);
	}
	pd_result_stat_int(r, "input_bytes",
			   (int64_t)(b->input_size - x->fault_calls - (x->schedules > 1)));
	if (x->faults)
		pd_result_stat_int(r, "faults_max", (int64_t)x->faults);
	if (x->schedules > 1)
		pd_result_stat_int(r, "schedules", (int64_t)x->schedules);
	pd_result_stat_int(r, "branches_covered", (int64_t)b->edges);
	if (b->reach) /* otherwise not counted */
		pd_result_stat_int(r, "branches", (int64_t)b->branches);
	pd_result_stat_int(r, "pm_sites_reached", (int64_t)b->pm_reached);
	if (b->reach)
		pd_result_stat_int(r, "pm_sites", (int64_t)b->pm_sites);
	put_pinned(r, b);
	pd_result_stat_text(r, "search", x->search);
	pd_result_stat_int(r, "jobs", (int64_t)b->jobs);
	put_questions(r, b);
	put_workers(r, b, x->explored);
	pd_result_stat_int(
		r, "solvers_replaced",
		(int64_t)(x->solved.started > b->jobs ? x->solved.started - b->jobs : 0));
	pd_result_stat_real(r, "solver_longest_max", (double)x->solved.most_ns * 1e-9);
	pd_result_stat_real(r, "paths_per_second", (double)b->paths / x->explored);
	pd_result_stat_real(r, "exploring_seconds", x->explored);
	pd_result_stat_real(r, "seconds", pd_explore_seconds(x));
}

/* ---- what was cut --------------------------------------------------------------------------- */

static void stopped(struct pd_explore_run *x)
{
	const struct pd_explore *b = x->board;
	uint64_t left = b->search.n;

	if (x->interrupted)
		pd_limit_explore_interrupt(&x->result, x->interrupted, left);
	else if (x->late && left)
		pd_limit_explore_time(&x->result, left);
	else if (b->max_paths && b->paths >= b->max_paths && left)
		pd_limit_explore_paths(&x->result, b->max_paths, left);
	else if (left || !b->over)
		pd_limit_explore_stopped(&x->result, left);
}

static void counters(struct pd_explore_run *x)
{
	const struct pd_explore *b = x->board;
	struct pd_result *r = &x->result;

	if (b->diverged)
		pd_limit_explore_diverged(r, b->diverged, b->diverged_what);
	if (b->unknown)
		pd_limit_explore_unknown(r, b->unknown, b->no_solver, x->query_ms);
	if (b->steps_cut)
		pd_limit_explore_steps(r, b->steps_cut, b->limits.steps);
	if (b->pins_cut)
		pd_limit_explore_pins(r, b->pins_cut, b->limits.pins);
	if (b->frontier_cut)
		pd_limit_explore_frontier(r, b->frontier_cut);
	if (b->lost)
		pd_limit_explore_lost(r, b->lost);
	if (b->findings_cut)
		pd_limit_explore_findings(r, b->findings_cut);
	if (b->not_symbolic)
		pd_limit_explore_in_part(r, b->not_symbolic, b->not_symbolic_what);
	if (x->failed)
		pd_limit_explore_failed(r, x->failed, x->failed_what);
}

static void judging(struct pd_explore_run *x)
{
	struct pd_result *r = &x->result;

	if (x->not_judged)
		pd_limit_explore_not_judged(r, x->not_judged, x->rest);
	if (x->not_again)
		pd_limit_explore_not_again(r, x->not_again);
	if (x->not_reported)
		pd_limit_explore_not_reported(r, x->not_reported);
	if (x->not_checked_time)
		pd_limit_explore_check_time(r, x->not_checked_time);
	if (x->not_checked)
		pd_limit_explore_not_checked(r, x->not_checked, x->not_checked_why);
	if (x->not_kept)
		pd_limit_explore_not_kept(r, x->not_kept, x->unkept.text);
}

/* ---- what was lost -------------------------------------------------------------------------- */

static void losses(struct pd_explore_run *x)
{
	const struct pd_explore *b = x->board;
	struct pd_result *r = &x->result;
	uint32_t others = 0, foreign = 0;
	bool unseen = false;
	const char *given = "", *outside = NULL;

	for (uint32_t i = 0; i < b->nlosses; i++) {
		pd_loss_explore(r, b->loss[i].why, b->loss[i].count, b->loss[i].what);
		if (b->loss[i].why == PD_SYM_WHY_OUTSIDE)
			outside = b->loss[i].what;
		else if (b->loss[i].why != PD_SYM_WHY_MEMORY)
			others++;
		else if (!foreign++)
			given = pd_demangle(&x->arena, b->loss[i].what);
	}
	if (b->losses_cut)
		pd_loss_explore(r, PD_SYM_WHYS, b->losses_cut, "others");
	if (b->dropped)
		pd_loss_explore(r, PD_SYM_WHYS + 1, b->dropped, "");
	/* What other values would have led to is unknown. */
	if (others || b->dropped)
		pd_limit_explore_concrete(r);
	if (foreign)
		pd_limit_explore_foreign(r, given, foreign - 1);
	if (outside)
		pd_limit_explore_outside(r, outside);
	for (int k = 0; x->origin.channel && k < PD_LOSS_N; k++)
		if (x->origin.channel->losses[k]) {
			pd_result_loss(r, pd_loss_name((enum pd_loss)k),
				       x->origin.channel->losses[k],
				       x->origin.channel->loss_what[k]);
			unseen = true;
		}
	if (unseen)
		pd_limit_explore_unseen(r);
}

/* An input that is longer than the part that is read is not an error, but less general than it
 * seems. */
static void notes(struct pd_explore_run *x)
{
	for (uint32_t i = 0; i < x->nsources; i++) {
		const struct pd_explore_source *s = &x->board->source[i];

		if (s->kind == PD_SOURCE_MEMORY && s->used > s->n)
			pd_limit_explore_memory(&x->result, s->used, s->n);
		else if (s->kind == PD_SOURCE_SOCKET && s->used < s->n)
			pd_limit_explore_packets(&x->result, s->used, s->n);
		else if (s->kind == PD_SOURCE_FAULT && s->used > s->n)
			pd_limit_explore_faults(&x->result, s->used, s->n, x->faults);
		else if (s->kind == PD_SOURCE_STDIN && s->used && s->used < s->n &&
			 !x->options.quiet && x->result.complete)
			fprintf(stderr,
				"perdure: %u bytes of standard input are symbolic, and no path "
				"reads "
				"more than %u of them\n",
				s->n, s->used);
	}
}

void pd_explore_limits(struct pd_explore_run *x)
{
	struct pd_result *r = &x->result;

	stopped(x);
	counters(x);
	judging(x);
	losses(x);
	r->complete = !r->limits.n;
	notes(x);
	r->complete = !r->limits.n;
	r->scope = pd_explore_scope(x);
	r->only = pd_words_only(&x->arena, x->options.only.asked, false);
}
