/* torn.c - see torn.h. */
#include "engine/torn/torn.h"

void pd_torn_init(struct pd_torn *t, struct pd_model *m, struct pd_arena *a, bool prefix)
{
	memset(t, 0, sizeof(*t));
	t->model = m;
	t->arena = a;
	t->prefix = prefix;
	t->hb.arena = a;
	pd_arena_init(&t->path, a->host);
}

void pd_torn_finish(struct pd_torn *t)
{
	pd_arena_finish(&t->path);
}

bool pd_torn_failed(const struct pd_torn *t)
{
	return t->arena->failed || t->path.failed;
}

/* ---- what is certain, and since which flush ------------------------------------------------- */

static uint32_t line_size(const struct pd_torn *t)
{
	return 1u << t->model->params.line_shift;
}

static struct pd_torn_line *make_line(struct pd_torn *t, uint64_t index, uint32_t first)
{
	uint64_t *at = pd_map_put(&t->lines, t->arena, index);
	struct pd_torn_line *l;

	if (!at)
		return NULL;
	if (*at)
		return (struct pd_torn_line *)(uintptr_t)*at;
	l = pd_new(t->arena, struct pd_torn_line);
	if (!l || !(l->writer = pd_new_array(t->arena, uint32_t, line_size(t))))
		return NULL;
	l->first = first;
	*at = (uintptr_t)l;
	return l;
}

/*
 * The record of a line that this execution has stored to. A line that is new since tracking began
 * has all its stores in it; other lines only those that were open then (pd_torn_track).
 */
static struct pd_torn_line *line_of(struct pd_torn *t, const struct pd_history *h)
{
	return make_line(t, h->line, h->oldest);
}

/* Stores up to h->must are certain: makes them the last writers. */
static void advance(struct pd_torn_line *l, const struct pd_history *h)
{
	uint32_t i = l->last ? pd_log_at(h->log, l->last - 1)->next : l->first;

	for (; i && i <= h->must; i = pd_log_at(h->log, i - 1)->next) {
		const struct pd_store *s = pd_log_at(h->log, i - 1);

		for (uint32_t k = 0; k < s->size; k++)
			l->writer[s->off + k] = i;
		l->last = i;
	}
}

void pd_torn_track(struct pd_torn *t)
{
	if (t->tracking)
		return;
	t->tracking = true;
	for (const struct pd_line *line = t->model->lines; line; line = line->next) {
		const struct pd_history *h = &line->cur;
		uint32_t i = h->log ? h->first : 0;
		struct pd_torn_line *l;

		while (i && i <= h->must)
			i = pd_log_at(h->log, i - 1)->next;
		l = h->log ? make_line(t, h->line, i) : NULL;
		if (l && !i)
			l->last = h->last;
	}
}

static void add_flush(struct pd_torn *t, uint64_t index, struct pd_torn_flush f)
{
	const struct pd_line *line = pd_model_line(t->model, index << t->model->params.line_shift);
	struct pd_torn_line *l;
	struct pd_torn_flush *to;

	if (!line || !line->cur.log || !(l = line_of(t, &line->cur)))
		return;
	to = pd_vec_push(&l->flushes, t->arena);
	if (to)
		*to = f;
}

static void pend(struct pd_torn *t, const struct pd_event *e, uint64_t at)
{
	struct pd_torn_thread *th = pd_vec_at(&t->threads, t->arena, e->tid);
	uint32_t shift = t->model->params.line_shift;
	struct pd_torn_pending *p;

	for (uint64_t i = e->addr >> shift; th && i <= (e->addr + PD_MAX(e->size, 1) - 1) >> shift;
	     i++)
		if ((p = pd_vec_push(&th->pending, t->arena)))
			*p = (struct pd_torn_pending){i, at, e->site};
}

static void complete(struct pd_torn *t, uint32_t tid, uint64_t effect)
{
	struct pd_torn_thread *th = pd_vec_at(&t->threads, t->arena, tid);

	for (uint32_t i = 0; th && i < th->pending.n; i++) {
		const struct pd_torn_pending *p = &th->pending.v[i];

		add_flush(t, p->line, (struct pd_torn_flush){p->at, effect, p->site, tid});
	}
	if (th)
		th->pending.n = 0;
}

