/* state.c - see state.h. */
#include "model/state.h"

struct header {
	uint64_t nline;
	uint32_t exec;
	uint32_t line_shift;
};

struct line_record {
	uint64_t index;
	uint32_t ndim; /* 0: settled, and the content follows */
	uint32_t nbox;
};

struct history_record {
	uint32_t exec;
	uint32_t nstore;
	uint32_t pending; /* version up to which it was flushed without a fence */
	uint32_t pad;
};

struct store_record {
	struct pd_store store;
	uint32_t order; /* its index in the log, from 1 */
	uint32_t pad;
};

/* ---- writing -------------------------------------------------------------------------------- */

struct writer {
	uint8_t *buf;
	size_t cap;
	size_t n;
};

static void put(struct writer *w, const void *p, size_t n)
{
	if (w->n + n <= w->cap)
		memcpy(w->buf + w->n, p, n);
	w->n += n;
}

/* By line: the latest version that a thread has flushed without a fence. */
static bool find_pending(struct pd_model *m, struct pd_map *map)
{
	for (uint32_t t = 0; t < m->threads.n; t++)
		for (uint32_t i = 0; i < m->threads.v[t].pending.n; i++) {
			const struct pd_pending *p = &m->threads.v[t].pending.v[i];
			uint64_t *at = pd_map_put(map, &m->step, p->history->line);

			if (!at)
				return false;
			*at = PD_MAX(*at, p->version);
		}
	return true;
}

static bool survives(const struct pd_model *m, const struct pd_line *line)
{
	return !m->survives || m->survives(m->ctx, line->cur.line << m->params.line_shift);
}

static void put_history(struct writer *w, const struct pd_history *h, uint32_t size,
			uint32_t pending)
{
	struct history_record r = {.exec = h->log->exec,
				   .nstore = pd_history_place(h, UINT32_MAX),
				   .pending = pending};

	put(w, &r, sizeof(r));
	put(w, h->known, size / 8);
	put(w, h->base, size);
	for (uint32_t i = h->first; i;) {
		struct store_record s = {.store = *pd_log_at(h->log, i - 1), .order = i};

		if (i <= h->log->order.n)
			s.order = h->log->order.v[i - 1];
		put(w, &s, sizeof(s));
		i = s.store.next;
	}
}

static void put_set(struct writer *w, const struct pd_history *crashed, const struct pd_vset *set)
{
	for (uint32_t b = 0; b < set->nbox; b++) {
		const struct pd_span *from = set->span + (size_t)b * set->ndim;

		for (const struct pd_history *h = crashed; h; h = h->older, from++) {
			struct pd_span places = {pd_history_place(h, from->lo),
						 pd_history_place(h, from->hi)};

			put(w, &places, sizeof(places));
		}
	}
}

static bool put_line(struct pd_model *m, struct writer *w, const struct pd_map *pending,
		     struct pd_line *line)
{
	uint32_t size = 1u << m->params.line_shift;
	struct line_record r = {.index = line->cur.line};
	const uint64_t *at = pd_map_get(pending, line->cur.line);
	uint32_t flushed = at ? (uint32_t)*at : 0;
	struct pd_history *crashed;
	struct pd_vset set;

	if (line->cur.log)
		pd_history_fold(&line->cur, UINT32_MAX);
	if (!pd_line_crash_now(line, &m->step, &crashed, &set))
		return false;
	r.ndim = crashed ? set.ndim : 0;
	r.nbox = crashed ? set.nbox : 0;
	put(w, &r, sizeof(r));
	if (!crashed)
		put(w, m->mem + (line->cur.line << m->params.line_shift), size);
	for (const struct pd_history *h = crashed; h; h = h->older)
		put_history(w, h, size,
			    h->log == line->cur.log ? flushed
			    : h->log->order.n	    ? h->pending
						    : 0);
	if (crashed)
		put_set(w, crashed, &set);
	return true;
}

size_t pd_model_export(struct pd_model *m, void *buf, size_t cap)
{
	struct writer w = {.buf = buf, .cap = cap};
	struct header h = {.exec = m->exec, .line_shift = m->params.line_shift};
	struct pd_map pending = {0};

	pd_arena_reset(&m->step);
	if (!find_pending(m, &pending))
		return 0;
	for (struct pd_line *line = m->lines; line; line = line->next)
		h.nline += survives(m, line);
	put(&w, &h, sizeof(h));
	for (struct pd_line *line = m->lines; line; line = line->next)
		if (survives(m, line) && !put_line(m, &w, &pending, line))
			return 0;
	return w.n;
}

/* ---- reading -------------------------------------------------------------------------------- */

struct reader {
	const uint8_t *p;
	size_t n;
	bool bad;
};

