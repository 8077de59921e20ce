/* lines.c - see lines.h. */
#include "engine/lint/lines.h"

void pd_lint_lines_init(struct pd_lint_lines *s, struct pd_arena *a)
{
	struct pd_lint_pending *none;

	memset(s, 0, sizeof(*s));
	s->arena = a;
	none = pd_vec_push(&s->records, a);
	s->failed = !none;
}

/* ---- lines ---------------------------------------------------------------------------------- */

static struct pd_lint_page *page_get(const struct pd_lint_lines *s, uint64_t addr)
{
	uint64_t *at = pd_map_get(&s->pages, addr / PD_LINT_PAGE);

	return at ? (struct pd_lint_page *)(uintptr_t)*at : NULL;
}

static bool open_page(struct pd_lint_lines *s, struct pd_lint_page *p)
{
	struct pd_lint_page **open = pd_vec_push(&s->open, s->arena);

	if (open)
		*open = p;
	p->settled = false;
	return open;
}

static struct pd_lint_page *page_make(struct pd_lint_lines *s, uint64_t addr)
{
	uint64_t *at = pd_map_put(&s->pages, s->arena, addr / PD_LINT_PAGE);
	struct pd_lint_page *p, **all;

	if (at && *at)
		return (struct pd_lint_page *)(uintptr_t)*at;
	p = at ? pd_new(s->arena, struct pd_lint_page) : NULL;
	all = p ? pd_vec_push(&s->all, s->arena) : NULL;
	if (!all || !open_page(s, p)) {
		s->failed = true;
		return NULL;
	}
	p->addr = addr & ~(uint64_t)(PD_LINT_PAGE - 1);
	*all = p;
	*at = (uintptr_t)p;
	return p;
}

static uint32_t index_of(uint64_t addr)
{
	return addr / PD_LINT_LINE % PD_LINT_LINES;
}

static struct pd_lint_page **recent_of(struct pd_lint_lines *s, uint64_t addr)
{
	return &s->recent[addr / PD_LINT_PAGE % PD_LINT_RECENT];
}

struct pd_lint_line *pd_lint_line_make(struct pd_lint_lines *s, uint64_t addr)
{
	struct pd_lint_page **recent = recent_of(s, addr), *p = *recent;

	if (pd_unlikely(!p || addr - p->addr >= PD_LINT_PAGE)) {
		p = page_make(s, addr);
		if (!p)
			return NULL;
		*recent = p;
	}
	if (pd_unlikely(p->settled) && !open_page(s, p))
		s->failed = true;
	return &p->line[index_of(addr)];
}

struct pd_lint_line *pd_lint_line_get(const struct pd_lint_lines *s, uint64_t addr)
{
	struct pd_lint_page *p = s->recent[addr / PD_LINT_PAGE % PD_LINT_RECENT];

	if (!p || addr - p->addr >= PD_LINT_PAGE)
		p = page_get(s, addr);
	return p ? &p->line[index_of(addr)] : NULL;
}

/* ---- pending records ------------------------------------------------------------------------ */

uint64_t pd_lint_line_pending(const struct pd_lint_lines *s, const struct pd_lint_line *l)
{
	uint64_t mask = 0;

	for (uint32_t i = l->pending; i; i = s->records.v[i].by_line)
		mask |= s->records.v[i].mask;
	return mask;
}

struct pd_lint_pending *pd_lint_pending_of(const struct pd_lint_lines *s,
					   const struct pd_lint_line *l, uint16_t tid)
{
	for (uint32_t i = l->pending; i; i = s->records.v[i].by_line)
		if (s->records.v[i].tid == tid)
			return &s->records.v[i];
	return NULL;
}

static uint32_t record_new(struct pd_lint_lines *s)
{
	uint32_t i = s->free;
	struct pd_lint_pending *p;

	if (i) {
		s->free = s->records.v[i].by_line;
		return i;
	}
	p = pd_vec_push(&s->records, s->arena);
	return p ? s->records.n - 1 : 0;
}

