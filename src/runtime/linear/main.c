/*
 * main.c - the main of every driver (PD_LINEAR_DRIVER in perdure_linear.h).
 *
 * It is here and not in the header, so that the header is all declarations and a driver needs no
 * flag: `perdure cc` and `perdure c++` always link the runtime, which has the judge in it.
 *
 * Alone, it is a stress test:
 *	./map [--threads N] [--ops N|FILE] [--keys N] [--seed N] [--condition NAME] POOL
 * Exit: 0 linearizable, 1 not, 2 usage, 3 undecided. Where its executions crash, it is one of those
 * (driven.h).
 */
#include "base/hash.h"
#include "engine/linear/picture.h"
#include "engine/crash/run.h"
#include "runtime/base/rt.h"
#include "runtime/check/check.h"
#include "runtime/linear/announce.h"
#include "runtime/linear/driven.h"
#include "runtime/linear/given.h"
#include "runtime/linear/visit.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LINEARIZABLE, NOT_LINEARIZABLE, USAGE, UNDECIDED };

/* Default number of operations: alone, and with a crash at each of them. */
enum { MANY_OPS = 10000, FEW_OPS = 16 };

/* Of the judge's memory. */
#define LIMIT_BYTES (1ULL << 30)

struct settings {
	struct pd_workgen gen;
	const char *ops_file, *text, *points_file, *path;
	uint32_t together; /* operations up to which threads run freely; 0: all */
	int condition;	   /* -1: the driver's */
};

static void write_stdout(void *ctx, const char *s, size_t n)
{
	(void)ctx;
	fwrite(s, 1, n, stdout);
}

static int fail(const char *fmt, const char *a, const char *b)
{
	fputs("perdure linear: ", stderr);
	fprintf(stderr, fmt, a, b);
	fputc('\n', stderr);
	return USAGE;
}

/* The same of what the user gave: perdure shows it as its own error, and not what the driver ended
 * with. */
static int refuse(const char *fmt, const char *a, const char *b)
{
	char text[PD_RUN_TEXT];

	if (pd_check.role != PD_CHECK_FIRST)
		return fail(fmt, a, b);
	snprintf(text, sizeof(text), fmt, a, b);
	pd_check_misuse("%s", text);
}

/* ---- options -------------------------------------------------------------------------------- */

static bool number(const char *s, uint64_t max, uint64_t *x)
{
	char *end;

	errno = 0;
	*x = strtoull(s, &end, 10);
	return *s >= '0' && *s <= '9' && !*end && !errno && *x <= max;
}

static int set_condition(struct settings *o, const char *value)
{
	static const char *const names[] = {
		[PD_DURABLE] = "durable", [PD_BUFFERED] = "buffered", [PD_STRICT] = "strict"};

	for (o->condition = 0; o->condition < (int)PD_LEN(names); o->condition++)
		if (value && strcmp(value, names[o->condition]) == 0)
			return 0;
	return refuse("%s is durable, buffered or strict, not '%s'", "--condition",
		      value ? value : "");
}

static int set_option(struct settings *o, const char *name, const char *value)
{
	uint64_t x;

	if (strcmp(name, "--condition") == 0)
		return set_condition(o, value);

	if (strcmp(name, "--ops") == 0 && value && (*value < '0' || *value > '9')) {
		o->ops_file = value;
		return 0;
	}
	if (strcmp(name, "--do") == 0 && value) {
		o->text = value;
		return 0;
	}
	if (strcmp(name, "--points") == 0 && value) {
		o->points_file = value;
		return 0;
	}
	if (!value || !number(value, strcmp(name, "--seed") == 0 ? UINT64_MAX : 1u << 30, &x))
		return refuse("%s needs a number, not '%s'", name, value ? value : "");
	if (strcmp(name, "--threads") == 0 && (x < 1 || x > 1024))
		return refuse("%s takes 1 to 1024, not %s", name, value);
	if (strcmp(name, "--threads") == 0)
		o->gen.nthreads = (uint32_t)x;
	else if (strcmp(name, "--ops") == 0)
		o->gen.nops = (uint32_t)x;
	else if (strcmp(name, "--together") == 0)
		o->together = (uint32_t)x;
	else if (strcmp(name, "--keys") == 0)
		o->gen.nkeys = (uint32_t)x;
	else if (strcmp(name, "--seed") == 0)
		o->gen.seed = x;
	else
		return refuse("there is no option %s%s", name, "");
	return 0;
}

static int read_options(struct settings *o, int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		int rc;

		if (argv[i][0] != '-') {
			if (o->path)
				return refuse("one pool, not '%s' and '%s'", o->path, argv[i]);
			o->path = argv[i];
			continue;
		}
		rc = set_option(o, argv[i], argv[i + 1]);
		if (rc)
			return rc;
		i++;
	}
	if (!o->path)
		return refuse("usage: %s [--threads N] [--ops N|FILE] [--keys N] [--seed N] POOL%s",
			      argv[0], "");
	if (!pd_driven_crashes() && access(o->path, F_OK) == 0)
		return refuse("%s already exists: a stress test starts with a new file%s", o->path,
			      "");
	return 0;
}

