/*
 * cmd_trace.c - perdure trace PROGRAM: the events of one run, a line each.
 *
 * What every other verb works on, made readable: who did what to which byte of which PM file, with
 * what value, from which line of the source. --stats counts instead. The program's own standard
 * output goes to standard error, so that the listing can be piped.
 */
#include "base/map.h"
#include "cli/cli.h"
#include "drive/losses.h"
#include "cli/options.h"
#include "event/trace.h"
#include "drive/driven.h"
#include "drive/place.h"
#include "host/host.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { READ = 1 << 18 };

struct pool {
	uint64_t base;
	uint64_t size;
	const char *name;
};

struct trace {
	struct pd_arena arena;
	struct pd_options options;
	bool stats;
	bool binary;
	const char *schedule;
	FILE *out;
	struct pd_map sites; /* id -> struct pd_site */
	PD_VEC(struct pool) pools;
	struct pd_losses losses;
	uint64_t printed;
	bool corrupt;
};

/* ---- what records define -------------------------------------------------------------------- */

/* NULL: not defined. */
static const struct pd_site *site_of(const struct trace *t, uint32_t id)
{
	uint64_t *at = pd_map_get(&t->sites, id);
	const struct pd_site *s = at ? (const struct pd_site *)(uintptr_t)*at : NULL;

	return s && s->file ? s : NULL;
}

static void define_pool(struct trace *t, const struct pd_trace_record *r)
{
	while (t->pools.n <= r->event.aux && r->event.aux < 1 << 20) {
		struct pool *p = pd_vec_push(&t->pools, &t->arena);

		if (!p)
			return;
		*p = (struct pool){0};
	}
	if (r->event.aux < t->pools.n)
		t->pools.v[r->event.aux] =
			(struct pool){r->event.addr, r->event.size,
				      pd_arena_strndup(&t->arena, r->text, r->text_n)};
}

/* ---- a line --------------------------------------------------------------------------------- */

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static void print_site(const struct trace *t, uint32_t id)
{
	const struct pd_site *s = site_of(t, id);

	if (!s) {
		fputs("(unknown place)", t->out);
		return;
	}
	fprintf(t->out, "%s:%u %s", base_name(s->file), s->line, s->function);
	for (s = s->inlined_at; s && s->file; s = s->inlined_at)
		fprintf(t->out, " < %s:%u", base_name(s->file), s->line);
}

static int print_address(const struct trace *t, uint64_t addr)
{
	if (addr & PD_ADDR_OUTSIDE)
		return fprintf(t->out, "0x%lx", (unsigned long)(addr & ~PD_ADDR_OUTSIDE));
	for (uint32_t i = 0; i < t->pools.n; i++) {
		const struct pool *p = &t->pools.v[i];

		if (p->name && addr - p->base < p->size)
			return fprintf(t->out, "%s+0x%lx", base_name(p->name),
				       (unsigned long)(addr - p->base));
	}
	return fprintf(t->out, "pm+0x%lx", (unsigned long)addr);
}

static int print_value(const struct trace *t, const struct pd_event *e)
{
	uint64_t v = 0;

	if (!e->data)
		return 0;
	if (e->size > sizeof(v))
		return fprintf(t->out, " = ...");
	memcpy(&v, e->data, e->size);
	return fprintf(t->out, " = 0x%lx", (unsigned long)v);
}

static const char *order_name(uint8_t order)
{
	static const char *const names[] = {"relaxed", "consume", "acquire", "release",
					    "acq_rel", "seq_cst", ""};

	return names[PD_MIN(order, PD_ORDER_NONE)];
}

static int print_aux(const struct trace *t, const struct pd_event *e)
{
	switch ((int)e->kind) { /* an int: for most kinds it is a plain number */
	case PD_EV_POOL_OPEN:
	case PD_EV_POOL_SIZE:
	case PD_EV_POOL_MAP:
	case PD_EV_POOL_UNLINK:
	case PD_EV_POOL_RENAME:
		if (e->aux < t->pools.n && t->pools.v[e->aux].name)
			return fprintf(t->out, " %s", t->pools.v[e->aux].name);
		return 0;
	case PD_EV_THREAD_CREATE:
	case PD_EV_THREAD_BEGIN:
	case PD_EV_THREAD_JOIN:
		return fprintf(t->out, " T%lu", (unsigned long)e->aux);
	case PD_EV_ACQUIRE:
	case PD_EV_RELEASE:
		return fprintf(t->out, "%s", e->aux == PD_LOCK_SHARED ? " shared" : "");
	default:
		return fprintf(t->out, " %lu", (unsigned long)e->aux);
	}
}

static void print_event(struct trace *t, const struct pd_event *e)
{
	int width = fprintf(t->out, "T%-2u %-13s ", e->tid, pd_event_info[e->kind].name);

	for (const char *f = pd_event_info[e->kind].fields; *f; f++) {
		switch (*f) {
		case 'a':
			width += print_address(t, e->addr);
			width += fprintf(t->out, " %lu", (unsigned long)e->size);
			break;
		case 'v':
			width += print_value(t, e);
			break;
		case 'o':
			if (e->order != PD_ORDER_NONE)
				width += fprintf(t->out, " %s", order_name(e->order));
			break;
		case 't':
			width += fprintf(t->out, " %.*s", (int)e->size, (const char *)e->data);
			break;
		default:
			width += print_aux(t, e);
		}
	}
	if (e->site) {
		fprintf(t->out, "%*s", PD_MAX(58 - width, 2), "");
		print_site(t, e->site);
	}
	fputc('\n', t->out);
	t->printed++;
}

