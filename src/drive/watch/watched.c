/* watched.c - see watched.h: reading what was told, and making findings of it. */
#include "drive/owner.h"
#include "drive/watch/watched.h"
#include "base/glob.h"
#include "finding/text.h"
#include "host/demangle.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { READ = 1 << 18, NUMBERS_MAX = 1 << 20, SHOWN_BYTES = 2000 };

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

static void take_site(struct pd_watched *w, const struct pd_trace_record *r)
{
	struct pd_watched_site *s = pd_new(w->arena, struct pd_watched_site);
	uint64_t *at = s ? pd_map_put(&w->sites, w->arena, r->site.id) : NULL;

	if (!at)
		return;
	s->file = pd_arena_strndup(w->arena, r->site.file, r->file_n);
	s->function =
		pd_demangle(w->arena, pd_arena_strndup(w->arena, r->site.function, r->function_n));
	s->line = r->site.line;
	s->column = r->site.column;
	s->inlined_at = r->inlined_at;
	*at = (uintptr_t)s;
}

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

static bool take_told(struct pd_watched *w, const struct pd_told *f)
{
	if (f->number >= NUMBERS_MAX)
		return false;
	while (w->told.n <= f->number) {
		struct pd_told *t = pd_vec_push(&w->told, w->arena);

		if (!t)
			return false;
		*t = (struct pd_told){0};
	}
	w->told.v[f->number] = *f;
	return true;
}

