/* wire.c - see wire.h. */
#include "finding/wire.h"
#include "finding/text.h"

/* ---- writing -------------------------------------------------------------------------------- */

static struct pd_leb_writer *begin(struct pd_wire_writer *t, enum pd_wire_what what)
{
	t->out = (struct pd_leb_writer){.buf = t->buf, .size = sizeof(t->buf)};
	pd_leb_put(&t->out, what);
	return &t->out;
}

static void send(struct pd_wire_writer *t)
{
	pd_trace_wire(t->writer, t->buf, t->out.n);
}

static void put_frame(struct pd_leb_writer *w, const struct pd_wire_frame *f)
{
	pd_leb_put(w, f->how);
	if (f->how == PD_WIRE_SITE) {
		pd_leb_put(w, f->site);
	} else if (f->how == PD_WIRE_PC) {
		pd_leb_put(w, f->pc);
	} else {
		pd_leb_put(w, f->inlined);
		pd_leb_put(w, f->at.line);
		pd_leb_put(w, f->at.column);
		pd_leb_put_text(w, f->at.file);
		pd_leb_put_text(w, f->at.function);
		pd_leb_put_text(w, f->object);
	}
}

void pd_wire_define(struct pd_wire_writer *t, uint32_t place)
{
	uint64_t *known = place ? pd_map_put(&t->defined, t->arena, place) : NULL;
	struct pd_leb_writer *w;
	uint32_t n;

	if (!known || *known)
		return;
	*known = 1;
	n = t->source.frames(t->source.ctx, place, t->frames, PD_WIRE_FRAMES);
	for (uint32_t i = 0; i < n; i++)
		if (t->frames[i].how == PD_WIRE_SITE && t->source.site)
			t->source.site(t->source.ctx, t->frames[i].site);
	w = begin(t, PD_WIRE_PLACE);
	pd_leb_put(w, place);
	pd_leb_put(w, n);
	for (uint32_t i = 0; i < n; i++)
		put_frame(w, &t->frames[i]);
	send(t);
}

static void put_finding(void *ctx, const struct pd_raw_finding *f)
{
	struct pd_wire_writer *t = ctx;
	struct pd_leb_writer *w;

	for (uint32_t i = 0; i < f->nsites; i++)
		pd_wire_define(t, f->site[i].place);
	w = begin(t, PD_WIRE_FINDING);
	pd_leb_put(w, f->number);
	pd_leb_put(w, f->kind);
	pd_leb_put(w, f->cause);
	pd_leb_put(w, f->confirmed);
	pd_leb_put(w, f->count);
	pd_leb_put(w, f->of);
	pd_leb_put(w, f->weight);
	pd_leb_put(w, f->nsites);
	for (uint32_t i = 0; i < f->nsites; i++) {
		pd_leb_put(w, f->site[i].role);
		pd_leb_put(w, f->site[i].place);
	}
	pd_facts_encode(w, &f->facts);
	pd_leb_put_text(w, f->field);
	send(t);
}

static void put_loss(void *ctx, enum pd_loss kind, uint32_t place, const char *what)
{
	struct pd_wire_writer *t = ctx;

	pd_wire_define(t, place);
	pd_trace_loss(t->writer, kind, place, what);
}

static void put_stat(void *ctx, const char *name, uint64_t value)
{
	struct pd_wire_writer *t = ctx;
	struct pd_leb_writer *w;

	w = begin(t, PD_WIRE_STAT);
	pd_leb_put_text(w, name);
	pd_leb_put(w, value);
	send(t);
}

static void report_times(void *ctx, uint32_t place, uint64_t n, uint32_t what)
{
	struct pd_wire_writer *t = ctx;
	struct pd_leb_writer *w;

	pd_wire_define(t, place);
	w = begin(t, PD_WIRE_TIMES);
	pd_leb_put(w, place);
	pd_leb_put(w, n);
	pd_leb_put(w, what);
	send(t);
}

void pd_wire_writer_init(struct pd_wire_writer *t, struct pd_trace_writer *w, struct pd_arena *a,
			 struct pd_wire_source source)
{
	memset(t, 0, sizeof(*t));
	t->sink = (struct pd_sink){put_finding, put_loss, put_stat, t, report_times};
	t->writer = w;
	t->source = source;
	t->arena = a;
}

void pd_wire_module(struct pd_wire_writer *t, const struct pd_wire_module *m)
{
	struct pd_leb_writer *w = begin(t, PD_WIRE_MODULE);

	pd_leb_put(w, m->base);
	pd_leb_put(w, m->low);
	pd_leb_put(w, m->high);
	pd_leb_put(w, m->instrumented);
	pd_leb_put_text(w, m->path);
	send(t);
}

