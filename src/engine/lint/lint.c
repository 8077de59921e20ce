/*
 * lint.c - see lint.h: what each event does.
 */
#include "engine/lint/lint.h"

/* STORED_MAX: places of stores that are remembered until the next fence */
enum { STORED_MAX = 4096, PLACES_MAX = 1 << 28 };

static bool flush_persists(const struct pd_lint *l)
{
	return l->params.persists & PD_PERSISTS_FLUSH;
}

static bool store_persists(const struct pd_lint *l)
{
	return l->params.persists & PD_PERSISTS_STORE;
}

struct pd_lint_flow *pd_lint_flow_make(struct pd_lint *l, uint16_t tid)
{
	struct pd_lint_flow *f = pd_vec_at(&l->flows, l->arena, tid);

	l->lines.failed |= !f;
	return f;
}

struct pd_lint_place *pd_lint_place_make(struct pd_lint *l, uint32_t place)
{
	struct pd_lint_place *p;

	if (place >= PLACES_MAX)
		return NULL;
	p = pd_vec_at(&l->places, l->arena, place);
	l->lines.failed |= !p;
	return p;
}

/* ---- stores --------------------------------------------------------------------------------- */

static void note_stored(struct pd_lint *l, struct pd_lint_flow *f, uint32_t place, uint16_t tid)
{
	struct pd_lint_place *p = pd_lint_place_of(l, place);
	uint32_t *at;

	if (!p || p->epoch == f->epoch + 1 || f->stored.n >= STORED_MAX)
		return;
	p->epoch = f->epoch + 1;
	p->tid = tid;
	at = pd_vec_push(&f->stored, l->arena);
	if (at)
		*at = place;
}

/* Records which words locked instructions change, and whether they are 0 now. */
static void note_sync(struct pd_lint_line *line, const struct pd_event *e, uint64_t mask)
{
	uint8_t words = pd_lint_words(mask);
	bool zero = e->data != NULL;

	if (e->kind == PD_EV_RMW)
		line->sync |= words;
	for (uint64_t i = 0; zero && i < PD_MIN(e->size, 8); i++)
		zero = !((const uint8_t *)e->data)[i];
	line->zero = (uint8_t)(zero ? line->zero | words : line->zero & ~words);
}

/* What was stored before there were threads is known to all of them. */
static inline void note_thread(const struct pd_lint *l, struct pd_lint_line *line, uint16_t tid)
{
	uint16_t is = (uint16_t)(tid + 1);

	if (pd_likely(!l->threads || line->last == is))
		return;
	line->shared |= line->last != 0;
	line->last = is;
}

static void store_line(struct pd_lint *l, const struct pd_event *e, uint64_t at)
{
	struct pd_lint_line *line = pd_lint_line_near(&l->lines, at);
	uint64_t mask = pd_lint_mask(at, e->addr, e->size);

	if (pd_unlikely(!line) && !(line = pd_lint_line_make(&l->lines, at)))
		return;
	note_thread(l, line, e->tid);
	if (e->kind == PD_EV_RMW || line->sync)
		note_sync(line, e, mask);
	if (e->kind == PD_EV_NTSTORE && flush_persists(l))
		pd_lint_lines_ntstore(&l->lines, line, at, mask, e->site, e->tid);
	else
		pd_lint_lines_store(&l->lines, line, mask, e->site);
	if (store_persists(l) && e->kind != PD_EV_NTSTORE)
		pd_lint_lines_clean(&l->lines, line, mask);
}

/* Fast path for most stores: within one word, in a line with nothing pending and no lock. */
static bool store_word(struct pd_lint *l, const struct pd_event *e)
{
	struct pd_lint_line *line = pd_lint_line_near(&l->lines, e->addr);

	if (e->addr % 8 + e->size > 8 || e->kind != PD_EV_STORE || !line || line->pending ||
	    line->sync || store_persists(l))
		return false;
	note_thread(l, line, e->tid);
	pd_lint_line_store(line, e->addr / 8 % PD_LINT_WORDS,
			   ((1ULL << e->size) - 1) << e->addr % PD_LINT_LINE, e->site);
	return true;
}

