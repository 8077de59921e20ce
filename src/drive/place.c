/* place.c - see place.h. */
#include "drive/place.h"
#include "host/demangle.h"
#include <string.h>

struct pd_site *pd_trace_site_get(struct pd_map *sites, struct pd_arena *a, uint32_t id)
{
	uint64_t *at = id ? pd_map_put(sites, a, id) : NULL;

	if (at && !*at)
		*at = (uintptr_t)pd_new(a, struct pd_site);
	return at ? (struct pd_site *)(uintptr_t)*at : NULL;
}

void pd_trace_site_take(struct pd_map *sites, struct pd_arena *a, const struct pd_trace_record *r)
{
	struct pd_site *s = pd_trace_site_get(sites, a, r->site.id);

	if (!s)
		return;
	*s = r->site;
	s->file = pd_arena_strndup(a, r->site.file, r->file_n);
	s->function = pd_demangle(a, pd_arena_strndup(a, r->site.function, r->function_n));
	s->type = r->type_n ? pd_arena_strndup(a, r->site.type, r->type_n) : NULL;
	s->inlined_at = pd_trace_site_get(sites, a, r->inlined_at);
}

struct pd_frame pd_site_frame(struct pd_arena *a, const struct pd_site *s)
{
	return (struct pd_frame){pd_demangle(a, s->function), s->file, s->line, s->column};
}

void pd_stack_push_site(struct pd_stack *to, struct pd_arena *a, const struct pd_site *s)
{
	uint32_t left = PD_STACK_FRAMES /
			2; /* limits chains: a corrupt site may seem inlined into itself */

	for (; s && s->file && left--; s = s->inlined_at)
		pd_stack_push(to, pd_site_frame(a, s), PD_OWNER_USER, NULL);
}

static bool is_called(const struct pd_owned_frame *f, const char *name)
{
	return name && f->f.function && strcmp(f->f.function, name) == 0;
}

void pd_stack_push_calls(struct pd_stack *to, const struct pd_stack *calls)
{
	const char *outermost = to->n ? to->v[to->n - 1].f.function : NULL;
	/* An overload of the same name may be inlined into it, or it into itself */
	uint32_t from = 0, skip = 0;

	for (uint32_t i = 0; i < to->n; i++)
		skip += is_called(&to->v[i], outermost);
	for (uint32_t i = 0; skip && i < calls->n; i++)
		if (is_called(&calls->v[i], outermost)) {
			from = i + 1;
			skip--;
		}
	for (uint32_t i = from; i < calls->n; i++)
		pd_stack_push(to, calls->v[i].f, calls->v[i].owner, calls->v[i].object);
}

bool pd_stack_ends_in_main(const struct pd_stack *s)
{
	return s->n && s->v[s->n - 1].owner == PD_OWNER_USER && is_called(&s->v[s->n - 1], "main");
}

struct pd_finding_site pd_stack_site(const struct pd_stack *s, struct pd_arena *a,
				     enum pd_role role)
{
	struct pd_finding_site to = {.role = role};
	struct pd_frame *stack = s->n ? pd_new_array(a, struct pd_frame, s->n) : NULL;
	uint32_t at = 0;

	while (at < s->n && s->v[at].owner == PD_OWNER_SYSTEM)
		at++;
	if (at == s->n) /* only such frames: use the innermost one */
		at = 0;
	if (!s->n)
		return to;
	to.at = s->v[at].f;
	to.stack = stack;
	for (uint32_t i = at + 1; stack && i < s->n; i++)
		if (s->v[i].owner != PD_OWNER_SYSTEM)
			stack[to.nstack++] = s->v[i].f;
	return to;
}
