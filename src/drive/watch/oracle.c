/* oracle.c - see oracle.h. */
#include "drive/watch/oracle.h"
#include "base/hash.h"
#include "engine/lint/lint.h"
#include "host/libdir.h"
#include "perdure_oracle.h"
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { REPORTS_MAX = 100000, TEXT_MAX = 1023 };

struct one {
	struct pd_oracles *all;
	void *library;
	const struct pdo_oracle *o;
	const char *arguments;
	void *self;
	struct pdo_host host;
};

struct pd_oracles {
	struct pd_arena *arena;
	struct pd_watched *w;
	struct pd_observer *lint; /* for the state; its findings are discarded */
	struct pd_sink sink;
	PD_VEC(struct one *) v;
	PD_VEC(struct pd_raw_finding) raw;
	struct pd_map by_key;
	uint64_t dropped;
	struct pd_place place; /* the place requested last */
	uint32_t place_number;
};

/* ---- loading -------------------------------------------------------------------------------- */

/* A path contains a slash; a plain name is one that perdure ships. */
static bool find_file(const char *name, size_t n, char path[PATH_MAX], struct pd_error *e)
{
	char file[PATH_MAX];

	snprintf(path, PATH_MAX, "%.*s", (int)n, name);
	if (!strchr(path, '/')) {
		snprintf(file, sizeof(file), "oracles/%.200s.so", path);
		if (pd_libdir_file(path, PATH_MAX, file) && access(path, R_OK) == 0)
			return true;
		return pd_error_set(
			e, PD_EXIT_USAGE,
			"there is no oracle '%.*s'; for a file in this directory write './%.*s'",
			(int)n, name, (int)n, name);
	}
	return access(path, R_OK) == 0 ||
	       pd_error_set(e, PD_EXIT_USAGE, "there is no oracle '%s'", path);
}

static bool open_library(struct one *x, const char *path, struct pd_error *e)
{
	x->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!x->library)
		return pd_error_set(e, PD_EXIT_USAGE, "the oracle '%s' cannot be loaded: %s", path,
				    dlerror());
	x->o = dlsym(x->library, "perdure_oracle");
	if (!x->o)
		return pd_error_set(
			e, PD_EXIT_USAGE,
			"'%s' is no oracle: it has no 'perdure_oracle' (see perdure_oracle.h)",
			path);
	if (x->o->version != PDO_VERSION)
		return pd_error_set(e, PD_EXIT_USAGE,
				    "the oracle '%s' is of version %u, this perdure takes version "
				    "%d; compile it "
				    "again",
				    path, x->o->version, PDO_VERSION);
	if (!x->o->name || !x->o->create || !x->o->event)
		return pd_error_set(e, PD_EXIT_USAGE,
				    "the oracle '%s' has no name, no create or no event", path);
	return true;
}

bool pd_oracles_load(struct pd_oracles **all, struct pd_arena *a, const char *what,
		     struct pd_error *e)
{
	size_t n = strcspn(what, "=");
	struct one *x = pd_new(a, struct one), **at;
	char path[PATH_MAX];

	if (!*all)
		*all = pd_new(a, struct pd_oracles);
	at = *all && x ? pd_vec_push(&(*all)->v, a) : NULL;
	if (!at)
		return pd_error_set(e, PD_EXIT_INTERNAL, "memory ran out");
	*at = x;
	(*all)->arena = a;
	x->all = *all;
	x->arguments = what[n] ? what + n + 1 : "";
	return find_file(what, n, path, e) && open_library(x, path, e);
}

/* ---- what oracles can ask ------------------------------------------------------------------- */

static struct pdo_state host_state(void *self, uint64_t addr, uint64_t size)
{
	struct one *x = self;
	struct pd_lint_state s = pd_lint_state((struct pd_lint *)x->all->lint, addr, size);

	return (struct pdo_state){s.dirty, s.pending, s.writer, s.flusher};
}

static const char *host_where(void *self, uint64_t addr, uint64_t *offset)
{
	const struct pd_watched *w = ((struct one *)self)->all->w;

	for (uint32_t i = 0; i < w->pools.n; i++)
		if (w->pools.v[i].name && addr - w->pools.v[i].base < w->pools.v[i].size) {
			*offset = addr - w->pools.v[i].base;
			return w->pools.v[i].name;
		}
	return NULL;
}

