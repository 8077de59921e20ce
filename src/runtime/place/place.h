/*
 * place.h - where an event comes from: a static site and the calls that led there, as one number.
 *
 * Engines that watch a run want the stacks of stores and flushes, so a stack must not cost more
 * than the event itself. `perdure cc` keeps frame pointers, so the callers are a chain of words;
 * the number is found in a table by a hash of them. Numbers start at 1 and are dense.
 *
 * The chain is followed upwards to the function that the thread began with. Precision lost: callers
 * behind code without frame pointers (a callback from a library), and frames beyond PD_PLACE_DEPTH.
 *
 * Thread rule: as in rt.h.
 */
#ifndef PD_RUNTIME_PLACE_PLACE_H
#define PD_RUNTIME_PLACE_PLACE_H

#include "finding/wire.h"
#include "runtime/base/rt.h"
#include "runtime/thread/sched.h"
#include <emmintrin.h>

/* libpmemobj's own calls may take a dozen. */
enum { PD_PLACE_DEPTH = 24 };

/* The current place; for site 0, unknown, the callers are all there is. */
uint32_t pd_place_here(uint32_t site);

/* ---- walks ---------------------------------------------------------------------------------- */

/* A frame on the stack, as code with frame pointers lays it out. */
struct pd_walk_frame {
	uintptr_t up; /* the caller's frame */
	uintptr_t to; /* return address */
};

/* Frames are compared in groups of this many. */
enum { PD_WALK_TOGETHER = 4, PD_WALK_FRAMES = PD_PLACE_DEPTH + PD_WALK_TOGETHER };

/* What a frame contained. */
struct pd_walk_held {
	const void *at;
	struct pd_walk_frame was;
};

/*
 * A recorded walk: if each frame still has the same content, the walk would take the same way
 * again. Checking that is cheaper than walking: it need not wait for the address of the next frame.
 */
struct pd_walked {
	uintptr_t thread; /* whose stack it is */
	uint32_t site;
	uint32_t place;
	uint32_t libc; /* a libc function is the first caller */
	uint32_t next; /* in the first of two: which of them is replaced next */
	/* Number of frames, the first being the one asked for; rounded up to a multiple of
	 * PD_WALK_TOGETHER */
	uint32_t n;
	/* On the thread's own stack; first `at` NULL: there is none */
	struct pd_walk_held held[PD_WALK_FRAMES];
} __attribute__((aligned(64)));

extern void *__libc_stack_end;

/* There are no frames of the program above this. */
static inline uintptr_t pd_place_top(void)
{
	return pd_sched.cur && pd_sched.cur->base ? pd_sched.cur->base
						  : (uintptr_t)__libc_stack_end;
}

/* From here to pd_place_top() everything is stack while the thread lives. Main's stack grows; this
 * much is certain. */
static inline uintptr_t pd_place_low(void)
{
	return pd_sched.cur && pd_sched.cur->base ? pd_sched.cur->low
						  : (uintptr_t)__libc_stack_end - (8 << 20);
}

static inline __m128i pd_walk_differs(const struct pd_walk_held *h)
{
	return _mm_xor_si128(_mm_loadu_si128(h->at), _mm_loadu_si128((const __m128i *)&h->was));
}

static inline bool pd_walk_is_same(const struct pd_walked *w, uint32_t site,
				   const struct pd_walk_frame *frame, bool libc)
{
	if (pd_unlikely(((uintptr_t)w->held[0].at ^ (uintptr_t)frame) | (w->site ^ site) |
			(w->libc ^ libc) | (w->thread ^ (uintptr_t)__builtin_thread_pointer())))
		return false;
	for (const struct pd_walk_held *h = w->held; h < w->held + w->n; h += PD_WALK_TOGETHER) {
		__m128i d =
			_mm_or_si128(_mm_or_si128(pd_walk_differs(h), pd_walk_differs(h + 1)),
				     _mm_or_si128(pd_walk_differs(h + 2), pd_walk_differs(h + 3)));

		if (_mm_movemask_epi8(_mm_cmpeq_epi8(d, _mm_setzero_si128())) != 0xffff)
			return false;
	}
	return true;
}

