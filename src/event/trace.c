/* trace.c - see trace.h. */
#include "event/trace.h"

static const char magic[4] = {'p', 'd', 't', '2'};

/* ---- writing -------------------------------------------------------------------------------- */

/* Maps small differences of either sign to small numbers. */
static uint64_t zigzag(uint64_t d)
{
	return d << 1 ^ (0 - (d >> 63));
}

static uint64_t unzigzag(uint64_t z)
{
	return z >> 1 ^ (0 - (z & 1));
}

/* Writes a length and the bytes, which the reader leaves in place; no text is an empty one. */
static void put_text(struct pd_leb_writer *w, const char *s)
{
	size_t n = 0;

	while (s && s[n] && n < PD_LEB_TEXT_MAX)
		n++;
	pd_leb_put(w, n);
	if (n)
		pd_leb_put_bytes(w, s, n);
}

static struct pd_leb_writer *begin(struct pd_trace_writer *w, uint8_t tag)
{
	w->leb = (struct pd_leb_writer){.buf = w->buf, .size = sizeof(w->buf)};
	pd_leb_put_byte(&w->leb, tag);
	return &w->leb;
}

static void end(struct pd_trace_writer *w)
{
	w->out.write(w->out.ctx, (const char *)w->buf, w->leb.n);
}

void pd_trace_init(struct pd_trace_writer *w, struct pd_out out)
{
	w->out = out;
	w->last_addr = 0;
	pd_leb_put_bytes(begin(w, PD_TRACE_HEADER), magic, sizeof(magic));
	end(w);
}

void pd_trace_event(struct pd_trace_writer *w, const struct pd_event *e)
{
	struct pd_leb_writer *l = begin(w, e->kind);

	pd_leb_put(l, e->tid);
	pd_leb_put(l, e->site);
	for (const char *f = pd_event_info[e->kind].fields; *f; f++) {
		switch (*f) {
		case 'a':
			pd_leb_put(l, zigzag(e->addr - w->last_addr));
			pd_leb_put(l, e->size);
			w->last_addr = e->addr;
			break;
		case 'v':
			pd_leb_put(l, e->data ? PD_MIN(e->size, PD_TRACE_DATA_MAX) : 0);
			if (e->data)
				pd_leb_put_bytes(l, e->data, PD_MIN(e->size, PD_TRACE_DATA_MAX));
			break;
		case 'o':
			pd_leb_put_byte(l, e->order);
			break;
		case 't':
			pd_leb_put(l, PD_MIN(e->size, PD_TRACE_DATA_MAX));
			pd_leb_put_bytes(l, e->data, PD_MIN(e->size, PD_TRACE_DATA_MAX));
			break;
		default: /* 'b' */
			pd_leb_put(l, e->aux);
		}
	}
	end(w);
}

void pd_trace_site(struct pd_trace_writer *w, const struct pd_site *site)
{
	struct pd_leb_writer *l = begin(w, PD_TRACE_SITE);

	pd_leb_put(l, site->id);
	pd_leb_put(l, site->inlined_at ? site->inlined_at->id : 0);
	pd_leb_put(l, site->line);
	pd_leb_put(l, site->column);
	pd_leb_put(l, site->flags);
	pd_leb_put(l, site->size);
	put_text(l, site->file);
	put_text(l, site->function);
	put_text(l, site->type);
	pd_leb_put(l, site->offset);
	pd_leb_put(l, site->type_size);
	end(w);
}

void pd_trace_pool(struct pd_trace_writer *w, uint32_t id, uint64_t base, uint64_t size,
		   const char *name)
{
	struct pd_leb_writer *l = begin(w, PD_TRACE_POOL);

	pd_leb_put(l, id);
	pd_leb_put(l, base);
	pd_leb_put(l, size);
	put_text(l, name);
	end(w);
}

void pd_trace_loss(struct pd_trace_writer *w, enum pd_loss kind, uint32_t site, const char *what)
{
	struct pd_leb_writer *l = begin(w, PD_TRACE_LOSS);

	pd_leb_put(l, kind);
	pd_leb_put(l, site);
	put_text(l, what);
	end(w);
}

void pd_trace_wire(struct pd_trace_writer *w, const void *bytes, size_t n)
{
	struct pd_leb_writer *l = begin(w, PD_TRACE_WIRE);

	pd_leb_put(l, n);
	pd_leb_put_bytes(l, bytes, n);
	end(w);
}

/* ---- reading -------------------------------------------------------------------------------- */

