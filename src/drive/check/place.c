/*
 * check/place.c - where things happened, as the user knows it. See check/failure.h.
 *
 * Frames of the system's libraries and headers are left out, so that a store that std::copy makes
 * is where std::copy was called.
 */
#include "drive/check/failure.h"
#include "drive/place.h"

enum { INLINED = 32 }; /* frames of one address, at most */

static void collect_calls(const struct pd_places *p, struct pd_symbols *symbols, const uint64_t *pc,
			  uint32_t n, struct pd_stack *to)
{
	struct pd_frame frames[INLINED];

	for (uint32_t i = 0; symbols && i < n && !pd_stack_ends_in_main(to); i++) {
		uint32_t k = pd_symbols_is_system(symbols, pc[i])
				     ? 0
				     : pd_symbols_frames(symbols, p->arena, pc[i], frames, INLINED);

		for (uint32_t j = 0; j < k; j++)
			pd_stack_push(to, frames[j], PD_OWNER_USER, NULL);
	}
}

struct pd_finding_site pd_place(const struct pd_places *p, enum pd_role role, bool recovery,
				const struct pd_board_site *s, const uint64_t *pc, uint32_t n)
{
	struct pd_stack stack = {.n = 0}, calls = {.n = 0};

	pd_stack_push_site(&stack, p->arena, s ? &s->at : NULL);
	collect_calls(p, recovery ? p->recovery : p->first, pc, n, &calls);
	pd_stack_push_calls(&stack, &calls);
	return pd_stack_site(&stack, p->arena, role);
}

struct pd_finding_site pd_place_of_site(const struct pd_places *p, enum pd_role role,
					const struct pd_board_site *s)
{
	struct pd_finding_site to = {.role = role};
	struct pd_stack all = {.n = 0};
	struct pd_frame *stack;
	uint32_t first = 0;

	pd_stack_push_site(&all, p->arena, s ? &s->at : NULL);
	while (first + 1 < all.n && all.v[first].header)
		first++;
	if (all.n && all.v[first].header)
		first = 0; /* all of it is the system's */
	stack = all.n ? pd_new_array(p->arena, struct pd_frame, all.n) : NULL;
	if (!stack)
		return to;
	for (uint32_t i = 0; i < all.n; i++)
		stack[i] = all.v[i].f;
	to.at = stack[first];
	to.stack = stack + first + 1;
	to.nstack = all.n - first - 1;
	return to;
}