/* Two entries per hash. */
enum { PD_WALKS_BITS = 8 };

extern PD_OWN struct pd_walked pd_walks[1 << PD_WALKS_BITS][2];

uint32_t pd_walk_new(struct pd_walked *two, uint32_t site, const struct pd_walk_frame *frame,
		     bool libc);

/* ---- from the frame of a hook --------------------------------------------------------------- */

/* Whether the access is libc's, to a lock of the program. */
static inline bool pd_place_in_libc(void)
{
	return pd_sched.cur && pd_sched.cur->in_libc;
}

/* What pd_place_here would return, for a frame of ours: a hook's, or one that all callers share. */
static inline uint32_t pd_place_hook(uint32_t site, const struct pd_walk_frame *frame)
{
	uint64_t h = (frame->to ^ frame->up >> 4 ^ (uint64_t)site << 32) * 0x9e3779b97f4a7c15ULL;
	struct pd_walked *two = pd_walks[h >> (64 - PD_WALKS_BITS)];
	bool libc = pd_place_in_libc();

	if (pd_likely(pd_walk_is_same(&two[0], site, frame, libc)))
		return two[0].place;
	return pd_walk_is_same(&two[1], site, frame, libc) ? two[1].place
							   : pd_walk_new(two, site, frame, libc);
}

/* Where a hook was last called from; valid if the calling frame has the same caller again. */
struct pd_place_last {
	struct pd_walk_frame hook; /* its frame: what called it, and where from */
	struct pd_walk_frame caller;
	uintptr_t thread; /* whose stack these frames are on */
	uint32_t site;
	uint32_t place; /* 0: none */
} __attribute__((aligned(64)));

enum { PD_PLACE_LASTS = 1024 };

extern PD_OWN struct pd_place_last pd_place_lasts[PD_PLACE_LASTS];

static inline struct pd_place_last *pd_place_last_of(uint32_t site,
						     const struct pd_walk_frame *frame)
{
	return &pd_place_lasts[(site + frame->to + frame->up / 64) % PD_PLACE_LASTS];
}

/* What pd_place_hook would return; records it for pd_place_again. */
uint32_t pd_place_from(uint32_t site, const struct pd_walk_frame *frame);

/*
 * The recorded place, if two callers agree with the record: callers beyond may differ, if their
 * frames have the same size. For code that only needs to know whether it has been here before. 0:
 * use pd_place_from.
 */
static inline uint32_t pd_place_again(uint32_t site, const struct pd_walk_frame *frame)
{
	const struct pd_place_last *l = pd_place_last_of(site, frame);
	const struct pd_walk_frame *caller = (const struct pd_walk_frame *)frame->up;

	if (pd_unlikely((l->site ^ site) | (l->hook.up ^ frame->up) | (l->hook.to ^ frame->to) |
			(l->thread ^ (uintptr_t)__builtin_thread_pointer())))
		return 0;
	return pd_likely(!((l->caller.up ^ caller->up) | (l->caller.to ^ caller->to))) ? l->place
										       : 0;
}

/* Whether the current access has these callers, as offsets in their code files. The frame is one of
 * ours. */
bool pd_place_is_called_by(const struct pd_walk_frame *frame, const uint64_t *caller, uint32_t n);

/* The place of a stack that was walked elsewhere. */
uint32_t pd_place_of(uint32_t site, const uintptr_t *pc, uint32_t n);

/* The place of a site without callers. */
uint32_t pd_place_site(uint32_t site);

/* Memory that places hold. */
uint64_t pd_place_bytes(void);

/* For pd_wire_source. */
uint32_t pd_place_frames(void *ctx, uint32_t place, struct pd_wire_frame *to, uint32_t max);

/* Defines the code files in which places were seen and that are not defined yet. */
void pd_place_modules(struct pd_wire_writer *t);

#endif
