/* model.c - see model.h. */
#include "model/model.h"
#include "base/bug.h"

/*
 * Each store folds two older ones that are certain: the backlog of a line shrinks as the line is
 * used.
 */
enum { FOLD_AT_STORE = 2 };

void pd_model_init(struct pd_model *m, struct pd_arena *arena, struct pd_params params,
		   uint8_t *mem, bool buffered)
{
	PD_CHECK(params.line_shift >= 6 && params.line_shift <= PD_LINE_SHIFT_MAX,
		 "line size out of range");
	memset(m, 0, sizeof(*m));
	m->params = params;
	m->arena = arena;
	m->mem = mem;
	m->buffered = buffered;
	m->lines_tail = &m->lines;
	m->last_key = UINT64_MAX;
	pd_arena_init(&m->step, arena->host);
	m->log = pd_new(arena, struct pd_log);
	if (!m->log)
		m->log = &m->no_log;
}

void pd_model_finish(struct pd_model *m)
{
	pd_arena_finish(&m->step);
}

bool pd_model_failed(const struct pd_model *m)
{
	return m->arena->failed;
}

/* ---- lines ---------------------------------------------------------------------------------- */

static uint32_t line_size(const struct pd_model *m)
{
	return 1u << m->params.line_shift;
}

static struct pd_page *page_of(struct pd_model *m, uint64_t key)
{
	uint64_t *at;

	if (pd_likely(key == m->last_key))
		return m->last_page;
	at = pd_map_get(&m->pages, key);
	if (!at)
		return NULL;
	m->last_key = key;
	m->last_page = (struct pd_page *)(uintptr_t)*at;
	return m->last_page;
}

struct pd_line *pd_model_line(struct pd_model *m, uint64_t addr)
{
	uint64_t index = addr >> m->params.line_shift;
	struct pd_page *page = page_of(m, index / PD_LINES_A_PAGE);

	return page ? page->line[index % PD_LINES_A_PAGE] : NULL;
}

static struct pd_page *make_page(struct pd_model *m, uint64_t key)
{
	struct pd_page *page = pd_new(m->arena, struct pd_page);
	uint64_t *at = page ? pd_map_put(&m->pages, m->arena, key) : NULL;

	if (!at)
		return NULL;
	*at = (uintptr_t)page;
	m->last_key = key;
	m->last_page = page;
	return page;
}

struct pd_line *pd_model_make_line(struct pd_model *m, uint64_t addr)
{
	uint64_t index = addr >> m->params.line_shift;
	uint64_t key = index / PD_LINES_A_PAGE;
	struct pd_page *page = page_of(m, key);
	struct pd_line *line;

	if (!page && !(page = make_page(m, key)))
		return NULL;
	line = pd_line_create(m->arena, &m->params, index);
	if (!line)
		return NULL;
	page->line[index % PD_LINES_A_PAGE] = line;
	*m->lines_tail = line;
	m->lines_tail = &line->next;
	return line;
}

static uint8_t *line_mem(const struct pd_model *m, const struct pd_line *line)
{
	return m->mem + (line->cur.line << m->params.line_shift);
}

/* The open stores of the line are about to change. */
static void touch(struct pd_model *m, struct pd_line *line)
{
	if (line->touched)
		return;
	line->touched = true;
	line->next_touched = m->open.touched;
	m->open.touched = line;
}

/* The line at addr, with a history of this execution, created at the first store. */
static struct pd_line *line_for_store(struct pd_model *m, uint64_t addr)
{
	struct pd_line *line = pd_model_line(m, addr);

	if (!line && !(line = pd_model_make_line(m, addr)))
		return NULL;
	if (!line->cur.log && !pd_line_begin(line, m->arena, &m->params, m->log,
					     line->crashed ? NULL : line_mem(m, line)))
		return NULL;
	touch(m, line);
	return line;
}

/* ---- reaching the cache --------------------------------------------------------------------- */

static void mark_unneeded(struct pd_log *log, struct pd_store *s)
{
	s->flags |= PD_LOGGED_UNNEEDED;
	log->unneeded = true;
}