static bool take_wire(struct pd_watched *w, const struct pd_trace_record *t)
{
	struct pd_wire_record *r = pd_new(w->arena, struct pd_wire_record);
	struct pd_wire_module *m;
	struct pd_watched_times *times;
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
		return take_told(w, &r->told);
	case PD_WIRE_STAT:
		if (pd_vec_push(&w->stats, w->arena) == NULL)
			return false;
		w->stats.v[w->stats.n - 1].name = r->name;
		w->stats.v[w->stats.n - 1].value = r->value;
		return true;
	case PD_WIRE_TIMES:
		times = pd_vec_push(&w->times, w->arena);
		if (times)
			*times = (struct pd_watched_times){r->place, r->value, r->fence};
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
		take_site(w, r);
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

long pd_watched_take(struct pd_watched *w, const void *bytes, size_t n)
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
		used = pd_watched_take(w, buf, have);
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

/* ---- words ---------------------------------------------------------------------------------- */

void pd_watched_short_place(const struct pd_frame *f, char *buf, size_t n)
{
	if (f->file)
		snprintf(buf, n, "%s:%u", pd_text_base(f->file), f->line);
	else
		snprintf(buf, n, "%s", f->function ? f->function : "an unknown place");
}

struct teller {
	struct pd_watched *w;
	const struct pd_told *t;
	PD_VEC(struct pd_finding_site) sites;
	const char *library;
	bool system;		 /* the innermost function is libc's or the like */
	bool lock;		 /* and takes or gives back a lock */
	struct pd_frame flusher; /* who calls the function that only flushes; line 0: nobody */
	/* Where the sites that were told are among those of the finding; UINT32_MAX: nowhere */
	uint32_t site[PD_TOLD_SITES];
};

/* What stands for a name in braces; false: nothing known, the braces stay. */
static bool substitute(const struct teller *x, const char *name, size_t n, char *buf, size_t size)
{
	char word[64], *number;
	uint32_t which = 1; /* "store#2": the second one */

	snprintf(word, sizeof(word), "%.*s", (int)PD_MIN(n, sizeof(word) - 1), name);
	if ((number = strchr(word, '#'))) {
		which = (uint32_t)strtoul(number + 1, NULL, 10);
		*number = 0;
	}
	if (strncmp(word, "pm:", 3) == 0) {
		pd_watched_address(x->w, strtoul(word + 3, NULL, 16), buf, size);
		return true;
	}
	if (strcmp(word, "needless") == 0 || strcmp(word, "times") == 0) {
		snprintf(buf, size, "%lu", (unsigned long)(*word == 'n' ? x->t->count : x->t->of));
		return true;
	}
	if (strcmp(word, "have") == 0) {
		snprintf(buf, size, "%s", x->t->count == 1 ? "has" : "have");
		return true;
	}
	if (strcmp(word, "flush") == 0 && x->flusher.line) {
		pd_watched_short_place(&x->flusher, buf, size);
		return true;
	}
	for (uint32_t i = 0; i < x->sites.n; i++)
		if (strcmp(pd_role_info[x->sites.v[i].role].name, word) == 0 && !--which) {
			bool wrapped = !x->library && i + 1 < x->sites.n &&
				       x->sites.v[i + 1].role == PD_ROLE_CALLER;

			pd_watched_short_place(&x->sites.v[i + wrapped].at, buf, size);
			return true;
		}
	if (pd_role_find(word) == PD_ROLE_N)
		return false;
	snprintf(buf, size, "an unknown place");
	return true;
}

static const char *fill_in(const struct teller *x, const char *text)
{
	char out[SHOWN_BYTES], word[400];
	size_t n = 0;

	if (!text)
		return NULL;
	while (*text && n + 1 < sizeof(out)) {
		const char *end = *text == '{' ? strchr(text, '}') : NULL;

		if (end && substitute(x, text + 1, (size_t)(end - text - 1), word, sizeof(word))) {
			n += (size_t)snprintf(out + n, sizeof(out) - n, "%s", word);
			n = PD_MIN(n, sizeof(out) - 1);
			text = end + 1;
		} else {
			out[n++] = *text++;
		}
	}
	return pd_arena_strndup(x->w->arena, out, n);
}

/* ---- a finding ------------------------------------------------------------------------------ */

static void add_frames(struct teller *x, enum pd_role role, const struct pd_watched_place *p,
		       uint32_t at)
{
	struct pd_finding_site *s = pd_vec_push(&x->sites, x->w->arena);
	uint32_t n = p->n - at - 1;
	struct pd_frame *stack = n ? pd_new_array(x->w->arena, struct pd_frame, n) : NULL;

	if (!s)
		return;
	*s = (struct pd_finding_site){.role = role, .at = p->frame[at]};
	if (!stack)
		return;
	memcpy(stack, p->frame + at + 1, n * sizeof(*stack));
	s->stack = stack;
	s->nstack = n;
}

/* Whether the frames inside of the one that is shown belong to a function of libc's for locks. */
static bool takes_lock(const struct pd_watched_place *p)
{
	static const char *const locks[] = {"*pthread*", "*lll_*",  "*mutex*",
					    "*rwlock*",	 "*cond_*", "*sem_*",
					    "*_once*",	 "mtx_*",   "cnd_*"};

	for (uint32_t i = 0; i < PD_MAX(p->at, 1); i++)
		for (uint32_t k = 0; k < PD_LEN(locks); k++)
			if (p->frame[i].function && pd_glob_name(locks[k], p->frame[i].function))
				return true;
	return false;
}

static void add_site(struct teller *x, enum pd_role role, uint32_t place)
{
	static struct pd_watched_place p; /* large */
	struct pd_finding_site *s;

	if (!pd_watched_place(x->w, place, role, &p)) {
		if (place && (s = pd_vec_push(&x->sites, x->w->arena)))
			*s = (struct pd_finding_site){.role = role};
		return;
	}
	add_frames(x, role, &p, role == PD_ROLE_BEFORE && p.caller < p.n ? p.caller : p.at);
	if (role == PD_ROLE_FLUSH && x->sites.n > 1 && !x->flusher.line && !p.library &&
	    p.caller < p.n) {
		x->flusher = p.frame[p.caller];
		x->sites.v[x->sites.n - 1].about = p.caller - p.at;
	}
	/* The first site is what the finding is about. */
	if (x->sites.n > 1 && x->library)
		return;
	if (x->sites.n == 1) {
		x->system = p.system;
		x->lock = p.system && takes_lock(&p);
		x->library = p.library;
		if (p.caller < p.n)
			add_frames(x, PD_ROLE_CALLER, &p, p.caller);
	}
}

/*
 * libc copies large blocks with instructions of this kind; and locks may be in PM, where their
 * words are never flushed. Both are its own affair.
 */
static bool is_systems_own(const struct teller *x)
{
	return x->lock || (x->system && (x->t->kind == PD_KIND_LINT_EXTRA_FENCE ||
					 x->t->kind == PD_KIND_LINT_EXTRA_FLUSH ||
					 x->t->kind == PD_KIND_LINT_EXTRA_AT_TIMES ||
					 x->t->kind == PD_KIND_LINT_FLUSH_VOLATILE));
}

static bool wanted_kind(const struct pd_watched_filter *f, uint32_t kind)
{
	if (f->no_performance && (pd_kind_info[kind].severity == PD_SEVERITY_PERFORMANCE ||
				  kind == PD_KIND_LINT_EXTRA_AT_TIMES))
		return false;
	return pd_only_wants(&f->only, kind);
}

/* What a finding is about if the loads are left out: a store and what makes it durable. */
static uint64_t id_by_store(const struct pd_finding *f)
{
	struct pd_finding_site sites[PD_TOLD_SITES];
	struct pd_finding less = *f;

	less.nsites = 0;
	less.sites = sites;
	for (uint32_t i = 0; i < f->nsites && less.nsites < PD_TOLD_SITES; i++)
		if (f->sites[i].role == PD_ROLE_STORE || f->sites[i].role == PD_ROLE_FLUSH)
			sites[less.nsites++] = f->sites[i];
	return pd_finding_id(&less);
}

static bool has_load(const struct pd_finding *f, const struct pd_finding_site *s)
{
	for (uint32_t i = 0; i < f->nsites; i++)
		if (f->sites[i].role == PD_ROLE_LOAD && pd_frame_same(&f->sites[i].at, &s->at))
			return true;
	return false;
}

/* Loads that one line of the source has in several ways are one; with each go the locks after
 * it. */
static void join_loads(struct pd_arena *a, struct pd_finding *into,
		       const struct pd_finding_site *sites, uint32_t n)
{
	struct pd_finding_site *all = pd_new_array(a, struct pd_finding_site, into->nsites + n);
	bool taking = false;
	uint32_t k = into->nsites;

	if (!all)
		return;
	memcpy(all, into->sites, k * sizeof(*all));
	for (uint32_t i = 0; i < n; i++) {
		if (sites[i].role != PD_ROLE_LOCK)
			taking = sites[i].role == PD_ROLE_LOAD && !has_load(into, &sites[i]);
		if (taking)
			all[k++] = sites[i];
		into->sites = all;
		into->nsites = k;
	}
}

static void add_by_store(struct pd_watched *w, struct pd_finding *f, struct pd_result *r)
{
	const struct pd_finding_site *sites = f->sites;
	uint32_t n = f->nsites, head = 0;
	struct pd_finding *known;

	f->id = id_by_store(f);
	known = pd_findings_get(&r->findings, f->id);
	if (known) {
		known->count += f->count;
		join_loads(w->arena, known, sites, n);
		return;
	}
	while (head < n && sites[head].role != PD_ROLE_LOAD)
		head++;
	f->nsites = head;
	join_loads(w->arena, f, sites + head, n - head);
	pd_findings_add(&r->findings, f);
}

/* How many places read what a race is about: known when all is joined. */
static void count_loads(struct pd_watched *w, struct pd_result *r)
{
	char text[PD_TOLD_TEXT * 2];

	for (uint32_t i = 0; i < r->findings.items.n; i++) {
		struct pd_finding *f = r->findings.items.v[i];
		uint32_t n = 0;

		for (uint32_t k = 0; k < f->nsites; k++)
			n += f->sites[k].role == PD_ROLE_LOAD;
		if (n < 2)
			continue;
		snprintf(text, sizeof(text), "%s; %u places read it", f->message, n);
		f->message = pd_arena_strndup(w->arena, text, strlen(text));
	}
}

/* The facts as the finding has them: addresses in files, sites among its own. */
static struct pd_facts localise(const struct teller *x)
{
	struct pd_fact_list list = {.arena = x->w->arena};

	for (uint32_t i = 0; i < x->t->facts.n; i++) {
		struct pd_fact f = x->t->facts.v[i];

		if (pd_fact_info[f.key].type == PD_FACT_IS_ADDRESS)
			pd_watched_locate(x->w, &f);
		if (pd_fact_info[f.key].type == PD_FACT_IS_SITE) {
			if (f.number >= x->t->nsites || x->site[f.number] == UINT32_MAX)
				continue;
			f.number = x->site[f.number];
		}
		pd_fact_add(&list, &f);
	}
	return pd_facts_of(&list);
}

void pd_watched_add(struct pd_watched *w, const struct pd_watched_filter *f,
		    const struct pd_told *t, struct pd_result *r)
{
	struct teller x = {.w = w, .t = t};
	struct pd_finding to = {
		.kind = (enum pd_kind)t->kind,
		.cause = (enum pd_cause)t->cause,
		.confirmed = t->confirmed,
		.count = t->count,
		.field = t->field,
	};
	uint64_t *at;

	if (!wanted_kind(f, t->kind))
		return;
	for (uint32_t i = 0; i < t->nsites; i++) {
		uint32_t have = x.sites.n;

		add_site(&x, (enum pd_role)t->site[i].role, t->site[i].place);
		x.site[i] = x.sites.n > have ? have : UINT32_MAX;
	}
	if (is_systems_own(&x))
		return;
	to.facts = localise(&x);
	to.message = pd_watched_with_cost(w, fill_in(&x, t->message), t->weight);
	to.fix = t->of ? pd_watched_extra_fix(t) : fill_in(&x, t->fix);
	to.sites = x.sites.v;
	to.nsites = x.sites.n;
	if (x.library && !pd_owner_wanted(f->libraries, f->nlibraries, x.library))
		to.library = x.library;
	if (f->by_store)
		add_by_store(w, &to, r);
	else if (pd_watched_says_how_often(to.kind))
		pd_watched_add_caller(w, &to, r);
	else
		pd_findings_add(&r->findings, &to);
	at = pd_map_put(&w->ids, w->arena, t->number);
	if (at)
		*at = to.id ? to.id : pd_finding_id(&to);
}

/* ---- all of it ------------------------------------------------------------------------------ */

static void add_loss(struct pd_watched *w, const struct pd_lost *l, struct pd_result *r)
{
	static struct pd_watched_place p;
	char at[300], text[600];

	if (pd_watched_place(w, l->place, PD_ROLE_CHECK, &p)) {
		pd_watched_short_place(&p.frame[p.at], at, sizeof(at));
		snprintf(text, sizeof(text), "%.200s at %s", l->what, at);
	} else {
		snprintf(text, sizeof(text), "%.500s", l->what);
	}
	pd_result_loss(r, pd_loss_name(l->kind), l->count, *text ? text : NULL);
}

/* Whether a store is told already as one that is never flushed: that it comes too late for a flush
 * is no news. */
static bool told_as_missing(struct pd_watched *w, const struct pd_told *t,
			    const struct pd_result *r)
{
	static struct pd_watched_place p;

	if (!t->nsites || !pd_watched_place(w, t->site[0].place, (enum pd_role)t->site[0].role, &p))
		return false;
	for (uint32_t i = 0; i < r->findings.items.n; i++) {
		const struct pd_finding *f = r->findings.items.v[i];

		if (f->kind == PD_KIND_LINT_MISSING_FLUSH && f->nsites &&
		    pd_frame_same(&f->sites[0].at, &p.frame[p.at]))
			return true;
	}
	return false;
}

/* A missing flush that names a transaction is of a store that this has not logged, and that says it
 * all. */
static bool told_as_unlogged(const struct pd_watched_filter *f, const struct pd_told *t)
{
	if (t->kind != PD_KIND_LINT_MISSING_FLUSH || !wanted_kind(f, PD_KIND_LINT_UNLOGGED))
		return false;
	for (uint32_t i = 0; i < t->nsites; i++)
		if (t->site[i].role == PD_ROLE_TX)
			return true;
	return false;
}

void pd_watched_findings(struct pd_watched *w, const struct pd_watched_filter *f,
			 struct pd_result *r)
{
	int64_t told_before = 0, unlogged = 0;
	double ns = 0;

	pd_watched_join_places(w);
	for (uint32_t i = 0; i < w->told.n; i++) {
		const struct pd_told *t = &w->told.v[i];

		if (!t->count || t->kind == PD_KIND_LINT_OVERWRITTEN)
			continue;
		if (told_as_unlogged(f, t)) {
			unlogged++;
			continue;
		}
		pd_watched_add(w, f, t, r);
		ns += (double)t->weight;
	}
	for (uint32_t i = 0; i < w->told.n; i++) {
		if (!w->told.v[i].count || w->told.v[i].kind != PD_KIND_LINT_OVERWRITTEN)
			continue;
		if (told_as_missing(w, &w->told.v[i], r))
			told_before++;
		else
			pd_watched_add(w, f, &w->told.v[i], r);
	}
	if (f->by_store)
		count_loads(w, r);
	pd_watched_join_callers(w, r);
	pd_watched_mend_fixes(w, r);
	if (told_before)
		pd_result_stat_int(r, "overwritten_told_as_missing", told_before);
	if (unlogged)
		pd_result_stat_int(r, "unflushed_told_as_unlogged", unlogged);
	for (uint32_t i = 0; i < w->stats.n; i++)
		pd_result_stat_int(r, w->stats.v[i].name, (int64_t)w->stats.v[i].value);
	if (ns > 0)
		pd_result_stat_real(r, "needless_ms_estimate", ns / 1e6);
	for (uint32_t i = 0; i < w->losses.all.n; i++)
		add_loss(w, &w->losses.all.v[i], r);
}