/* The thread's record for the line; NULL: memory ran out. */
static struct pd_lint_pending *record_make(struct pd_lint_lines *s, struct pd_lint_line *l,
					   uint64_t addr, uint16_t tid)
{
	struct pd_lint_pending *p = l->pending ? pd_lint_pending_of(s, l, tid) : NULL;
	struct pd_lint_thread *t;
	uint32_t i, *at;

	if (p)
		return p;
	t = pd_vec_at(&s->threads, s->arena, tid);
	i = t ? record_new(s) : 0;
	at = i ? pd_vec_push(&t->pending, s->arena) : NULL;
	if (!at) {
		s->failed = true;
		return NULL;
	}
	*at = i;
	s->records.v[i] = (struct pd_lint_pending){
		.line = l, .addr = addr & ~63ULL, .tid = tid, .by_line = l->pending};
	l->pending = i;
	return &s->records.v[i];
}

static void record_drop(struct pd_lint_lines *s, uint32_t i)
{
	uint32_t *at = &s->records.v[i].line->pending;

	while (*at != i)
		at = &s->records.v[*at].by_line;
	*at = s->records.v[i].by_line;
	s->records.v[i].by_line = s->free;
	s->free = i;
}

static void forget(struct pd_lint_lines *s, struct pd_lint_line *l, uint64_t mask, bool overwritten)
{
	for (uint32_t i = l->pending; i; i = s->records.v[i].by_line) {
		struct pd_lint_pending *p = &s->records.v[i];

		if (overwritten)
			p->overwritten |= p->mask & mask;
		p->mask &= ~mask;
	}
}

/* ---- events --------------------------------------------------------------------------------- */

static void note_writer(struct pd_lint_line *l, uint64_t mask, uint32_t place)
{
	if (mask == UINT64_MAX) {
		for (uint32_t w = 0; w < PD_LINT_WORDS; w++)
			l->writer[w] = place;
		l->written = 0xff;
		return;
	}
	for (uint32_t w; mask; mask &= ~(0xffULL << 8 * w)) {
		w = (uint32_t)__builtin_ctzll(mask) / 8;
		l->written |= (uint8_t)(1u << w);
		l->writer[w] = place;
	}
}

void pd_lint_lines_store(struct pd_lint_lines *s, struct pd_lint_line *l, uint64_t mask,
			 uint32_t place)
{
	note_writer(l, mask, place);
	if (l->pending)
		forget(s, l, mask, true);
	l->dirty |= mask;
}

void pd_lint_lines_ntstore(struct pd_lint_lines *s, struct pd_lint_line *l, uint64_t addr,
			   uint64_t mask, uint32_t place, uint16_t tid)
{
	note_writer(l, mask, place);
	/* Bytes flushed before are replaced by others that wait for the same fence. */
	if (l->pending)
		forget(s, l, mask, false);
	l->dirty |= mask;
	pd_lint_lines_flush(s, l, addr, 0, tid);
}

void pd_lint_lines_flush(struct pd_lint_lines *s, struct pd_lint_line *l, uint64_t addr,
			 uint32_t place, uint16_t tid)
{
	uint64_t mask = l->dirty | (l->pending ? pd_lint_line_pending(s, l) : 0);
	struct pd_lint_pending *p = record_make(s, l, addr, tid);

	if (!p)
		return;
	if (l->dirty) {
		p->place = place;
		l->flushed = place;
	}
	if (!p->place)
		p->place = place;
	p->mask |= mask;
	p->overwritten &= ~mask;
	l->dirty = 0;
}

void pd_lint_lines_clean(struct pd_lint_lines *s, struct pd_lint_line *l, uint64_t mask)
{
	if (l->dirty & mask) /* else the page stays as it is (explore puts back what is written) */
		l->dirty &= ~mask;
	if (l->pending)
		forget(s, l, mask, false);
}