static int host_frame(void *self, uint32_t place, uint32_t depth, struct pdo_frame *to)
{
	struct pd_oracles *all = ((struct one *)self)->all;
	const struct pd_frame *f;

	if (place != all->place_number || !all->place.n)
		pd_watched_place(all->w, place, PD_ROLE_STORE, &all->place);
	all->place_number = place;
	if (all->place.at + depth >= all->place.n)
		return 0;
	f = &all->place.frame[all->place.at + depth];
	*to = (struct pdo_frame){f->function, f->file, f->line};
	return 1;
}

static const char *keep(struct pd_oracles *all, const char *s)
{
	return s ? pd_arena_strndup(all->arena, s, strnlen(s, TEXT_MAX)) : NULL;
}

static struct pd_facts facts_of(struct pd_oracles *all, const struct pdo_report *r)
{
	struct pd_fact_list list = {.arena = all->arena};

	pd_fact_put_text(&list, PD_FACT_ORACLE_SAYS, keep(all, r->message));
	pd_fact_put_text(&list, PD_FACT_ORACLE_FIX, keep(all, r->fix));
	return pd_facts_of(&list);
}

static void host_report(void *self, const struct pdo_report *r)
{
	static const enum pd_kind kinds[] = {
		[PDO_CORRECTNESS] = PD_KIND_LINT_CUSTOM,
		[PDO_PERFORMANCE] = PD_KIND_LINT_CUSTOM_PERF,
		[PDO_NOTE] = PD_KIND_LINT_CUSTOM_NOTE,
	};
	static const enum pd_role roles[] = {
		[PDO_AT_STORE] = PD_ROLE_STORE, [PDO_AT_LOAD] = PD_ROLE_LOAD,
		[PDO_AT_FLUSH] = PD_ROLE_FLUSH, [PDO_AT_FENCE] = PD_ROLE_FENCE,
		[PDO_AT_LOG] = PD_ROLE_LOG,	[PDO_AT_TX] = PD_ROLE_TX,
		[PDO_AT_CHECK] = PD_ROLE_CHECK,
	};
	struct one *x = self;
	struct pd_oracles *all = x->all;
	struct pd_digest d = PD_DIGEST_INIT;
	struct pd_raw_finding *t;
	uint64_t *at;

	pd_digest_bytes(&d, r->message, strlen(r->message));
	pd_digest_u64(&d, (uintptr_t)x);
	for (uint32_t i = 0; i < PD_MIN(r->nsites, PD_RAW_SITES); i++)
		pd_digest_u64(&d, (uint64_t)r->sites[i].role << 32 | r->sites[i].place);
	at = pd_map_put(&all->by_key, all->arena, d.a >> 1);
	if (at && *at) {
		all->raw.v[*at - 1].count++;
		return;
	}
	t = at && all->raw.n < REPORTS_MAX ? pd_vec_push(&all->raw, all->arena) : NULL;
	if (!t) {
		all->dropped++;
		return;
	}
	*at = all->raw.n;
	*t = (struct pd_raw_finding){.kind = kinds[PD_MIN(r->severity, PDO_NOTE)],
				     .count = 1,
				     .facts = facts_of(all, r),
				     .field = x->o->name};
	for (uint32_t i = 0; i < PD_MIN(r->nsites, PD_RAW_SITES); i++)
		t->site[t->nsites++] = (struct pd_raw_site){
			(uint8_t)roles[PD_MIN(r->sites[i].role, PDO_AT_CHECK)], r->sites[i].place};
}

/* ---- events --------------------------------------------------------------------------------- */

/* PDO_KINDS: not visible to oracles. */
static enum pdo_kind kind_of(const struct pd_event *e)
{
	static const uint8_t kinds[PD_EV_N] = {
		[PD_EV_STORE] = 1 + PDO_STORE,
		[PD_EV_NTSTORE] = 1 + PDO_NTSTORE,
		[PD_EV_RMW] = 1 + PDO_RMW,
		[PD_EV_LOAD] = 1 + PDO_LOAD,
		[PD_EV_CLWB] = 1 + PDO_FLUSH,
		[PD_EV_CLFLUSHOPT] = 1 + PDO_FLUSH,
		[PD_EV_CLFLUSH] = 1 + PDO_CLFLUSH,
		[PD_EV_SFENCE] = 1 + PDO_FENCE,
		[PD_EV_MFENCE] = 1 + PDO_FENCE,
		[PD_EV_RMW_FAILED] = 1 + PDO_FENCE,
		[PD_EV_ATOMIC_RMW] = 1 + PDO_FENCE,
		[PD_EV_MSYNC] = 1 + PDO_MSYNC,
		[PD_EV_POOL_MAP] = 1 + PDO_MAP,
		[PD_EV_POOL_UNMAP] = 1 + PDO_UNMAP,
		[PD_EV_MARK] = 1 + PDO_MARK,
		[PD_EV_DURABLE] = 1 + PDO_DURABLE,
		[PD_EV_TX_BEGIN] = 1 + PDO_TX_BEGIN,
		[PD_EV_TX_ADD] = 1 + PDO_TX_ADD,
		[PD_EV_TX_REMOVE] = 1 + PDO_TX_REMOVE,
		[PD_EV_TX_END] = 1 + PDO_TX_END,
		[PD_EV_THREAD_CREATE] = 1 + PDO_THREAD,
	};

