/*
 * explore/judge.c - repeats paths of interest: the plain program on their input. See explore.h.
 *
 * It runs under lint (drive/watch/run.h), which also shows where a signal kills it and which
 * pd_check() fails. What lint reports is a finding, with the input, and with the number of paths
 * that have it, as far as the exploration has counted them (struct pd_explore_finding). What the
 * plain program does not repeat is no finding; it is counted, and makes the result incomplete.
 */
#include "base/hash.h"
#include "drive/explore/explore.h"
#include "drive/explore/witness.h"
#include "drive/watch/run.h"
#include "finding/text.h"
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	OUTPUT = 4000, /* bytes of its output that are kept */
	SLOWER = 4,    /* time limit under lint, as a multiple of that of a path */
	LEAST_MS = 2000,
	EXTRA_S = 10, /* minimum time for judging, after exploring */
};

/* One path at hand. */
struct judged {
	struct pd_explore_run *x;
	const struct pd_explore_path *path;
	struct pd_watch_run run;
	struct pd_input input;
	char dir[PATH_MAX];
	char folder[40];
	uint32_t settings;
	const char *shown;
	const char *output;
};

/* ---- running it ----------------------------------------------------------------------------- */

/* Its folder: the one that was kept, or a temporary one. */
static bool find_folder(struct judged *j, struct pd_error *e)
{
	const char *tmp = getenv("TMPDIR");

	pd_explore_folder(j->folder, sizeof(j->folder), j->path->number);
	if (pd_outdir_path(&j->x->out, j->folder, j->dir) && access(j->dir, R_OK) == 0)
		return pd_input_open(&j->input, j->dir, e);
	j->folder[0] = '\0';
	snprintf(j->dir, sizeof(j->dir), "%.4000s/perdure-input-XXXXXX",
		 tmp && *tmp ? tmp : "/tmp");
	if (!mkdtemp(j->dir))
		return pd_error_errno(e, errno, "make", j->dir);
	if (!pd_explore_write_input(j->x, j->path->input, j->path->fault, j->dir, e) ||
	    !pd_input_open(&j->input, j->dir, e))
		return false;
	j->input.temporary = true;
	return true;
}

static const char *read_output(struct pd_arena *a, int fd)
{
	off_t end = lseek(fd, 0, SEEK_END), from = end > OUTPUT ? end - OUTPUT : 0;
	char *text = end > 0 ? pd_arena_alloc(a, OUTPUT + 1) : NULL;
	ssize_t n = text ? pread(fd, text, OUTPUT, from) : 0;

	if (n <= 0)
		return NULL;
	text[n] = '\0';
	return text;
}

static bool run_again(struct judged *j, struct pd_error *e)
{
	struct pd_explore_run *x = j->x;
	struct pd_watch_run *r = &j->run;
	bool ok;

	pd_watch_init(r, "lint");
	r->model = x->model;
	r->settings = "deaths=1";
	r->without_pm = true;
	r->input = &j->input;
	r->output = memfd_create("perdure-output", MFD_CLOEXEC);
	r->options = x->options;
	r->options.arena = &r->arena;
	r->options.argv = pd_input_argv(&j->input, &r->arena, x->options.argv, e);
	r->options.time_limit_ms = PD_MAX(SLOWER * x->path_ms, LEAST_MS);
	ok = r->options.argv && pd_watch_run(r, e);
	j->output = read_output(&x->arena, r->output);
	close(r->output);
	return ok;
}

/* ---- what comes of it ----------------------------------------------------------------------- */

static bool is_there(const struct pd_frame *f, const struct pd_explore_finding *t)
{
	size_t room = sizeof(t->file) - 1;

	return f->file && f->line == t->line && strncmp(pd_text_base(f->file), t->file, room) == 0;
}

