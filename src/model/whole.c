/*
 * whole.c - questions about a whole state: how many images it allows, and whether it equals
 * another.
 *
 * The digest is canonical where that pays: store numbers become positions in the line's own chain,
 * so that two runs that reached the same state by different interleavings agree. Lines and pending
 * flushes are summed, so that their order does not matter. Where two equal states still get
 * different digests (a line that was touched and is as before), an exploration only does some work
 * twice.
 */
#include "model/model.h"

/* ---- counting ------------------------------------------------------------------------------- */

/* log10 of x >= 1, to about six digits; the core has no libm. */
static double log10_of(double x)
{
	static const double of_digit[] = {0,	     0,		0.3010300, 0.4771213, 0.6020600,
					  0.6989700, 0.7781513, 0.8450980, 0.9030900, 0.9542425};
	double sum = 0, bit = 0.5;

	if (x < 10 && x == (uint32_t)x) /* most often */
		return of_digit[(uint32_t)x];
	for (; x >= 10; x /= 10)
		sum += 1;
	for (int i = 0; i < 24; i++, bit /= 2) {
		x *= x;
		if (x >= 10) {
			x /= 10;
			sum += bit;
		}
	}
	return sum;
}

/*
 * Counts the open stores of a line that has changed; walks only the new ones unless some became
 * certain.
 */
static uint32_t count_open(struct pd_line *line)
{
	const struct pd_history *h = &line->cur;

	if (!h->log || h->last <= h->must)
		line->open = line->open_to = 0;
	else if (line->open && line->open_from == h->must)
		line->open += pd_history_open(h, line->open_to);
	else
		line->open = pd_history_open(h, 0);
	if (line->open) {
		line->open_to = h->last;
		line->open_from = h->must;
	}
	return line->open;
}

double pd_model_eager_log10(struct pd_model *m)
{
	struct pd_line *line;

	while ((line = m->open.touched)) {
		uint32_t was = line->open, is = count_open(line);

		m->open.touched = line->next_touched;
		line->touched = false;
		if (was == is)
			continue;
		m->open.lines += (is != 0) - (was != 0);
		m->open.log10 += log10_of(1.0 + is) - log10_of(1.0 + was);
	}
	if (!m->open.lines) /* drop rounding errors */
		m->open.log10 = 0;
	return m->open.log10;
}

/* ---- digest --------------------------------------------------------------------------------- */

static void digest_history(struct pd_digest *d, const struct pd_history *h, uint32_t size)
{
	for (uint32_t i = 0; i < size; i++)
		pd_digest_u64(d, h->known[i / 64] >> (i % 64) & 1 ? h->base[i] : 0x100);
	for (uint32_t i = h->first; i;) {
		const struct pd_store *s = pd_log_at(h->log, i - 1);

		pd_digest_u64(d, (uint64_t)(s->flags & PD_LOGGED_UNNEEDED) << 24 |
					 (uint64_t)s->off << 8 | s->size);
		pd_digest_u64(d, s->value);
		i = s->next;
	}
	pd_digest_u64(d, ~0ULL);
}

static void digest_set(struct pd_digest *d, const struct pd_line *line)
{
	for (uint32_t b = 0; b < line->set.nbox; b++) {
		const struct pd_span *span = line->set.span + b * line->set.ndim;

		for (const struct pd_history *h = line->crashed; h; h = h->older, span++)
			pd_digest_u64(d, (uint64_t)pd_history_place(h, span->lo) << 32 |
						 pd_history_place(h, span->hi));
	}
}

static void digest_line(struct pd_model *m, struct pd_digest *d, struct pd_line *line)
{
	uint32_t size = 1u << m->params.line_shift;

	pd_digest_u64(d, line->cur.line);
	pd_digest_bytes(d, m->mem + (line->cur.line << m->params.line_shift),
			line->crashed ? 0 : size);
	if (line->cur.log) {
		pd_history_fold(&line->cur, UINT32_MAX);
		digest_history(d, &line->cur, size);
		for (uint32_t i = 0; i < size / 64; i++)
			pd_digest_u64(d, line->cur.written[i]);
	}
	for (const struct pd_history *h = line->crashed; h; h = h->older)
		digest_history(d, h, size);
	digest_set(d, line);
}

static uint32_t flush_place(struct pd_model *m, uint64_t addr, uint32_t version)
{
	struct pd_line *line = pd_model_line(m, addr);

	return line && line->cur.log ? pd_history_place(&line->cur, version) : 0;
}

static void digest_thread(struct pd_model *m, struct pd_digest *d, const struct pd_buffer *b)
{
	struct pd_digest sum = {0, 0};

	for (uint32_t i = b->head; i < b->queue.n; i++) {
		const struct pd_buffered *e = &b->queue.v[i];

		pd_digest_u64(d, (uint64_t)e->op << 16 | (uint64_t)e->size << 8 | e->flags);
		pd_digest_u64(d, e->addr);
		pd_digest_u64(d, e->op == PD_OP_FLUSHOPT ? flush_place(m, e->addr, e->version)
							 : e->value);
	}
	for (uint32_t i = 0; i < b->pending.n; i++) {
		const struct pd_pending *p = &b->pending.v[i];
		struct pd_digest one = PD_DIGEST_INIT;

		if (p->version <= p->history->must)
			continue;
		pd_digest_u64(&one, p->history->line);
		pd_digest_u64(&one, pd_history_place(p->history, p->version));
		sum.a += one.a;
		sum.b += one.b;
	}
	pd_digest_u64(d, sum.a);
	pd_digest_u64(d, sum.b);
}

void pd_model_digest(struct pd_model *m, struct pd_digest *d)
{
	struct pd_digest sum = {0, 0};

	for (struct pd_line *line = m->lines; line; line = line->next) {
		struct pd_digest one = PD_DIGEST_INIT;

		digest_line(m, &one, line);
		sum.a += one.a;
		sum.b += one.b;
	}
	pd_digest_u64(d, sum.a);
	pd_digest_u64(d, sum.b);
	for (uint32_t t = 0; t < m->threads.n; t++)
		digest_thread(m, d, &m->threads.v[t]);
}
