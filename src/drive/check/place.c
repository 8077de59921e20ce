/*
 * check/place.c - places as the user knows them. See check/failure.h.
 *
 * Frames of the system's libraries and headers are left out, so that a store made by std::copy is
 * where std::copy was called. Those of PMDK's libraries are folded into the name of the function
 * that the user called, unless --libraries asks for them.
 */
#include "drive/check/failure.h"
#include "drive/place.h"
#include "finding/owner.h"
#include <string.h>

enum { INLINED = 32 }; /* frames of one address, at most */

static enum pd_owner owner_of(const struct pd_places *p, const char *object, const char *function)
{
	const struct pd_options *o = p->options;
	enum pd_owner owner = pd_owner_of(object, true, function);

	return owner != PD_OWNER_USER && o &&
			       pd_owner_wanted(o->libraries.v, o->libraries.n,
					       pd_owner_library(p->arena, object))
		       ? PD_OWNER_USER
		       : owner;
}

static void collect_calls(const struct pd_places *p, struct pd_symbols *symbols, const uint64_t *pc,
			  uint32_t n, struct pd_stack *to)
{
	struct pd_frame frames[INLINED];

	for (uint32_t i = 0; symbols && i < n && !pd_stack_ends_in_main(to); i++) {
		uint32_t k = pd_symbols_is_system(symbols, pc[i])
				     ? 0
				     : pd_symbols_frames(symbols, p->arena, pc[i], frames, INLINED);

		const char *file = k ? pd_symbols_object(symbols, pc[i]) : NULL;

		for (uint32_t j = 0; j < k; j++) {
			const char *object = pd_owner_object(file, frames[j].file);

			pd_stack_push(to, frames[j], owner_of(p, object, frames[j].function),
				      object);
		}
	}
}

/* The number of innermost frames that are in libraries; 0: none, or all are. */
static uint32_t inside_libraries(const struct pd_stack *s)
{
	uint32_t k = 0;
	bool library = false;

	for (; k < s->n && s->v[k].owner != PD_OWNER_USER; k++)
		library = library || s->v[k].owner != PD_OWNER_SYSTEM;
	return library && k < s->n ? k : 0;
}

/* Removes frames inside libraries. */
static void fold(struct pd_stack *s, struct pd_finding_site *to)
{
	uint32_t k = inside_libraries(s);

	if (!k)
		return;
	to->inside = s->v[k - 1].f.function;
	to->folded = k;
	s->n -= k;
	memmove(s->v, s->v + k, s->n * sizeof(*s->v));
}

struct pd_finding_site pd_place(const struct pd_places *p, enum pd_role role, bool recovery,
				const struct pd_board_site *s, const uint64_t *pc, uint32_t n)
{
	struct pd_stack stack = {.n = 0}, calls = {.n = 0};
	struct pd_finding_site folded = {0}, to;

	pd_stack_push_site(&stack, p->arena, s ? &s->at : NULL);
	for (uint32_t i = 0; s && s->library && i < stack.n; i++)
		stack.v[i].owner = owner_of(p, s->library, stack.v[i].f.function);
	collect_calls(p, recovery ? p->recovery : p->first, pc, n, &calls);
	pd_stack_push_calls(&stack, &calls);
	fold(&stack, &folded);
	to = pd_stack_site(&stack, p->arena, role);
	to.inside = folded.inside;
	to.folded = folded.folded;
	return to;
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
		first = 0; /* all frames are the system's */
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
