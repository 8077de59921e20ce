/* trace.c - see trace.h. */
#include "event/trace.h"

static const char magic[4] = {'p', 'd', 't', '1'};

/* ---- writing -------------------------------------------------------------------------------- */

static void put_byte(struct pd_trace_writer *w, uint8_t b)
{
	if (w->n < sizeof(w->buf))
		w->buf[w->n++] = b;
}

static void put_number(struct pd_trace_writer *w, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		put_byte(w, (uint8_t)(v | 0x80));
	put_byte(w, (uint8_t)v);
}

/* Small differences of either sign are small numbers. */
static uint64_t zigzag(uint64_t d)
{
	return d << 1 ^ (0 - (d >> 63));
}

static uint64_t unzigzag(uint64_t z)
{
	return z >> 1 ^ (0 - (z & 1));
}

static void put_bytes(struct pd_trace_writer *w, const void *p, size_t n)
{
	n = PD_MIN(n, sizeof(w->buf) - w->n);
	memcpy(w->buf + w->n, p, n);
	w->n += (uint32_t)n;
}

static void put_text(struct pd_trace_writer *w, const char *s)
{
	size_t n = 0;

	while (s && s[n] && n < 4096)
		n++;
	put_number(w, n);
	put_bytes(w, s, n);
}

static void flush(struct pd_trace_writer *w)
{
	w->out.write(w->out.ctx, (const char *)w->buf, w->n);
	w->n = 0;
}

void pd_trace_init(struct pd_trace_writer *w, struct pd_out out)
{
	w->out = out;
	w->last_addr = 0;
	w->n = 0;
	put_byte(w, PD_TRACE_HEADER);
	put_bytes(w, magic, sizeof(magic));
	flush(w);
}

void pd_trace_event(struct pd_trace_writer *w, const struct pd_event *e)
{
	put_byte(w, e->kind);
	put_number(w, e->tid);
	put_number(w, e->site);
	for (const char *f = pd_event_info[e->kind].fields; *f; f++) {
		switch (*f) {
		case 'a':
			put_number(w, zigzag(e->addr - w->last_addr));
			put_number(w, e->size);
			w->last_addr = e->addr;
			break;
		case 'v':
			put_number(w, e->data ? PD_MIN(e->size, PD_TRACE_DATA_MAX) : 0);
			if (e->data)
				put_bytes(w, e->data, PD_MIN(e->size, PD_TRACE_DATA_MAX));
			break;
		case 'o':
			put_byte(w, e->order);
			break;
		case 't':
			put_number(w, PD_MIN(e->size, PD_TRACE_DATA_MAX));
			put_bytes(w, e->data, PD_MIN(e->size, PD_TRACE_DATA_MAX));
			break;
		default: /* 'b' */
			put_number(w, e->aux);
		}
	}
	flush(w);
}

void pd_trace_site(struct pd_trace_writer *w, const struct pd_site *site)
{
	put_byte(w, PD_TRACE_SITE);
	put_number(w, site->id);
	put_number(w, site->inlined_at ? site->inlined_at->id : 0);
	put_number(w, site->line);
	put_number(w, site->column);
	put_number(w, site->flags);
	put_number(w, site->size);
	put_text(w, site->file);
	put_text(w, site->function);
	flush(w);
}

void pd_trace_pool(struct pd_trace_writer *w, uint32_t id, uint64_t base, uint64_t size,
		   const char *name)
{
	put_byte(w, PD_TRACE_POOL);
	put_number(w, id);
	put_number(w, base);
	put_number(w, size);
	put_text(w, name);
	flush(w);
}

void pd_trace_loss(struct pd_trace_writer *w, enum pd_loss kind, uint32_t site, const char *what)
{
	put_byte(w, PD_TRACE_LOSS);
	put_number(w, kind);
	put_number(w, site);
	put_text(w, what);
	flush(w);
}

void pd_trace_wire(struct pd_trace_writer *w, const void *bytes, size_t n)
{
	put_byte(w, PD_TRACE_WIRE);
	put_number(w, n);
	put_bytes(w, bytes, n);
	flush(w);
}

/* ---- reading -------------------------------------------------------------------------------- */

struct cursor {
	const uint8_t *p;
	const uint8_t *end;
	bool more; /* ran out of bytes */
	bool bad;
};

static uint64_t get_number(struct cursor *c)
{
	uint64_t v = 0;

	for (unsigned shift = 0; shift < 64; shift += 7) {
		uint8_t b;

		if (c->p == c->end) {
			c->more = true;
			return 0;
		}
		b = *c->p++;
		v |= (uint64_t)(b & 0x7f) << shift;
		if (!(b & 0x80))
			return v;
	}
	c->bad = true;
	return 0;
}

static const void *get_bytes(struct cursor *c, uint64_t n)
{
	const uint8_t *p = c->p;

	if (n > PD_TRACE_RECORD_MAX) {
		c->bad = true;
		return NULL;
	}
	if (n > (size_t)(c->end - c->p)) {
		c->more = true;
		return NULL;
	}
	c->p += n;
	return p;
}

static const char *get_text(struct cursor *c, uint32_t *n)
{
	uint64_t length = get_number(c);
	const char *s = get_bytes(c, length);

	*n = s ? (uint32_t)length : 0;
	return s;
}

static void read_data(struct cursor *c, struct pd_event *e)
{
	uint64_t n = get_number(c);

	e->data = get_bytes(c, n);
	if (!n)
		e->data = NULL;
	if (n && n != PD_MIN(e->size, PD_TRACE_DATA_MAX))
		c->bad = true;
}

static void read_event(struct cursor *c, uint64_t *last_addr, struct pd_event *e)
{
	e->order = PD_ORDER_NONE;
	e->tid = (uint16_t)get_number(c);
	e->site = (uint32_t)get_number(c);
	for (const char *f = pd_event_info[e->kind].fields; *f && !c->more && !c->bad; f++) {
		switch (*f) {
		case 'a':
			e->addr = *last_addr + unzigzag(get_number(c));
			e->size = get_number(c);
			*last_addr = e->addr;
			break;
		case 'v':
			read_data(c, e);
			break;
		case 'o':
			e->order = (uint8_t)get_number(c);
			if (e->order > PD_ORDER_NONE)
				c->bad = true;
			break;
		case 't':
			e->size = get_number(c);
			e->data = get_bytes(c, e->size);
			break;
		default:
			e->aux = get_number(c);
		}
	}
}

static void read_site(struct cursor *c, struct pd_trace_record *rec)
{
	rec->site.id = (uint32_t)get_number(c);
	rec->inlined_at = (uint32_t)get_number(c);
	rec->site.line = (uint32_t)get_number(c);
	rec->site.column = (uint16_t)get_number(c);
	rec->site.flags = (uint16_t)get_number(c);
	rec->site.size = (uint32_t)get_number(c);
	rec->site.file = get_text(c, &rec->file_n);
	if (!c->more && !c->bad)
		rec->site.function = get_text(c, &rec->function_n);
}

static void read_rest(struct cursor *c, uint64_t *last_addr, struct pd_trace_record *rec)
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
		rec->event.aux = get_number(c);
		rec->event.addr = get_number(c);
		rec->event.size = get_number(c);
		rec->text = get_text(c, &rec->text_n);
		break;
	case PD_TRACE_LOSS:
		rec->event.aux = get_number(c);
		rec->event.site = (uint32_t)get_number(c);
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
	struct cursor c = {.p = bytes, .end = (const uint8_t *)bytes + n};
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