static void msync(struct pd_torn *t, const struct pd_event *e, uint64_t at)
{
	uint32_t shift = t->model->params.line_shift;

	if (!e->size || !(t->model->params.persists & PD_PERSISTS_MSYNC))
		return;
	for (const struct pd_line *line = t->model->lines; line; line = line->next)
		if (line->cur.line >= e->addr >> shift &&
		    line->cur.line <= (e->addr + e->size - 1) >> shift)
			add_flush(t, line->cur.line,
				  (struct pd_torn_flush){at, at, e->site, e->tid});
}

static void flushes(struct pd_torn *t, const struct pd_event *e, struct pd_hb_now now)
{
	bool flush = t->model->params.persists & PD_PERSISTS_FLUSH && !(e->addr & PD_ADDR_OUTSIDE);
	uint32_t shift = t->model->params.line_shift;

	switch ((int)e->kind) { /* an int: most kinds flush nothing */
	case PD_EV_CLFLUSH:
		if (flush)
			add_flush(t, e->addr >> shift,
				  (struct pd_torn_flush){now.at, now.at, e->site, e->tid});
		break;
	case PD_EV_CLFLUSHOPT:
	case PD_EV_CLWB:
	case PD_EV_NTSTORE: /* P11 */
		if (flush)
			pend(t, e, now.at);
		break;
	case PD_EV_SFENCE:
	case PD_EV_MFENCE:
	case PD_EV_RMW_FAILED:
	case PD_EV_ATOMIC_RMW:
		complete(t, e->tid, now.at);
		break;
	case PD_EV_RMW:
		complete(t, e->tid, now.locked);
		break;
	case PD_EV_STORE:
	case PD_EV_ATOMIC_STORE:
		if (e->order == PD_ORDER_SEQ_CST) /* compiled to xchg (P10) */
			complete(t, e->tid, now.locked);
		break;
	case PD_EV_MSYNC:
		complete(t, e->tid, now.at);
		msync(t, e, now.at);
		break;
	default:
		break;
	}
}

void pd_torn_event(struct pd_torn *t, const struct pd_event *e)
{
	struct pd_hb_now now = pd_hb_tick(&t->hb, e, t->model->log->n);

	flushes(t, e, now);
	pd_hb_event(&t->hb, e, now);
}

/* ---- the path ------------------------------------------------------------------------------- */

void pd_torn_begin(struct pd_torn *t)
{
	pd_arena_reset(&t->path);
	memset(&t->seen, 0, sizeof(t->seen));
	memset(&t->pre, 0, sizeof(t->pre));
	memset(&t->undo, 0, sizeof(t->undo));
}

static void undoable(struct pd_torn *t, uint64_t key, uint64_t old)
{
	struct pd_torn_undo *u = pd_vec_push(&t->undo, &t->path);

	if (u)
		*u = (struct pd_torn_undo){key, old};
}

uint32_t pd_torn_mark(const struct pd_torn *t)
{
	return t->undo.n;
}

void pd_torn_back(struct pd_torn *t, uint32_t mark)
{
	while (t->undo.n > mark) {
		const struct pd_torn_undo *u = &t->undo.v[--t->undo.n];
		uint64_t *at = u->key & PD_ADDR_OUTSIDE ? NULL : pd_map_get(&t->seen, u->key);

		if (at)
			*at = u->old;
		else if (u->key & PD_ADDR_OUTSIDE)
			t->pre.v[u->key & ~PD_ADDR_OUTSIDE] = u->old;
	}
}

static uint64_t seen_of(const struct pd_torn *t, uint64_t block)
{
	const uint64_t *at = pd_map_get(&t->seen, block);

	return at ? *at : 0;
}

static void raise_pre(struct pd_torn *t, uint32_t tid, uint64_t to)
{
	uint64_t *pre = pd_vec_at(&t->pre, &t->path, tid);

	if (!pre || *pre >= to)
		return;
	undoable(t, tid | PD_ADDR_OUTSIDE, *pre);
	*pre = to;
}

/* Adds this store, and all that happens before it, to the prefix. */
static void explain(struct pd_torn *t, const struct pd_store *s, uint32_t number)
{
	uint64_t at = pd_hb_store_time(number);
	const uint64_t *clock;
	uint32_t n;

	clock = pd_hb_clock_at(&t->hb, s->tid, at, &n);
	for (uint32_t i = 0; i < n; i++)
		if (clock[i] && i != s->tid)
			raise_pre(t, i, clock[i]);
	raise_pre(t, s->tid, at);
}

/* ---- one version of one history ------------------------------------------------------------- */

