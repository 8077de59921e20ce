/*
 * unlogged.c - failures caused by a store that its transaction did not log, or by a transaction
 * that was left open (span.h). See failure.h.
 *
 * Of an unlogged store, either the transaction has committed and the store is lost: then it is
 * among the stores that the failure needs. Or the transaction has not, and recovery sees the store:
 * then recovery ends well without it, which was tried (least.c).
 *
 * One object that is not logged is one bug, however many of its members are stored to, and by
 * whichever functions: one TX_ADD is missing. An object is a struct, where the compiler knows the
 * member that is stored to; else what one function stores in one line, or adjacent to it.
 */
#include "engine/crash/failure.h"
#include "finding/text.h"

enum { TOUCHING = 64 };

/* Stored after its transaction was left open: it was never meant to be a part of that. */
static bool is_stray(const struct pd_surveyed *s, const struct pd_unlogged *u)
{
	const struct pd_tx_span *span = pd_span_find(&s->spans, u->tid, u->first);

	return span && u->first > span->left;
}

static void take(struct pd_failure *f, uint32_t order)
{
	const struct pd_surveyed *s = f->surveyed;
	const struct pd_unlogged *u = pd_unlogged_find(s->unlogged, s->nunlogged, order);

	for (uint32_t i = 0; i < f->nunlogged; i++)
		if (f->unlogged[i] == u)
			return;
	if (u && f->nunlogged < PD_LEN(f->unlogged) && !is_stray(s, u))
		f->unlogged[f->nunlogged++] = u;
}

static void find_unlogged(struct pd_failure *f)
{
	for (uint32_t i = 0; i < f->n; i++)
		if (!f->blame[i].lost.exec)
			take(f, f->blame[i].lost.order);
	for (uint32_t i = 0; !f->nunlogged && i < f->run->nunlogged; i++)
		take(f, f->run->unlogged[i]);
}

/* Whether all that was lost was stored in this transaction, whose end would have made it
 * durable. */
static bool is_lost_in(const struct pd_failure *f, const struct pd_tx_span *span)
{
	for (uint32_t i = 0; i < f->n; i++)
		if (f->blame[i].lost.exec || f->blame[i].lost.tid != span->tid ||
		    f->blame[i].lost.order <= span->from)
			return false;
	return true;
}

static void find_open(struct pd_failure *f)
{
	const struct pd_spans *s = &f->surveyed->spans;

	for (uint32_t i = 0; i < s->n && !f->open; i++)
		if (s->v[i].left <= f->run->length && s->v[i].begin && is_lost_in(f, &s->v[i]))
			f->open = &s->v[i];
}

void pd_failure_find_transaction(struct pd_failure *f)
{
	f->nunlogged = 0;
	f->open = NULL;
	if (!f->surveyed || f->run->depth != 1)
		return;
	find_unlogged(f);
	if (!f->nunlogged)
		find_open(f);
}

static const struct pd_finding_site *place(const struct pd_failure *f, uint32_t number)
{
	static const struct pd_finding_site nowhere;

	return number ? &f->surveyed->places[number - 1] : &nowhere;
}

const struct pd_finding_site *pd_unlogged_store(const struct pd_failure *f, uint32_t i)
{
	return place(f, f->unlogged[i]->place);
}

const struct pd_finding_site *pd_failure_transaction(const struct pd_failure *f)
{
	return place(f, f->nunlogged ? f->unlogged[0]->begin : f->open->begin);
}

/* ---- what lies together --------------------------------------------------------------------- */

/* The struct that is stored to; false: not known. */
static bool object_of(const struct pd_explored *x, const struct pd_failure *f,
		      const struct pd_unlogged *u, struct pd_stretch *to)
{
	const struct pd_board_site *s = pd_explored_site(x, 0, pd_surveyed_site(f->surveyed, u));

	if (!s || !s->at.type || s->at.offset > u->addr)
		return false;
	to->from = u->addr - s->at.offset;
	to->to = to->from + s->at.type_size;
	return true;
}

/* One struct, or overlapping parts of it, whoever stores to it. */
static bool same_object(const struct pd_explored *x, const struct pd_failure *a,
			const struct pd_unlogged *u, const struct pd_failure *b,
			const struct pd_unlogged *v)
{
	struct pd_stretch p, q;

	return object_of(x, a, u, &p) && object_of(x, b, v, &q) && p.from < q.to && q.from < p.to;
}

static bool lie_together(const struct pd_explored *x, const struct pd_failure *a,
			 const struct pd_unlogged *u, const struct pd_failure *b,
			 const struct pd_unlogged *v)
{
	struct pd_stretch p, q;

	if (object_of(x, a, u, &p) && object_of(x, b, v, &q))
		return p.from < q.to && q.from < p.to;
	return u->addr / TOUCHING == v->addr / TOUCHING ||
	       (u->addr <= v->addr + v->size && v->addr <= u->addr + u->size);
}

static bool same_function(const struct pd_frame *a, const struct pd_frame *b)
{
	return a->function && b->function && pd_text_cmp(a->function, b->function) == 0;
}

enum { NEARBY = 256 };

/* Whether the transaction of u also stores, at the place of v, to what lies together with u. */
static bool made_together(const struct pd_explored *x, const struct pd_failure *a,
			  const struct pd_unlogged *u, const struct pd_finding_site *at)
{
	const struct pd_surveyed *s = a->surveyed;
	uint32_t i = (uint32_t)(u - s->unlogged), n = 2 * NEARBY;

	for (i = i > NEARBY ? i - NEARBY : 0; i < s->nunlogged && n; i++, n--) {
		const struct pd_unlogged *w = &s->unlogged[i];

		if (w->tx == u->tx && pd_frame_same(&place(a, w->place)->at, &at->at) &&
		    lie_together(x, a, u, a, w))
			return true;
	}
	return false;
}

bool pd_failures_same_log(const struct pd_explored *x, const struct pd_failure *a,
			  const struct pd_failure *b)
{
	for (uint32_t i = 0; i < a->nunlogged; i++)
		for (uint32_t k = 0; k < b->nunlogged; k++) {
			const struct pd_frame *p = &pd_unlogged_store(a, i)->at;
			const struct pd_frame *q = &pd_unlogged_store(b, k)->at;

			if (pd_frame_same(p, q) ||
			    same_object(x, a, a->unlogged[i], b, b->unlogged[k]) ||
			    (same_function(p, q) &&
			     (lie_together(x, a, a->unlogged[i], b, b->unlogged[k]) ||
			      made_together(x, a, a->unlogged[i], pd_unlogged_store(b, k)))))
				return true;
		}
	return false;
}

struct pd_stretch pd_unlogged_range(const struct pd_explored *x, const struct pd_failure *f)
{
	struct pd_stretch r = {f->unlogged[0]->addr, f->unlogged[0]->addr + f->unlogged[0]->size,
			       0};

	for (uint32_t i = 1; i < f->nunlogged; i++) {
		const struct pd_unlogged *u = f->unlogged[i];

		if (!lie_together(x, f, f->unlogged[0], f, u))
			continue;
		r.from = PD_MIN(r.from, u->addr);
		r.to = PD_MAX(r.to, u->addr + u->size);
	}
	return r;
}
