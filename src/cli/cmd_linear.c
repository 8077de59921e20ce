/*
 * cmd_linear.c - perdure linear DRIVER [POOL], perdure linear --spec NAME PROGRAM [ARGS]: is a
 * structure durably linearizable?
 *
 * A driver is a program (include/perdure_linear.h): its main executes the operations, and each
 * recovery judges their effects. So this is perdure check of that program, with the workload as its
 * arguments; a replay needs nothing more. A program that announces its operations (perdure.h) has
 * arguments of its own; what it needs to know is in the settings of its processes.
 */
#include "cli/cli.h"
#include "cli/options.h"
#include "drive/check/check.h"
#include "host/host.h"
#include <string.h>

/* Two operations must meet in the one moment between visible and durable. */
enum { LEAST_SCHEDULES = 24 };

enum { ARGUMENTS = 20, THREADS = 2, KEYS = 8, TOGETHER = 16, PREEMPTIONS = 2 };
static const char OPERATIONS[] = "100", FEW[] = "4";

struct workload {
	const char *ops;
	const char *points;
	bool all_states;
	bool explain_points;
	bool no_grow;
	uint32_t threads; /* 0: not given */
	uint32_t keys;
};

static const char *const conditions[] = {"durable", "buffered", "strict", NULL};

static const char *number(struct pd_arena *a, uint64_t n)
{
	char text[24];
	int len = snprintf(text, sizeof(text), "%lu", (unsigned long)n);

	return pd_arena_strndup(a, text, (size_t)len);
}

static void push(struct pd_options *o, const char *name, const char *value)
{
	if (name)
		o->argv[o->argc++] = (char *)name;
	o->argv[o->argc++] = (char *)value;
}

/* Few operations, or a list of them, are all meant to meet. */
static bool is_short(const struct workload *w)
{
	return w->ops && (*w->ops < '0' || *w->ops > '9');
}

/* The driver's command: the workload, then the pool. */
static bool make_command(struct pd_check_run *c, const struct workload *w, struct pd_error *e)
{
	struct pd_options *o = &c->options;
	char **given = o->argv;
	const char *pool = o->argc > 1 ? given[1] : "linear.pm";

	if (o->argc > 2)
		return pd_error_set(e, PD_EXIT_USAGE,
				    "linear: only the pool's name may follow the driver, not "
				    "'%.100s'; options come before the driver",
				    given[2]);
	o->argv = pd_new_array(&c->arena, char *, ARGUMENTS);
	if (!o->argv)
		return pd_error_set(e, PD_EXIT_INTERNAL, "memory ran out");
	o->argc = 0;
	push(o, NULL, given[0]);
	push(o, "--ops", w->ops ? w->ops : c->exhaustive ? FEW : OPERATIONS);
	push(o, "--threads", number(&c->arena, w->threads ? w->threads : THREADS));
	push(o, "--keys", number(&c->arena, w->keys ? w->keys : KEYS));
	push(o, "--seed", number(&c->arena, o->seed));
	push(o, "--together", number(&c->arena, is_short(w) || c->exhaustive ? 0 : TOGETHER));
	if (w->points)
		push(o, "--points", w->points);
	if (c->condition)
		push(o, "--condition", c->condition);
	push(o, NULL, pool);
	return true;
}

/* perdure controls what a driver does; any other program is on its own. */
static bool settle(struct pd_check_run *c, const struct workload *w, struct pd_error *e)
{
	const char *one = w->ops	      ? "ops"
			  : w->threads	      ? "threads"
			  : w->keys	      ? "keys"
			  : w->points	      ? "points"
			  : w->all_states     ? "all-states"
			  : w->explain_points ? "explain-points"
					      : NULL;

	if (c->spec && one)
		return pd_error_set(e, PD_EXIT_USAGE,
				    "--%s is for drivers; with --spec the program chooses its own "
				    "operations",
				    one);
	if (!c->spec && c->recover)
		return pd_error_set(e, PD_EXIT_USAGE,
				    "--recover needs --spec: a driver is its own recovery");
	c->tests = !c->spec;
	c->grows = c->tests && !w->ops && !w->no_grow && !c->exhaustive;
	c->all_states = w->all_states;
	c->explain_points = w->explain_points;
	return c->spec || make_command(c, w, e);
}

static bool take_spec(void *to, const char *arg, struct pd_error *e)
{
	return pd_check_spec(to, arg, e);
}

int pd_cmd_linear(int argc, char **argv)
{
	struct pd_check_run c = {.verb = "linear",
				 .model = "adr",
				 .hang_ms = 10000,
				 .ok_exit = {1},
				 .capture = -1,
				 .input = -1,
				 .least = LEAST_SCHEDULES,
				 .no_torn = true,
				 .minimise = PD_MINIMISE_BRIEFLY,
				 .preemptions = PREEMPTIONS,
				 .crashes = 1};
	struct workload o = {0};
	const struct pd_own own[] = {
#include "cli/options/linear.def"
		{0},
	};
	struct pd_command cmd = {
		.verb = "linear",
		.arguments = "DRIVER [POOL] | --spec NAME PROGRAM [ARGS]",
		.doc = "Tests whether a data structure in persistent memory is durably "
		       "linearizable: runs its operations from several threads, crashes at every "
		       "point that matters, and checks that what they returned, before and after "
		       "the crash, is what the structure's specification allows.\vDRIVER is a "
		       "program that includes perdure_linear.h. POOL is the PM file that it "
		       "creates (default: linear.pm); it must match --pm. PROGRAM has its own main "
		       "and announces its operations (pd_op_begin, pd_op_end in perdure.h); "
		       "recovery is the same command again, and announces its operations, too. No "
		       "file is changed.",
		.common = PD_OPT_ALL,
		.engines = {"linear"},
		.needs = "name the driver",
		.own = own,
	};
	struct pd_error e;
	int status;

	pd_arena_init(&c.arena, pd_host_memory());
	if (pd_options_start(&c.options, &c.arena, &cmd, argc, argv, &status)) {
		if (!c.schedules)
			c.schedules = c.automatic = 1;
		status = settle(&c, &o, &e) ? pd_check_run_all(&c) : pd_error_print(&e);
	}
	pd_check_finish(&c);
	return status;
}