static void take(struct trace *t, const struct pd_trace_record *r)
{
	switch (r->tag) {
	case PD_TRACE_HEADER:
	case PD_TRACE_WIRE:
		break;
	case PD_TRACE_SITE:
		pd_trace_site_take(&t->sites, &t->arena, r);
		break;
	case PD_TRACE_POOL:
		define_pool(t, r);
		break;
	case PD_TRACE_LOSS:
		t->corrupt |= !pd_losses_take(&t->losses, &t->arena, r);
		break;
	default:
		if (!t->stats)
			print_event(t, &r->event);
	}
}

/* ---- the end -------------------------------------------------------------------------------- */

static void print_stats(const struct trace *t, const struct pd_channel *c)
{
	for (uint32_t k = 0; k < PD_EV_N; k++)
		if (c->events[k])
			fprintf(t->out, "%12lu  %-14s %s\n", (unsigned long)c->events[k],
				pd_event_info[k].name, pd_event_info[k].doc);
	fprintf(t->out, "%12lu  bytes stored\n", (unsigned long)c->bytes_stored);
	fprintf(t->out, "%12u  instrumented object files\n", c->modules);
	for (uint32_t i = 0; i < t->pools.n; i++)
		if (t->pools.v[i].name)
			fprintf(t->out, "%12lu  bytes in %s\n", (unsigned long)t->pools.v[i].size,
				t->pools.v[i].name);
}

/* What was not understood: on standard error, so that it is seen whatever becomes of the
 * listing. */
static bool print_losses(struct trace *t)
{
	FILE *listing = t->out;

	t->out = stderr;
	for (uint32_t i = 0; i < t->losses.all.n; i++) {
		const struct pd_lost *l = &t->losses.all.v[i];

		fprintf(stderr, "perdure: loss: %s: %s", pd_loss_name(l->kind), l->what);
		if (l->place) {
			fputs(" at ", stderr);
			print_site(t, l->place);
		}
		if (l->count > 1)
			fprintf(stderr, l->varied ? " (the first of %lu like it)" : " (%lu times)",
				(unsigned long)l->count);
		fputc('\n', stderr);
	}
	t->out = listing;
	return t->losses.all.n > 0;
}

static bool check_globs(const struct trace *t, const struct pd_driven *d, struct pd_error *e)
{
	/* Loads without a mapping: a private one, or read(). */
	return d->channel->events[PD_EV_LOAD] || d->channel->events[PD_EV_STORE] ||
	       pd_driven_mapped(d, t->options.argv[0], t->options.pm.n ? t->options.pm.v[0] : NULL,
				e);
}

static bool read_all(struct trace *t, struct pd_driven *d)
{
	struct pd_trace_reader reader = {0};
	struct pd_trace_record rec;
	uint8_t *buf = malloc(2 * READ);
	size_t have = 0;
	long got = buf ? 1 : -1;

	while (got > 0 && !t->corrupt) {
		size_t used = 0;
		long k;

		got = pd_driven_read(d, buf + have, 2 * READ - have);
		have += got > 0 ? (size_t)got : 0;
		while ((k = pd_trace_read(&reader, buf + used, have - used, &rec)) > 0) {
			take(t, &rec);
			used += (size_t)k;
		}
		t->corrupt |= k < 0 || (used == 0 && have == 2 * READ);
		memmove(buf, buf + used, have - used);
		have -= used;
	}
	free(buf);
	return got >= 0 && !t->corrupt;
}

static int run(struct trace *t)
{
	char settings[128];
	struct pd_driven_options o = {
		.argv = t->options.argv,
		.pm = t->options.pm.v,
		.npm = t->options.pm.n,
		.mode = "trace",
		.settings = settings,
		.seed = t->options.seed,
		.stdout_to = STDERR_FILENO,
		.front = t->binary ? PD_FRONT_BINARY : PD_FRONT_ANY,
	};
	struct pd_driven d;
	struct pd_error e;
	bool ok, lost;

	snprintf(settings, sizeof(settings), "schedule=%s count=%d", t->schedule, t->stats);
	if (!pd_driven_start(&d, &o, &e))
		return pd_error_print(&e);
	ok = read_all(t, &d);
	if (!ok)
		pd_error_set(&e, PD_EXIT_INTERNAL, "the trace of '%s' is not readable", o.argv[0]);
	else
		ok = pd_driven_wait(&d, o.argv[0], &e);
	if (t->stats && ok)
		print_stats(t, d.channel);
	if (fflush(t->out) != 0)
		ok = pd_error_set(&e, PD_EXIT_INTERNAL, "cannot write the listing");
	lost = print_losses(t);
	ok = ok && pd_driven_ended_well(&d, o.argv[0], &e) && check_globs(t, &d, &e);
	pd_driven_finish(&d);
	if (!ok)
		return pd_error_print(&e);
	return lost ? PD_EXIT_INCOMPLETE : PD_EXIT_CLEAN;
}

int pd_cmd_trace(int argc, char **argv)
{
	struct trace t = {.schedule = "default", .out = stdout};
	const struct pd_own own[] = {
#include "cli/options/trace.def"
		{0},
	};
	struct pd_command cmd = {
		.verb = "trace",
		.arguments = "PROGRAM [ARGS]",
		.doc = "Runs PROGRAM once and lists what it does to persistent memory: thread, "
		       "event, file and offset, size, value, source line.\vPM files are never "
		       "changed. Exit status: 0; 2 the program failed; 3 something was not "
		       "understood (stderr says what).",
		.common = PD_OPT_BIT(PM) | PD_OPT_BIT(SEED),
		.needs = "name the program to run",
		.own = own,
	};
	int status;

	pd_arena_init(&t.arena, pd_host_memory());
	if (pd_options_start(&t.options, &t.arena, &cmd, argc, argv, &status))
		status = run(&t);
	pd_arena_finish(&t.arena);
	return status;
}