/* Who wrote the bytes of the block, in one execution, at one version. */
struct view {
	struct pd_torn *t;
	const struct pd_torn_read *r;
	const struct pd_history *h;
	const struct pd_torn_line *line; /* tracked; NULL: settled stores are not considered */
	bool now;			 /* h is of this execution */
	uint64_t need;			 /* bytes that are read */
	uint64_t before;		 /* bytes that were read before */
	uint32_t base;			 /* of the block, in the line */
	/* By byte of need and before: number of the store; 0: none */
	uint32_t writer[PD_BLOCK];
};

#define FOR_BYTES(i, mask)                                                                         \
	for (uint64_t rest_ = (mask); rest_ && ((i) = (uint32_t)__builtin_ctzll(rest_), 1);        \
	     rest_ &= rest_ - 1)

static void view_init(struct view *v)
{
	uint32_t i;

	FOR_BYTES(i, v->need | v->before)
	v->writer[i] = v->line ? v->line->writer[v->base + i] : 0;
}

static uint64_t apply(struct view *v, const struct pd_store *s, uint32_t number)
{
	uint64_t m = s->off / PD_BLOCK == v->base / PD_BLOCK
			     ? pd_store_mask(s->off, s->size) & (v->need | v->before)
			     : 0;
	uint32_t i;

	FOR_BYTES(i, m)
	v->writer[i] = number;
	return m;
}

static const struct pd_store *store_at(const struct view *v, uint32_t number)
{
	return pd_log_at(v->h->log, number - 1);
}

/* For an earlier execution the clocks are gone: threads count as ordered. */
static bool is_ordered(const struct view *v, uint32_t a, uint32_t b)
{
	const struct pd_store *s = store_at(v, a), *s2 = store_at(v, b);

	if (s->tid == s2->tid || !v->now || !v->t->tracking)
		return a < b;
	return pd_hb_before(&v->t->hb, s->tid, pd_hb_store_time(a), s2->tid, pd_hb_store_time(b));
}

/* (1) A non-temporal store of a whole word is one instruction; of what nobody needs no part
 * counts. */
static bool is_whole(const struct pd_store *s)
{
	return s->flags & (PD_LOGGED_ATOMIC | PD_LOGGED_UNNEEDED) ||
	       (s->flags & PD_LOGGED_NT && s->size == PD_WORD);
}

static bool is_release(const struct pd_store *s)
{
	return (s->flags & (PD_LOGGED_ATOMIC | PD_LOGGED_RELAXED)) == PD_LOGGED_ATOMIC;
}

/* (2) */
static bool covered_by_release(const struct view *v, uint32_t number)
{
	uint32_t i, last = 0;

	FOR_BYTES(i, v->before)
	{
		uint32_t w = v->writer[i];

		if (w && w != last && is_release(store_at(v, w)) && is_ordered(v, number, w))
			return true;
		last = w;
	}
	return false;
}

/*
 * Whether a flush is in every prefix that explains what was read: by the oldest possible versions
 * of other lines, or by what this version of the line was seen to hold.
 */
static bool in_prefix(const struct view *v, const struct pd_torn_flush *f)
{
	const struct pd_torn *t = v->t;
	uint32_t i, last = 0;

	if (f->tid < t->pre.n && t->pre.v[f->tid] >= f->effect)
		return true;
	FOR_BYTES(i, v->before)
	{
		uint32_t w = v->writer[i];
		const struct pd_store *s = w && w != last ? store_at(v, w) : NULL;

		if (s && pd_hb_before(&t->hb, f->tid, f->effect, s->tid, pd_hb_store_time(w)))
			return true;
		last = w;
	}
	return false;
}

/* (3) and (4): sets *flush to the first flush that happens after the store, if there is one. */
static bool covered_by_flush(const struct view *v, uint32_t number, uint32_t *flush)
{
	const struct pd_torn *t = v->t;
	const struct pd_store *s = store_at(v, number);
	uint64_t at = pd_hb_store_time(number);

	*flush = 0;
	for (uint32_t i = 0; i < v->line->flushes.n; i++) {
		const struct pd_torn_flush *f = &v->line->flushes.v[i];

		if (f->at < at || !pd_hb_before(&t->hb, s->tid, at, f->tid, f->at))
			continue;
		if (!t->prefix || in_prefix(v, f))
			return true;
		if (!*flush)
			*flush = f->site;
	}
	return false;
}

enum { UNCHANGED_STORES = 512 }; /* older ones are not searched */

