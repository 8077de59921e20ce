/* wire.c - see wire.h. */
#include "finding/wire.h"
#include "finding/text.h"

/* ---- writing -------------------------------------------------------------------------------- */

enum { TEXT_MAX = 4096 };

static void put_number(struct pd_wire_teller *t, uint64_t v)
{
	for (; v >= 0x80 && t->n < sizeof(t->buf); v >>= 7)
		t->buf[t->n++] = (uint8_t)(v | 0x80);
	if (t->n < sizeof(t->buf))
		t->buf[t->n++] = (uint8_t)v;
}

/* A length that is one too large, so that 0 is "not known". What does not fit is cut. */
static void put_text(struct pd_wire_teller *t, const char *s)
{
	size_t n = PD_MIN(pd_text_len(s), TEXT_MAX);

	n = PD_MIN(n, sizeof(t->buf) - PD_MIN(t->n + 16, sizeof(t->buf)));
	put_number(t, s ? n + 1 : 0);
	if (!s)
		return;
	memcpy(t->buf + t->n, s, n);
	t->n += (uint32_t)n;
}

static void begin(struct pd_wire_teller *t, enum pd_wire_what what)
{
	t->n = 0;
	put_number(t, what);
}

static void send(struct pd_wire_teller *t)
{
	pd_trace_wire(t->writer, t->buf, t->n);
}

static void put_frame(struct pd_wire_teller *t, const struct pd_wire_frame *f)
{
	put_number(t, f->how);
	if (f->how == PD_WIRE_SITE) {
		put_number(t, f->site);
	} else if (f->how == PD_WIRE_PC) {
		put_number(t, f->pc);
	} else {
		put_number(t, f->inlined);
		put_number(t, f->line);
		put_number(t, f->column);
		put_text(t, f->file);
		put_text(t, f->function);
		put_text(t, f->object);
	}
}

void pd_wire_define(struct pd_wire_teller *t, uint32_t place)
{
	uint64_t *known = place ? pd_map_put(&t->defined, t->arena, place) : NULL;
	uint32_t n;

	if (!known || *known)
		return;
	*known = 1;
	n = t->source.frames(t->source.ctx, place, t->frames, PD_WIRE_FRAMES);
	for (uint32_t i = 0; i < n; i++)
		if (t->frames[i].how == PD_WIRE_SITE && t->source.site)
			t->source.site(t->source.ctx, t->frames[i].site);
	begin(t, PD_WIRE_PLACE);
	put_number(t, place);
	put_number(t, n);
	for (uint32_t i = 0; i < n; i++)
		put_frame(t, &t->frames[i]);
	send(t);
}

static void tell_finding(void *ctx, const struct pd_told *f)
{
	struct pd_wire_teller *t = ctx;

	for (uint32_t i = 0; i < f->nsites; i++)
		pd_wire_define(t, f->site[i].place);
	begin(t, PD_WIRE_FINDING);
	put_number(t, f->number);
	put_number(t, f->kind);
	put_number(t, f->cause);
	put_number(t, f->confirmed);
	put_number(t, f->count);
	put_number(t, f->of);
	put_number(t, f->weight);
	put_number(t, f->nsites);
	for (uint32_t i = 0; i < f->nsites; i++) {
		put_number(t, f->site[i].role);
		put_number(t, f->site[i].place);
	}
	put_text(t, f->message);
	put_text(t, f->fix);
	put_text(t, f->field);
	send(t);
}

static void tell_loss(void *ctx, enum pd_loss kind, uint32_t place, const char *what)
{
	struct pd_wire_teller *t = ctx;

	pd_wire_define(t, place);
	pd_trace_loss(t->writer, kind, place, what);
}

static void tell_stat(void *ctx, const char *name, uint64_t value)
{
	struct pd_wire_teller *t = ctx;

	begin(t, PD_WIRE_STAT);
	put_text(t, name);
	put_number(t, value);
	send(t);
}

static void tell_times(void *ctx, uint32_t place, uint64_t n, bool fence)
{
	struct pd_wire_teller *t = ctx;

	pd_wire_define(t, place);
	begin(t, PD_WIRE_TIMES);
	put_number(t, place);
	put_number(t, n);
	put_number(t, fence);
	send(t);
}

void pd_wire_teller_init(struct pd_wire_teller *t, struct pd_trace_writer *w, struct pd_arena *a,
			 struct pd_wire_source source)
{
	memset(t, 0, sizeof(*t));
	t->tell = (struct pd_tell){tell_finding, tell_loss, tell_stat, t, tell_times};
	t->writer = w;
	t->source = source;
	t->arena = a;
}

void pd_wire_module(struct pd_wire_teller *t, const struct pd_wire_module *m)
{
	begin(t, PD_WIRE_MODULE);
	put_number(t, m->base);
	put_number(t, m->low);
	put_number(t, m->high);
	put_number(t, m->instrumented);
	put_text(t, m->path);
	send(t);
}