static void store(struct pd_lint *l, const struct pd_event *e)
{
	struct pd_lint_flow *f = pd_lint_flow_of(l, e->tid);

	l->stores++;
	if (!f || !e->size || e->addr & PD_ADDR_OUTSIDE)
		return;
	note_stored(l, f, e->site, e->tid);
	if (pd_unlikely(f->tx.depth))
		pd_lint_tx_store(l, f, e);
	if (pd_likely(store_word(l, e)))
		return;
	for (uint64_t at = e->addr & ~63ULL; at < e->addr + e->size; at += PD_LINT_LINE)
		store_line(l, e, at);
	if (e->kind == PD_EV_NTSTORE)
		f->work++;
}

static void load(struct pd_lint *l, const struct pd_event *e)
{
	for (uint64_t at = e->addr & ~63ULL; at < e->addr + e->size; at += PD_LINT_LINE) {
		struct pd_lint_line *line = pd_lint_line_make(&l->lines, at);

		if (line)
			line->loaded |=
				(uint8_t)(pd_lint_words(pd_lint_mask(at, e->addr, e->size)) &
					  ~line->written);
	}
}

/* ---- flushes -------------------------------------------------------------------------------- */

static bool is_foreign(const struct pd_event *e)
{
	return e->aux & PD_EV_FOREIGN;
}

/* A flush without which the same bytes would be durable. */
static void needless_flush(struct pd_lint *l, const struct pd_event *e,
			   const struct pd_lint_line *line, bool pending)
{
	struct pd_lint_finding *f =
		is_foreign(e) ? NULL : pd_lint_find(l, PD_KIND_LINT_EXTRA_FLUSH, e->site, 0);

	if (!f)
		return;
	if (!f->raw.nsites)
		pd_lint_site(f, PD_ROLE_FLUSH, e->site);
	f->pending += pending;
	f->clean += !pending && line->written;
	f->never += !pending && !line->written;
	if (!f->raw.count)
		f->addr = e->addr;
	f->last = e->addr;
	f->tid = e->tid;
	pd_lint_seen(l, f, 1);
}

static void flush_outside(struct pd_lint *l, const struct pd_event *e)
{
	struct pd_lint_finding *f =
		is_foreign(e) ? NULL : pd_lint_find(l, PD_KIND_LINT_FLUSH_VOLATILE, e->site, 0);

	if (!f)
		return;
	if (!f->raw.nsites)
		pd_lint_site(f, PD_ROLE_FLUSH, e->site);
	pd_lint_seen(l, f, 1);
}

/*
 * Records who makes durable what a place stores: the storing thread, or a helper. A thread that has
 * stored to the line itself flushes for that, and is no helper.
 */
static void note_helper(struct pd_lint *l, const struct pd_event *e,
			const struct pd_lint_line *line)
{
	struct pd_lint_place *other = NULL;
	bool own = false;

	for (uint64_t rest = line->dirty; rest;
	     rest &= ~(0xffULL << __builtin_ctzll(rest) / 8 * 8)) {
		uint32_t writer = line->writer[__builtin_ctzll(rest) / 8];
		struct pd_lint_place *p = writer < l->places.n ? &l->places.v[writer] : NULL;

		if (p && p->tid == e->tid)
			own = p->own = true;
		else if (p)
			other = p;
	}
	if (other && !own) { /* the last one stands for all */
		other->helper = e->site;
		other->helped++;
	}
}

