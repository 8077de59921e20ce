/*
 * place.h - where an event comes from: a static site and the calls that led there, as one number.
 *
 * Engines that watch a run want the stacks of stores and flushes, so a stack must not cost more than the
 * event itself. `perdure cc` keeps frame pointers, so the callers are a chain of words; the number is
 * found in a table by a hash of them. Numbers start at 1 and are dense.
 *
 * The chain is followed only inside the thread's own stack and upwards. What is lost: callers behind
 * code without frame pointers (a callback from a library), and frames beyond PD_PLACE_DEPTH.
 *
 * Thread rule: as in rt.h.
 */
#ifndef PD_RUNTIME_PLACE_H
#define PD_RUNTIME_PLACE_H

#include "finding/wire.h"
#include "runtime/rt.h"
#include "runtime/sched.h"
#include <emmintrin.h>

enum { PD_PLACE_DEPTH = 16 };

/* Here and now; site 0 is unknown, the callers are then all there is. */
uint32_t pd_place_here(uint32_t site);

/* The same for a hook that the program has called, and whose frame this is. */
struct pd_walk_frame;
uint32_t pd_place_hook(uint32_t site, const struct pd_walk_frame *frame);

/* ---- walks ------------------------------------------------------------------------------------ */

/* A frame on the stack, as code with frame pointers lays it out. */
struct pd_walk_frame {
	uintptr_t up; /* the caller's frame */
	uintptr_t to; /* where it goes on */
};

enum { PD_WALK_FRAMES = PD_PLACE_DEPTH + 1 };

/*
 * A walk that was done: if it began here, and each frame still holds what it held, it would go the same way
 * again. Asking that is cheaper than walking: where the next frame is need not be waited for.
 */
struct pd_walked {
	uintptr_t at;
	uintptr_t top;
	uintptr_t own; /* of ours, if that is its first caller; 0: it is not */
	uint32_t place; /* 0: none */
	uint32_t site;
	uint32_t n; /* frames; 0: too many */
	struct pd_walk_frame chain[PD_WALK_FRAMES];
} __attribute__((aligned(64)));

extern void *__libc_stack_end;

/* glibc keeps a thread's control block above its stack. */
static inline uintptr_t pd_place_top(void)
{
	return pd_sched_self() ? (uintptr_t)__builtin_thread_pointer() : (uintptr_t)__libc_stack_end;
}

static inline bool pd_walk_is_same(const struct pd_walked *w, uintptr_t at, uintptr_t top)
{
	if (w->at != at || w->top != top)
		return false;
	for (uint32_t i = 0; i < w->n; i++) {
		__m128i is = _mm_loadu_si128((const __m128i *)at);
		__m128i was = _mm_loadu_si128((const __m128i *)&w->chain[i]);

		if (_mm_movemask_epi8(_mm_cmpeq_epi8(is, was)) != 0xffff)
			return false;
		at = w->chain[i].up;
	}
	return w->n > 0;
}

/* ---- from the frame of a hook ----------------------------------------------------------------- */

/* Where a hook was called from, if the frame that it was called from has the same caller again. */
struct pd_place_last {
	struct pd_walk_frame hook; /* its frame: what called it, and where from */
	struct pd_walk_frame caller;
	uintptr_t thread; /* of whose stack these frames are */
	uint32_t site;
	uint32_t place; /* 0: none */
} __attribute__((aligned(64)));

enum { PD_PLACE_LASTS = 1024 };

extern PD_OWN struct pd_place_last pd_place_lasts[PD_PLACE_LASTS];

static inline struct pd_place_last *pd_place_last_of(uint32_t site, const struct pd_walk_frame *frame)
{
	return &pd_place_lasts[(site + frame->to + frame->up / 64) % PD_PLACE_LASTS];
}

/* What pd_place_hook would say, for pd_place_again. */
uint32_t pd_place_from(uint32_t site, const struct pd_walk_frame *frame);

/*
 * The same if it is as it was, as far as two callers say: those beyond may be others, if their frames are
 * as large. For those who only want to know whether they have been here before. 0: ask that.
 */
static inline uint32_t pd_place_again(uint32_t site, const struct pd_walk_frame *frame)
{
	const struct pd_place_last *l = pd_place_last_of(site, frame);
	const struct pd_walk_frame *caller = (const struct pd_walk_frame *)frame->up;

	if (pd_unlikely((l->site ^ site) | (l->hook.up ^ frame->up) | (l->hook.to ^ frame->to) |
			(l->thread ^ (uintptr_t)__builtin_thread_pointer())))
		return 0;
	return pd_likely(!((l->caller.up ^ caller->up) | (l->caller.to ^ caller->to))) ? l->place : 0;
}

/* Without callers. */
uint32_t pd_place_site(uint32_t site);

/* Memory that places hold. */
uint64_t pd_place_bytes(void);

/* For pd_wire_source. */
uint32_t pd_place_frames(void *ctx, uint32_t place, struct pd_wire_frame *to, uint32_t max);

/* Defines the files of code that places have been seen in and that are not defined yet. */
void pd_place_modules(struct pd_wire_teller *t);

#endif
