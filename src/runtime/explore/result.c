/*
 * result.c - what a run has found, covered and lost, on the board. See explore.h.
 *
 * The watcher's findings are counted by kind and place, where a place is the code addresses of its
 * stack: all runs are snapshots of one process, so these are the same in all of them. The first
 * path with a finding is passed to the tool, which runs it again, alone.
 *
 * What happens before the checkpoint is a part of every path: findings and stores up to there are
 * recorded, and each run begins with them.
 */
#include "engine/lint/lint.h"
#include "event/wait.h"
#include "runtime/base/listen.h"
#include "runtime/base/raw.h"
#include "runtime/explore/deep.h"
#include "runtime/explore/explore.h"
#include "runtime/place/place.h"
#include "runtime/place/site.h"
#include "runtime/session/watch.h"
#include <string.h>
#include <sys/wait.h>

enum { TRIES = 3 };

static void copy_text(char *to, size_t n, const char *from)
{
	size_t k = 0;

	for (; k + 1 < n && from[k]; k++)
		to[k] = from[k];
	to[k] = '\0';
}

/* ---- findings ------------------------------------------------------------------------------- */

static uint64_t key_of(const struct pd_raw_finding *f)
{
	struct pd_digest d = PD_DIGEST_INIT;
	struct pd_wire_frame frames[PD_PLACE_DEPTH + 1];

	pd_digest_u64(&d, f->kind);
	for (uint32_t i = 0; i < f->nsites; i++) {
		uint32_t n = pd_place_frames(NULL, f->site[i].place, frames, PD_LEN(frames));

		pd_digest_u64(&d, f->site[i].role);
		for (uint32_t k = 0; k < n; k++) {
			pd_digest_u64(&d, frames[k].site);
			pd_digest_u64(&d, frames[k].pc);
		}
	}
	return d.a | 1;
}

/* With its line, by which the tool finds it. */
static void name_finding(struct pd_explore_finding *to, uint64_t key,
			 const struct pd_raw_finding *f)
{
	struct pd_wire_frame first;
	const struct pd_site *site = NULL;
	const char *slash;

	*to = (struct pd_explore_finding){.key = key, .paths = 1, .kind = (uint16_t)f->kind};
	if (f->nsites && pd_place_frames(NULL, f->site[0].place, &first, 1) && first.site)
		site = pd_site_get(first.site);
	if (!site)
		return;
	slash = strrchr(site->file, '/');
	copy_text(to->file, sizeof(to->file), slash ? slash + 1 : site->file);
	to->line = site->line;
}

/*
 * True: the path is worth a look. More than one is, since the plain program may not show it on the
 * first.
 */
static bool note_finding(const struct pd_explore_finding *f)
{
	struct pd_explore *b = pd_exploring.board;

	for (uint32_t i = 0; i < b->nfindings; i++)
		if (b->finding[i].key == f->key) {
			return ++b->finding[i].paths <= TRIES;
		}
	if (b->nfindings == PD_EXPLORE_FINDINGS) {
		b->findings_cut++;
		return false;
	}
	b->finding[b->nfindings] = *f;
	b->finding[b->nfindings++].worker = (uint16_t)pd_exploring.number;
	return true;
}

/* Within one run a finding is reported repeatedly, with a higher count. */
static struct {
	struct pd_arena arena;
	struct pd_map keys;    /* of findings of this run */
	struct pd_map sites;   /* that have stored */
	struct pd_map reached; /* before the checkpoint: that were reached */
	struct pd_digest stored;
	PD_VEC(struct pd_explore_finding) early; /* so far: a run that starts here has them, too */
	PD_VEC(uint32_t) early_sites;
} run = {.stored = PD_DIGEST_INIT};

static void add_findings(const struct pd_explore_finding *f, uint32_t n)
{
	pd_explore_lock(&pd_exploring.board->table_lock);
	for (uint32_t i = 0; i < n; i++)
		pd_exploring.self->new_finding |= note_finding(&f[i]);
	pd_explore_unlock(&pd_exploring.board->table_lock);
}

static void found(void *ctx, const struct pd_raw_finding *f)
{
	struct pd_explore_finding named, *kept;
	uint64_t key = key_of(f), *known;

	(void)ctx;
	if (pd_exploring.role == PD_EXPLORE_WORKER || !f->count)
		return;
	known = pd_map_put(&run.keys, &run.arena, key >> 1);
	if (!known || (*known)++)
		return;
	name_finding(&named, key, f);
	if (pd_exploring.role == PD_EXPLORE_RUN)
		add_findings(&named, 1);
	kept = pd_vec_push(&run.early, &run.arena);
	if (kept)
		*kept = named;
}

static void lost_places(void *ctx, enum pd_loss kind, uint32_t place, const char *what)
{
	(void)ctx, (void)place;
	pd_rt_loss(kind, 0, what);
}