static void flush(struct pd_lint *l, const struct pd_event *e)
{
	struct pd_lint_flow *f = pd_lint_flow_of(l, e->tid);
	struct pd_lint_place *place = pd_lint_place_of(l, e->site);
	uint64_t at = e->addr & ~63ULL, waits;
	struct pd_lint_line *line;
	struct pd_lint_pending *own;
	bool others;

	l->flushes++;
	if (!f)
		return;
	f->work++;
	if (place)
		place->times++;
	if (e->addr & PD_ADDR_OUTSIDE) {
		flush_outside(l, e);
		return;
	}
	line = pd_lint_line_near(&l->lines, at);
	if (pd_unlikely(!line) && !(line = pd_lint_line_make(&l->lines, at)))
		return;
	own = line->pending ? pd_lint_pending_of(&l->lines, line, e->tid) : NULL;
	waits = line->pending ? pd_lint_line_pending(&l->lines, line) & ~(own ? own->mask : 0) : 0;
	others = pd_lint_is_others(line, e->tid);
	if (place)
		place->others += others;
	if (flush_persists(l) && !line->dirty && !waits && others)
		l->helping++;
	else if (!flush_persists(l) || (!line->dirty && !waits))
		needless_flush(l, e, line, own && own->mask);
	if (!flush_persists(l))
		return;
	if (pd_unlikely(l->threads) && line->dirty)
		note_helper(l, e, line);
	if (e->kind != PD_EV_CLFLUSH) {
		if (line->dirty || waits)
			pd_lint_lines_flush(&l->lines, line, at, e->site, e->tid);
		return;
	}
	if (line->dirty)
		line->flushed = e->site;
	pd_lint_lines_clean(&l->lines, line, UINT64_MAX);
}

/* ---- fences --------------------------------------------------------------------------------- */

struct fencing {
	struct pd_lint *l;
	uint32_t place;
};

/*
 * A pending record is complete. Bytes that were stored to after the flush and are still dirty are
 * not covered. If the record is of a non-temporal store, not of a flush (place 0), nothing is
 * reported: that may have written more than was meant, a whole line for a header or zeros for what
 * is filled in now.
 */
static void fenced(void *ctx, const struct pd_lint_pending *p)
{
	struct fencing *x = ctx;
	uint64_t mask = p->place ? p->overwritten & p->line->dirty : 0;
	struct pd_lint_finding *f;

	for (uint32_t w = 0; mask; w++, mask >>= 8) {
		if (!(mask & 0xff) || p->line->sync & 1u << w)
			continue;
		f = pd_lint_find(x->l, PD_KIND_LINT_OVERWRITTEN, p->line->writer[w], p->place);
		if (!f)
			continue;
		if (!f->raw.nsites) {
			pd_lint_site(f, PD_ROLE_STORE, p->line->writer[w]);
			pd_lint_site(f, PD_ROLE_FLUSH, p->place);
			pd_lint_site(f, PD_ROLE_BEFORE, x->place);
			f->addr = p->addr + 8 * w;
		}
		pd_lint_seen(x->l, f, 1);
	}
}

static bool is_needless(const struct pd_lint *l, const struct pd_lint_flow *f,
			const struct pd_event *e)
{
	if (f->work || !flush_persists(l) || (store_persists(l) && f->stored.n))
		return false;
	return e->kind == PD_EV_SFENCE || (e->kind == PD_EV_MFENCE && !l->threads);
}

static void needless_fence(struct pd_lint *l, const struct pd_event *e)
{
	struct pd_lint_finding *f =
		is_foreign(e) ? NULL : pd_lint_find(l, PD_KIND_LINT_EXTRA_FENCE, e->site, 0);

	if (!f)
		return;
	if (!f->raw.nsites)
		pd_lint_site(f, PD_ROLE_FENCE, e->site);
	pd_lint_seen(l, f, 1);
}

/* Whether it was meant as a fence: locked instructions are, but mostly there for other reasons. */
static bool is_meant(const struct pd_event *e)
{
	return e->kind == PD_EV_SFENCE || e->kind == PD_EV_MFENCE || e->kind == PD_EV_MSYNC;
}

