/*
 * fuzz.c - compares the model with its naive twin on random programs.
 *
 *	fuzz [--seed N] [--seconds N] [--count N] [--jobs N] [--max-states N] [--out DIR]
 *	     [--keep-going] [--print]
 *	fuzz FILE...
 *
 * Each seed is a program: generated, printed, parsed as a user's file would be, explored by both.
 * All images and all outcomes of every section must be equal. The first difference ends the run
 * (not with --keep-going): it is made small, written to DIR/fail-SEED.litmus (with the reference's
 * sets as what is expected, so that `perdure litmus` shows the difference too), and the command
 * that repeats it is printed. With files, those are compared instead. --print shows the programs
 * and runs none.
 *
 * Jobs are processes that take every Nth seed; what they count lies in memory that they share. A
 * job that dies leaves there the seed that it died on.
 *
 * Exit: 0 all equal, 1 a difference (or a job died), 2 usage.
 */
#include "ref/compare.h"
#include "ref/gen.h"
#include "ref/shrink.h"

#include "host/host.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAX_JOBS = 64, TEXT_SIZE = 1 << 16 };

struct options {
	uint64_t seed, seconds, count, jobs, max_states;
	const char *out;
	bool print, keep_going;
};

struct counts {
	uint64_t seed; /* the one at work */
	uint64_t compared, capped, failures;
	uint64_t ref_states, model_states;
	uint64_t ops[PD_GEN_OPS];
};

struct shared {
	volatile bool stop;
	struct counts job[MAX_JOBS];
};

struct fuzz {
	struct options opt;
	struct shared *shared;
	struct pd_arena program; /* lives as long as the seed */
	struct pd_arena step;	 /* lives as long as one comparison */
	char text[TEXT_SIZE];
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* ---- one program ---------------------------------------------------------------------------- */

/* The program as the parser sees it; NULL, and a line on stderr, where it does not take it. */
static struct pd_litmus *reparse(struct fuzz *f, struct pd_arena *a, const struct pd_litmus *lit)
{
	struct pd_out err = pd_host_out(stderr);
	struct pd_outbuf b;

	pd_outbuf_init(&b, f->text, sizeof(f->text));
	if (!pd_gen_print(&b.out, lit) || b.lost)
		return NULL;
	return pd_litmus_parse(a, "generated", f->text, b.n, &err);
}

static bool still_differs(void *ctx, const struct pd_litmus *lit)
{
	struct fuzz *f = ctx;
	struct pd_comparison c;
	struct pd_litmus *parsed;

	pd_arena_reset(&f->step);
	parsed = reparse(f, &f->step, lit);
	return parsed && pd_compare(parsed, &f->step, f->opt.max_states, &c) == PD_DIFFERENT;
}

static void print_difference(struct pd_out *o, const char *prefix, const struct pd_litmus *lit,
			     const struct pd_comparison *c)
{
	pd_outf(o, "%s+ the model has it and the reference has not; - the other way round\n",
		prefix);
	for (uint32_t i = 0; i < lit->nsection; i++) {
		pd_outf(o, "%ssection %u:\n", prefix, i);
		pd_diff_images(o, prefix, lit, &c->ref.images[i], &c->model.images[i]);
		pd_diff_outcomes(o, prefix, &lit->section[i], &c->ref.outcomes[i],
				 &c->model.outcomes[i]);
	}
}

/* Each section's sets go after its threads, which are the last lines before `crash:` or the end. */
static void print_expected(struct pd_out *o, const char *text, const struct pd_litmus *lit,
			   struct pd_comparison *c)
{
	uint32_t section = 0;

	for (const char *line = text; *line;) {
		size_t n = strcspn(line, "\n") + 1;

		if (strncmp(line, "crash:", 6) == 0)
			pd_print_sets(o, lit, section++, &c->ref);
		pd_outf(o, "%.*s", (int)n, line);
		line += n;
	}
	pd_print_sets(o, lit, section, &c->ref);
}

static void write_failure(struct fuzz *f, uint64_t seed, const struct pd_litmus *lit,
			  struct pd_comparison *c)
{
	char path[4096];
	struct pd_out o;
	FILE *file;