static void ignore_stat(void *ctx, const char *name, uint64_t value)
{
	(void)ctx, (void)name, (void)value;
}

/* ---- what it does --------------------------------------------------------------------------- */

/* True: it was not reached before. */
static bool reach(uint32_t site)
{
	struct pd_explore *b = pd_exploring.board;

	if (site >= PD_EXPLORE_PM_SITES ||
	    __atomic_exchange_n(&b->pm_site[site], 1, __ATOMIC_RELAXED))
		return false;
	__atomic_add_fetch(&b->pm_reached, 1, __ATOMIC_RELAXED);
	__atomic_add_fetch(&b->pm_sites, pd_reach_is_news(site), __ATOMIC_RELAXED);
	b->reach_stale = 1;
	return true;
}

static void store(uint32_t site)
{
	uint64_t *known = pd_map_put(&run.sites, &run.arena, site);

	if (!known || *known)
		return;
	*known = 1;
	pd_digest_u64(&run.stored, site);
	if (pd_exploring.role == PD_EXPLORE_RUN)
		pd_exploring.self->stored = run.stored.a | 1;
}

/* Before the checkpoint: only records it, since it is not known yet what can be reached. */
static void reach_early(uint32_t site)
{
	uint64_t *known = pd_map_put(&run.reached, &run.arena, site);
	uint32_t *to = known && !*known ? pd_vec_push(&run.early_sites, &run.arena) : NULL;

	if (known)
		*known = 1;
	if (to)
		*to = site;
}

#define STORES	(PD_EV_BIT(STORE) | PD_EV_BIT(NTSTORE) | PD_EV_BIT(RMW))
#define FLUSHES (PD_EV_BIT(CLFLUSH) | PD_EV_BIT(CLFLUSHOPT) | PD_EV_BIT(CLWB) | PD_EV_BIT(MSYNC))

static void event(struct pd_event *e)
{
	if (pd_exploring.role == PD_EXPLORE_WORKER)
		return;
	if (pd_exploring.role == PD_EXPLORE_RUN) {
		pd_exploring.self->new_sites += reach(e->site);
	} else {
		reach_early(e->site);
	}
	if (STORES >> e->kind & 1)
		store(e->site);
}

void pd_result_checkpoint(void)
{
	for (uint32_t i = 0; i < run.early_sites.n; i++)
		reach(run.early_sites.v[i]);
	pd_watch_settle();
}

void pd_result_begin(void)
{
	pd_exploring.self->stored = run.sites.n ? run.stored.a | 1 : 0;
	if (run.early.n)
		add_findings(run.early.v, run.early.n);
}

/* The runtime gives up on this path; other paths continue. */
static void failing(int status, const char *text)
{
	if (pd_exploring.role == PD_EXPLORE_ORIGIN)
		return;
	if (pd_exploring.self) {
		pd_exploring.self->failed = 1;
		copy_text(pd_exploring.self->what, sizeof(pd_exploring.self->what), text);
	}
	pd_rt_leave(status);
}

void pd_result_start(const char *settings)
{
	static struct pd_sink sink = {found, lost_places, ignore_stat, NULL, NULL};
	static const struct pd_listener listener = {.wants = STORES | FLUSHES,
						    .event = event,
						    .failing = failing,
						    .ended = pd_sources_used};

	pd_arena_init(&run.arena, pd_rt_memory());
	pd_listen_add(&listener); /* first: the watcher makes places of sites */
	pd_watch_observe(pd_lint_create, &sink, settings);
}

/* ---- labels --------------------------------------------------------------------------------- */

void pd_result_covered(uint32_t site, uint32_t way)
{
	struct pd_explore *b = pd_exploring.board;
	uint8_t *edge = &b->edge[pd_explore_edge(site, way)];

	if (pd_exploring.role != PD_EXPLORE_RUN || *edge == UINT8_MAX)
		return;
	if (__atomic_fetch_add(edge, 1, __ATOMIC_RELAXED) == 0) {
		__atomic_add_fetch(&b->edges, 1, __ATOMIC_RELAXED);
		__atomic_add_fetch(&b->branches, pd_reach_is_new_edge(site, way), __ATOMIC_RELAXED);
		pd_exploring.self->new_edges++;
	}
}

static struct pd_explore_loss *find_loss(uint64_t key)
{
	struct pd_explore *b = pd_exploring.board;

	for (uint32_t i = 0; i < b->nlosses; i++)
		if (b->loss[i].key == key)
			return &b->loss[i];
	if (b->nlosses == PD_EXPLORE_LOSSES)
		return NULL;
	b->loss[b->nlosses].key = key;
	return &b->loss[b->nlosses++];
}

