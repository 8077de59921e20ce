/*
 * buffer.h - one thread's store buffer and its pending flushes.
 *
 * Stores, clflush, clflushopt/clwb and sfence wait in the buffer, in program order, until they are
 * evicted. (P4) All but clflushopt keep their order among each other (order.h), so the buffer is a
 * queue. A clflushopt may take effect earlier or later than its place in the queue:
 *
 *  - earlier: as soon as nothing before it in the buffer delays it. `version` is the log's length
 *    at that moment: the oldest version that the flush may write back. (P7)
 *  - later: it stays pending when it leaves the queue, until a fence of the same thread, or a
 *    locked instruction, forces it. Only then does it rule versions out. (P8)
 *
 * So a clflushopt counts with its earliest effect at its latest moment. That is exact: a line that
 * was written back earlier than it had to be is covered by "any line may be written back at any
 * time", and the choices for different flushes do not depend on each other. (Jaaru §4, Fig. 7-8,
 * computes the same from sequence numbers.)
 */
#ifndef PD_MODEL_BUFFER_H
#define PD_MODEL_BUFFER_H

#include "base/vec.h"
#include "model/line.h"
#include "model/order.h"

struct pd_buffered {
	uint8_t op; /* enum pd_op: WRITE, FLUSH, FLUSHOPT or SFENCE */
	uint8_t size;
	uint8_t flags; /* enum pd_logged_flags */
	uint8_t pad;
	uint32_t site;
	uint64_t addr;
	union {
		uint64_t value;	  /* WRITE */
		uint32_t version; /* FLUSHOPT */
	};
};

/* A clflushopt that has left the buffer and waits for a fence. */
struct pd_pending {
	struct pd_history *history;
	uint32_t version;
};

struct pd_buffer {
	PD_VEC(struct pd_buffered) queue;
	uint32_t head; /* oldest entry still there */
	PD_VEC(struct pd_pending) pending;
};

static inline uint32_t pd_buffer_length(const struct pd_buffer *b)
{
	return b->queue.n - b->head;
}

/* NULL: memory ran out. */
struct pd_buffered *pd_buffer_push(struct pd_buffer *b, struct pd_arena *a);

/* Removes the oldest entry. The buffer must not be empty. */
struct pd_buffered pd_buffer_pop(struct pd_buffer *b);

/*
 * `gone` has just taken effect, and the log now has `version` stores: flushes that only it delayed
 * may take effect from here on.
 */
void pd_buffer_release(struct pd_buffer *b, const struct pd_buffered *gone, uint32_t line_shift,
		       uint32_t version);

/*
 * Overlays [addr, addr+n) of `out` with the thread's own stores that are still in the buffer (P6).
 * Returns a mask of the overlaid bytes; n <= 64.
 */
uint64_t pd_buffer_bypass(const struct pd_buffer *b, uint64_t addr, uint32_t n, uint8_t *out);

/* Remembers a clflushopt until the next fence; false: memory ran out. */
bool pd_buffer_pend(struct pd_buffer *b, struct pd_arena *a, struct pd_history *h,
		    uint32_t version);

/* The fence: every pending flush takes effect. Linear in the lines pending. */
void pd_buffer_complete(struct pd_buffer *b);

/* The line is certainly written back at this version. */
void pd_history_persist(struct pd_history *h, uint32_t version);

#endif