void pd_wire_end(struct pd_wire_teller *t)
{
	begin(t, PD_WIRE_END);
	send(t);
}

/* ---- reading -------------------------------------------------------------------------------- */

struct cursor {
	struct pd_arena *arena;
	const uint8_t *p;
	const uint8_t *end;
	bool bad;
};

static uint64_t get_number(struct cursor *c)
{
	uint64_t v = 0;

	for (unsigned shift = 0; shift < 64 && c->p < c->end; shift += 7) {
		uint8_t b = *c->p++;

		v |= (uint64_t)(b & 0x7f) << shift;
		if (!(b & 0x80))
			return v;
	}
	c->bad = true;
	return 0;
}

/* At most `max`, or the bytes are bad. */
static uint32_t get_small(struct cursor *c, uint64_t max)
{
	uint64_t v = get_number(c);

	c->bad |= v > max;
	return v > max ? 0 : (uint32_t)v;
}

static const char *get_text(struct cursor *c)
{
	uint64_t n = get_number(c);
	char *s;

	if (!n || c->bad)
		return NULL;
	if (n - 1 > (size_t)(c->end - c->p)) {
		c->bad = true;
		return NULL;
	}
	s = pd_arena_strndup(c->arena, (const char *)c->p, n - 1);
	c->bad |= !s;
	c->p += n - 1;
	return s;
}

static void get_frame(struct cursor *c, struct pd_wire_frame *f)
{
	f->how = (uint8_t)get_small(c, PD_WIRE_HOWS - 1);
	if (f->how == PD_WIRE_SITE) {
		f->site = get_small(c, UINT32_MAX);
	} else if (f->how == PD_WIRE_PC) {
		f->pc = get_number(c);
	} else {
		f->inlined = get_small(c, 1);
		f->line = get_small(c, UINT32_MAX);
		f->column = get_small(c, UINT32_MAX);
		f->file = get_text(c);
		f->function = get_text(c);
		f->object = get_text(c);
	}
}

static void get_place(struct cursor *c, struct pd_wire_record *r)
{
	r->place = get_small(c, UINT32_MAX);
	r->nframes = get_small(c, PD_WIRE_FRAMES);
	r->frames = pd_new_array(c->arena, struct pd_wire_frame, r->nframes + 1);
	c->bad |= !r->frames;
	for (uint32_t i = 0; i < r->nframes && !c->bad; i++)
		get_frame(c, &r->frames[i]);
}

static void get_module(struct cursor *c, struct pd_wire_module *m)
{
	m->base = get_number(c);
	m->low = get_number(c);
	m->high = get_number(c);
	m->instrumented = get_small(c, 1);
	m->path = get_text(c);
	c->bad |= !m->path;
}

static void get_told(struct cursor *c, struct pd_told *f)
{
	f->number = get_small(c, UINT32_MAX);
	f->kind = get_small(c, PD_KIND_N - 1);
	f->cause = get_small(c, PD_CAUSE_N - 1);
	f->confirmed = get_small(c, 1);
	f->count = get_number(c);
	f->of = get_number(c);
	f->weight = get_number(c);
	f->nsites = get_small(c, PD_TOLD_SITES);
	for (uint32_t i = 0; i < f->nsites; i++) {
		f->site[i].role = (uint8_t)get_small(c, PD_ROLE_N - 1);
		f->site[i].place = get_small(c, UINT32_MAX);
	}
	f->message = get_text(c);
	f->fix = get_text(c);
	f->field = get_text(c);
}

bool pd_wire_read(struct pd_arena *a, const void *bytes, size_t n, struct pd_wire_record *r)
{
	struct cursor c = {.arena = a, .p = bytes, .end = (const uint8_t *)bytes + n};

	memset(r, 0, sizeof(*r));
	r->what = (enum pd_wire_what)get_small(&c, PD_WIRE_WHATS - 1);
	if (c.bad)
		return false;
	switch (r->what) {
	case PD_WIRE_PLACE:
		get_place(&c, r);
		break;
	case PD_WIRE_MODULE:
		get_module(&c, &r->module);
		break;
	case PD_WIRE_FINDING:
		get_told(&c, &r->told);
		break;
	case PD_WIRE_STAT:
		r->name = get_text(&c);
		r->value = get_number(&c);
		c.bad |= !r->name;
		break;
	case PD_WIRE_TIMES:
		r->place = get_small(&c, UINT32_MAX);
		r->value = get_number(&c);
		r->fence = get_small(&c, 1);
		break;
	case PD_WIRE_END:
	case PD_WIRE_WHATS:
	default:
		break;
	}
	return !c.bad && c.p == c.end;
}
