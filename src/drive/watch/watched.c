/* watched.c - see watched.h: reads what was reported, and makes findings of it. */
#include "drive/watch/watched.h"
#include "drive/place.h"
#include "engine/lockset/join.h"
#include "finding/text.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { READ = 1 << 18, NUMBERS_MAX = 1 << 20 };

void pd_watched_init(struct pd_watched *w, struct pd_arena *a)
{
	memset(w, 0, sizeof(*w));
	w->arena = a;
}

void pd_watched_finish(struct pd_watched *w)
{
	if (w->symbols)
		pd_symbols_close(w->symbols);
	w->symbols = NULL;
}

/* ---- reading -------------------------------------------------------------------------------- */

static void take_pool(struct pd_watched *w, const struct pd_trace_record *r)
{
	const char *name = pd_arena_strndup(w->arena, r->text, r->text_n);

	if (r->event.aux >= NUMBERS_MAX)
		return;
	while (w->pools.n <= r->event.aux) {
		struct pd_watched_pool *p = pd_vec_push(&w->pools, w->arena);

		if (!p)
			return;
		*p = (struct pd_watched_pool){0};
	}
	w->pools.v[r->event.aux] = (struct pd_watched_pool){r->event.addr, r->event.size, name};
	if (w->events.event)
		w->events.pool(w->events.ctx, (uint32_t)r->event.aux, r->event.addr, r->event.size,
			       name);
}

static bool take_finding(struct pd_watched *w, const struct pd_raw_finding *f)
{
	if (f->number >= NUMBERS_MAX)
		return false;
	while (w->raw.n <= f->number) {
		struct pd_raw_finding *t = pd_vec_push(&w->raw, w->arena);

		if (!t)
			return false;
		*t = (struct pd_raw_finding){0};
	}
	w->raw.v[f->number] = *f;
	return true;
}

static bool take_wire(struct pd_watched *w, const struct pd_trace_record *t)
{
	struct pd_wire_record *r = pd_new(w->arena, struct pd_wire_record);
	struct pd_wire_module *m;
	struct pd_lint_times *times;
	uint64_t *at;

	if (!r || !pd_wire_read(w->arena, t->text, t->text_n, r))
		return false;
	switch (r->what) {
	case PD_WIRE_PLACE:
		at = pd_map_put(&w->places, w->arena, r->place);
		if (at)
			*at = (uintptr_t)r;
		return at;
	case PD_WIRE_MODULE:
		m = pd_vec_push(&w->modules, w->arena);
		if (m)
			*m = r->module;
		return m;
	case PD_WIRE_FINDING:
		return take_finding(w, &r->raw);
	case PD_WIRE_STAT:
		if (pd_vec_push(&w->stats, w->arena) == NULL)
			return false;
		w->stats.v[w->stats.n - 1].name = r->name;
		w->stats.v[w->stats.n - 1].value = r->value;
		return true;
	case PD_WIRE_TIMES:
		times = pd_vec_push(&w->times, w->arena);
		if (times)
			*times = (struct pd_lint_times){r->place, r->value,
							r->times & PD_TIMES_FENCE,
							r->times & PD_TIMES_FOR_OTHERS};
		return times;
	case PD_WIRE_END:
		w->ended = true;
		return true;
	case PD_WIRE_WHATS:
	default:
		return false;
	}
}

static bool take(struct pd_watched *w, const struct pd_trace_record *r)
{
	switch (r->tag) {
	case PD_TRACE_HEADER:
		break;
	case PD_TRACE_SITE:
		pd_trace_site_take(&w->sites, w->arena, r);
		break;
	case PD_TRACE_POOL:
		take_pool(w, r);
		break;
	case PD_TRACE_LOSS:
		return pd_losses_take(&w->losses, w->arena, r);
	case PD_TRACE_WIRE:
		return take_wire(w, r);
	default:
		if (w->events.event)
			w->events.event(w->events.ctx, &r->event);
	}
	return true;
}

/* Takes whole records from the bytes; returns how many bytes were used, or -1: not a trace. */
static long take_records(struct pd_watched *w, const void *bytes, size_t n)
{
	struct pd_trace_record rec;
	size_t used = 0;
	long k;

	while ((k = pd_trace_read(&w->reader, (const uint8_t *)bytes + used, n - used, &rec)) > 0) {
		if (!take(w, &rec))
			return -1;
		used += (size_t)k;
	}
	return k < 0 ? -1 : (long)used;
}

bool pd_watched_read(struct pd_watched *w, long (*read)(void *ctx, void *buf, size_t n), void *ctx)
{
	uint8_t *buf = malloc(2 * READ);
	size_t have = 0;
	long got = buf ? 1 : -1;

	while (got > 0) {
		long used;

		got = read(ctx, buf + have, 2 * READ - have);
		have += got > 0 ? (size_t)got : 0;
		used = take_records(w, buf, have);
		if (used < 0 || (used == 0 && have == 2 * READ)) {
			got = -1;
			break;
		}
		memmove(buf, buf + used, have - (size_t)used);
		have -= (size_t)used;
	}
	free(buf);
	return got == 0;
}