static bool is_at_rest(const struct pd_lint_page *p)
{
	for (uint32_t i = 0; i < PD_LINT_LINES; i++)
		if (p->line[i].dirty || p->line[i].pending)
			return false;
	return true;
}

void pd_lint_lines_settle(struct pd_lint_lines *s)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->open.n; i++) {
		struct pd_lint_page *p = s->open.v[i];

		p->settled = is_at_rest(p);
		if (!p->settled)
			s->open.v[n++] = p;
	}
	s->open.n = n;
}

uint32_t pd_lint_lines_waiting(const struct pd_lint_lines *s, uint16_t tid)
{
	return tid < s->threads.n ? s->threads.v[tid].pending.n : 0;
}

void pd_lint_lines_fence(struct pd_lint_lines *s, uint16_t tid, pd_lint_each *each, void *ctx)
{
	struct pd_lint_thread *t = tid < s->threads.n ? &s->threads.v[tid] : NULL;

	for (uint32_t k = 0; t && k < t->pending.n; k++) {
		uint32_t i = t->pending.v[k];
		struct pd_lint_pending *p = &s->records.v[i];
		struct pd_lint_line *l = p->line;

		if (p->overwritten & l->dirty)
			each(ctx, p);
		record_drop(s, i);
		if (l->pending)
			forget(s, l, p->mask, false);
	}
	if (t)
		t->pending.n = 0;
}

void pd_lint_lines_fence_aside(struct pd_lint_lines *s, uint16_t tid)
{
	struct pd_lint_thread *t = tid < s->threads.n ? &s->threads.v[tid] : NULL;
	uint32_t kept = 0;

	for (uint32_t k = 0; t && k < t->pending.n; k++) {
		uint32_t i = t->pending.v[k];
		struct pd_lint_pending p = s->records.v[i];

		if (p.overwritten & p.line->dirty)
			t->pending.v[kept++] = i;
		else
			record_drop(s, i);
		if (p.line->pending)
			forget(s, p.line, p.mask, false);
	}
	if (t)
		t->pending.n = kept;
}

/* ---- ranges --------------------------------------------------------------------------------- */

static void visit_page(struct pd_lint_page *p, uint64_t addr, uint64_t size, pd_lint_visit *visit,
		       void *ctx)
{
	uint64_t from = PD_MAX(addr, p->addr) & ~63ULL,
		 to = PD_MIN(addr + size, p->addr + PD_LINT_PAGE);

	for (uint64_t at = from; at < to; at += PD_LINT_LINE) {
		struct pd_lint_line *l = &p->line[index_of(at)];

		if (l->written || l->loaded)
			visit(ctx, l, at, pd_lint_mask(at, addr, size));
	}
}

/* Visits a small range by its pages, a large one by those that exist. */
static void visit_pages(struct pd_lint_lines *s, struct pd_lint_page *const *page, uint32_t n,
			uint64_t addr, uint64_t size, pd_lint_visit *visit, void *ctx)
{
	uint64_t first = addr / PD_LINT_PAGE, last = (addr + size - 1) / PD_LINT_PAGE;
	struct pd_lint_page *p;

	if (!size)
		return;
	for (uint64_t k = first; last - first < n && k <= last; k++)
		if ((p = page_get(s, k * PD_LINT_PAGE)))
			visit_page(p, addr, size, visit, ctx);
	for (uint32_t i = 0; last - first >= n && i < n; i++)
		visit_page(page[i], addr, size, visit, ctx);
}

void pd_lint_lines_visit(struct pd_lint_lines *s, uint64_t addr, uint64_t size,
			 pd_lint_visit *visit, void *ctx)
{
	visit_pages(s, s->all.v, s->all.n, addr, size, visit, ctx);
}

void pd_lint_lines_visit_open(struct pd_lint_lines *s, uint64_t addr, uint64_t size,
			      pd_lint_visit *visit, void *ctx)
{
	visit_pages(s, s->open.v, s->open.n, addr, size, visit, ctx);
}