static const void *get(struct reader *r, size_t n)
{
	const uint8_t *p = r->p;

	if (n > r->n) {
		r->bad = true;
		return NULL;
	}
	r->p += n;
	r->n -= n;
	return p;
}

struct import {
	struct pd_model *m;
	struct reader r;
	struct pd_log **log; /* by execution */
	uint32_t nlog;
};

/* Appends the stores of one history to the execution's log. */
static bool get_stores(struct import *im, struct pd_history *h, struct pd_log *log, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		const struct store_record *from = get(&im->r, sizeof(*from));
		struct pd_store *to = from ? pd_log_next(log, im->m->arena) : NULL;
		uint32_t *order = to ? pd_vec_push(&log->order, im->m->arena) : NULL;

		if (!order)
			return false;
		memcpy(to, &from->store, sizeof(*to));
		log->unneeded |= (to->flags & PD_LOGGED_UNNEEDED) != 0;
		memcpy(order, &from->order, sizeof(*order));
		log->n++;
		to->next = i + 1 < n ? log->n + 1 : 0;
		if (i == 0)
			h->first = log->n;
		h->last = log->n;
	}
	return true;
}

static struct pd_history *get_history(struct import *im, uint64_t index, uint32_t size)
{
	const struct history_record *r = get(&im->r, sizeof(*r));
	struct pd_history *h = pd_arena_alloc(im->m->arena, sizeof(*h) + size / 8 + size);
	const void *known = get(&im->r, size / 8), *base = get(&im->r, size);
	struct history_record rec;

	if (!r || !h || !known || !base)
		return NULL;
	memcpy(&rec, r, sizeof(rec));
	if (rec.exec >= im->nlog)
		return NULL;
	h->log = im->log[rec.exec];
	h->line = index;
	h->must = im->log[rec.exec]->n;
	h->pending = rec.pending;
	h->known = (uint64_t *)(h + 1);
	h->base = (uint8_t *)h->known + size / 8;
	memcpy(h->known, known, size / 8);
	memcpy(h->base, base, size);
	return get_stores(im, h, im->log[rec.exec], rec.nstore) ? h : NULL;
}

static bool get_set(struct import *im, struct pd_line *line, const struct line_record *r)
{
	size_t n = (size_t)r->nbox * r->ndim;
	const struct pd_span *from = get(&im->r, n * sizeof(*from));
	struct pd_span *span = pd_new_array(im->m->arena, struct pd_span, n);

	if (!from || !span)
		return false;
	memcpy(span, from, n * sizeof(*span));
	for (uint32_t b = 0; b < r->nbox; b++) {
		struct pd_span *at = span + (size_t)b * r->ndim;

		for (const struct pd_history *h = line->crashed; h; h = h->older, at++) {
			at->lo += h->must;
			at->hi += h->must;
		}
	}
	line->set = (struct pd_vset){r->nbox, r->nbox, r->ndim, span};
	return true;
}

static bool get_line(struct import *im)
{
	uint32_t size = 1u << im->m->params.line_shift;
	const struct line_record *rec = get(&im->r, sizeof(*rec));
	struct pd_history **tail;
	struct line_record r;
	struct pd_line *line;
	const void *content;

	if (!rec)
		return false;
	memcpy(&r, rec, sizeof(r));
	line = pd_model_make_line(im->m, r.index << im->m->params.line_shift);
	if (!line)
		return false;
	if (!r.ndim) {
		content = get(&im->r, size);
		if (content)
			memcpy(im->m->mem + (r.index << im->m->params.line_shift), content, size);
		return content != NULL;
	}
	tail = &line->crashed;
	for (uint32_t d = 0; d < r.ndim; d++, tail = &(*tail)->older)
		if (!(*tail = get_history(im, r.index, size)))
			return false;
	im->m->nunsettled++;
	return get_set(im, line, &r) && pd_model_show_newest(im->m, line);
}

bool pd_model_import(struct pd_model *m, const void *buf, size_t n)
{
	struct import im = {.m = m, .r = {buf, n, false}};
	const struct header *h = get(&im.r, sizeof(*h));
	struct header head;

	if (!h)
		return false;
	memcpy(&head, h, sizeof(head));
	if (head.line_shift != m->params.line_shift)
		return false;
	im.nlog = head.exec + 1;
	im.log = pd_new_array(m->arena, struct pd_log *, im.nlog);
	for (uint32_t i = 0; im.log && i < im.nlog; i++) {
		im.log[i] = pd_new(m->arena, struct pd_log);
		if (!im.log[i])
			return false;
		im.log[i]->exec = i;
	}
	if (!im.log)
		return false;
	for (uint64_t i = 0; i < head.nline; i++)
		if (!get_line(&im))
			return false;
	m->exec = head.exec + 1;
	m->log->exec = m->exec;
	return !im.r.bad;
}