/* ---- the driver ----------------------------------------------------------------------------- */

/* Maps the entries of the table to the specification. */
static int resolve(struct pd_stress *s)
{
	const struct pd_linear_driver *d = s->driver;
	uint32_t n = d->version == PD_LINEAR_VERSION ? pd_table_length(d->table) : 0;
	uint16_t *fn = pd_new_array(s->arena, uint16_t, n + 1);

	if (d->version != PD_LINEAR_VERSION)
		return refuse(
			"the driver was compiled with another version of perdure_linear.h%s%s", "",
			"");
	s->spec = d->own ? d->own : d->spec ? pd_spec_find(d->spec) : NULL;
	if (!s->spec)
		return refuse("there is no specification '%s'%s", d->spec ? d->spec : "", "");
	if (!n)
		return refuse("the driver's table has no operations%s%s", "", "");
	for (uint32_t i = 0; fn && i < n; i++) {
		const struct pd_linear_entry *e = &d->table[i];
		int k = e->flags & PD_SYNC ? 0 : pd_spec_op(s->spec, e->name, strlen(e->name));

		if (k < 0)
			return refuse("the specification '%s' has no operation '%s'", s->spec->name,
				      e->name);
		if (!(e->flags & PD_SYNC) && s->spec->ops[k].nargs != (int)pd_entry_nargs(e))
			return refuse(
				"'%s' has another number of arguments in the specification '%s'",
				e->name, s->spec->name);
		fn[i] = (uint16_t)k;
	}
	s->fn = fn;
	return fn ? 0 : fail("out of memory%s%s", "", "");
}

static char *read_file(const char *path, struct pd_arena *a, size_t *n)
{
	FILE *f = fopen(path, "re");
	char *text = NULL;
	size_t cap = 0;

	*n = 0;
	while (f && !feof(f) && !ferror(f)) {
		if (*n == cap) {
			text = pd_arena_grow(a, text, cap, cap ? cap * 2 : 65536);
			cap = cap ? cap * 2 : 65536;
		}
		if (!text)
			break;
		*n += fread(text + *n, 1, cap - *n, f);
	}
	if (f)
		fclose(f);
	return text;
}

/* Operations as text, with the threads that they name: from the tool, or --do. */
static int take_text(struct pd_stress *s, const char *text, size_t n)
{
	struct pd_workload_error e;

	s->as_given = true;
	return pd_workload_parse(&s->work, s->arena, s->driver->table, text, n, &e)
		       ? 0
		       : fail("%s: %s", "--do", e.what);
}

static int make_workload(struct pd_stress *s, struct settings *o)
{
	struct pd_workload_error e;
	size_t n;
	const char *text = pd_given_work(&n);

	if (text || o->text)
		return take_text(s, text ? text : o->text, text ? n : strlen(o->text));
	if (!o->ops_file)
		return pd_workload_make(&s->work, s->arena, s->driver->table, &o->gen)
			       ? 0
			       : fail("out of memory%s%s", "", "");
	text = read_file(o->ops_file, s->arena, &n);
	if (!text)
		return refuse("cannot read %s: %s", o->ops_file, strerror(errno));
	if (!pd_workload_parse(&s->work, s->arena, s->driver->table, text, n, &e))
		return refuse("%s: %s", o->ops_file, e.what);
	for (uint32_t i = 0; i < s->work.ops.n; i++)
		o->gen.nthreads = PD_MAX(o->gen.nthreads, s->work.ops.v[i].thread + 1);
	s->nthreads = o->gen.nthreads;
	return 0;
}

/* For a user's own specification: the same operations twice, side by side, must return the same. */
static int check_own(struct pd_stress *s)
{
	void *state[2] = {pd_arena_alloc(s->arena, s->spec->size),
			  pd_arena_alloc(s->arena, s->spec->size)};
	struct pd_spec_memory m;

	if (!s->driver->own || !state[0] || !state[1])
		return 0;
	pd_spec_memory_init(&m, s->arena);
	for (uint32_t i = 0; i < s->work.ops.n; i++) {
		const struct pd_linear_entry *e = &s->driver->table[s->work.ops.v[i].entry];
		struct pd_linear_op op = {.fn = s->fn[s->work.ops.v[i].entry],
					  .nargs = (uint8_t)pd_entry_nargs(e)};

		if (e->flags & PD_SYNC)
			continue;
		memcpy(op.arg, s->work.ops.v[i].arg, sizeof(op.arg));
		if (!pd_spec_returns_same(s->spec, state, &op, &m.m))
			return refuse("the specification '%s' is not deterministic: '%s' returns "
				      "something else after the same operations",
				      s->spec->name, e->name);
	}
	return 0;
}

