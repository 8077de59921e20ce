/*
 * arena.h - memory by lifetime.
 *
 * An arena hands out memory that is never freed piece by piece; it is reset or finished as a whole.
 * It takes large blocks from a host, so the same code runs on malloc, on a mapping of its own
 * inside the tested process, inside Valgrind, and on a test host that fails on purpose.
 *
 * Invariants:
 *  1. Every pointer handed out is aligned to 16 bytes and zeroed.
 *  2. After a failed request `failed` stays true until the arena is reset: callers may do a series
 *     of requests and ask once.
 *
 * Thread rule: one arena, one thread at a time.
 */
#ifndef PD_BASE_ARENA_H
#define PD_BASE_ARENA_H

#include "base/types.h"

/* Where blocks come from. grow returns zeroed, page-aligned memory, or NULL. */
struct pd_host {
	void *(*grow)(void *ctx, size_t n);
	void (*release)(void *ctx, void *p, size_t n);
	void *ctx;
};

struct pd_arena_block;

struct pd_arena {
	struct pd_host host;
	struct pd_arena_block *blocks; /* newest first */
	uint8_t *cur;
	uint8_t *end;
	size_t next_size;
	uint64_t used; /* bytes handed out, padding included */
	uint64_t held; /* bytes taken from the host */
	bool failed;
};

void pd_arena_init(struct pd_arena *a, struct pd_host host);

/* Gives everything back to the host. */
void pd_arena_finish(struct pd_arena *a);

/* Forgets everything handed out and keeps the largest block for reuse. */
void pd_arena_reset(struct pd_arena *a);

/* Forgets what was handed out since `cur` was at the mark, if that is in one block. */
void pd_arena_back(struct pd_arena *a, uint8_t *mark);

/* Zeroed memory, or NULL. */
void *pd_arena_alloc(struct pd_arena *a, size_t n);

/* Grows p from old_n to new_n bytes, in place where p is the last thing handed out. */
void *pd_arena_grow(struct pd_arena *a, void *p, size_t old_n, size_t new_n);

char *pd_arena_strndup(struct pd_arena *a, const char *s, size_t n);

#define pd_new(a, type)		 ((type *)pd_arena_alloc((a), sizeof(type)))
#define pd_new_array(a, type, n) ((type *)pd_arena_alloc((a), sizeof(type) * (size_t)(n)))

#endif