static void fence(struct pd_lint *l, const struct pd_event *e)
{
	struct pd_lint_flow *f = pd_lint_flow_of(l, e->tid);
	struct pd_lint_place *place = pd_lint_place_of(l, e->site);
	struct fencing x = {l, e->site};

	l->fences += e->kind == PD_EV_SFENCE || e->kind == PD_EV_MFENCE;
	if (!f)
		return;
	if (place) {
		place->times++;
		place->fence = true;
	}
	if (is_needless(l, f, e))
		needless_fence(l, e);
	if (!is_meant(e))
		pd_lint_lines_fence_aside(&l->lines, e->tid);
	else if (pd_lint_lines_waiting(&l->lines, e->tid))
		pd_lint_lines_fence(&l->lines, e->tid, fenced, &x);
	for (uint32_t i = 0; i < f->stored.n; i++) {
		struct pd_lint_place *p = &l->places.v[f->stored.v[i]];

		p->varies |= p->after && p->after != e->site;
		p->after = e->site;
	}
	f->stored.n = 0;
	if (is_meant(e)) /* a locked instruction does not make a later fence extra */
		f->work = 0;
	f->epoch++;
}

/* ---- judging -------------------------------------------------------------------------------- */

/* `other` is the flush without a fence, or the transaction that has not logged the store; place 0:
 * neither. */
static struct pd_lint_finding *about_store(struct pd_lint *l, enum pd_kind kind, uint32_t writer,
					   struct pd_raw_site other, uint64_t addr)
{
	struct pd_lint_finding *f = pd_lint_find(l, kind, writer, other.place);
	struct pd_lint_place *p;

	if (!f || f->raw.nsites)
		return f;
	pd_lint_site(f, PD_ROLE_STORE, writer);
	if (other.place)
		pd_lint_site(f, (enum pd_role)other.role, other.place);
	if (l->when == PD_LINT_AT_POINT)
		pd_lint_site(f, PD_ROLE_CHECK, l->point);
	p = pd_lint_place_of(l, writer);
	if (kind != PD_KIND_LINT_MISSING_FENCE && p && p->after)
		pd_lint_site(f, PD_ROLE_BEFORE, p->after); /* last: judge.c may drop it */
	f->when = (uint8_t)l->when;
	f->addr = addr;
	return f;
}

/*
 * A free lock; or a word written in this run, in a file from before it, that was not read before it
 * was written.
 */
static bool is_transient(const struct pd_lint *l, const struct pd_lint_line *line, uint32_t w,
			 uint64_t addr)
{
	if (line->sync & line->zero & 1u << w)
		return true;
	return l->transient && !(line->loaded & 1u << w) &&
	       pd_ranges_missing(&l->old, addr, addr + 8) == addr + 8;
}

/* Extends the reported range, which is the first one seen, as long as it is contiguous. */
static void extend(struct pd_lint_finding *f, uint64_t addr, uint64_t bytes)
{
	addr += (uint32_t)__builtin_ctzll(bytes);
	if (!f->size)
		f->addr = addr;
	if (f->addr + f->size != addr)
		return;
	f->size += pd_lint_count(bytes);
	f->changed = true;
}

/* An unlogged store that is not flushed either is one mistake: its missing flush names the
 * transaction. */
static struct pd_raw_site unlogged_by(struct pd_lint *l, const struct pd_lint_line *line,
				      uint32_t w)
{
	struct pd_lint_finding *x = line->unlogged ? pd_lint_tx_unlogged(l, line, w) : NULL;

	if (!x)
		return (struct pd_raw_site){0};
	x->changed |= !x->unflushed;
	x->unflushed = true;
	return (struct pd_raw_site){PD_ROLE_TX, x->raw.site[1].place};
}

/*
 * Judges the bytes of a line that are not durable, word by word; adjacent words of one writer are
 * one finding.
 */