/* Half of the random operations come before the threads, so that these meet in a structure that is
 * not empty; given operations are taken as they are. */
static void deal_out(struct pd_stress *s, const struct settings *o)
{
	uint32_t alone;

	s->together = s->work.ops.n;
	if (s->as_given || !pd_driven_crashes())
		return;
	if (o->together)
		s->together = PD_MIN(o->together, s->work.ops.n);
	alone = s->nthreads == 1 ? s->together : o->ops_file ? 0 : s->together / 2;
	for (uint32_t i = 0; i < alone; i++)
		s->work.ops.v[i].thread = s->nthreads;
}

static int read_points(struct pd_stress *s, const struct settings *o)
{
	s->all_points = o->points_file && strcmp(o->points_file, "all") == 0;
	if (!o->points_file || s->all_points)
		return 0;
	s->points = read_file(o->points_file, s->arena, &s->npoints);
	return s->points ? 0 : fail("cannot read %s: %s", o->points_file, strerror(errno));
}

/* ---- the verdict ---------------------------------------------------------------------------- */

static int report(struct pd_stress *s, const struct settings *o, const struct pd_verdict *v)
{
	struct pd_out out = {write_stdout, NULL};
	struct pd_diagram diagram;

	switch (v->answer) {
	case PD_ANSWER_YES:
		printf("linearizable: %u operations of %u threads, seed %lu\n", s->history.ops.n,
		       s->nthreads, (unsigned long)o->gen.seed);
		return LINEARIZABLE;
	case PD_ANSWER_NO:
		if (v->fault == PD_HISTORY_OK) {
			fputs("not linearizable: ", stdout);
			pd_picture(&s->history, s->spec, v, true, &diagram);
			pd_diagram_draw(&diagram, &out);
		}
		return NOT_LINEARIZABLE;
	case PD_ANSWER_LIMIT:
	case PD_ANSWER_NO_MEMORY:
		break;
	}
	printf("undecided: the judge ran out of memory (%lu MB, %lu configurations); "
	       "try fewer --ops or more --keys\n",
	       (unsigned long)(v->bytes >> 20), (unsigned long)v->configurations);
	return UNDECIDED;
}

static uint64_t digest_command(int argc, char **argv)
{
	struct pd_digest d = PD_DIGEST_INIT;

	for (int i = 0; i < argc; i++)
		pd_digest_bytes(&d, argv[i], strlen(argv[i]) + 1);
	return d.a;
}

/* What the driver is to do; a recovery needs only the keys. */
static int prepare(struct pd_stress *s, struct settings *o, uint64_t command)
{
	int rc = resolve(s);

	if (rc || (pd_driven_crashes() && pd_given_keys(s, command)))
		return rc;
	rc = make_workload(s, o);
	if (!rc)
		rc = check_own(s);
	if (!rc)
		rc = read_points(s, o);
	if (rc)
		return rc;
	deal_out(s, o);
	if (!pd_visit_list(s))
		return fail("out of memory%s%s", "", "");
	if (pd_driven_crashes())
		pd_given_publish(s, command);
	return 0;
}

PD_EXPORT int __pd_linear_main(int argc, char **argv, const struct pd_linear_driver *driver);

PD_EXPORT int __pd_linear_main(int argc, char **argv, const struct pd_linear_driver *driver)
{
	struct settings o = {.gen = {.seed = 1, .nthreads = 2}, .condition = -1};
	/* A crash at the very end comes after main, and still needs the history. */
	static struct pd_linear_driver mine;
	static struct pd_arena arena;
	static struct pd_stress s = {.driver = &mine, .arena = &arena};
	struct pd_limits limits = {.bytes = LIMIT_BYTES};
	struct pd_verdict v;
	const char *wrong;
	int rc;

	pd_announce_driver();
	mine = *driver;
	o.gen.nops = pd_driven_crashes() ? FEW_OPS : MANY_OPS;
	rc = read_options(&o, argc, argv);
	if (rc)
		return rc;
	pd_arena_init(&arena, pd_rt_memory());
	s.path = o.path;
	s.nthreads = o.gen.nthreads;
	if (o.condition >= 0)
		mine.condition = (enum pd_linear_condition)o.condition;
	rc = prepare(&s, &o, digest_command(argc, argv));
	if (rc)
		return rc;
	wrong = pd_driven_crashes() ? pd_driven_run(&s, o.gen.seed) : pd_stress_run(&s);
	if (wrong)
		return fail("%s: %s", o.path, wrong);
	if (pd_driven_crashes())
		return 0;
	/* Without a crash all conditions are the same. */
	v = pd_judge(&s.history, s.spec, mine.condition, limits, &arena);
	return report(&s, &o, &v);
}
