/*
 * cmd_lockset.c - perdure lockset PROGRAM: one run of a threaded program; what other threads can
 * see before it is durable (engine/lockset/lockset.h).
 *
 * Threads are switched at random, by --seed, and less often as the run gets longer: a race need not
 * happen to be found, but two threads must access the same byte.
 */
#include "cli/cli.h"
#include "drive/confirm.h"
#include "drive/watch/locks_file.h"
#include "cli/watch.h"
#include "report/words/limits.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct lockset {
	struct pd_watch_run run;
	bool no_init;
	bool no_spin;
	bool no_confirm;
	const char *condition;
	struct pd_confirm confirm;
	off_t input; /* original position of standard input; -1: cannot be restored */
	char settings[200];
};

static const char *const conditions[] = {"durable", "buffered", NULL};

static bool take_locks(void *to, const char *arg, struct pd_error *e)
{
	return pd_locks_file(to, arg, e);
}

static bool is_blind(const struct pd_watched *w)
{
	for (uint32_t i = 0; i < w->losses.all.n; i++)
		if (w->losses.all.v[i].kind == PD_LOSS_BLIND)
			return true;
	return false;
}

/* A race needs two threads: without them "clean" would mean nothing. */
static void count_threads(struct pd_result *r)
{
	const struct pd_stat *all = pd_result_stat(r, "threads"),
			     *there = pd_result_stat(r, "pm_threads");

	if (all && all->i < 2)
		pd_limit_one_thread(r);
	else if (there && there->i < 2)
		pd_limit_one_thread_of_pm(r);
}

/* Likewise if nothing says what must be durable when. */
static void count_syncs(struct pd_result *r)
{
	const struct pd_stat *syncs = pd_result_stat(r, "syncs");

	if (syncs && !syncs->i)
		pd_limit_never_synced(r);
}

/* Only instrumented programs can be controlled; and if PM is changed unseen, a crash shows
 * nothing. */
static void more(struct pd_watch_run *r, void *ctx)
{
	struct lockset *l = ctx;

	pd_locks_report_uncalled(r);
	count_threads(&r->result);
	if (strcmp(l->condition, "buffered") == 0)
		count_syncs(&r->result);
	if (l->no_confirm || !r->result.findings.items.n || !r->instrumented)
		return;
	if (is_blind(&r->watched)) {
		pd_limit_races_blind(&r->result);
		return;
	}
	if (l->input >= 0)
		lseek(STDIN_FILENO, l->input, SEEK_SET);
	pd_confirm(r, &l->confirm);
}

int pd_cmd_lockset(int argc, char **argv)
{
	struct lockset l = {.condition = conditions[0],
			    .confirm = {.turns = 12, .acts = 20, .time_ms = 60000}};
	const struct pd_own own[] = {
#include "cli/options/lockset.def"
		{0},
	};
	struct pd_command cmd = {
		.verb = "lockset",
		.arguments = "PROGRAM [ARGS]",
		.doc = "Runs PROGRAM once and reports stores to persistent memory that another "
		       "thread can read, and act on, before they are durable, and stores of two "
		       "threads that no lock keeps apart.\vThe races need not happen in the run. "
		       "PM files are never changed. The program's stdout goes to stderr. "
		       "docs/engines/lockset.md explains more.",
		.common = PD_OPT_ALL & ~PD_OPT_BIT(JOBS),
		.engines = {"lockset"},
		.needs = "name the program to run",
		.own = own,
	};
	int status;

	l.input = lseek(STDIN_FILENO, 0, SEEK_CUR);
	pd_watch_init(&l.run, "lockset");
	l.run.schedule = "sparse";
	l.run.filter.by_store = true;
	l.run.more = more;
	l.run.ctx = &l;
	if (pd_options_start(&l.run.options, &l.run.arena, &cmd, argc, argv, &status)) {
		snprintf(l.settings, sizeof(l.settings), "init=%d spin=%d condition=%s", !l.no_init,
			 !l.no_spin, l.condition);
		l.run.settings = l.settings;
		status = pd_watch_verb(&l.run);
	}
	pd_watch_finish(&l.run);
	return status;
}
