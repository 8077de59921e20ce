/* watch/place.c - turns places from the watched process into stacks with names. See watched.h. */
#include "drive/place.h"
#include "drive/watch/watched.h"
#include "finding/text.h"
#include "host/demangle.h"
#include "report/fields.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- frames --------------------------------------------------------------------------------- */

static const struct pd_wire_module *module_of(const struct pd_watched *w, uint64_t pc)
{
	for (uint32_t i = w->modules.n; i-- > 0;)
		if (pc - w->modules.v[i].low < w->modules.v[i].high - w->modules.v[i].low)
			return &w->modules.v[i];
	return NULL;
}

static bool ready(struct pd_watched *w)
{
	if (!w->symbols)
		w->symbols = pd_symbols_empty();
	for (; w->symbols && w->loaded < w->modules.n; w->loaded++)
		pd_symbols_load(w->symbols, w->modules.v[w->loaded].path,
				w->modules.v[w->loaded].base);
	return w->symbols;
}

static const char *unnamed(struct pd_watched *w, const struct pd_wire_module *m, uint64_t pc)
{
	const char *name = pd_symbols_name(w->symbols, w->arena, pc);
	char text[300];

	if (name)
		return name;
	snprintf(text, sizeof(text), "%.200s+0x%lx", pd_text_base(m->path),
		 (unsigned long)(pc - m->base));
	return pd_arena_strndup(w->arena, text, strlen(text));
}

/* The frames of an address: libdw takes long to find them, and stacks share most of them. */
struct resolved {
	uint32_t loaded; /* number of modules at that time */
	uint32_t n;
	struct pd_frame f[8];
};

static const struct resolved *resolve(struct pd_watched *w, const struct pd_wire_module *m,
				      uint64_t pc)
{
	uint64_t *at = pd_map_put(&w->frames, w->arena, pc);
	struct resolved *x = at ? (struct resolved *)(uintptr_t)*at : NULL;

	if (x && x->loaded == w->loaded)
		return x;
	if (!x)
		x = pd_new(w->arena, struct resolved);
	if (!at || !x)
		return NULL;
	*at = (uintptr_t)x;
	x->loaded = w->loaded;
	x->n = pd_symbols_frames(w->symbols, w->arena, pc, x->f, PD_LEN(x->f));
	if (!x->n)
		x->f[x->n++] = (struct pd_frame){.function = unnamed(w, m, pc)};
	return x;
}

static void push_owned(struct pd_stack *to, const struct pd_frame *f, const char *object,
		       bool instrumented)
{
	object = pd_owner_object(object, f->file);
	pd_stack_push(to, *f, pd_owner_of(object, instrumented, f->function), object);
}

/* A site does not say which object it is in; its source file does, if it is PMDK's. */
static void push_site(struct pd_watched *w, uint32_t site, struct pd_stack *to)
{
	struct pd_stack own = {.n = 0};

	pd_stack_push_site(&own, w->arena, pd_trace_site_get(&w->sites, w->arena, site));
	for (uint32_t i = 0; i < own.n; i++)
		push_owned(to, &own.v[i].f, NULL, true);
}

static void push_pc(struct pd_watched *w, uint64_t pc, struct pd_stack *to)
{
	const struct pd_wire_module *m = module_of(w, pc);
	const struct resolved *x = m && ready(w) ? resolve(w, m, pc) : NULL;

	for (uint32_t i = 0; x && i < x->n; i++)
		push_owned(to, &x->f[i], m->path, m->instrumented);
}

static void push_first_pc(struct pd_watched *w, uint64_t pc, struct pd_stack *to)
{
	struct pd_stack calls = {.n = 0};

	push_pc(w, pc, &calls);
	pd_stack_push_calls(to, &calls);
}

static void push_text(struct pd_watched *w, const struct pd_wire_frame *f, struct pd_stack *to)
{
	struct pd_frame frame = f->at;

	frame.function = frame.function ? pd_demangle(w->arena, frame.function) : NULL;
	push_owned(to, &frame, f->object, false);
}

static void push_frame(struct pd_watched *w, const struct pd_wire_record *r, uint32_t i,
		       struct pd_stack *to)
{
	const struct pd_wire_frame *f = &r->frames[i];

	if (f->how == PD_WIRE_SITE)
		push_site(w, f->site, to);
	else if (f->how == PD_WIRE_TEXT)
		push_text(w, f, to);
	else if (i == 1 && r->frames[0].how == PD_WIRE_SITE)
		push_first_pc(w, f->pc, to);
	else
		push_pc(w, f->pc, to);
}

static void collect(struct pd_watched *w, const struct pd_wire_record *r, struct pd_stack *to)
{
	for (uint32_t i = 0; i < r->nframes; i++) {
		push_frame(w, r, i, to);
		if (pd_stack_ends_in_main(to))
			break;
	}
	pd_stack_tidy(to);
}

bool pd_watched_place(struct pd_watched *w, uint32_t place, enum pd_role role, struct pd_place *p)
{
	uint64_t *at = pd_map_get(&w->places, place);
	struct pd_stack *s = calloc(1, sizeof(*s));
	bool known;

	memset(p, 0, sizeof(*p));
	if (at && s)
		collect(w, (const struct pd_wire_record *)(uintptr_t)*at, s);
	known = s && pd_place_choose(w->arena, s, role, p);
	free(s);
	return known;
}

static bool has_user(const struct pd_stack *s)
{
	for (uint32_t i = 0; i < s->n; i++)
		if (s->v[i].owner == PD_OWNER_USER && !s->v[i].header)
			return true;
	return false;
}

uint32_t pd_watched_callers(struct pd_watched *w, uint32_t place, uint32_t *site, uint64_t *to,
			    uint32_t max)
{
	uint64_t *at = pd_map_get(&w->places, place);
	const struct pd_wire_record *r = at ? (const void *)(uintptr_t)*at : NULL;
	struct pd_stack *s = calloc(1, sizeof(*s));
	uint32_t n = 0;

	*site = r && r->nframes && r->frames[0].how == PD_WIRE_SITE ? r->frames[0].site : 0;
	for (uint32_t i = 0; s && *site && i < r->nframes && n < max && !has_user(s); i++) {
		const struct pd_wire_module *m = i ? module_of(w, r->frames[i].pc) : NULL;

		push_frame(w, r, i, s);
		if (i && !m)
			break;
		if (i)
			to[n++] = r->frames[i].pc - m->base;
	}
	free(s);
	return n;
}

void pd_watched_locate(const struct pd_watched *w, struct pd_fact *f)
{
	for (uint32_t i = 0; i < w->pools.n; i++) {
		const struct pd_watched_pool *p = &w->pools.v[i];

		if (p->name && f->number - p->base < p->size) {
			f->number -= p->base;
			f->text = p->name;
			return;
		}
	}
}

const char *pd_watched_field(struct pd_watched *w, uint32_t place)
{
	uint64_t *at = pd_map_get(&w->places, place);
	const struct pd_wire_record *r = at ? (const struct pd_wire_record *)(uintptr_t)*at : NULL;
	const struct pd_site *s = NULL;

	if (r && r->nframes && r->frames[0].how == PD_WIRE_SITE)
		s = pd_trace_site_get(&w->sites, w->arena, r->frames[0].site);
	if (!s || !s->type || !ready(w))
		return NULL;
	return pd_field_name(w->symbols, w->arena, s->type, s->type_size, s->offset, s->size);
}