static void log_store(struct pd_model *m, uint32_t tid, const struct pd_buffered *e)
{
	struct pd_line *line = line_for_store(m, e->addr);
	struct pd_history *h = line ? &line->cur : NULL;
	struct pd_store *s = h ? pd_log_next(m->log, m->arena) : NULL;
	uint32_t off = (uint32_t)e->addr & (line_size(m) - 1);
	uint32_t index;

	if (pd_unlikely(!s))
		return;
	index = ++m->log->n;
	s->value = e->value;
	s->site = e->site;
	s->off = (uint16_t)off;
	s->tid = (uint16_t)tid;
	s->size = e->size;
	s->flags = e->flags;
	if (pd_unlikely(m->unneeded.v.n) && pd_ranges_has(&m->unneeded, e->addr, e->addr + e->size))
		mark_unneeded(m->log, s);
	if (h->last)
		pd_log_at(m->log, h->last - 1)->next = index;
	else
		h->oldest = index;
	if (!h->first)
		h->first = index;
	h->last = index;
	h->written[off / PD_BLOCK] |= pd_store_mask(off, e->size);
	pd_store_put(m->mem + e->addr, e->value, e->size);
	if (m->params.persists & PD_PERSISTS_STORE && !(e->flags & PD_LOGGED_NT))
		h->must = index; /* P14 */
	if (h->first <= h->must)
		pd_history_fold(h, FOLD_AT_STORE);
}

static void persist(struct pd_model *m, struct pd_line *line)
{
	touch(m, line);
	pd_history_persist(&line->cur, m->log->n);
}

/* Who flushes a line of which nothing is needed needs it. (P17) */
static void need_line(struct pd_model *m, uint64_t addr)
{
	uint64_t from = addr & ~(uint64_t)(line_size(m) - 1), to = from + line_size(m);

	if (pd_unlikely(m->unneeded.v.n) && pd_ranges_has(&m->unneeded, from, to))
		pd_ranges_remove(&m->unneeded, m->arena, from, to);
}

/* The line reaches the medium as it is now. (P9) */
static void write_back(struct pd_model *m, uint64_t addr)
{
	struct pd_line *line = pd_model_line(m, addr);

	if (line && line->cur.log)
		persist(m, line);
}

/* The fence: pending flushes take effect. */
static void complete(struct pd_model *m, struct pd_buffer *b)
{
	for (uint32_t i = 0; i < b->pending.n; i++)
		touch(m, pd_model_line(m, b->pending.v[i].history->line << m->params.line_shift));
	pd_buffer_complete(b);
}

static struct pd_buffer *new_thread(struct pd_model *m, uint32_t tid)
{
	while (tid >= m->threads.n) {
		struct pd_buffer *b = pd_vec_push(&m->threads, m->arena);

		if (!b)
			return NULL;
		memset(b, 0, sizeof(*b));
	}
	return &m->threads.v[tid];
}

static inline struct pd_buffer *thread_of(struct pd_model *m, uint32_t tid)
{
	return pd_likely(tid < m->threads.n) ? &m->threads.v[tid] : new_thread(m, tid);
}

static void pend_flush(struct pd_model *m, struct pd_buffer *b, uint64_t addr, uint32_t version)
{
	struct pd_line *line = pd_model_line(m, addr);

	/* A line without a store in this execution has only one version in it. */
	if (line && line->cur.log)
		pd_buffer_pend(b, m->arena, &line->cur, version);
}

static void take_effect(struct pd_model *m, uint32_t tid, struct pd_buffer *b,
			const struct pd_buffered *e)
{
	switch (e->op) {
	case PD_OP_WRITE:
		log_store(m, tid, e);
		break;
	case PD_OP_FLUSH:
		write_back(m, e->addr);
		break;
	case PD_OP_FLUSHOPT:
		pend_flush(m, b, e->addr, e->version);
		break;
	case PD_OP_SFENCE:
		complete(m, b);
		break;
	default:
		PD_BUG("an operation that never waits is in a store buffer");
	}
}

/* Puts it into the buffer, or lets it take effect where nothing is buffered. */
static void issue(struct pd_model *m, uint32_t tid, const struct pd_buffered *e)
{
	struct pd_buffer *b = thread_of(m, tid);
	struct pd_buffered *slot;

	if (pd_unlikely(!b))
		return;
	if (!m->buffered) {
		take_effect(m, tid, b, e);
		return;
	}
	slot = pd_buffer_push(b, m->arena);
	if (slot)
		*slot = *e;
}

bool pd_model_can_evict(const struct pd_model *m, uint32_t tid)
{
	return tid < m->threads.n && pd_buffer_length(&m->threads.v[tid]) > 0;
}

void pd_model_evict(struct pd_model *m, uint32_t tid)
{
	struct pd_buffer *b = &m->threads.v[tid];
	struct pd_buffered e = pd_buffer_pop(b);

	take_effect(m, tid, b, &e);
	pd_buffer_release(b, &e, m->params.line_shift, m->log->n);
}

