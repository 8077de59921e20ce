/* cmd_explore.c - perdure explore PROGRAM: paths that no test takes, each judged by lint
 * (docs/engines/explore.md). */
#include "cli/cli.h"
#include "cli/options.h"
#include "drive/explore/explore.h"
#include "host/host.h"
#include "host/number.h"
#include <string.h>

enum { MEMORY_BYTES = 64 };

static const char *const searches[] = {"pm", "coverage", "bfs", "dfs", "random", NULL};

/* ---- options -------------------------------------------------------------------------------- */

static bool take_args(void *to, const char *arg, struct pd_error *e)
{
	return pd_explore_take_args(to, arg, e);
}

static bool take_file(void *to, const char *arg, struct pd_error *e)
{
	return pd_explore_take_file(to, arg, e);
}

static bool take_pm(void *to, const char *arg, struct pd_error *e)
{
	return pd_explore_take_pm(to, arg, e);
}

static bool take_faults(void *to, const char *arg, struct pd_error *e)
{
	return pd_explore_take_faults(to, arg, e);
}

static bool take_script(void *to, const char *arg, struct pd_error *e)
{
	return pd_explore_take_script(to, arg, e);
}

/* 512M, 1G */
static bool parse_size(const char *arg, uint64_t *to)
{
	static const char units[] = "KMG";
	size_t n = strspn(arg, "0123456789");
	const char *unit = arg[n] ? strchr(units, arg[n]) : NULL;
	char digits[24];

	if (!n || n >= sizeof(digits) || (arg[n] && (!unit || arg[n + 1])))
		return false;
	memcpy(digits, arg, n);
	digits[n] = '\0';
	if (!pd_parse_u64(digits, 0, 1ULL << 30, to))
		return false;
	*to <<= unit ? 10 * (unit - units + 1) : 0;
	return true;
}

static bool take_snapshots(void *to, const char *arg, struct pd_error *e)
{
	uint64_t v;

	if (!parse_size(arg, &v) || (v && v < 1 << 20) || v > PD_EXPLORE_REGION)
		return pd_error_set(
			e, PD_EXIT_USAGE,
			"--snapshots takes 0 or a size from 1M to 32G (64M, 1G), not '%.100s'",
			arg);
	*(uint64_t *)to = v;
	return true;
}

static bool take_memory(void *to, const char *arg, struct pd_error *e)
{
	uint64_t v;

	if (!parse_size(arg, &v) || v < 64 << 20 || v > PD_EXPLORE_REGION)
		return pd_error_set(
			e, PD_EXIT_USAGE,
			"--memory takes a size from 64M to 32G (512M, 1G), not '%.100s'", arg);
	*(uint64_t *)to = v;
	return true;
}

/* ---- running -------------------------------------------------------------------------------- */

static bool explore(struct pd_explore_run *x, struct pd_error *e)
{
	if (!pd_explore_execute(x, e))
		return false;
	pd_explore_judge(x);
	pd_explore_check(x);
	pd_explore_stats(x);
	pd_explore_limits(x);
	return true;
}

static int run(struct pd_explore_run *x)
{
	struct pd_suppressions suppressions;
	struct pd_error e;

	pd_suppress_init(&suppressions, &x->arena);
	pd_result_init(&x->result, &x->arena, "explore");
	pd_result_command(&x->result, x->options.argc, x->options.argv);
	if (x->resume && !x->options.out)
		x->options.out = x->resume;
	if (!pd_options_files(&x->options, &suppressions, &e) || !pd_explore_lay_out(x, &e) ||
	    !pd_explore_board_make(x, &e) || !pd_explore_load_findings(x, &e) ||
	    !pd_outdir_open(&x->out, x->options.out, &e))
		return pd_error_print(&e);
	if (!explore(x, &e)) {
		pd_outdir_abandon(&x->out);
		return pd_error_print(&e);
	}
	if (!pd_explore_save_state(x, &e) && !x->not_kept)
		pd_error_print(&e);
	return pd_deliver(&x->result, &x->options, &suppressions, &x->out);
}

int pd_cmd_explore(int argc, char **argv)
{
	struct pd_explore_run x = {.model = "adr",
				   .search = "pm",
				   .path_ms = 5000,
				   .query_ms = 2000,
				   .max_bytes = 1ULL << 30,
				   .snapshot_bytes = 256ULL << 20,
				   .snapshot_us = 200,
				   .memory_bytes = MEMORY_BYTES,
				   .capture = -1,
				   .board_fd = -1};
	const struct pd_own own[] = {
#include "cli/options/explore.def"
		{0},
	};
	struct pd_command cmd = {
		.verb = "explore",
		.arguments = "PROGRAM [ARGS]",
		.doc = "Explores the paths of PROGRAM by symbolic execution: runs it on a new "
		       "input for each path, and reports what lint finds on any of them, and "
		       "inputs that kill, abort or hang the program.\vPROGRAM must be compiled "
		       "with 'perdure cc --symbolic'. "
		       "Write @@ for a symbolic argument. The inputs are saved in inputs/ of the "
		       "result, a folder each; 'perdure lint --input' and 'perdure check --input' "
		       "take such a folder. Standard input that is not symbolic is empty. PM files "
		       "are never changed. See docs/engines/explore.md.",
		.common = PD_OPT_ALL,
		.engines = {"explore", "lint", "crash", "torn"},
		.needs = "name the program to explore",
		.own = own,
	};
	int status;

	pd_arena_init(&x.arena, pd_host_memory());
	if (pd_options_start(&x.options, &x.arena, &cmd, argc, argv, &status))
		status = run(&x);
	pd_explore_finish(&x);
	return status;
}