void pd_result_lost(enum pd_sym_why why, const struct pd_site *site, const char *what)
{
	struct pd_explore *b = pd_exploring.board;
	uint32_t id = site ? site->id : 0;
	struct pd_explore_loss *l;

	pd_deep_blind();
	pd_explore_lock(&b->table_lock);
	l = find_loss(pd_mix((uint64_t)why << 32 | id) | 1);
	if (l && !l->count++) {
		l->site = id;
		l->why = why;
		copy_text(l->what, sizeof(l->what), what ? what : "");
	}
	b->losses_cut += !l;
	pd_explore_unlock(&b->table_lock);
}

void pd_result_pinned(enum pd_sym_why why)
{
	__atomic_add_fetch(&pd_exploring.board->pinned[why], 1, __ATOMIC_RELAXED);
}

void pd_result_dropped(const void *p)
{
	(void)p;
	pd_deep_blind();
	__atomic_add_fetch(&pd_exploring.board->dropped, 1, __ATOMIC_RELAXED);
}

/* ---- ended ---------------------------------------------------------------------------------- */

static bool is_new_way(uint64_t stored_digest)
{
	struct pd_explore *b = pd_exploring.board;
	uint32_t i = 0;

	if (!stored_digest)
		return false;
	pd_explore_lock(&b->table_lock);
	while (i < b->nways && b->way[i] != stored_digest)
		i++;
	if (i == b->nways && i < PD_LEN(b->way))
		b->way[b->nways++] = stored_digest;
	else
		i = PD_LEN(b->way);
	pd_explore_unlock(&b->table_lock);
	return i < PD_LEN(b->way);
}

static enum pd_outcome outcome_of(int status, bool late)
{
	if (late)
		return PD_OUTCOME_HANG;
	if (pd_exploring.self->failed)
		return PD_OUTCOME_FAILED;
	return WIFSIGNALED(status) ? PD_OUTCOME_SIGNAL : PD_OUTCOME_EXIT;
}

/* A slot in the ring; waits until the tool has made room. NULL: the exploration has stopped. */
static struct pd_explore_ended *ring_place(struct pd_explore *b)
{
	for (;;) {
		uint32_t was = __atomic_load_n(&b->waiting, __ATOMIC_ACQUIRE);

		pd_explore_lock(&b->ended_lock);
		if (b->ended_n < PD_EXPLORE_ENDED)
			return pd_explore_ended_at(b, b->ended_n);
		pd_explore_unlock(&b->ended_lock);
		if (b->stop)
			return NULL;
		pd_explore_wait(&b->waiting, was, 10);
	}
}

static void give(struct pd_explore_ended *e, const uint8_t *input)
{
	struct pd_explore *b = pd_exploring.board;
	struct pd_explore_ended *to = ring_place(b);

	if (!to)
		return;
	*to = *e;
	memcpy(to->input, input, b->input_size);
	b->ended_n++;
	pd_explore_unlock(&b->ended_lock);
	pd_explore_wake(&b->ended_event);
}

/* Sets the path's number in the findings that it was the first to have. */
static void number_findings(uint64_t number)
{
	struct pd_explore *b = pd_exploring.board;

	pd_explore_lock(&b->table_lock);
	for (uint32_t i = 0; i < b->nfindings; i++)
		if (!b->finding[i].number && b->finding[i].worker == pd_exploring.number)
			b->finding[i].number = number;
	pd_explore_unlock(&b->table_lock);
}

void pd_result_ended(const struct pd_record *r, const uint8_t *input, uint64_t digest,
		     struct pd_run_end end, bool left)
{
	struct pd_explore *b = pd_exploring.board;
	struct pd_explore_worker *self = pd_exploring.self;
	struct pd_explore_ended e = {.digest = digest,
				     .outcome = outcome_of(end.status, end.late),
				     .status = WIFSIGNALED(end.status)
						       ? (uint32_t)WTERMSIG(end.status)
						       : (uint32_t)WEXITSTATUS(end.status),
				     .site = r->site,
				     .new_edges = self->new_edges,
				     .new_finding = self->new_finding};

	if (r->again)
		return;
	if (e.outcome == PD_OUTCOME_EXIT && self->assumed) {
		__atomic_add_fetch(&b->assumed, 1, __ATOMIC_RELAXED);
		return;
	}
	e.number = __atomic_add_fetch(&b->numbers, 1, __ATOMIC_RELAXED);
	__atomic_add_fetch(&b->paths, !left, __ATOMIC_RELAXED);
	e.stored = is_new_way(self->stored);
	if (e.new_finding)
		number_findings(e.number);
	memcpy(e.what, self->what, sizeof(e.what));
	memcpy(e.fault, self->fault, sizeof(e.fault));
	if ((e.number <= b->keep_all && !left) || e.new_edges || e.new_finding || e.stored ||
	    e.outcome != PD_OUTCOME_EXIT)
		give(&e, input);
}
