/*
 * leb.h - numbers and texts as bytes: the one codec of what crosses between processes.
 *
 * A number is seven bits a byte, the lowest first (LEB128). A text is its length plus one, so that
 * 0 is "none", and its bytes.
 */
#ifndef PD_BASE_LEB_H
#define PD_BASE_LEB_H

#include "base/arena.h"

enum { PD_LEB_TEXT_MAX = 4096 };

/* Into a buffer of the caller's; what does not fit is left out and `full` is set. */
struct pd_leb_writer {
	uint8_t *buf;
	uint32_t size;
	uint32_t n;
	bool full;
};

/* Reads bytes that are not trusted. Once `more` or `bad` is set, results are meaningless. */
struct pd_leb_reader {
	const uint8_t *p;
	const uint8_t *end;
	bool more; /* the bytes ended too early */
	bool bad;  /* they are malformed */
};

static inline void pd_leb_put_byte(struct pd_leb_writer *w, uint8_t b)
{
	if (w->n < w->size)
		w->buf[w->n++] = b;
	else
		w->full = true;
}

static inline void pd_leb_put(struct pd_leb_writer *w, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		pd_leb_put_byte(w, (uint8_t)(v | 0x80));
	pd_leb_put_byte(w, (uint8_t)v);
}

static inline void pd_leb_put_bytes(struct pd_leb_writer *w, const void *p, size_t n)
{
	w->full |= n > w->size - w->n;
	n = PD_MIN(n, w->size - w->n);
	memcpy(w->buf + w->n, p, n);
	w->n += (uint32_t)n;
}

/* What is longer than PD_LEB_TEXT_MAX, or than what is left of the buffer, is cut. */
void pd_leb_put_text(struct pd_leb_writer *w, const char *s);

static inline uint64_t pd_leb_get(struct pd_leb_reader *r)
{
	uint64_t v = 0;

	for (unsigned shift = 0; shift < 64; shift += 7) {
		uint8_t b;

		if (r->p == r->end) {
			r->more = true;
			return 0;
		}
		b = *r->p++;
		v |= (uint64_t)(b & 0x7f) << shift;
		if (!(b & 0x80))
			return v;
	}
	r->bad = true;
	return 0;
}

static inline bool pd_leb_ok(const struct pd_leb_reader *r)
{
	return !r->more && !r->bad;
}

/* At most `max`, or the bytes are bad. */
static inline uint32_t pd_leb_get_small(struct pd_leb_reader *r, uint64_t max)
{
	uint64_t v = pd_leb_get(r);

	r->bad |= v > max;
	return v > max ? 0 : (uint32_t)v;
}

/* The next n bytes, where they are; NULL: there are not so many. */
static inline const void *pd_leb_get_bytes(struct pd_leb_reader *r, uint64_t n)
{
	const uint8_t *p = r->p;

	if (n > (size_t)(r->end - r->p)) {
		r->more = true;
		return NULL;
	}
	r->p += n;
	return p;
}

/* A copy in the arena; NULL: none, or bad, or no memory (bad, too). */
const char *pd_leb_get_text(struct pd_leb_reader *r, struct pd_arena *a);

#endif
