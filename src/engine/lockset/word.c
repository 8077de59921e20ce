/*
 * word.c - the words of PM, and their windows: a window opens with a store, and closes when the
 * store is certainly durable, or overwritten. Loads: load.c.
 */
#include "engine/lockset/state.h"

#define OPEN(l, i) ((struct pd_ls_open *)pd_pool_at(&(l)->opens, (i)))

/* ---- words ---------------------------------------------------------------------------------- */

struct pd_ls_word *pd_ls_word_known(struct pd_lockset *l, uint64_t word)
{
	uint64_t key = word / PD_LS_WORDS, i = key % PD_LS_NEAR, *at;

	if (pd_unlikely(l->near[i].key != key || !l->near[i].granule)) {
		at = pd_map_get(&l->granules, key);
		if (!at)
			return NULL;
		l->near[i].key = key;
		l->near[i].granule = (struct pd_ls_granule *)(uintptr_t)*at;
	}
	return &l->near[i].granule->word[word % PD_LS_WORDS];
}

void pd_ls_word_soon(struct pd_lockset *l, uint64_t word)
{
	uint64_t key = word / PD_LS_WORDS, i = key % PD_LS_NEAR;

	if (l->near[i].key == key && l->near[i].granule)
		__builtin_prefetch(&l->near[i].granule->word[word % PD_LS_WORDS]);
}

struct pd_ls_word *pd_ls_word(struct pd_lockset *l, uint64_t word)
{
	struct pd_ls_word *w = pd_ls_word_known(l, word);
	struct pd_ls_granule *g;
	uint64_t *at;

	if (w)
		return w;
	g = pd_new(l->arena, struct pd_ls_granule);
	at = g ? pd_map_put(&l->granules, l->arena, word / PD_LS_WORDS) : NULL;
	if (!at) {
		l->failed = true;
		return NULL;
	}
	*at = (uintptr_t)g;
	g->key = word / PD_LS_WORDS;
	g->next = l->all;
	l->all = g;
	return &g->word[word % PD_LS_WORDS];
}

/* ---- windows -------------------------------------------------------------------------------- */

/* Removes the bytes `mask` from the window at *link; removes the window when none is left. True: it
 * is gone. */
static bool take_bytes(struct pd_lockset *l, uint32_t *link, uint8_t mask)
{
	uint32_t i = *link;
	struct pd_ls_open *o = OPEN(l, i);

	o->mask &= (uint8_t)~mask;
	if (o->mask)
		return false;
	pd_ls_drop(l, o->then);
	pd_ls_drop(l, o->run);
	*link = o->next;
	pd_pool_give(&l->opens, i);
	return true;
}

void pd_ls_drop_windows(struct pd_lockset *l, struct pd_ls_word *w, uint8_t mask)
{
	for (uint32_t *link = &w->open; *link;)
		if (!(OPEN(l, *link)->mask & mask) || !take_bytes(l, link, mask))
			link = &OPEN(l, *link)->next;
}

static void close_bytes(struct pd_lockset *l, uint64_t at, struct pd_ls_word *w,
			const struct pd_ls_open *o, uint8_t mask, struct pd_ls_close *c)
{
	uint8_t shared = pd_ls_counting(l, w, mask, true), looked;
	struct pd_ls_thread *t = l->threads.v[o->tid];
	uint32_t looker;

	if (c->how == PD_LS_DURABLE || c->how == PD_LS_OVERWRITTEN)
		c->set = pd_locks_since(&l->locks, &t->holds, o->since);
	else
		c->set = 0; /* open to the end, when no thread holds anything */
	c->only = 0;
	if (shared)
		pd_ls_judge_window(l, at, w, o, shared, c);
	for (mask &= (uint8_t)~shared; (looked = pd_ls_looked(l, w, mask, &looker));
	     mask &= (uint8_t)~looked) {
		c->only = looker + 1;
		if (looker != o->tid)
			pd_ls_judge_window(l, at, w, o, looked, c);
	}
	l->stat_removed += !shared;
}

/* The store is durable, and may be the acquisition of a lock: records how it ended. Only one of
 * several lookers is kept, since a word is read as one. */
