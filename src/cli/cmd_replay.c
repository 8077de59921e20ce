/*
 * cmd_replay.c - perdure replay ID: one finding again, exactly.
 *
 * The witness of a finding is the list of its choices: at which crash point power fails, and which value
 * each read of recovery sees that had several. A replay is an exploration that makes these and no
 * others.
 */
#include "cli/check.h"
#include "cli/cli.h"
#include "host/host.h"
#include <stdlib.h>
#include <string.h>

static const struct pd_finding *find(struct pd_result *r, struct pd_arena *a, const char *dir,
				     const char *id, struct pd_error *e)
{
	const struct pd_finding *f;
	uint64_t wanted;

	if (!pd_finding_id_parse(id, &wanted)) {
		pd_error_set(e, PD_EXIT_USAGE, "'%.40s' is no id of a finding: those are ten hex digits", id);
		return NULL;
	}
	if (!pd_result_load(r, a, dir, e))
		return NULL;
	f = pd_findings_get(&r->findings, wanted);
	if (!f || !f->witness.given) {
		pd_error_set(e, PD_EXIT_USAGE, "there is no finding %s in '%.300s'; 'perdure report %.300s' "
					       "lists them", id, dir, dir);
		return NULL;
	}
	return f;
}

/* The witness to the board; false where it is not one of check's. */
static bool set_choices(struct pd_board *b, const struct pd_witness *w, struct pd_error *e)
{
	struct pd_board_replay *at = NULL;

	b->replaying = 1;
	for (uint32_t i = 0; i < w->n; i++) {
		const struct pd_choice *c = &w->choices[i];

		if (c->kind == PD_CHOICE_CRASH && b->crashes < PD_BOARD_DEPTH) {
			uint32_t *picks = pd_board_alloc(NULL, w->n * sizeof(*picks));

			at = &b->replay[b->crashes++];
			*at = (struct pd_board_replay){.point = c->pick, .picks = picks};
		} else if (c->kind == PD_CHOICE_VALUE && at && at->picks) {
			((uint32_t *)at->picks)[at->npick++] = c->pick;
		} else {
			return pd_error_set(e, PD_EXIT_USAGE, "this finding's witness is not one of "
							      "'perdure check'");
		}
	}
	return true;
}

static int tell(const struct pd_check_run *c, const struct pd_finding *wanted)
{
	const struct pd_board_run *run = c->board->findings;
	char what[400];

	if (c->board->diverged || !run) {
		printf("not the same: with these choices recovery %s\n",
		       c->board->diverged ? c->board->note : "does not fail");
		printf("(has the program, or its PM file, changed since?)\n");
		return PD_EXIT_INCOMPLETE;
	}
	printf("%s\n", wanted->message);
	printf("replayed: %s\n", pd_check_outcome_text(run, what, sizeof(what)));
	if (run->noutput)
		printf("output of recovery:\n%.*s%s", (int)run->noutput, run->output,
		       run->output[run->noutput - 1] == '\n' ? "" : "\n");
	return PD_EXIT_FINDINGS;
}

static int replay(struct pd_check_run *c, const char *dir, const char *id)
{
	const struct pd_finding *f;
	struct pd_result old;
	struct pd_error e;

	f = find(&old, &c->arena, dir, id, &e);
	if (!f || !pd_check_load(c, dir, &e))
		return pd_error_print(&e);
	c->crashes = 0;
	c->schedules = 1;
	c->replay_seed = f->witness.execution;
	for (uint32_t i = 0; i < f->witness.n; i++)
		c->crashes += f->witness.choices[i].kind == PD_CHOICE_CRASH;
	if (c->crashes > PD_BOARD_DEPTH || !pd_check_board(c, &e))
		return c->crashes > PD_BOARD_DEPTH ? pd_user_error("too many crashes") : pd_error_print(&e);
	c->board->crashes = 0;
	if (!set_choices(c->board, &f->witness, &e) || !pd_check_execute(c, &e))
		return pd_error_print(&e);
	return tell(c, f);
}

int pd_cmd_replay(int argc, char **argv)
{
	struct pd_check_run c = {.capture = -1};
	struct pd_command cmd = {
		.verb = "replay",
		.arguments = "ID",
		.doc = "Runs one finding of 'perdure check' again, exactly: the same crash, the same values.\v"
		       "Exit status: 1 it failed again, 3 it did not, 2 there is no such finding.",
		.common = PD_OPT_BIT(OUT),
		.needs = "give the id of the finding",
		.mixed = true,
	};
	int status;

	pd_arena_init(&c.arena, pd_host_memory());
	if (pd_options_start(&c.options, &c.arena, &cmd, argc, argv, &status))
		status = replay(&c, c.options.out ? c.options.out : PD_OUT_DEFAULT "/last",
				c.options.argv[0]);
	pd_check_finish(&c);
	return status;
}