static void judge_words(struct pd_lint *l, const struct pd_lint_line *line, uint64_t at,
			uint64_t mask, enum pd_kind kind, uint32_t flush)
{
	uint32_t before = 0;
	enum pd_kind before_kind = PD_KIND_N;

	for (uint32_t w = 0; w < PD_LINT_WORDS; w++) {
		uint64_t bytes = mask >> 8 * w & 0xff, addr = at + 8 * w;
		enum pd_kind k = kind;
		struct pd_raw_site other = {PD_ROLE_FLUSH, flush};
		struct pd_lint_finding *f;

		if (!bytes ||
		    (l->unneeded.v.n && pd_ranges_missing(&l->unneeded, addr, addr + 8) > addr) ||
		    (l->when != PD_LINT_AT_POINT && kind == PD_KIND_LINT_MISSING_FLUSH &&
		     pd_lint_tx_keeps(l, line, w, addr))) {
			before_kind = PD_KIND_N;
			continue;
		}
		if (kind == PD_KIND_LINT_MISSING_FLUSH && is_transient(l, line, w, addr))
			k = PD_KIND_LINT_TRANSIENT;
		if (k == PD_KIND_LINT_MISSING_FLUSH)
			other = unlogged_by(l, line, w);
		f = about_store(l, k, line->writer[w], other, addr);
		if (f) {
			f->lock |= line->sync & 1u << w;
			extend(f, addr, bytes);
		}
		if (f && (k != before_kind || line->writer[w] != before))
			pd_lint_seen(l, f, 1);
		before = line->writer[w];
		before_kind = k;
	}
}

static void judge_line(void *ctx, struct pd_lint_line *line, uint64_t at, uint64_t mask)
{
	struct pd_lint *l = ctx;

	if (line->dirty & mask)
		judge_words(l, line, at, line->dirty & mask, PD_KIND_LINT_MISSING_FLUSH, 0);
	for (uint32_t i = line->pending; i; i = l->lines.records.v[i].by_line) {
		const struct pd_lint_pending *p = &l->lines.records.v[i];

		if (p->mask & mask)
			judge_words(l, line, at, p->mask & mask, PD_KIND_LINT_MISSING_FENCE,
				    p->place);
	}
	if (l->when != PD_LINT_AT_POINT)
		pd_lint_lines_clean(&l->lines, line, mask);
}

static void judge(struct pd_lint *l, uint64_t addr, uint64_t size, enum pd_lint_when when,
		  uint32_t point)
{
	l->when = when;
	l->point = point;
	pd_lint_lines_visit_open(&l->lines, addr, size, judge_line, l);
}

/* ---- files ---------------------------------------------------------------------------------- */

static void clean_line(void *ctx, struct pd_lint_line *line, uint64_t at, uint64_t mask)
{
	struct pd_lint *l = ctx;

	(void)at;
	pd_lint_lines_clean(&l->lines, line, mask);
}

static void opened(struct pd_lint *l, const struct pd_event *e)
{
	uint32_t ignored;

	if (e->aux >= 1 << 20)
		return;
	while (l->opened.n <= e->aux) {
		uint64_t *at = pd_vec_push(&l->opened, l->arena);

		if (!at)
			return;
		*at = 0;
	}
	if (l->opened.v[e->aux])
		return;
	l->opened.v[e->aux] = 1 + e->size;
	pd_ranges_add(&l->old, l->arena, e->addr, e->addr + e->size, 0, &ignored);
}

/* Bytes that were truncated and come again are not from before this run. */
static void resized(struct pd_lint *l, const struct pd_event *e)
{
	uint64_t was = e->aux < l->opened.n && l->opened.v[e->aux] ? l->opened.v[e->aux] - 1 : 0;

	if (was > e->size)
		pd_ranges_remove(&l->old, l->arena, e->addr + e->size, e->addr + was);
}

static void mapped(struct pd_lint *l, const struct pd_event *e)
{
	uint32_t ignored;

	if (pd_ranges_add(&l->mapped, l->arena, e->addr, e->addr + e->size, 0, &ignored))
		pd_ranges_add(&l->again, l->arena, e->addr, e->addr + e->size, 0, &ignored);
}

/*
 * Judges bytes that cannot be reached any more. If some of them are mapped a second time, that is
 * left to the end.
 */
static void unmapped(struct pd_lint *l, const struct pd_event *e)
{
	uint64_t end = e->addr + e->size;
	uint32_t before = l->again.v.n;

	if (before && pd_ranges_missing(&l->again, e->addr, end) > e->addr) {
		pd_ranges_remove(&l->again, l->arena, e->addr, end);
		return;
	}
	pd_ranges_remove(&l->mapped, l->arena, e->addr, end);
	judge(l, e->addr, e->size, PD_LINT_AT_UNMAP, e->site);
}

/* ---- all of them ---------------------------------------------------------------------------- */