static void drain(struct pd_model *m, uint32_t tid)
{
	struct pd_buffer *b;

	while (pd_model_can_evict(m, tid))
		pd_model_evict(m, tid);
	b = thread_of(m, tid);
	if (b)
		complete(m, b);
}

/* ---- instructions --------------------------------------------------------------------------- */

static void issue_flush_opt(struct pd_model *m, uint32_t tid, uint64_t addr)
{
	if (!(m->params.persists & PD_PERSISTS_FLUSH))
		return;
	issue(m, tid,
	      &(struct pd_buffered){.op = PD_OP_FLUSHOPT, .addr = addr, .version = m->log->n});
}

static void store_word(struct pd_model *m, uint32_t tid, const struct pd_buffered *e)
{
	if (m->buffered)
		issue(m, tid, e);
	else
		log_store(m, tid, e);
	if (e->flags & PD_LOGGED_NT)
		issue_flush_opt(m, tid, e->addr); /* P11 */
}

static uint64_t get_bytes(const uint8_t *p, uint32_t n)
{
	uint64_t v = 0;

	if (pd_likely(n == 8))
		memcpy(&v, p, 8);
	else
		while (n--)
			v = v << 8 | p[n];
	return v;
}

void pd_model_store(struct pd_model *m, uint32_t tid, uint64_t addr, const void *data, uint64_t n,
		    uint32_t site, uint32_t flags)
{
	const uint8_t *from = data;

	while (n) {
		uint32_t k = (uint32_t)PD_MIN(n, PD_WORD - addr % PD_WORD);
		struct pd_buffered e = {.op = PD_OP_WRITE,
					.size = (uint8_t)k,
					.flags = (uint8_t)flags,
					.site = site,
					.addr = addr};

		e.value = get_bytes(from, k);
		addr += k;
		from += k;
		n -= k;
		if (flags & PD_LOGGED_WHOLE && n && addr & (line_size(m) - 1))
			e.flags |= PD_LOGGED_OPEN;
		store_word(m, tid, &e);
		flags |= PD_LOGGED_PART;
	}
}

void pd_model_flush(struct pd_model *m, uint32_t tid, uint64_t addr, enum pd_flush kind)
{
	need_line(m, addr);
	if (kind != PD_FLUSH_CLFLUSH)
		issue_flush_opt(m, tid, addr);
	else if (m->params.persists & PD_PERSISTS_FLUSH)
		issue(m, tid, &(struct pd_buffered){.op = PD_OP_FLUSH, .addr = addr});
}

void pd_model_sfence(struct pd_model *m, uint32_t tid)
{
	issue(m, tid, &(struct pd_buffered){.op = PD_OP_SFENCE});
}

void pd_model_mfence(struct pd_model *m, uint32_t tid)
{
	drain(m, tid);
}

void pd_model_rmw_begin(struct pd_model *m, uint32_t tid)
{
	drain(m, tid);
}

void pd_model_rmw_store(struct pd_model *m, uint32_t tid, uint64_t addr, const void *data,
			uint64_t n, uint32_t site)
{
	pd_model_store(m, tid, addr, data, n, site, PD_LOGGED_RMW | PD_LOGGED_ATOMIC);
	drain(m, tid);
}

void pd_model_msync(struct pd_model *m, uint32_t tid, uint64_t addr, uint64_t n)
{
	uint64_t first = addr >> m->params.line_shift;
	uint64_t last = n ? (addr + n - 1) >> m->params.line_shift : first;

	drain(m, tid);
	if (!n || !(m->params.persists & PD_PERSISTS_MSYNC))
		return;
	for (struct pd_line *line = m->lines; line; line = line->next)
		if (line->cur.log && line->cur.line >= first && line->cur.line <= last)
			persist(m, line);
}

void pd_model_clear(struct pd_model *m, uint32_t tid, uint64_t addr, uint64_t n)
{
	static const uint8_t zeros[1 << PD_LINE_SHIFT_MAX];

	drain(m, tid);
	for (struct pd_line *line = m->lines; line; line = line->next) {
		uint64_t at = line->cur.line << m->params.line_shift;
		uint64_t from = PD_MAX(at, addr), to = PD_MIN(at + line_size(m), addr + n);

		if (from >= to)
			continue;
		pd_model_store(m, tid, from, zeros, to - from, 0, 0);
		drain(m, tid);
		/* A line that is cleared in part is no more durable than it was. */
		if (to - from == line_size(m))
			persist(m, line);
	}
}