static void close_later(struct pd_lockset *l, struct pd_ls_word *w, struct pd_ls_open *o,
			const struct pd_ls_close *c)
{
	struct pd_ls_thread *t = l->threads.v[o->tid];
	uint32_t looker;

	if (o->close.how != PD_LS_OPEN)
		return;
	o->close = *c;
	o->close.set = pd_locks_since(&l->locks, &t->holds, o->since);
	o->counts = pd_ls_counting(l, w, o->mask, true);
	o->looked = pd_ls_looked(l, w, o->mask, &looker);
	if (o->looked)
		o->close.only = looker + 1;
	if (o->close.only == o->tid + 1U)
		o->looked = 0;
}

/* It was no acquisition after all: judges it as of then. */
static void judge_later(struct pd_lockset *l, uint64_t at, struct pd_ls_word *w,
			const struct pd_ls_open *o, uint8_t mask)
{
	struct pd_ls_close c = o->close;

	if (o->looked & mask)
		pd_ls_judge_window(l, at, w, o, o->looked & mask, &c);
	c.only = 0;
	if (o->counts & mask)
		pd_ls_judge_window(l, at, w, o, o->counts & mask, &c);
}

/*
 * Closes the windows of these bytes. One that may be the acquisition of a lock only records how it
 * first ended, until that is known.
 */
static void close_windows(struct pd_lockset *l, uint64_t at, struct pd_ls_word *w, uint8_t mask,
			  struct pd_ls_close *c, bool (*covered)(const struct pd_ls_open *, void *),
			  void *ctx)
{
	for (uint32_t *link = &w->open; *link;) {
		struct pd_ls_open *o = OPEN(l, *link);
		uint8_t hit = o->mask & mask;

		if (!hit || (covered && !covered(o, ctx))) {
			link = &o->next;
			continue;
		}
		if (o->taking && c->how != PD_LS_OVERWRITTEN && c->how != PD_LS_NEVER) {
			close_later(l, w, o, c);
			link = &o->next;
			continue;
		}
		if (o->close.how != PD_LS_OPEN)
			judge_later(l, at, w, o, hit);
		else
			close_bytes(l, at, w, o, hit, c);
		if (!take_bytes(l, link, hit))
			link = &OPEN(l, *link)->next;
	}
}

void pd_ls_close_windows(struct pd_lockset *l, uint64_t at, struct pd_ls_word *w, uint8_t mask,
			 struct pd_ls_close *c)
{
	close_windows(l, at, w, mask, c, NULL, NULL);
}

static void open_window(struct pd_lockset *l, uint64_t at, struct pd_ls_word *w, uint8_t mask,
			const struct pd_event *e, uint8_t how, struct pd_ls_thread *t, bool fresh)
{
	struct pd_ls_then *now = pd_ls_now(l, t);
	uint32_t i = now ? pd_pool_take(&l->opens, l->arena) : 0;

	if (!i) {
		l->failed = true;
		return;
	}
	*OPEN(l, i) = (struct pd_ls_open){
		.next = w->open,
		.place = e->site,
		.set = t->holds.set,
		.since = t->holds.clock,
		.epoch = pd_ls_epoch(t, e->tid),
		.tid = e->tid,
		.mask = mask,
		.how = how,
		.step = pd_ls_step(t, e->tid),
		.seq = l->seq,
		.then = pd_ls_keep(now),
		.run = pd_ls_keep_run(l, t),
		.fresh = fresh,
	};
	w->open = i;
	if (w->closed) /* needed when it closes, and far away */
		__builtin_prefetch(pd_pool_at(&l->closed, w->closed));
	pd_ls_granule(at, w)->open[at % PD_LS_WORDS / PD_LS_LINE] |=
		(uint8_t)(1U << at % PD_LS_LINE);
}

static void store_word(struct pd_lockset *l, const struct pd_event *e, uint64_t at, uint8_t mask,
		       uint8_t how, struct pd_ls_thread *t)
{
	struct pd_ls_word *w = pd_ls_word(l, at);
	struct pd_ls_access a = {.tid = e->tid, .t = t, .store = true};
	struct pd_ls_close c = {.how = PD_LS_OVERWRITTEN,
				.tid = e->tid,
				.epoch = pd_ls_epoch(t, e->tid),
				.step = pd_ls_step(t, e->tid),
				.seq = l->seq};
	uint8_t fresh;

	if (!w)
		return;
	mask &= (uint8_t)~w->locks;
	if (!mask)
		return;
	if (pd_ls_may_recycle(l, t, how))
		pd_ls_recycle(l, at, w, mask, e->tid);
	pd_ls_touch(l, w, mask, &a);
	fresh = pd_ls_granule(at, w)->fresh ? pd_ls_in_states(l, w, mask, 1U << PD_LS_RECYCLED) : 0;
	if (a.live && t->seen.n)
		pd_ls_effect(l, e->tid, at / PD_LS_LINE);
	if (w->open)
		close_windows(l, at, w, mask, &c, NULL, NULL);
	do { /* most are of one kind */
		uint8_t part = fresh ? fresh : mask;

		open_window(l, at, w, part, e, how, t, fresh);
		mask &= (uint8_t)~part;
		fresh = 0;
	} while (mask);
}