void pd_wire_end(struct pd_wire_writer *t)
{
	begin(t, PD_WIRE_END);
	send(t);
}

/* ---- reading -------------------------------------------------------------------------------- */

struct cursor {
	struct pd_leb_reader r;
	struct pd_arena *arena;
};

static const char *get_text(struct cursor *c)
{
	return pd_leb_get_text(&c->r, c->arena);
}

static void get_frame(struct cursor *c, struct pd_wire_frame *f)
{
	f->how = (uint8_t)pd_leb_get_small(&c->r, PD_WIRE_HOWS - 1);
	if (f->how == PD_WIRE_SITE) {
		f->site = pd_leb_get_small(&c->r, UINT32_MAX);
	} else if (f->how == PD_WIRE_PC) {
		f->pc = pd_leb_get(&c->r);
	} else {
		f->inlined = pd_leb_get_small(&c->r, 1);
		f->at.line = pd_leb_get_small(&c->r, UINT32_MAX);
		f->at.column = pd_leb_get_small(&c->r, UINT32_MAX);
		f->at.file = get_text(c);
		f->at.function = get_text(c);
		f->object = get_text(c);
	}
}

static void get_place(struct cursor *c, struct pd_wire_record *r)
{
	r->place = pd_leb_get_small(&c->r, UINT32_MAX);
	r->nframes = pd_leb_get_small(&c->r, PD_WIRE_FRAMES);
	r->frames = pd_new_array(c->arena, struct pd_wire_frame, r->nframes + 1);
	c->r.bad |= !r->frames;
	for (uint32_t i = 0; i < r->nframes && pd_leb_ok(&c->r); i++)
		get_frame(c, &r->frames[i]);
}

static void get_module(struct cursor *c, struct pd_wire_module *m)
{
	m->base = pd_leb_get(&c->r);
	m->low = pd_leb_get(&c->r);
	m->high = pd_leb_get(&c->r);
	m->instrumented = pd_leb_get_small(&c->r, 1);
	m->path = get_text(c);
	c->r.bad |= !m->path;
}

static void get_finding(struct cursor *c, struct pd_raw_finding *f)
{
	f->number = pd_leb_get_small(&c->r, UINT32_MAX);
	f->kind = pd_leb_get_small(&c->r, PD_KIND_N - 1);
	f->cause = pd_leb_get_small(&c->r, PD_CAUSE_N - 1);
	f->confirmed = pd_leb_get_small(&c->r, 1);
	f->count = pd_leb_get(&c->r);
	f->of = pd_leb_get(&c->r);
	f->weight = pd_leb_get(&c->r);
	f->nsites = pd_leb_get_small(&c->r, PD_RAW_SITES);
	for (uint32_t i = 0; i < f->nsites; i++) {
		f->site[i].role = (uint8_t)pd_leb_get_small(&c->r, PD_ROLE_N - 1);
		f->site[i].place = pd_leb_get_small(&c->r, UINT32_MAX);
	}
	f->facts = pd_facts_decode(&c->r, c->arena);
	f->field = get_text(c);
}

bool pd_wire_read(struct pd_arena *a, const void *bytes, size_t n, struct pd_wire_record *r)
{
	struct cursor c = {.arena = a};

	memset(r, 0, sizeof(*r));
	c.r = (struct pd_leb_reader){.p = bytes, .end = (const uint8_t *)bytes + n};
	r->what = (enum pd_wire_what)pd_leb_get_small(&c.r, PD_WIRE_WHATS - 1);
	if (!pd_leb_ok(&c.r))
		return false;
	switch (r->what) {
	case PD_WIRE_PLACE:
		get_place(&c, r);
		break;
	case PD_WIRE_MODULE:
		get_module(&c, &r->module);
		break;
	case PD_WIRE_FINDING:
		get_finding(&c, &r->raw);
		break;
	case PD_WIRE_STAT:
		r->name = get_text(&c);
		r->value = pd_leb_get(&c.r);
		c.r.bad |= !r->name;
		break;
	case PD_WIRE_TIMES:
		r->place = pd_leb_get_small(&c.r, UINT32_MAX);
		r->value = pd_leb_get(&c.r);
		r->times = (uint32_t)pd_leb_get_small(&c.r, PD_TIMES_FENCE | PD_TIMES_FOR_OTHERS);
		break;
	case PD_WIRE_END:
	case PD_WIRE_WHATS:
	default:
		break;
	}
	return pd_leb_ok(&c.r) && c.r.p == c.r.end;
}