/* ---- what nobody needs ---------------------------------------------------------------------- */

void pd_model_unneeded(struct pd_model *m, uint64_t addr, uint64_t n)
{
	uint32_t before;

	pd_ranges_add(&m->unneeded, m->arena, addr, addr + n, 0, &before);
}

void pd_model_needed(struct pd_model *m, uint64_t addr, uint64_t n)
{
	if (m->unneeded.v.n)
		pd_ranges_remove(&m->unneeded, m->arena, addr, addr + n);
}

static void clean_line(struct pd_log *log, struct pd_line *line, uint64_t at, uint64_t from,
		       uint64_t to)
{
	struct pd_history *h = &line->cur;

	for (uint32_t i = h->log ? h->first : 0; i; i = pd_log_at(h->log, i - 1)->next) {
		struct pd_store *s = pd_log_at(h->log, i - 1);

		if (at + s->off >= from && at + s->off + s->size <= to)
			mark_unneeded(log, s);
	}
}

void pd_model_clean(struct pd_model *m, uint64_t addr, uint64_t n)
{
	for (uint64_t at = addr & ~(uint64_t)(line_size(m) - 1); at < addr + n;
	     at += line_size(m)) {
		struct pd_line *line = pd_model_line(m, at);

		if (line)
			clean_line(m->log, line, at, addr, addr + n);
	}
}

/* ---- loads ---------------------------------------------------------------------------------- */

/* A crashed line's content if all remaining versions agree; false: they do not. */
static bool only_content(struct pd_model *m, const struct pd_line *line, uint8_t *content)
{
	for (uint32_t b = 0; b < line_size(m) / PD_BLOCK; b++) {
		/* Not `written`: bytes below a store show again if that store is lost. */
		uint64_t need = line->cur.log ? ~line->cur.known[b] : UINT64_MAX;

		if (!pd_vset_only(line->crashed, &line->set, b, need, &m->step,
				  content + b * PD_BLOCK))
			return false;
	}
	return true;
}

static bool bit(const uint64_t *mask, uint32_t i)
{
	return mask[i / 64] >> (i % 64) & 1;
}

/* If nothing is open about the line any more, writes its content to memory and drops its past. */
static void settle(struct pd_model *m, struct pd_line *line)
{
	uint8_t content[1 << PD_LINE_SHIFT_MAX];
	struct pd_history *cur = line->cur.log ? &line->cur : NULL;

	if (!only_content(m, line, content))
		return;
	for (uint32_t i = 0; i < line_size(m); i++) {
		if (!cur || !bit(cur->written, i))
			line_mem(m, line)[i] = content[i];
		if (cur && !bit(cur->known, i))
			cur->base[i] = content[i];
	}
	if (cur)
		memset(cur->known, 0xff, line_size(m) / 8);
	line->crashed = NULL;
	line->set = (struct pd_vset){0};
	m->nunsettled--;
	if (m->wrote)
		m->wrote(m->ctx, line->cur.line << m->params.line_shift, line_size(m));
}

bool pd_model_show_newest(struct pd_model *m, struct pd_line *line)
{
	uint8_t *mem = line_mem(m, line);

	pd_arena_reset(&m->step);
	for (uint32_t b = 0; b < line_size(m) / PD_BLOCK; b++) {
		pd_classes classes;

		if (!pd_vset_classes(line->crashed, &line->set, b, UINT64_MAX, NULL, &m->step,
				     &classes))
			return false;
		memcpy(mem + b * PD_BLOCK, classes.v[0].value, PD_BLOCK);
	}
	return true;
}

static void keep_set(struct pd_model *m, struct pd_line *line, const struct pd_vset *set)
{
	size_t n = (size_t)set->nbox * set->ndim;
	struct pd_span *span = pd_new_array(m->arena, struct pd_span, n);

	if (!span)
		return;
	memcpy(span, set->span, n * sizeof(*span));
	line->set = (struct pd_vset){set->nbox, set->nbox, set->ndim, span};
}

/*
 * Reads the bytes `need` of a block of an unsettled line: asks the chooser, and keeps one class.
 * out[0] is the block's byte number `from`. (P12)
 */
