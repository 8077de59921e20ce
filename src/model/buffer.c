/* buffer.c - see buffer.h. */
#include "model/buffer.h"
#include "base/bug.h"

/* A fence folds at most this many stores per line, to stay linear in the lines; later stores fold
 * the rest. */
enum { FOLD_AT_FENCE = 16 };

struct pd_buffered *pd_buffer_push(struct pd_buffer *b, struct pd_arena *a)
{
	/* Empty again: start over, so that a buffer that is drained now and then never grows. */
	if (b->head == b->queue.n)
		b->head = b->queue.n = 0;
	return pd_vec_push(&b->queue, a);
}

struct pd_buffered pd_buffer_pop(struct pd_buffer *b)
{
	PD_CHECK(b->head < b->queue.n, "eviction from an empty store buffer");
	return b->queue.v[b->head++];
}

void pd_buffer_release(struct pd_buffer *b, const struct pd_buffered *gone, uint32_t line_shift,
		       uint32_t version)
{
	for (uint32_t i = b->head; i < b->queue.n; i++) {
		struct pd_buffered *e = &b->queue.v[i];
		bool same_line = e->addr >> line_shift == gone->addr >> line_shift;

		if (e->op == PD_OP_FLUSHOPT && pd_order_kept(gone->op, e->op, same_line))
			e->version = version;
	}
}

uint64_t pd_buffer_bypass(const struct pd_buffer *b, uint64_t addr, uint32_t n, uint8_t *out)
{
	uint64_t given = 0;

	/* Newest first; a byte once given is not overwritten. */
	for (uint32_t i = b->queue.n; i-- > b->head;) {
		const struct pd_buffered *e = &b->queue.v[i];

		if (e->op != PD_OP_WRITE || e->addr >= addr + n || e->addr + e->size <= addr)
			continue;
		for (uint32_t k = 0; k < e->size; k++) {
			uint64_t at = e->addr + k - addr; /* wraps below addr, and is then >= n */

			if (at < n && !(given >> at & 1)) {
				out[at] = (uint8_t)(e->value >> (8 * k));
				given |= 1ULL << at;
			}
		}
	}
	return given;
}

void pd_history_persist(struct pd_history *h, uint32_t version)
{
	h->must = PD_MAX(h->must, version);
	pd_history_fold(h, FOLD_AT_FENCE);
}

bool pd_buffer_pend(struct pd_buffer *b, struct pd_arena *a, struct pd_history *h, uint32_t version)
{
	struct pd_pending *p;

	if (version <= h->must)
		return true;
	/* The line may be pending already: the later flush covers a later version. */
	if (h->pending < b->pending.n && b->pending.v[h->pending].history == h) {
		p = &b->pending.v[h->pending];
		p->version = PD_MAX(p->version, version);
		return true;
	}
	h->pending = b->pending.n;
	p = pd_vec_push(&b->pending, a);
	if (!p)
		return false;
	*p = (struct pd_pending){h, version};
	return true;
}

void pd_buffer_complete(struct pd_buffer *b)
{
	for (uint32_t i = 0; i < b->pending.n; i++)
		pd_history_persist(b->pending.v[i].history, b->pending.v[i].version);
	b->pending.n = 0;
}