/* Whether the store writes the values that its bytes had before. */
static bool changes_nothing(const struct view *v, uint32_t number)
{
	const struct pd_store *s = store_at(v, number);
	uint64_t value = 0, bytes = s->size == 8 ? UINT64_MAX : (1ULL << 8 * s->size) - 1,
		 known = 0;
	uint32_t i = v->h->first, n = 0;

	if (!i || number < i)
		return false;
	for (uint32_t k = 0; k < s->size; k++) {
		uint32_t off = s->off + k;

		if (v->h->known[off / PD_BLOCK] >> off % PD_BLOCK & 1) {
			value |= (uint64_t)v->h->base[off] << 8 * k;
			known |= 0xffULL << 8 * k;
		}
	}
	for (; i && i < number && n < UNCHANGED_STORES; i = store_at(v, i)->next, n++) {
		const struct pd_store *o = store_at(v, i);

		for (uint32_t k = 0; k < s->size; k++) {
			/* Wraps, and is large, if it is before */
			uint32_t in = s->off + k - o->off;

			if (in >= o->size)
				continue;
			value = (value & ~(0xffULL << 8 * k)) | (o->value >> 8 * in & 0xff)
									<< 8 * k;
			known |= 0xffULL << 8 * k;
		}
	}
	return i == number && known == bytes && (s->value & bytes) == value;
}

static bool is_block(const struct view *v, uint32_t number, bool in_recovery)
{
	const struct pd_torn *t = v->t;

	return t->is_block && t->is_block(t->ctx, store_at(v, number)->site, in_recovery);
}

static bool is_unchanged(const struct view *v, uint32_t number, bool in_recovery)
{
	return is_block(v, number, in_recovery) && changes_nothing(v, number);
}

/*
 * A copy of unknown length that was one byte long has no parts. Nothing is claimed where the byte
 * may be the end of a longer copy, which may be cut at a page, or the beginning of one.
 */
static bool is_byte(const struct view *v, uint32_t number, bool in_recovery)
{
	const struct pd_log *log = v->h->log;
	const struct pd_store *s = store_at(v, number);

	if (s->size != 1 || s->flags & PD_LOGGED_PART || !s->off)
		return false;
	if (s->off % PD_WORD == PD_WORD - 1 &&
	    (log->order.n || (number < log->n && pd_log_at(log, number)->flags & PD_LOGGED_PART)))
		return false;
	return is_block(v, number, in_recovery);
}

static uint32_t original(const struct view *v, uint32_t number)
{
	return number <= v->h->log->order.n ? v->h->log->order.v[number - 1] : number;
}

/* Whether a flush of the store waits for a fence at this crash. */
static bool is_unfenced(const struct view *v, uint32_t number)
{
	const struct pd_model *m = v->t->model;

	if (v->h->log->order.n)
		return original(v, number) <= v->h->pending;
	for (uint32_t t = 0; t < m->threads.n; t++)
		for (uint32_t i = 0; i < m->threads.v[t].pending.n; i++) {
			const struct pd_pending *p = &m->threads.v[t].pending.v[i];

			if (p->history->line == v->h->line && p->version >= number)
				return true;
		}
	return false;
}

static void judge(const struct view *v, uint32_t number)
{
	const struct pd_store *s = store_at(v, number);
	bool settled = number <= v->h->must;
	struct pd_torn_race r = {.store = s->site,
				 .load = v->r->load,
				 .guarded = v->r->guarded,
				 .in_recovery = v->h->log->exec > 0,
				 .prefix = settled,
				 .size = s->size,
				 .off = s->off,
				 .tid = s->tid,
				 .number = original(v, number),
				 .addr = v->r->block};

	if (!s->site || is_whole(s) || is_byte(v, number, r.in_recovery) ||
	    (v->before && covered_by_release(v, number)))
		return;
	if (settled && covered_by_flush(v, number, &r.flush))
		return;
	r.unchanged = is_unchanged(v, number, r.in_recovery);
	r.unfenced = !settled && is_unfenced(v, number);
	v->t->race(v->t->ctx, &r);
}

static void judge_all(const struct view *v)
{
	uint32_t i, last = 0;

	FOR_BYTES(i, v->need)
	{
		uint32_t w = v->writer[i];

		if (w && w != last)
			judge(v, w);
		last = w;
	}
}

/*
 * Judges every version of the span. Returns the bytes that the history provides in the oldest one.
 */
