/*
 * tight.h - an arena with room for a given number of bytes and not one more, so that a loop over
 * the room makes every single request of the code under test fail once.
 */
#ifndef PD_TESTS_TIGHT_H
#define PD_TESTS_TIGHT_H

#include "unit/unit.h"

static inline void tight_init(struct pd_arena *a, struct unit_host *h, size_t room)
{
	size_t left;

	*h = (struct unit_host){.left = 1};
	pd_arena_init(a, unit_host(h));
	assert_non_null(pd_arena_alloc(a, 16));
	left = (size_t)(a->end - a->cur);
	assert_true(room < left);
	/* By 16, so that the alignment of larger requests does not eat the room. */
	while ((size_t)(a->end - a->cur) >= room + 16)
		assert_non_null(pd_arena_alloc(a, 16));
}

static inline void tight_finish(struct pd_arena *a, struct unit_host *h)
{
	pd_arena_finish(a);
	assert_int_equal(h->live, 0);
}

#endif
