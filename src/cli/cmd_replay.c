/* cmd_replay.c - perdure replay ID: one finding again, exactly (check/again.c); with views of it:
 * the files as the crash left them, a debugger at the failure. */
#include "drive/check/check.h"
#include "drive/explore/witness.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "drive/wanted.h"
#include "host/host.h"
#include "report/words/words.h"
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- which finding -------------------------------------------------------------------------- */

static const struct pd_finding *find(struct pd_wanted *w, struct pd_arena *a, const char *dir,
				     struct pd_error *e)
{
	const struct pd_finding *f = pd_wanted_find(w, a, dir, stdout, e);

	if (f && !f->witness.given)
		pd_error_set(e, PD_EXIT_USAGE,
			     "finding %s is from 'perdure %.40s', whose findings have no crash to "
			     "replay; run that verb again to see it again",
			     w->id, w->result.verb);
	return f && f->witness.given ? f : NULL;
}

/* ---- the files that the crash left ---------------------------------------------------------- */

/* The runtime writes them, possibly from another directory. */
static bool set_image(struct pd_again *a, const char *file, struct pd_error *e)
{
	char cwd[PD_AGAIN_PATH] = "";
	struct stat st;

	if (lstat(file, &st) == 0)
		return pd_error_set(e, PD_EXIT_USAGE,
				    "'%.300s' exists; --image takes the name of a new file", file);
	if (file[0] != '/' && !getcwd(cwd, sizeof(cwd)))
		return pd_error_errno(e, errno, "find", "the current directory");
	if (snprintf(a->image, sizeof(a->image), "%s%s%s", cwd, *cwd ? "/" : "", file) >=
	    (int)sizeof(a->image))
		return pd_error_set(e, PD_EXIT_USAGE, "the name '%.300s' is too long", file);
	return true;
}

static void show_images(const struct pd_again *a, const char *file)
{
	for (uint32_t i = 0; i < a->nfile; i++) {
		char image[PD_AGAIN_PATH + 16];

		snprintf(image, sizeof(image), i ? "%s.%u" : "%s", file, i + 1);
		pd_words_image(stdout, image, a->file[i].name, a->file[i].size);
	}
}

/* ---- running it ----------------------------------------------------------------------------- */

struct replay {
	struct pd_check_run run;
	const char *image;
	const char *input;
	bool gdb;
	bool explain;
};

/* A torn store is not executed: a replay can only show that recovery gets there. */
static bool is_torn(const struct pd_finding *f)
{
	return f->kind >= PD_KIND_TORN_STORE && f->kind <= PD_KIND_TORN_BENIGN;
}

static void not_again(const struct pd_check_run *c, enum pd_not_again missing)
{
	pd_words_not_again(stdout, missing, c->board->diverged ? &c->board->why_diverged : NULL);
}

static int show_torn(const struct pd_check_run *c, const struct pd_finding *wanted)
{
	if (c->board->diverged || !c->board->executions) {
		not_again(c, PD_NOT_AGAIN_CRASH);
		return PD_EXIT_INCOMPLETE;
	}
	printf("%s\n", wanted->message);
	printf("replayed: %s\n", pd_words_torn_again());
	return PD_EXIT_FINDINGS;
}

/* A replay uses numbers; if the program has changed since, they may mean other places. */
static void show_moved(struct pd_check_run *c, const struct pd_witness *then,
		       const struct pd_crash_run *run)
{
	struct pd_witness now = pd_check_witness_at(c, run);

	for (uint32_t i = 0; then->chosen && now.chosen && i < PD_MIN(then->n, now.n); i++) {
		const struct pd_frame *a = &then->chosen[i].at, *b = &now.chosen[i].at;

		if (pd_frame_same(a, b) || !a->file || !b->file)
			continue;
		pd_words_moved(stdout, now.choices[i].kind == PD_CHOICE_CRASH, a, b);
		return;
	}
}

static int show(struct replay *r, const struct pd_finding *wanted, const struct pd_crash_run *run)
{
	struct pd_check_run *c = &r->run;
	const char *story;

	if (c->board->diverged || !run) {
		not_again(c, PD_NOT_AGAIN_FAILURE);
		return PD_EXIT_INCOMPLETE;
	}
	printf("%s\n", wanted->message);
	fputs("replayed: ", stdout);
	pd_check_put_end(stdout, run);
	putchar('\n');
	show_moved(c, &wanted->witness, run);
	if (run->diagram.n)
		pd_words_draw(stdout, &run->diagram);
	if (run->noutput)
		printf("output of recovery:\n%.*s%s", (int)run->noutput, run->output,
		       run->output[run->noutput - 1] == '\n' ? "" : "\n");
	c->board->again.image[0] = '\0'; /* already written */
	c->board->again.debug = 0;
	story = r->explain ? pd_check_explain(c, run) : NULL;
	if (story)
		printf("the whole story:\n%s", story);
	if (r->image && c->board->again.error[0])
		return pd_user_error("%s", c->board->again.error);
	if (r->image)
		show_images(&c->board->again, r->image);
	return PD_EXIT_FINDINGS;
}