static void said(struct pd_lint *l, const struct pd_event *e)
{
	uint32_t ignored;

	if (e->addr & PD_ADDR_OUTSIDE && !(e->kind == PD_EV_DURABLE && !e->size))
		return;
	if (e->kind == PD_EV_DURABLE)
		judge(l, e->size ? e->addr : 0, e->size ? e->size : PD_ADDR_OUTSIDE,
		      PD_LINT_AT_POINT, e->site);
	else if (e->kind == PD_EV_TRANSIENT)
		pd_ranges_add(&l->unneeded, l->arena, e->addr, e->addr + e->size, 0, &ignored);
	else
		pd_lint_lines_visit_open(&l->lines, e->addr, e->size, clean_line, l);
}

/* A store by an instruction that is a fence as well: earlier flushes are durable before it. */
static void locked_store(struct pd_lint *l, const struct pd_event *e)
{
	fence(l, e);
	store(l, e);
}

static void plain_store(struct pd_lint *l, const struct pd_event *e)
{
	if (pd_unlikely(pd_event_fences(e)))
		fence(l, e);
	store(l, e);
}

static void stored_outside(struct pd_lint *l, const struct pd_event *e)
{
	if (pd_event_fences(e))
		fence(l, e);
}

static void synced(struct pd_lint *l, const struct pd_event *e)
{
	fence(l, e);
	pd_lint_lines_visit_open(&l->lines, e->addr, e->size, clean_line, l);
}

static void thread_created(struct pd_lint *l, const struct pd_event *e)
{
	(void)e;
	l->threads = true;
}

static void thread_ended(struct pd_lint *l, const struct pd_event *e)
{
	pd_lint_tx_left(l, pd_lint_flow_of(l, e->tid));
}

static void (*const handlers[PD_EV_N])(struct pd_lint *l, const struct pd_event *e) = {
	[PD_EV_STORE] = plain_store,
	[PD_EV_NTSTORE] = store,
	[PD_EV_RMW] = locked_store,
	[PD_EV_RMW_FAILED] = fence,
	[PD_EV_ATOMIC_STORE] = stored_outside,
	[PD_EV_ATOMIC_RMW] = fence,
	[PD_EV_LOAD] = load,
	[PD_EV_CLFLUSH] = flush,
	[PD_EV_CLFLUSHOPT] = flush,
	[PD_EV_CLWB] = flush,
	[PD_EV_SFENCE] = fence,
	[PD_EV_MFENCE] = fence,
	[PD_EV_MSYNC] = synced,
	[PD_EV_THREAD_CREATE] = thread_created,
	[PD_EV_THREAD_END] = thread_ended,
	[PD_EV_POOL_OPEN] = opened,
	[PD_EV_POOL_SIZE] = resized,
	[PD_EV_POOL_MAP] = mapped,
	[PD_EV_POOL_UNMAP] = unmapped,
	[PD_EV_DURABLE] = said,
	[PD_EV_TRANSIENT] = said,
	[PD_EV_CLEAN] = said,
	[PD_EV_TX_BEGIN] = pd_lint_tx_event,
	[PD_EV_TX_ADD] = pd_lint_tx_event,
	[PD_EV_TX_REMOVE] = pd_lint_tx_event,
	[PD_EV_TX_IGNORE] = pd_lint_tx_event,
	[PD_EV_TX_END] = pd_lint_tx_event,
};

static void lint_event(struct pd_observer *o, const struct pd_event *e)
{
	if (pd_likely(handlers[e->kind] != NULL))
		handlers[e->kind]((struct pd_lint *)o, e);
}

/* Prefetches the line: at a new object it is not in the cache. */
static void lint_soon(struct pd_observer *o, uint64_t addr)
{
	const struct pd_lint *l = (const struct pd_lint *)o;
	const struct pd_lint_line *line = pd_lint_line_near(&l->lines, addr);

	__builtin_prefetch(line, 1);
}

