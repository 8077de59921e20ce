/* watch/place.c - places as the watched process has told them, as stacks with names. See
 * watched.h. */
#include "drive/watch/watched.h"
#include "finding/text.h"
#include "host/demangle.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- frames --------------------------------------------------------------------------------- */

static void push_site(struct pd_watched *w, uint32_t id, struct pd_stack *to)
{
	for (uint32_t depth = 0; id && depth < PD_WIRE_FRAMES; depth++) {
		uint64_t *at = pd_map_get(&w->sites, id);
		const struct pd_watched_site *s = at ? (const void *)(uintptr_t)*at : NULL;

		if (!s)
			return;
		pd_stack_push(to, (struct pd_frame){s->function, s->file, s->line, s->column},
			      PD_OWNER_USER, NULL);
		id = s->inlined_at;
	}
}

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

/* The frames of an address: looking them up takes libdw long, and stacks have most of them in
 * common. */
struct resolved {
	uint32_t loaded; /* modules, then */
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

static void push_pc(struct pd_watched *w, uint64_t pc, struct pd_stack *to)
{
	const struct pd_wire_module *m = module_of(w, pc);
	const struct resolved *x = m && ready(w) ? resolve(w, m, pc) : NULL;

	for (uint32_t i = 0; x && i < x->n; i++)
		pd_stack_push(to, x->f[i], pd_owner_of(m->path, m->instrumented, x->f[i].function),
			      m->path);
}

/*
 * The first address is in the function that the static site is in, unless that ended in a jump to
 * the runtime: then it is in its caller. And the site is from before the optimiser: the function
 * may have been inlined since. So its frames are the caller's from where they go on after the
 * site's function.
 */
static void push_first_pc(struct pd_watched *w, uint64_t pc, struct pd_stack *to)
{
	struct pd_stack more = {0};
	const char *outermost = to->n ? to->v[to->n - 1].f.function : NULL;
	/* An overload of the same name, or itself, may be inlined in it */
	uint32_t from = 0, skip = 0;

	push_pc(w, pc, &more);
	for (uint32_t i = 0; outermost && i < to->n; i++)
		skip += to->v[i].f.function && strcmp(to->v[i].f.function, outermost) == 0;
	for (uint32_t i = 0; skip && i < more.n; i++)
		if (more.v[i].f.function && strcmp(more.v[i].f.function, outermost) == 0) {
			from = i + 1;
			skip--;
		}
	for (uint32_t i = from; i < more.n; i++)
		pd_stack_push(to, more.v[i].f, more.v[i].owner, more.v[i].object);
}

static void push_text(struct pd_watched *w, const struct pd_wire_frame *f, struct pd_stack *to)
{
	struct pd_frame frame = {f->function ? pd_demangle(w->arena, f->function) : NULL, f->file,
				 f->line, f->column};

	pd_stack_push(to, frame, pd_owner_of(f->object, false, f->function), f->object);
}

static void collect(struct pd_watched *w, const struct pd_wire_record *r, struct pd_stack *to)
{
	for (uint32_t i = 0; i < r->nframes; i++) {
		const struct pd_wire_frame *f = &r->frames[i];

		if (f->how == PD_WIRE_SITE)
			push_site(w, f->site, to);
		else if (f->how == PD_WIRE_TEXT)
			push_text(w, f, to);
		else if (i == 1 && r->frames[0].how == PD_WIRE_SITE)
			push_first_pc(w, f->pc, to);
		else
			push_pc(w, f->pc, to);
		/* What is above main is the system's. */
		if (to->n && to->v[to->n - 1].owner == PD_OWNER_USER &&
		    to->v[to->n - 1].f.function && strcmp(to->v[to->n - 1].f.function, "main") == 0)
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