/* Copies the folder of the input to a place of the user's choice. */
static bool keep_input(const struct pd_check_run *c, const char *dir, struct pd_error *e)
{
	return c->given ? pd_input_copy(c->given->dir, dir, e)
			: pd_error_set(e, PD_EXIT_USAGE,
				       "this finding has no input of its own: it is not from "
				       "'perdure explore'");
}

/* A finding of explore: runs the program again, on its input. */
static int replay_path(struct replay *r, const struct pd_finding *f)
{
	struct pd_error e;

	if (r->gdb || r->image || r->explain)
		return pd_user_error("this finding has no crash, so %s does not apply",
				     r->gdb	? "--gdb"
				     : r->image ? "--image"
						: "--explain");
	return pd_check_enter(&r->run, &e) ? pd_explore_replay(&r->run, f) : pd_error_print(&e);
}

static int run(struct replay *r, const char *dir, const char *id)
{
	struct pd_check_run *c = &r->run;
	const struct pd_crash_run *failed;
	const struct pd_finding *f;
	struct pd_wanted w = {.id = id};
	struct pd_error e;

	f = find(&w, &c->arena, dir, &e);
	if (!f || !pd_check_load(c, &w.result, f->witness.settings, w.dir, &e))
		return pd_error_print(&e);
	if (r->input && !keep_input(c, r->input, &e))
		return pd_error_print(&e);
	if (pd_explore_is_replayed(f))
		return replay_path(r, f);
	c->crashes = pd_check_crashes(&f->witness);
	c->schedules = 0; /* only starts the processes */
	if (r->gdb)	  /* a user looks at it: nothing hangs */
		c->hang_ms = 24 * 3600 * 1000;
	if (!c->crashes || c->crashes > PD_BOARD_DEPTH)
		return pd_user_error("this finding's witness has %u crashes, not 1 to %u",
				     c->crashes, PD_BOARD_DEPTH);
	if (!pd_check_board(c, &e) || (r->image && !set_image(&c->board->again, r->image, &e)))
		return pd_error_print(&e);
	if (!pd_check_enter(c, &e))
		return pd_error_print(&e);
	c->board->again.debug = r->gdb;
	c->tick = r->gdb ? pd_check_gdb : NULL;
	if (!pd_check_execute(c, &e) || !pd_check_again(c, &f->witness, &failed, &e))
		return pd_error_print(&e);
	if (c->gdb_failed)
		return pd_user_error("the debugger '%s' could not be started; is it installed?",
				     c->gdb);
	return is_torn(f) ? show_torn(c, f) : show(r, f, failed);
}

static bool take_gdb(void *to, const char *arg, struct pd_error *e)
{
	struct replay *r = to;

	(void)e;
	r->gdb = true;
	r->run.gdb = arg ? arg : "gdb -q";
	return true;
}

int pd_cmd_replay(int argc, char **argv)
{
	struct replay r = {.run = {.capture = -1, .input = -1, .jobs = 1}};
	const struct pd_own own[] = {
#include "cli/options/replay.def"
		{0},
	};
	struct pd_command cmd = {
		.verb = "replay",
		.arguments = "ID",
		.doc = "Repeats one finding of 'perdure check', 'perdure linear' or 'perdure "
		       "explore', "
		       "or a race of 'perdure lockset' whose recovery failed, exactly: with the "
		       "same input, the same crash and the same values.\vWithout --out it is "
		       "looked "
		       "for in " PD_OUT_DEFAULT "/last and then in earlier runs, the newest first. "
		       "It runs in the directory that it was found in. "
		       "Exit status: 1 it failed again, 3 it did not, 2 there is no such finding.",
		.needs = "give the id of the finding",
		.single = true,
		.mixed = true,
		.own = own,
	};
	struct pd_check_run *c = &r.run;
	int status;

	pd_arena_init(&c->arena, pd_host_memory());
	if (pd_options_start(&c->options, &c->arena, &cmd, argc, argv, &status))
		status = run(&r, c->options.out, c->options.argv[0]);
	pd_check_finish(c);
	return status;
}