void pd_ls_store(struct pd_lockset *l, const struct pd_event *e, uint8_t how)
{
	struct pd_ls_thread *t = pd_ls_thread(l, e->tid);
	uint64_t end = e->addr + e->size;

	if (!t || !e->size)
		return;
	l->stat_stores++;
	for (uint64_t at = e->addr / 8; at * 8 < end; at++)
		store_word(l, e, at, pd_ls_mask_of(at, e->addr, end), how, t);
}

/* ---- flushes and fences --------------------------------------------------------------------- */

struct flusher {
	uint32_t tid;
	uint64_t seq;
	const struct pd_ls_then *then;
	bool buffered;
};

/*
 * The flush certainly covers the store: it came later, and must come later in every schedule; for
 * buffered stores, which one thread may flush for all, in this run.
 */
static bool flush_covers(const struct pd_ls_open *o, void *ctx)
{
	const struct flusher *f = ctx;

	return o->seq < f->seq &&
	       (o->tid == f->tid || pd_ls_knows(f->then, o->tid, f->buffered ? o->step : o->epoch));
}

static struct pd_ls_then *flusher_knows(struct pd_lockset *l, struct pd_ls_thread *t)
{
	return l->buffered ? pd_ls_run(l, t) : pd_ls_now(l, t);
}

static void persist_line(struct pd_lockset *l, uint64_t line, uint32_t tid, uint32_t fence,
			 const struct pd_ls_flush *f)
{
	struct pd_ls_thread *t = l->threads.v[tid];
	struct flusher flusher = {tid, f->seq, f->then, l->buffered};
	struct pd_ls_close c = {.how = PD_LS_DURABLE,
				.tid = (uint16_t)tid,
				.epoch = pd_ls_epoch(t, tid),
				.step = pd_ls_step(t, tid),
				.seq = l->seq - 1,
				.flush = f->place,
				.fence = fence};
	/* A line is in one granule */
	struct pd_ls_word *w = pd_ls_word_known(l, line * PD_LS_LINE);
	struct pd_ls_granule *g = w ? pd_ls_granule(line * PD_LS_LINE, w) : NULL;
	uint8_t *open = g ? &g->open[line * PD_LS_LINE % PD_LS_WORDS / PD_LS_LINE] : NULL;

	for (uint32_t left = open ? *open : 0; left; left &= left - 1) {
		uint32_t i = (uint32_t)__builtin_ctz(left);

		close_windows(l, line * PD_LS_LINE + i, &w[i], 0xff, &c, flush_covers, &flusher);
		if (!w[i].open)
			*open &= (uint8_t)~(1U << i);
	}
}

/*
 * If a thread has more flushes than PD_LS_FLUSHES without a fence, the older half is dropped, and a
 * loss reported.
 */
static void add_flush(struct pd_lockset *l, struct pd_ls_thread *t, const struct pd_ls_flush *f)
{
	struct pd_ls_flush *to;

	if (t->flushes.n == PD_LS_FLUSHES) {
		for (uint32_t i = 0; i < PD_LS_FLUSHES / 2; i++)
			pd_ls_drop(l, t->flushes.v[i].then);
		t->flushes.n -= PD_LS_FLUSHES / 2;
		memmove(t->flushes.v, t->flushes.v + PD_LS_FLUSHES / 2,
			t->flushes.n * sizeof(*t->flushes.v));
		if (!l->capped)
			l->sink->loss(l->sink->ctx, PD_LOSS_CAPPED, f->place,
				      "lockset: more flushes than are kept, and no fence");
		l->capped = true;
	}
	to = pd_vec_push(&t->flushes, l->arena);
	if (!to) {
		l->failed = true;
		return;
	}
	*to = *f;
	pd_ls_keep(f->then);
}

