/*
 * harness.c - is what labels say what the program computes? A part of a runtime of its own
 * (tests/cc/cc.mk).
 *
 * A case is a function of IN bytes to OUT bytes. It runs once with an input I whose bytes have labels,
 * and then, without, with many other inputs J. Where J meets each condition of the path that I took, the
 * case must yield for J what the labels of its output say under J, and for a byte without a label what
 * it yielded for I: so labels that are wrong, that are lost, and conditions that are missing all show.
 *
 * pd_symbolic_test(name, case, ...) prints a line: how many inputs were on the path, pins, losses.
 */
#include "base/arena.h"
#include "runtime/base/rt.h"
#include "runtime/symbolic/symbolic.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { IN = 16, OUT = 64, OTHERS = 400 };

typedef void (*pd_case)(const uint8_t *in, uint8_t *out);

struct pd_test_case {
	const char *name;
	pd_case run;
	int pins; /* that are expected: -1: any number */
};

PD_EXPORT int pd_symbolic_test(const struct pd_test_case *cases, int n, int runs, unsigned seed);

static uint64_t state;

static uint32_t rnd(void)
{
	state = state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (uint32_t)(state >> 33);
}

static uint8_t rnd_byte(void)
{
	static const uint8_t often[] = {0, 1, 2, 7, 8, 31, 32, 63, 64, 127, 128, 255};

	return rnd() % 3 ? (uint8_t)rnd() : often[rnd() % sizeof(often)];
}

static struct {
	uint32_t lost[PD_SYM_WHYS], dropped;
	const char *what;
} count;

static void lost(enum pd_sym_why why, const struct pd_site *site, const char *what)
{
	(void)site;
	count.lost[why]++;
	if (what)
		count.what = what;
}

static void dropped(const void *p)
{
	(void)p;
	count.dropped++;
}

static void hex(const uint8_t *p, int n)
{
	for (int i = 0; i < n; i++)
		printf("%02x", p[i]);
}

/* The run itself, in a process of its own: labels stay in memory. */
static int run(const struct pd_test_case *c, int *on_path)
{
	static uint8_t input[IN], in[IN] __attribute__((aligned(16))),
		out[OUT] __attribute__((aligned(16))), out2[OUT], in2[IN] __attribute__((aligned(16)));
	static pd_expr label[OUT];
	static struct pd_arena arena;
	struct pd_record r = {.size = IN};
	const struct pd_path_step *step;
	uint32_t steps, pins = 0;

	for (int i = 0; i < IN; i++)
		input[i] = rnd_byte();
	pd_arena_init(&arena, pd_rt_memory());
	pd_symbolic = (struct pd_symbolic){.exprs = pd_exprs_create(&arena, IN),
					   .input = input,
					   .addresses = 256,
					   .lost = lost,
					   .dropped = dropped};
	pd_exprs_input(pd_symbolic.exprs, input);
	pd_symbolic.path = pd_path_create(&arena, pd_symbolic.exprs,
					  (struct pd_path_limits){.steps = 100000, .pins = 4});
	pd_symbolic.ask = pd_ask_create(&arena, pd_symbolic.exprs, IN, (struct pd_ask_solver){0});
	pd_path_begin(pd_symbolic.path, &r, input);
	pd_symbolic.on = true;
	pd_labels_input(in, IN, 0);
	c->run(in, out);
	for (int i = 0; i < OUT; i++)
		label[i] = pd_labels_any(out + i, 1) ? pd_label_load(out + i, 1) : 0;
	pd_symbolic.on = false;
	step = pd_path_steps(pd_symbolic.path, &steps);
	for (uint32_t i = 0; i < steps; i++)
		pins += step[i].kind == PD_STEP_PIN;
	for (int k = 0; k < OTHERS; k++) {
		bool same = true;

		memcpy(in2, input, IN);
		if (k)
			for (int m = 1 + (int)(rnd() % 3); m > 0; m--)
				in2[rnd() % IN] = rnd_byte();
		if (k > OTHERS / 2)
			for (int i = 0; i < IN; i++)
				in2[i] = rnd_byte();
		for (uint32_t i = 0; i < steps && same; i++)
			same = pd_expr_value_under(pd_symbolic.exprs, step[i].holds, in2) == 1;
		if (!same && k == 0) {
			printf("# %s: the input itself is not on its path\n", c->name);
			return 1;
		}
		if (!same)
			continue;
		++*on_path;
		uint8_t keep[IN];
		memcpy(keep, in2, IN);
		memset(out2, 0, OUT);
		c->run(in2, out2);
		for (int i = 0; i < OUT; i++) {
			uint8_t says =
				label[i] ? (uint8_t)pd_expr_value_under(pd_symbolic.exprs, label[i],
									keep)
					 : out[i];

			if (says == out2[i])
				continue;
			printf("# %s: output %d is %02x, %s says %02x\n#   path of ", c->name, i,
			       out2[i], label[i] ? "its label" : "no label", says);
			hex(input, IN);
			printf(" input ");
			hex(keep, IN);
			printf(" (%u steps, dropped %u)\n", steps, count.dropped);
			return 1;
		}
	}
	if (c->pins >= 0 && pins != (uint32_t)c->pins) {
		printf("# %s: %u pins, not %d\n", c->name, pins, c->pins);
		return 1;
	}
	if (count.dropped || count.what) {
		printf("# %s: dropped %u, lost %s\n", c->name, count.dropped,
		       count.what ? count.what : "-");
		return count.what && strstr(count.what, "label") ? 1 : 0;
	}
	return 0;
}

static int run_case(const struct pd_test_case *c, int runs, unsigned seed)
{
	int on_path = 0, bad = 0, *shared = &on_path, fd[2];

	for (int i = 0; i < runs && !bad; i++) {
		int status, one = 0;
		pid_t pid;

		if (pipe(fd))
			return 1;
		fflush(stdout);
		pid = fork();
		if (pid == 0) {
			state = seed * 1000003ULL + (unsigned)i;
			rnd();
			bad = run(c, &one);
			fflush(stdout);
			if (write(fd[1], &one, sizeof(one)) != sizeof(one))
				bad = 1;
			_exit(bad);
		}
		close(fd[1]);
		if (read(fd[0], &one, sizeof(one)) == sizeof(one))
			*shared += one;
		close(fd[0]);
		waitpid(pid, &status, 0);
		bad = status != 0;
		if (WIFSIGNALED(status))
			printf("# %s: signal %d\n", c->name, WTERMSIG(status));
	}
	printf("%s %s %d\n", bad ? "bad" : "fine", c->name, on_path);
	return bad;
}

int pd_symbolic_test(const struct pd_test_case *cases, int n, int runs, unsigned seed)
{
	int bad = 0;

	for (int i = 0; i < n; i++)
		bad += run_case(&cases[i], runs, seed);
	return bad != 0;
}