static bool is_of(const struct pd_finding *f, const struct pd_explore_finding *t)
{
	if (t->kind != f->kind)
		return false;
	for (uint32_t i = 0; t->line && i < f->nsites; i++) {
		if (is_there(&f->sites[i].at, t))
			return true;
		for (uint32_t k = 0; k < f->sites[i].nstack; k++)
			if (is_there(&f->sites[i].stack[k], t))
				return true;
	}
	return false;
}

/* As counted by the exploration; at least this one. */
static uint64_t paths_of(const struct pd_explore *b, const struct pd_finding *f)
{
	uint64_t most = 1;

	for (uint32_t i = 0; i < b->nfindings; i++)
		if (is_of(f, &b->finding[i]))
			most = PD_MAX(most, b->finding[i].paths);
	return most;
}

static void put_input(struct judged *j, struct pd_fact_list *l, const struct pd_finding *f)
{
	if (j->folder[0])
		pd_fact_put_text(l, PD_FACT_INPUT_DIR,
				 pd_arena_strndup(&j->x->arena, j->folder, strlen(j->folder)));
	pd_fact_put_text(l, PD_FACT_INPUT, j->shown);
	pd_fact_put(l, PD_FACT_PATHS, paths_of(j->x->board, f));
}

static void add(struct judged *j, const struct pd_finding *f)
{
	struct pd_fact_list l = {.arena = &j->x->arena};
	struct pd_finding to = *f;

	for (uint32_t i = 0; i < f->facts.n; i++)
		pd_fact_add(&l, &f->facts.v[i]);
	put_input(j, &l, f);
	to.facts = pd_facts_of(&l);
	to.count = 1;
	to.witness = (struct pd_witness){.given = true, .settings = j->settings};
	if (pd_findings_get(&j->x->result.findings, f->id))
		return; /* of an earlier path */
	pd_findings_add(&j->x->result.findings, &to);
}

/* If a line dies in two ways, or at two columns, those are two bugs. */
static uint64_t id_of_end(const struct pd_finding *f, int sig)
{
	uint64_t column = f->nsites ? f->sites[0].at.column : 0;
	uint64_t id = (pd_finding_id(f) ^ pd_mix(column << 8 | (uint64_t)sig)) & PD_FINDING_ID_MAX;

	return id ? id : 1;
}

/* An end of the program, at a place of the run. */
static void add_end(struct judged *j, enum pd_kind kind, enum pd_role role, uint32_t place, int sig,
		    struct pd_fact_list *facts)
{
	struct pd_finding_site site = {.role = role};
	struct pd_finding f = {
		.kind = kind, .confirmed = true, .output = j->output, .facts = pd_facts_of(facts)};
	struct pd_place *at = calloc(1, sizeof(*at));

	if (at && place && pd_watched_place(&j->run.watched, place, role, at)) {
		site.at = at->frame[at->at];
		site.stack = at->frame + at->at + 1;
		site.nstack = at->n - at->at - 1;
		f.library = at->library;
		f.sites = &site;
		f.nsites = 1;
	}
	f.id = id_of_end(&f, sig);
	if (pd_only_wants(&j->x->options.only, kind))
		add(j, &f);
	free(at);
}

static void add_signal(struct judged *j, int sig)
{
	struct pd_fact_list l = {.arena = &j->x->arena};
	bool aborted = sig == SIGABRT;

	pd_fact_put(&l, PD_FACT_SIGNAL, (uint64_t)sig);
	if (aborted && *j->path->what)
		pd_fact_put_text(&l, PD_FACT_SAID, j->path->what);
	add_end(j, aborted ? PD_KIND_EXPLORE_ABORT : PD_KIND_EXPLORE_SIGNAL, PD_ROLE_FAIL,
		j->run.death.place, sig, &l);
}

static void add_check(struct judged *j)
{
	struct pd_fact_list l = {.arena = &j->x->arena};
	const char *what = j->run.death.check_what;

	pd_fact_put_text(&l, PD_FACT_CONDITION, pd_arena_strndup(&j->x->arena, what, strlen(what)));
	add_end(j, PD_KIND_EXPLORE_CHECK, PD_ROLE_CHECK, j->run.death.check_place, 0, &l);
}