static void choose_bytes(struct pd_model *m, struct pd_line *line, uint32_t block, uint64_t need,
			 uint8_t *out, uint32_t from, const struct pd_chooser *chooser)
{
	pd_classes classes;
	uint32_t pick, all;
	bool cut;

	pd_arena_reset(&m->step);
	if (!pd_vset_classes(line->crashed, &line->set, block, need, &m->lens, &m->step,
			     &classes)) {
		m->arena->failed = true;
		return;
	}
	all = classes.n;
	cut = m->cutting && pd_cut_filter(&m->cut, line->crashed, &line->set, &classes);
	m->asked = line;
	m->classes = &classes;
	pick = pd_choose(chooser, PD_CHOICE_VALUE, classes.n);
	PD_CHECK(pick < classes.n, "a choice outside its alternatives");
	for (uint64_t r = need; r; r &= r - 1) {
		uint32_t i = (uint32_t)__builtin_ctzll(r);

		out[i - from] = classes.v[pick].value[i];
	}
	if (m->chose && classes.n > 1)
		m->chose(m->ctx, classes.v, classes.n, pick);
	m->asked = NULL;
	m->classes = NULL; /* on this stack */
	if (all == 1)
		return;
	if (cut && !pd_cut_narrow(&m->cut, m->arena, line->crashed, &line->set, &classes.v[pick]))
		m->arena->failed = true;
	keep_set(m, line, &classes.v[pick].set);
	settle(m, line);
}

/* n bytes inside one block. */
static void load_piece(struct pd_model *m, uint32_t tid, uint64_t addr, uint8_t *out, uint32_t n,
		       const struct pd_chooser *chooser)
{
	uint8_t own[PD_BLOCK];
	uint64_t bypassed = 0;
	struct pd_line *line;

	memcpy(out, m->mem + addr, n);
	if (tid < m->threads.n)
		bypassed = pd_buffer_bypass(&m->threads.v[tid], addr, n, own);
	line = m->nunsettled ? pd_model_line(m, addr) : NULL;
	if (line && line->crashed) {
		uint32_t at = (uint32_t)addr & (line_size(m) - 1);
		uint32_t block = at / PD_BLOCK;
		uint64_t need = (n == 64 ? UINT64_MAX : (1ULL << n) - 1) & ~bypassed;

		need <<= at % PD_BLOCK;
		if (line->cur.log)
			need &= ~line->cur.written[block];
		if (need)
			choose_bytes(m, line, block, need, out, at % PD_BLOCK, chooser);
	}
	for (; bypassed; bypassed &= bypassed - 1) {
		uint32_t i = (uint32_t)__builtin_ctzll(bypassed);

		out[i] = own[i];
	}
}

void pd_model_load(struct pd_model *m, uint32_t tid, uint64_t addr, void *out, uint64_t n,
		   const struct pd_chooser *chooser)
{
	uint8_t *to = out;

	while (n) {
		uint32_t k = (uint32_t)PD_MIN(n, PD_BLOCK - addr % PD_BLOCK);

		load_piece(m, tid, addr, to, k, chooser);
		addr += k;
		to += k;
		n -= k;
	}
}

bool pd_model_load_is_open(struct pd_model *m, uint64_t addr, uint64_t n)
{
	for (uint64_t at = addr & ~(uint64_t)(line_size(m) - 1); m->nunsettled && at < addr + n;
	     at += line_size(m)) {
		struct pd_line *line = pd_model_line(m, at);

		if (line && line->crashed)
			return true;
	}
	return false;
}

/* ---- crash ---------------------------------------------------------------------------------- */

static void crash_line(struct pd_model *m, struct pd_line *line)
{
	bool was_open = line->crashed != NULL;
	struct pd_history *crashed;
	struct pd_vset set;

	if (!line->cur.log)
		return;
	pd_history_fold(&line->cur, UINT32_MAX);
	if (!pd_line_crash_now(line, m->arena, &crashed, &set))
		return;
	pd_line_end(line, &m->params, crashed != NULL);
	if (!crashed)
		return;
	line->crashed = crashed;
	line->set = set;
	m->nunsettled += !was_open;
	pd_arena_reset(&m->step);
	settle(m, line);
}

void pd_model_crash(struct pd_model *m)
{
	struct pd_log *log = pd_new(m->arena, struct pd_log);

	for (struct pd_line *line = m->lines; line; line = line->next) {
		crash_line(m, line);
		line->open = 0;
		line->touched = false;
	}
	memset(&m->open, 0, sizeof(m->open));
	m->exec++;
	if (log) {
		log->exec = m->exec;
		m->log = log;
	}
	m->threads.n = 0;
	m->unneeded.v.n = 0;
}