/* ---- the front of the engines --------------------------------------------------------------- */

struct front {
	struct pd_watched *w;
	const struct pd_watched_filter *filter;
};

static bool front_place(void *ctx, uint32_t place, enum pd_role role, struct pd_place *p)
{
	return pd_watched_place(((struct front *)ctx)->w, place, role, p);
}

static void front_locate(void *ctx, struct pd_fact *f)
{
	pd_watched_locate(((struct front *)ctx)->w, f);
}

static bool front_wants(void *ctx, enum pd_kind kind)
{
	const struct pd_watched_filter *f = ((struct front *)ctx)->filter;

	if (f->no_performance && (pd_kind_info[kind].severity == PD_SEVERITY_PERFORMANCE ||
				  kind == PD_KIND_LINT_EXTRA_AT_TIMES))
		return false;
	return pd_only_wants(&f->only, kind);
}

static bool front_wants_library(void *ctx, const char *library)
{
	const struct pd_watched_filter *f = ((struct front *)ctx)->filter;

	return pd_owner_wanted(f->libraries, f->nlibraries, library);
}

static struct pd_namer front_of(struct front *x)
{
	return (struct pd_namer){front_place, front_locate, front_wants, front_wants_library,
				 x,	      x->w->arena};
}

void pd_watched_add(struct pd_watched *w, const struct pd_watched_filter *f,
		    const struct pd_raw_finding *t, struct pd_result *r)
{
	struct front x = {w, f};
	struct pd_namer front = front_of(&x);
	struct pd_finding to;

	if (pd_finding_resolve(&front, t, &to))
		pd_findings_add(&r->findings, &to);
}

/* ---- all of it ------------------------------------------------------------------------------ */

static void add_loss(struct pd_watched *w, const struct pd_lost *l, struct pd_result *r)
{
	struct pd_place p;
	char text[600];

	if (pd_watched_place(w, l->place, PD_ROLE_CHECK, &p)) {
		const struct pd_frame *at = &p.frame[p.at];

		if (at->file)
			snprintf(text, sizeof(text), "%.200s at %.200s:%u", l->what,
				 pd_text_base(at->file), at->line);
		else
			snprintf(text, sizeof(text), "%.200s at %.200s", l->what,
				 at->function ? at->function : "an unknown place");
	} else {
		snprintf(text, sizeof(text), "%.500s", l->what);
	}
	pd_result_loss(r, pd_loss_name(l->kind), l->count, *text ? text : NULL);
}

static void judge_lint(struct pd_watched *w, const struct pd_namer *front, struct pd_result *r)
{
	struct pd_lint_run run = {w->raw.v, w->raw.n, w->times.v, w->times.n, w->ended};
	struct pd_lint_sums sums = pd_lint_judge(front, &run, &r->findings);

	if (sums.overwritten_as_missing)
		pd_result_stat_int(r, "overwritten_told_as_missing", sums.overwritten_as_missing);
	if (sums.unflushed_as_unlogged)
		pd_result_stat_int(r, "unflushed_told_as_unlogged", sums.unflushed_as_unlogged);
	if (sums.needless_ns)
		pd_result_stat_real(r, "needless_ms_estimate", (double)sums.needless_ns / 1e6);
}

/* The field is not part of the id: the store is. */
static void name_field(struct pd_watched *w, const struct pd_raw_finding *t, struct pd_finding *f)
{
	for (uint32_t i = 0; f && !f->field && i < t->nsites; i++)
		if (t->site[i].role == PD_ROLE_STORE)
			f->field = pd_watched_field(w, t->site[i].place);
}

static void join_races(struct pd_watched *w, const struct pd_namer *front, struct pd_result *r)
{
	for (uint32_t i = 0; i < w->raw.n; i++) {
		const struct pd_raw_finding *t = &w->raw.v[i];
		uint64_t id = t->count ? pd_lockset_join(front, t, &r->findings) : 0;
		uint64_t *at = id ? pd_map_put(&w->ids, w->arena, t->number) : NULL;

		if (at)
			*at = id;
		if (id)
			name_field(w, t, pd_findings_get(&r->findings, id));
	}
}

void pd_watched_findings(struct pd_watched *w, const struct pd_watched_filter *f,
			 struct pd_result *r)
{
	struct front x = {w, f};
	struct pd_namer front = front_of(&x);

	if (f->by_store)
		join_races(w, &front, r);
	else
		judge_lint(w, &front, r);
	for (uint32_t i = 0; i < w->stats.n; i++)
		pd_result_stat_int(r, w->stats.v[i].name, (int64_t)w->stats.v[i].value);
	for (uint32_t i = 0; i < w->losses.all.n; i++)
		add_loss(w, &w->losses.all.v[i], r);
}
