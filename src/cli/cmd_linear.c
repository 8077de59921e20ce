/*
 * cmd_linear.c - perdure linear DRIVER [POOL]: is a structure durably linearizable?
 *
 * A driver is a program (include/perdure_linear.h): its main does the operations, and judges in each
 * recovery what became of them. So this is perdure check of that program, with the workload as its
 * arguments; a replay needs nothing more.
 */
#include "cli/cli.h"
#include "cli/options.h"
#include "drive/check/check.h"
#include "host/host.h"
#include <string.h>

/* Two operations have to meet in the one moment between visible and durable. */
enum { LEAST_SCHEDULES = 24 };

enum { ARGUMENTS = 20, TOGETHER = 16 };

struct workload {
	const char *ops;
	const char *points;
	bool all_states;
	bool explain_points;
	const char *condition;
	uint32_t threads;
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

/* Operations that were written down are meant to meet, all of them; so are few. */
static bool is_short(const struct workload *w)
{
	return w->ops && (*w->ops < '0' || *w->ops > '9');
}

/* The driver's command: the workload, and then the pool. */
static bool make_command(struct pd_check_run *c, const struct workload *w, struct pd_error *e)
{
	struct pd_options *o = &c->options;
	char **given = o->argv;
	const char *pool = o->argc > 1 ? given[1] : "linear.pm";

	if (o->argc > 2)
		return pd_error_set(e, PD_EXIT_USAGE,
				    "linear: after the driver comes the name of its pool, and no "
				    "more; what is '%.100s'? Options come before the driver",
				    given[2]);
	o->argv = pd_new_array(&c->arena, char *, ARGUMENTS);
	if (!o->argv)
		return pd_error_set(e, PD_EXIT_INTERNAL, "memory ran out");
	o->argc = 0;
	push(o, NULL, given[0]);
	if (w->ops)
		push(o, "--ops", w->ops);
	push(o, "--threads", number(&c->arena, w->threads));
	push(o, "--keys", number(&c->arena, w->keys));
	push(o, "--seed", number(&c->arena, o->seed));
	push(o, "--together", number(&c->arena, is_short(w) ? 0 : TOGETHER));
	if (w->points)
		push(o, "--points", w->points);
	if (w->condition)
		push(o, "--condition", w->condition);
	push(o, NULL, pool);
	return true;
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
				 .tests = true,
				 .crashes = 1};
	struct workload o = {.threads = 2, .keys = 8};
	const struct pd_own own[] = {
#include "cli/options/linear.def"
		{0},
	};
	struct pd_command cmd = {
		.verb = "linear",
		.arguments = "DRIVER [POOL]",
		.doc = "Tests whether a data structure in persistent memory is durably "
		       "linearizable: runs its operations from several threads, crashes at every "
		       "point that matters, and asks whether what they returned, before the crash "
		       "and after it, is what the structure's specification allows.\vDRIVER is a "
		       "program that includes perdure_linear.h. POOL is the PM file that it makes, "
		       "linear.pm if none is named; it has to match --pm. No file is changed.",
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
		c.all_states = o.all_states;
		c.explain_points = o.explain_points;
		status = make_command(&c, &o, &e) ? pd_check_run_all(&c) : pd_error_print(&e);
	}
	pd_check_finish(&c);
	return status;
}