	snprintf(path, sizeof(path), "%s/fail-%lu.litmus", f->opt.out, (unsigned long)seed);
	file = fopen(path, "w");
	if (!file) {
		fprintf(stderr, "fuzz: cannot write %s\n", path);
		return;
	}
	o = pd_host_out(file);
	pd_outf(&o, "# What does the model get wrong here? (seed %lu)\n", (unsigned long)seed);
	print_difference(&o, "# ", lit, c);
	print_expected(&o, f->text, lit, c);
	if (fclose(file))
		fprintf(stderr, "fuzz: cannot write %s\n", path);
	fprintf(stderr, "kept in %s\n", path);
}

static void report_difference(struct fuzz *f, struct pd_litmus *lit, uint64_t seed)
{
	struct pd_out err = pd_host_out(stderr);
	struct pd_comparison c;
	struct pd_litmus *parsed;

	pd_shrink(lit, &f->program, still_differs, f);
	pd_arena_reset(&f->step);
	parsed = reparse(f, &f->step, lit);
	if (!parsed || pd_compare(parsed, &f->step, f->opt.max_states, &c) != PD_DIFFERENT) {
		fprintf(stderr, "fuzz: seed %lu differs only sometimes\n", (unsigned long)seed);
		return;
	}
	fprintf(stderr, "model and reference differ:\n%s", f->text);
	print_difference(&err, "", parsed, &c);
	write_failure(f, seed, parsed, &c);
}

static void count_ops(struct counts *n, const struct pd_litmus *lit)
{
	for (uint32_t s = 0; s < lit->nsection; s++)
		for (uint32_t t = 0; t < lit->section[s].nthread; t++)
			for (uint32_t i = 0; i < lit->section[s].thread[t].instr.n; i++)
				n->ops[lit->section[s].thread[t].instr.v[i].op]++;
}

static void count_compared(struct counts *n, const struct pd_litmus *lit,
			   const struct pd_comparison *c)
{
	n->compared++;
	n->ref_states += c->ref.states;
	n->model_states += c->model.states;
	count_ops(n, lit);
}

static void fuzz_seed(struct fuzz *f, struct counts *n, uint64_t seed)
{
	struct pd_comparison c;
	struct pd_litmus *lit, *parsed;
	enum pd_verdict v;

	pd_arena_reset(&f->program);
	pd_arena_reset(&f->step);
	lit = pd_gen_program(&f->program, seed);
	parsed = lit ? reparse(f, &f->step, lit) : NULL;
	v = parsed ? pd_compare(parsed, &f->step, f->opt.max_states, &c) : PD_NO_MEMORY;
	if (v == PD_CAPPED)
		n->capped++;
	else if (v == PD_SAME)
		count_compared(n, parsed, &c);
	if (v == PD_SAME || v == PD_CAPPED)
		return;
	n->failures++;
	f->shared->stop = !f->opt.keep_going;
	if (v == PD_DIFFERENT)
		report_difference(f, lit, seed);
	else
		fprintf(stderr, "fuzz: seed %lu: no memory, or its text was not taken:\n%s",
			(unsigned long)seed, f->text);
	fprintf(stderr, "replay: %s/fuzz --seed %lu --count 1\n", f->opt.out, (unsigned long)seed);
}

/* ---- a run ---------------------------------------------------------------------------------- */

static void fuzz_init(struct fuzz *f)
{
	pd_arena_init(&f->program, pd_host_memory());
	pd_arena_init(&f->step, pd_host_memory());
}

static void run_job(struct fuzz *f, uint32_t job)
{
	struct counts *n = &f->shared->job[job];
	double end = now() + (double)f->opt.seconds;

	for (uint64_t i = job; !f->shared->stop; i += f->opt.jobs) {
		if ((f->opt.count && i >= f->opt.count) || (f->opt.seconds && now() > end))
			break;
		n->seed = f->opt.seed + i;
		fuzz_seed(f, n, n->seed);
	}
}

/* True where all jobs came to their end. */
static bool run_jobs(struct fuzz *f)
{
	pid_t pid[MAX_JOBS];
	bool ok = true;

	fflush(NULL);
	for (uint32_t j = 0; j < f->opt.jobs; j++) {
		pid[j] = fork();
		if (pid[j] < 0) {
			perror("fuzz: fork");
			f->shared->stop = true;
			f->opt.jobs = j;
			ok = false;
		} else if (pid[j] == 0) {
			run_job(f, j);
			exit(0);
		}
	}
	for (uint32_t j = 0; j < f->opt.jobs; j++) {
		int status = 0;

		waitpid(pid[j], &status, 0);
		if (status == 0)
			continue;
		ok = false;
		fprintf(stderr,
			"fuzz: died (status %#x) on seed %lu\nreplay: %s/fuzz --seed %lu --count "
			"1\n",
			status, (unsigned long)f->shared->job[j].seed, f->opt.out,
			(unsigned long)f->shared->job[j].seed);
	}
	return ok;
}

static void sum_up(const struct fuzz *f, struct counts *sum)
{
	memset(sum, 0, sizeof(*sum));
	for (uint32_t j = 0; j < f->opt.jobs; j++) {
		const struct counts *n = &f->shared->job[j];

		sum->compared += n->compared;
		sum->capped += n->capped;
		sum->failures += n->failures;
		sum->ref_states += n->ref_states;
		sum->model_states += n->model_states;
		for (uint32_t i = 0; i < PD_GEN_OPS; i++)
			sum->ops[i] += n->ops[i];
	}
}

static void print_counts(const struct counts *n)
{
	printf("compared %lu programs, skipped %lu (too many states), %lu different; states %lu "
	       "(reference) %lu (model); instructions:",
	       (unsigned long)n->compared, (unsigned long)n->capped, (unsigned long)n->failures,
	       (unsigned long)n->ref_states, (unsigned long)n->model_states);
	for (uint32_t i = 0; i < PD_GEN_OPS; i++)
		printf(" %s %lu", pd_gen_op_name((enum pd_lit_op)i), (unsigned long)n->ops[i]);
	printf("\n");
}

static int run_seeds(struct fuzz *f)
{
	struct counts sum;
	bool ok;

	f->shared = mmap(NULL, sizeof(*f->shared), PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (f->shared == MAP_FAILED) {
		perror("fuzz: mmap");
		return 2;
	}
	ok = run_jobs(f);
	sum_up(f, &sum);
	print_counts(&sum);
	return ok && !sum.failures ? 0 : 1;
}

static int print_seeds(struct fuzz *f)
{
	struct pd_out o = pd_host_out(stdout);

	for (uint64_t i = 0; i < PD_MAX(f->opt.count, 1); i++) {
		struct pd_litmus *lit = pd_gen_program(&f->program, f->opt.seed + i);

		pd_outf(&o, "# seed %lu\n", (unsigned long)(f->opt.seed + i));
		if (!lit || !pd_gen_print(&o, lit))
			return 1;
		pd_arena_reset(&f->program);
	}
	return 0;
}

/* ---- files ---------------------------------------------------------------------------------- */

static int compare_file(struct fuzz *f, const char *path)
{
	static const char *const say[] = {"same", "different", "too many states", "no memory"};
	struct pd_out out = pd_host_out(stdout), err = pd_host_out(stderr);
	FILE *file = fopen(path, "r");
	struct pd_comparison c;
	struct pd_litmus *lit;
	enum pd_verdict v;
	size_t n;

	if (!file) {
		perror(path);
		return 2;
	}
	n = fread(f->text, 1, sizeof(f->text), file);
	fclose(file);
	lit = pd_litmus_parse(&f->step, path, f->text, n, &err);
	if (!lit)
		return 2;
	v = pd_compare(lit, &f->step, f->opt.max_states, &c);
	printf("%s: %s\n", path, say[v]);
	if (v == PD_DIFFERENT)
		print_difference(&out, "", lit, &c);
	pd_arena_reset(&f->step);
	return v == PD_SAME ? 0 : 1;
}

/* ---- options -------------------------------------------------------------------------------- */

static int usage(void)
{
	fprintf(stderr, "usage: fuzz [--seed N] [--seconds N] [--count N] [--jobs N] "
			"[--max-states N] [--out DIR] [--keep-going] [--print]\n"
			"       fuzz FILE...\n");
	return 2;
}

static uint64_t *number_option(struct options *o, const char *name)
{
	if (strcmp(name, "--seed") == 0)
		return &o->seed;
	if (strcmp(name, "--seconds") == 0)
		return &o->seconds;
	if (strcmp(name, "--count") == 0)
		return &o->count;
	if (strcmp(name, "--jobs") == 0)
		return &o->jobs;
	if (strcmp(name, "--max-states") == 0)
		return &o->max_states;
	return NULL;
}

/* The index of the first argument that is no option; 0 where one is wrong. */
static int parse_options(struct options *o, int argc, char **argv)
{
	int i = 1;

	for (; i < argc && argv[i][0] == '-'; i++) {
		uint64_t *number = number_option(o, argv[i]);
		char *end = NULL;

		if (strcmp(argv[i], "--print") == 0 || strcmp(argv[i], "--keep-going") == 0) {
			o->print |= argv[i][2] == 'p';
			o->keep_going |= argv[i][2] == 'k';
			continue;
		}
		if (i + 1 == argc)
			return 0;
		if (strcmp(argv[i], "--out") == 0) {
			o->out = argv[++i];
			continue;
		}
		if (!number)
			return 0;
		*number = strtoull(argv[++i], &end, 10);
		if (*end || end == argv[i])
			return 0;
	}
	return o->jobs >= 1 && o->jobs <= MAX_JOBS ? i : 0;
}

/* Failures are kept beside the program. */
static const char *own_directory(char *argv0)
{
	char *slash = strrchr(argv0, '/');

	if (!slash)
		return ".";
	*slash = '\0';
	return argv0;
}

int main(int argc, char **argv)
{
	static struct fuzz f = {.opt = {.seed = 1, .jobs = 1, .max_states = 100000}};
	int first = parse_options(&f.opt, argc, argv), status = 0;

	if (!first)
		return usage();
	if (!f.opt.out)
		f.opt.out = own_directory(argv[0]);
	fuzz_init(&f);
	for (int i = first; i < argc; i++) {
		int one = compare_file(&f, argv[i]);

		status = PD_MAX(status, one);
	}
	if (first < argc)
		return status;
	if (f.opt.print)
		return print_seeds(&f);
	if (!f.opt.seconds && !f.opt.count)
		f.opt.seconds = 20;
	return run_seeds(&f);
}