static const void *get_bytes(struct pd_leb_reader *c, uint64_t n)
{
	if (n <= PD_TRACE_RECORD_MAX)
		return pd_leb_get_bytes(c, n);
	c->bad = true;
	return NULL;
}

static const char *get_text(struct pd_leb_reader *c, uint32_t *n)
{
	uint64_t length = pd_leb_get(c);
	const char *s = get_bytes(c, length);

	*n = s ? (uint32_t)length : 0;
	return s;
}

static void read_data(struct pd_leb_reader *c, struct pd_event *e)
{
	uint64_t n = pd_leb_get(c);

	e->data = get_bytes(c, n);
	if (!n)
		e->data = NULL;
	if (n && n != PD_MIN(e->size, PD_TRACE_DATA_MAX))
		c->bad = true;
}

static void read_event(struct pd_leb_reader *c, uint64_t *last_addr, struct pd_event *e)
{
	e->order = PD_ORDER_NONE;
	e->tid = (uint16_t)pd_leb_get(c);
	e->site = (uint32_t)pd_leb_get(c);
	for (const char *f = pd_event_info[e->kind].fields; *f && pd_leb_ok(c); f++) {
		switch (*f) {
		case 'a':
			e->addr = *last_addr + unzigzag(pd_leb_get(c));
			e->size = pd_leb_get(c);
			*last_addr = e->addr;
			break;
		case 'v':
			read_data(c, e);
			break;
		case 'o':
			e->order = (uint8_t)pd_leb_get(c);
			if (e->order > PD_ORDER_NONE)
				c->bad = true;
			break;
		case 't':
			e->size = pd_leb_get(c);
			e->data = get_bytes(c, e->size);
			break;
		default:
			e->aux = pd_leb_get(c);
		}
	}
}

static void read_site(struct pd_leb_reader *c, struct pd_trace_record *rec)
{
	rec->site.id = (uint32_t)pd_leb_get(c);
	rec->inlined_at = (uint32_t)pd_leb_get(c);
	rec->site.line = (uint32_t)pd_leb_get(c);
	rec->site.column = (uint16_t)pd_leb_get(c);
	rec->site.flags = (uint16_t)pd_leb_get(c);
	rec->site.size = (uint32_t)pd_leb_get(c);
	rec->site.file = get_text(c, &rec->file_n);
	if (pd_leb_ok(c))
		rec->site.function = get_text(c, &rec->function_n);
	if (pd_leb_ok(c))
		rec->site.type = get_text(c, &rec->type_n);
	rec->site.offset = (uint32_t)pd_leb_get(c);
	rec->site.type_size = (uint32_t)pd_leb_get(c);
}

static void read_rest(struct pd_leb_reader *c, uint64_t *last_addr, struct pd_trace_record *rec)
{
	const void *m;

	switch (rec->tag) {
	case PD_TRACE_HEADER:
		m = get_bytes(c, sizeof(magic));
		if (m && memcmp(m, magic, sizeof(magic)) != 0)
			c->bad = true;
		break;
	case PD_TRACE_SITE:
		read_site(c, rec);
		break;
	case PD_TRACE_POOL:
		rec->event.aux = pd_leb_get(c);
		rec->event.addr = pd_leb_get(c);
		rec->event.size = pd_leb_get(c);
		rec->text = get_text(c, &rec->text_n);
		break;
	case PD_TRACE_LOSS:
		rec->event.aux = pd_leb_get(c);
		rec->event.site = (uint32_t)pd_leb_get(c);
		rec->text = get_text(c, &rec->text_n);
		c->bad |= rec->event.aux >= PD_LOSS_N;
		break;
	case PD_TRACE_WIRE:
		rec->text = get_text(c, &rec->text_n);
		break;
	default:
		if (rec->tag >= PD_EV_N) {
			c->bad = true;
			return;
		}
		rec->event.kind = (uint8_t)rec->tag;
		read_event(c, last_addr, &rec->event);
	}
}

long pd_trace_read(struct pd_trace_reader *r, const void *bytes, size_t n,
		   struct pd_trace_record *rec)
{
	struct pd_leb_reader c = {.p = bytes, .end = (const uint8_t *)bytes + n};
	uint64_t last_addr = r->last_addr;

	if (!n)
		return 0;
	memset(rec, 0, sizeof(*rec));
	rec->tag = *c.p++;
	read_rest(&c, &last_addr, rec);
	if (c.bad)
		return -1;
	if (c.more)
		return 0;
	r->last_addr = last_addr;
	return c.p - (const uint8_t *)bytes;
}