static void add_hang(struct judged *j)
{
	struct pd_fact_list l = {.arena = &j->x->arena};

	pd_fact_put(&l, PD_FACT_LIMIT_MS, j->run.options.time_limit_ms);
	add_end(j, PD_KIND_EXPLORE_HANG, PD_ROLE_FAIL, j->run.death.place, 0, &l);
}

/* Whether the plain program has ended as the path did. */
static bool is_same_end(const struct judged *j)
{
	switch ((enum pd_outcome)j->path->outcome) {
	case PD_OUTCOME_SIGNAL:
		return WIFSIGNALED(j->run.status);
	case PD_OUTCOME_HANG:
		return j->run.late;
	case PD_OUTCOME_EXIT:
	case PD_OUTCOME_ASSUMED:
	case PD_OUTCOME_FAILED:
	case PD_OUTCOMES:
		break;
	}
	return true;
}

static void collect(struct judged *j)
{
	const struct pd_findings *fs = &j->run.result.findings;

	for (uint32_t i = 0; i < fs->items.n; i++)
		add(j, fs->items.v[i]);
	if (j->run.late)
		add_hang(j);
	else if (WIFSIGNALED(j->run.status))
		add_signal(j, WTERMSIG(j->run.status));
	if (*j->run.death.check_what)
		add_check(j);
	if (!is_same_end(j))
		j->x->not_again++;
}

/* A run that maps no PM is judged by its end alone. */
static bool ran(const struct judged *j)
{
	return WIFSIGNALED(j->run.status) || j->run.late || *j->run.death.check_what;
}

static void judge(struct pd_explore_run *x, const struct pd_explore_path *path)
{
	struct judged *j = calloc(1, sizeof(*j));
	struct pd_error e;

	if (!j) {
		x->not_judged++;
		return;
	}
	j->x = x;
	j->path = path;
	j->input = (struct pd_input){.fd = -1, .standard = -1};
	if (find_folder(j, &e)) {
		j->shown = pd_explore_show_input(x, path);
		if ((run_again(j, &e) || ran(j)) &&
		    pd_explore_witness(x, &j->input, &j->settings, &e))
			collect(j);
		else if (!x->not_judged++)
			snprintf(x->rest, sizeof(x->rest), "%.190s", e.text);
		pd_watch_finish(&j->run);
	} else {
		x->not_judged++;
	}
	pd_input_finish(&j->input);
	free(j);
}

static bool is_reported(const struct pd_findings *fs, enum pd_kind kind)
{
	for (uint32_t i = 0; i < fs->items.n; i++)
		if (fs->items.v[i]->kind == kind)
			return true;
	return false;
}

/* Counts what a watcher has seen on some path, but the plain program on none. (Lint may take back,
 * in the course of a run, what it calls needless; what it calls wrong it does not.) */
static void count_missing(struct pd_explore_run *x)
{
	const struct pd_explore *b = x->board;

	for (uint32_t i = 0; !x->not_judged && i < b->nfindings; i++) {
		enum pd_kind kind = (enum pd_kind)b->finding[i].kind;

		if (pd_kind_info[kind].severity == PD_SEVERITY_CORRECTNESS &&
		    pd_only_wants(&x->options.only, kind) &&
		    !is_reported(&x->result.findings, kind))
			x->not_reported++;
	}
}

void pd_explore_judge(struct pd_explore_run *x)
{
	double until = x->options.time_limit_ms ? PD_MAX((double)x->options.time_limit_ms / 1e3,
							 x->explored + EXTRA_S)
						: 0;

	for (uint32_t i = 0; i < x->judge.n; i++) {
		const struct pd_explore_path *p = &x->judge.v[i];

		if (!p->findings && p->outcome == PD_OUTCOME_EXIT)
			continue; /* only for check */
		if (until > 0 && pd_explore_seconds(x) > until)
			x->not_judged++;
		else
			judge(x, p);
	}
	count_missing(x);
}