/* Nothing pending to complete, and no store that waits for a fence. */
static bool lint_idle(const struct pd_observer *o, uint16_t tid)
{
	const struct pd_lint *l = (const struct pd_lint *)o;

	return tid >= l->flows.n ||
	       (!l->flows.v[tid].stored.n && !pd_lint_lines_waiting(&l->lines, tid));
}

static void lint_settle(struct pd_observer *o)
{
	pd_lint_lines_settle(&((struct pd_lint *)o)->lines);
}

static void lint_end(struct pd_observer *o)
{
	struct pd_lint *l = (struct pd_lint *)o;

	pd_lint_tx_end(l);
	judge(l, 0, PD_ADDR_OUTSIDE, PD_LINT_AT_END, 0);
	for (uint32_t i = 0; i < l->flows.n; i++)
		pd_lint_tx_left(l, &l->flows.v[i]);
	pd_lint_report_all(l);
	l->sink->stat(l->sink->ctx, "pm_stores", l->stores);
	l->sink->stat(l->sink->ctx, "flushes", l->flushes);
	l->sink->stat(l->sink->ctx, "fences", l->fences);
	if (l->helping)
		l->sink->stat(l->sink->ctx, "flushes_for_others", l->helping);
	l->sink->stat(l->sink->ctx, "analysis_bytes", l->arena->held);
	if (l->lines.failed)
		l->sink->loss(l->sink->ctx, PD_LOSS_CAPPED, 0, "lint ran out of memory");
	if (l->capped)
		l->sink->loss(l->sink->ctx, PD_LOSS_CAPPED, 0,
			      "lint has too many different findings");
}

struct pd_observer *pd_lint_create(struct pd_arena *a, struct pd_sink *sink, const char *settings)
{
	struct pd_lint *l = pd_new(a, struct pd_lint);
	const struct pd_params *params;
	const char *v;
	size_t n = 0;

	if (!l)
		return NULL;
	l->arena = a;
	l->sink = sink;
	v = pd_setting(settings, "model", &n);
	params = v ? pd_params_find(v, n) : NULL;
	l->params = params ? *params : PD_PARAMS_ADR;
	l->transient = pd_setting_is(settings, "transient", "1");
	pd_lint_lines_init(&l->lines, a);
	l->observer.event = lint_event;
	l->observer.soon = lint_soon;
	l->observer.idle = lint_idle;
	l->observer.settle = lint_settle;
	l->observer.end = lint_end;
	l->observer.unplaced = PD_EV_BIT(LOAD) | PD_EV_BIT(CLEAN) | PD_EV_BIT(TX_REMOVE) |
			       PD_EV_BIT(TX_IGNORE) | PD_EV_BIT(TX_END);
	for (uint32_t kind = 0; kind < PD_EV_N; kind++)
		if (handlers[kind] && (kind != PD_EV_LOAD || l->transient))
			l->observer.wants |= 1ULL << kind;
	return l->lines.failed ? NULL : &l->observer;
}

/* ---- for oracles ---------------------------------------------------------------------------- */

struct asked {
	struct pd_lint *l;
	struct pd_lint_state state;
};

static uint32_t first_word(uint64_t mask)
{
	return (uint32_t)__builtin_ctzll(mask) / 8;
}

static void ask_line(void *ctx, struct pd_lint_line *line, uint64_t at, uint64_t mask)
{
	struct asked *x = ctx;
	uint64_t dirty = line->dirty & mask,
		 pending = pd_lint_line_pending(&x->l->lines, line) & mask;
	bool first = !x->state.dirty && !x->state.pending && (dirty | pending);

	(void)at;
	if (!x->state.writer || first)
		x->state.writer =
			line->writer[first_word(dirty | pending ? dirty | pending : mask)];
	if (pending && !x->state.pending)
		x->state.flusher = x->l->lines.records.v[line->pending].place;
	x->state.dirty += pd_lint_count(dirty);
	x->state.pending += pd_lint_count(pending);
}

struct pd_lint_state pd_lint_state(struct pd_lint *l, uint64_t addr, uint64_t size)
{
	struct asked x = {.l = l};

	pd_lint_lines_visit(&l->lines, addr, size, ask_line, &x);
	return x.state;
}
