/* called.c - see called.h. */
#include "runtime/place/called.h"
#include "base/map.h"
#include "base/vec.h"
#include "event/function.h"
#include "runtime/place/foreign.h"
#include "runtime/thread/thread.h"
#include <string.h>

static struct {
	struct pd_arena arena;
	PD_VEC(struct pd_function) functions;
	struct pd_map by_name; /* address of a name -> function + 1; UINT32_MAX: none */
} table;

void pd_called_start(const char *lines)
{
	while (lines && *lines) {
		const char *end = strchr(lines, '\n');
		size_t n = end ? (size_t)(end - lines) : strlen(lines);
		struct pd_function f, *to;
		char text[300];

		if (!table.functions.n && !table.arena.host.grow)
			pd_arena_init(&table.arena, pd_rt_memory());
		memcpy(text, lines, PD_MIN(n, sizeof(text) - 1));
		text[PD_MIN(n, sizeof(text) - 1)] = '\0';
		to = pd_function_parse(text, &f) ? pd_vec_push(&table.functions, &table.arena)
						 : NULL;
		if (!to)
			pd_rt_fail(2, "'%s' does not say which function is a lock", text);
		*to = f;
		lines += n + (end != NULL);
	}
}

static const struct pd_function *find(const char *name)
{
	uint64_t *known = pd_map_put(&table.by_name, &table.arena, (uintptr_t)name);

	if (!known)
		return NULL;
	for (uint32_t i = 0; !*known && i < table.functions.n; i++)
		if (pd_function_is(&table.functions.v[i], name))
			*known = i + 1;
	if (!*known)
		*known = UINT32_MAX;
	return *known == UINT32_MAX ? NULL : &table.functions.v[*known - 1];
}

static bool has_succeeded(const struct pd_function *f, int64_t result)
{
	return f->result == PD_FUNCTION_ALWAYS || (f->result == PD_FUNCTION_ZERO) == (result == 0);
}

/* An allocator has returned: `first` is its first argument. */
static void allocated(const struct pd_function *f, uint64_t first, uint64_t size, int64_t result)
{
	uint64_t p = f->result == PD_FUNCTION_ZERO ? *(const uint64_t *)first : (uint64_t)result;
	struct pd_event e = {.kind = PD_EV_ALLOCATED, .order = PD_ORDER_NONE, .size = size};

	if (!PD_IS_PM(p))
		return;
	e.addr = p - PD_PM_BASE;
	pd_rt_emit(&e);
}

void __pd_called(struct pd_call *call, int after, uint64_t a, uint64_t b, uint64_t c,
		 int64_t result, const struct pd_site *s);

PD_EXPORT void __pd_called(struct pd_call *call, int after, uint64_t a, uint64_t b, uint64_t c,
			   int64_t result, const struct pd_site *s)
{
	const uint64_t argument[] = {a, b, c};
	const struct pd_function *f;
	bool gives, foreign;

	if (!pd_inside())
		return;
	foreign = !after && pd_foreign_called(call->name, a, s ? s->id : 0);
	f = table.functions.n ? find(call->name) : NULL;
	call->unheard = !f && !foreign;
	if (f)
		pd_channel_called(pd_rt.channel, (uint32_t)(f - table.functions.v));
	gives = f &&
		(f->event == PD_EV_RELEASE || f->event == PD_EV_SIGNAL || f->event == PD_EV_FREED);
	if (!f || gives == (after != 0) || f->argument >= PD_LEN(argument) ||
	    (!gives && !has_succeeded(f, result)))
		return;
	if (f->event == PD_EV_ALLOCATED)
		allocated(f, a, argument[f->argument], result);
	else
		pd_thread_emit(f->event, (const void *)argument[f->argument], f->mode);
}
