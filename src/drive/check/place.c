/*
 * check/place.c - where things happened, as the user knows it. See check/failure.h.
 *
 * A site of the compiler has the exact place, and the functions that it was inlined into. A stack
 * has the calls that led there. Together they are one list of frames; those of the system's
 * libraries and headers are left out, so that a store that std::copy makes is where std::copy was
 * called.
 */
#include "drive/check/failure.h"
#include "host/demangle.h"
#include <stdio.h>
#include <string.h>

struct frames {
	struct pd_frame v[PD_PLACE_FRAMES];
	uint32_t n;
};

static bool is_main(const struct pd_frame *f)
{
	return f->function && strcmp(f->function, "main") == 0;
}

static void add_stack(const struct pd_places *p, struct pd_symbols *symbols, const uint64_t *pc,
		      uint32_t n, struct frames *to)
{
	for (uint32_t i = 0; symbols && i < n && to->n < PD_PLACE_FRAMES; i++) {
		if (pd_symbols_is_system(symbols, pc[i]))
			continue;
		to->n += pd_symbols_frames(symbols, p->arena, pc[i], to->v + to->n,
					   PD_PLACE_FRAMES - to->n);
		if (to->n && is_main(&to->v[to->n - 1]))
			break;
	}
}

static void add_site(const struct pd_places *p, const struct pd_board_site *s, struct frames *to)
{
	for (; s && to->n < PD_PLACE_FRAMES; s = s->inlined_at)
		to->v[to->n++] = (struct pd_frame){pd_demangle(p->arena, s->function), s->file,
						   s->line, s->column};
}

/* The compiler's place in front of the stack's, which begins in the same function or in its
 * caller. */
static void put_site(const struct pd_places *p, const struct pd_board_site *s, struct frames *f)
{
	struct frames site = {.n = 0}, stack = *f;
	uint32_t skip;

	add_site(p, s, &site);
	skip = site.n && stack.n && stack.v[0].function &&
			       strcmp(stack.v[0].function, site.v[0].function) == 0
		       ? PD_MIN(site.n, stack.n)
		       : 0;
	f->n = site.n;
	memcpy(f->v, site.v, site.n * sizeof(*f->v));
	for (uint32_t i = skip; i < stack.n && f->n < PD_PLACE_FRAMES; i++)
		f->v[f->n++] = stack.v[i];
}

struct pd_finding_site pd_place(const struct pd_places *p, enum pd_role role, bool recovery,
				const struct pd_board_site *s, const uint64_t *pc, uint32_t n)
{
	struct pd_finding_site to = {.role = role};
	struct frames f = {.n = 0};
	struct pd_frame *stack;
	uint32_t at = 0;

	add_stack(p, recovery ? p->recovery : p->first, pc, n, &f);
	if (s)
		put_site(p, s, &f);
	while (at < f.n && pd_frame_is_system(&f.v[at]))
		at++;
	if (at == f.n)
		at = 0;
	if (!f.n)
		return to;
	to.at = f.v[at];
	stack = pd_new_array(p->arena, struct pd_frame, f.n);
	for (uint32_t i = at + 1; stack && i < f.n; i++)
		if (!pd_frame_is_system(&f.v[i]))
			stack[to.nstack++] = f.v[i];
	to.stack = stack;
	return to;
}

struct pd_finding_site pd_place_of_site(const struct pd_places *p, enum pd_role role,
					const struct pd_board_site *s)
{
	struct pd_finding_site to = {.role = role};
	struct frames f = {.n = 0};
	struct pd_frame *stack;

	add_site(p, s, &f);
	stack = f.n ? pd_new_array(p->arena, struct pd_frame, f.n) : NULL;
	if (!stack)
		return to;
	memcpy(stack, f.v, f.n * sizeof(*stack));
	to.at = stack[0];
	to.stack = stack + 1;
	to.nstack = f.n - 1;
	return to;
}

const char *pd_place_text(const struct pd_finding_site *s, char *buf, size_t n)
{
	const char *slash = s->at.file ? strrchr(s->at.file, '/') : NULL;

	if (s->at.file)
		snprintf(buf, n, "%s:%u", slash ? slash + 1 : s->at.file, s->at.line);
	else
		snprintf(buf, n, "an unknown place");
	return buf;
}