	return kinds[e->kind] ? (enum pdo_kind)(kinds[e->kind] - 1) : PDO_KINDS;
}

static void on_event(void *ctx, const struct pd_event *e)
{
	struct pd_oracles *all = ctx;
	struct pdo_event o = {.size_of = sizeof(o),
			      .kind = kind_of(e),
			      .thread = e->tid,
			      .place = e->site,
			      .addr = e->addr,
			      .size = e->size,
			      .data = e->data};

	if (o.kind == PDO_FENCE)
		o.addr = o.size = 0;
	for (uint32_t i = 0; o.kind != PDO_KINDS && i < all->v.n; i++)
		all->v.v[i]->o->event(all->v.v[i]->self, &o);
	if (all->lint->wants >> e->kind & 1)
		all->lint->event(all->lint, e);
}

static void on_pool(void *ctx, uint32_t id, uint64_t base, uint64_t size, const char *name)
{
	/* The host asks the watched run itself */
	(void)ctx, (void)id, (void)base, (void)size, (void)name;
}

/* ---- the run -------------------------------------------------------------------------------- */

static void no_finding(void *ctx, const struct pd_raw_finding *f)
{
	(void)ctx, (void)f; /* the engine in the program reports */
}

static void no_loss(void *ctx, enum pd_loss kind, uint32_t place, const char *what)
{
	(void)ctx, (void)kind, (void)place, (void)what;
}

static void no_stat(void *ctx, const char *name, uint64_t value)
{
	(void)ctx, (void)name, (void)value;
}

bool pd_oracles_start(struct pd_oracles *all, struct pd_watched *w, const char *settings,
		      struct pd_error *e)
{
	all->w = w;
	all->sink = (struct pd_sink){no_finding, no_loss, no_stat, NULL, NULL};
	all->lint = pd_lint_create(all->arena, &all->sink, settings);
	if (!all->lint)
		return pd_error_set(e, PD_EXIT_INTERNAL, "memory ran out");
	for (uint32_t i = 0; i < all->v.n; i++) {
		struct one *x = all->v.v[i];

		x->host = (struct pdo_host){sizeof(x->host), PDO_VERSION, x,	      host_state,
					    host_where,	     host_frame,  host_report};
		x->self = x->o->create(&x->host, x->arguments);
		if (!x->self)
			return pd_error_set(e, PD_EXIT_USAGE, "the oracle '%s' does not take '%s'",
					    x->o->name, x->arguments);
	}
	w->events = (struct pd_watched_events){on_event, on_pool, all};
	return true;
}

void pd_oracles_end(struct pd_oracles *all, const struct pd_watched_filter *f, struct pd_result *r)
{
	for (uint32_t i = 0; i < all->v.n; i++)
		if (all->v.v[i]->o->end && all->w->ended)
			all->v.v[i]->o->end(all->v.v[i]->self);
	for (uint32_t i = 0; i < all->raw.n; i++)
		pd_watched_add(all->w, f, &all->raw.v[i], r);
	if (all->dropped)
		pd_result_loss(r, pd_loss_name(PD_LOSS_CAPPED), all->dropped,
			       "too many reports of oracles");
	pd_result_stat_int(r, "oracles", all->v.n);
}

void pd_oracles_finish(struct pd_oracles *all)
{
	for (uint32_t i = 0; all && i < all->v.n; i++) {
		struct one *x = all->v.v[i];

		if (x->self && x->o->destroy)
			x->o->destroy(x->self);
		if (x->library)
			dlclose(x->library);
	}
}