void pd_ls_flush(struct pd_lockset *l, const struct pd_event *e, bool at_once)
{
	struct pd_ls_thread *t = pd_ls_thread(l, e->tid);
	struct pd_ls_then *now = t ? flusher_knows(l, t) : NULL;
	struct pd_ls_flush f = {
		.line = e->addr / 64, .seq = l->seq + 1, .place = e->site, .then = now};

	if (!now)
		return;
	pd_ls_help_line(t, f.line);
	if (at_once) {
		persist_line(l, f.line, e->tid, 0, &f);
		pd_ls_forget_helped(l, t, f.line);
		return;
	}
	add_flush(l, t, &f);
}

void pd_ls_fence(struct pd_lockset *l, uint32_t tid, uint32_t place)
{
	struct pd_ls_thread *t = pd_ls_thread(l, tid);

	if (!t)
		return;
	for (uint32_t i = 0; i < t->flushes.n; i++) {
		persist_line(l, t->flushes.v[i].line, tid, place, &t->flushes.v[i]);
		pd_ls_drop(l, t->flushes.v[i].then);
	}
	t->flushes.n = 0;
	if (t->seen.n)
		pd_ls_forget_helped(l, t, UINT64_MAX);
}

void pd_ls_msync(struct pd_lockset *l, const struct pd_event *e)
{
	struct pd_ls_thread *t = pd_ls_thread(l, e->tid);
	struct pd_ls_then *now = t ? flusher_knows(l, t) : NULL;
	struct pd_ls_flush f = {.seq = l->seq + 1, .place = e->site, .then = now};
	uint64_t end = (e->addr + e->size + 63) / 64;

	if (!now)
		return;
	for (f.line = e->addr / 64; f.line < end; f.line++) {
		if (!pd_ls_word_known(l, f.line * PD_LS_LINE))
			continue;
		persist_line(l, f.line, e->tid, 0, &f);
		pd_ls_help_line(t, f.line);
		pd_ls_forget_helped(l, t, f.line);
	}
}

/* ---- locks in PM ---------------------------------------------------------------------------- */

void pd_ls_is_lock(struct pd_lockset *l, uint64_t addr, uint64_t size)
{
	for (uint64_t at = addr / 8; at * 8 < addr + size; at++) {
		struct pd_ls_word *w = pd_ls_word(l, at);
		uint8_t mask = pd_ls_mask_of(at, addr, addr + size);

		if (!w)
			return;
		w->locks |= mask;
		pd_ls_drop_windows(l, w, mask);
		if (w->closed && l->nraces)
			pd_ls_withdraw(l, at);
	}
}

void pd_ls_is_no_lock(struct pd_lockset *l, uint64_t addr, uint64_t size)
{
	for (uint64_t at = addr / 8; at * 8 < addr + size; at++) {
		struct pd_ls_word *w = pd_ls_word_known(l, at);

		if (w)
			w->locks &= (uint8_t)~pd_ls_mask_of(at, addr, addr + size);
	}
}

void pd_ls_taking(struct pd_lockset *l, uint64_t addr, bool taking)
{
	struct pd_ls_word *w = pd_ls_word_known(l, addr / 8);

	for (uint32_t *link = w ? &w->open : NULL; link && *link;) {
		struct pd_ls_open *o = OPEN(l, *link);
		uint8_t mask = o->mask;

		if (!(mask >> (addr % 8) & 1)) {
			link = &o->next;
			continue;
		}
		o->taking = taking;
		if (taking || o->close.how == PD_LS_OPEN)
			return;
		/* It was made durable as the store that it is. */
		judge_later(l, addr / 8, w, o, mask);
		take_bytes(l, link, mask);
		return;
	}
}

/* ---- the end -------------------------------------------------------------------------------- */

void pd_ls_finish(struct pd_lockset *l)
{
	struct pd_ls_close never = {.how = PD_LS_NEVER};

	for (uint32_t i = 0; i < l->threads.n; i++)
		if (l->threads.v[i])
			pd_ls_effect(l, i, UINT64_MAX);
	for (struct pd_ls_granule *g = l->all; g; g = g->next)
		for (uint32_t i = 0; i < PD_LS_WORDS; i++)
			if (g->word[i].open)
				close_windows(l, g->key * PD_LS_WORDS + i, &g->word[i], 0xff,
					      &never, NULL, NULL);
}