static uint64_t judge_span(struct view *v, struct pd_span span)
{
	uint32_t block = v->base / PD_BLOCK;
	uint64_t given = v->h->known[block];
	uint32_t i = v->h->first;

	view_init(v);
	for (; i && i <= span.lo; i = store_at(v, i)->next) {
		const struct pd_store *s = store_at(v, i);

		if (s->off / PD_BLOCK == block)
			given |= pd_store_mask(s->off, s->size);
		if (i > v->h->must)
			apply(v, s, i);
	}
	judge_all(v);
	for (; i && i <= span.hi; i = store_at(v, i)->next) {
		uint64_t m = apply(v, store_at(v, i), i);

		if (m && v->before)
			judge_all(v);
		else if (m) /* (2) cannot apply: a store is judged once */
			judge(v, i);
	}
	return given;
}

/* ---- reads ---------------------------------------------------------------------------------- */

/* The record of a line, brought up to date; NULL: it is not tracked. */
static struct pd_torn_line *track_line(struct pd_torn *t, const struct pd_history *cur)
{
	struct pd_torn_line *l;

	if (!t->tracking || !cur->log)
		return NULL;
	l = line_of(t, cur);
	if (l)
		advance(l, cur);
	return l;
}

static const struct pd_history *current(struct pd_torn *t, uint64_t block)
{
	const struct pd_line *line = pd_model_line(t->model, block);

	return line && line->cur.log ? &line->cur : NULL;
}

static void view_begin(struct view *v, struct pd_torn *t, const struct pd_torn_read *r)
{
	v->t = t;
	v->r = r;
	v->base = (uint32_t)r->block & (line_size(t) - 1);
	v->need = r->mask;
	v->before = seen_of(t, r->block);
	v->line = NULL;
	v->now = true;
}

/* Only certain stores are left, all of this execution. */
static void read_settled(struct pd_torn *t, const struct pd_torn_read *r)
{
	struct view v;

	view_begin(&v, t, r);
	v.h = current(t, r->block);
	if (!v.h || !(v.line = track_line(t, v.h)))
		return;
	view_init(&v);
	judge_all(&v);
}

void pd_torn_read(struct pd_torn *t, const struct pd_torn_read *r, const struct pd_history *crashed,
		  const struct pd_vset *set)
{
	if (!crashed) {
		if (t->tracking)
			read_settled(t, r);
		return;
	}
	for (uint32_t b = 0; b < set->nbox; b++) {
		const struct pd_span *span = set->span + (size_t)b * set->ndim;
		struct view v;

		view_begin(&v, t, r);
		for (v.h = crashed; v.h && v.need; v.h = v.h->older, span++) {
			uint64_t seen = v.before, given;

			v.now = v.h->log == t->model->log;
			v.line = v.now ? track_line(t, v.h) : NULL;
			if (!v.now && t->read_before)
				v.before |= t->read_before(t->ctx, r->block);
			given = judge_span(&v, *span);
			v.need &= ~given;
			v.before = seen & ~given;
		}
	}
}

/* ---- and what it saw ------------------------------------------------------------------------ */

/* The oldest version left: the one that implies least about what must have happened. */
static uint32_t oldest(const struct pd_vset *set)
{
	uint32_t lo = UINT32_MAX;

	for (uint32_t b = 0; b < set->nbox; b++)
		lo = PD_MIN(lo, set->span[(size_t)b * set->ndim].lo);
	return lo;
}

static void explain_line(struct pd_torn *t, const struct pd_torn_read *r,
			 const struct pd_history *h, uint32_t version)
{
	uint32_t i, last = 0;
	struct view v;

	view_begin(&v, t, r);
	v.h = h;
	v.line = track_line(t, h);
	if (!v.line)
		return;
	view_init(&v);
	for (i = h->first; i && i <= version; i = store_at(&v, i)->next)
		if (i > h->must)
			apply(&v, store_at(&v, i), i);
	FOR_BYTES(i, v.need | v.before)
	{
		if (v.writer[i] && v.writer[i] != last)
			explain(t, store_at(&v, v.writer[i]), v.writer[i]);
		last = v.writer[i];
	}
}

void pd_torn_took(struct pd_torn *t, const struct pd_torn_read *r, const struct pd_history *crashed,
		  const struct pd_vset *left)
{
	const struct pd_history *h = crashed;
	uint64_t *at;

	if (!crashed && !t->tracking)
		return;
	if (t->tracking && t->prefix) {
		if (!crashed)
			h = current(t, r->block);
		if (h && h->log == t->model->log)
			explain_line(t, r, h, crashed ? oldest(left) : h->must);
	}
	at = pd_map_put(&t->seen, &t->path, r->block);
	if (!at)
		return;
	undoable(t, r->block, *at);
	*at |= r->mask;
}
