/* listing.c - see listing.h. */
#include "drive/listing.h"
#include "drive/place.h"
#include "finding/text.h"
#include <string.h>

struct pd_listed_pool {
	uint64_t base;
	uint64_t size;
	const char *name;
};

/* ---- what records define -------------------------------------------------------------------- */

/* NULL: undefined. */
static const struct pd_site *site_of(const struct pd_listing *l, uint32_t id)
{
	uint64_t *at = pd_map_get(&l->sites, id);
	const struct pd_site *s = at ? (const struct pd_site *)(uintptr_t)*at : NULL;

	return s && s->file ? s : NULL;
}

static void define_pool(struct pd_listing *l, const struct pd_trace_record *r)
{
	while (l->pools.n <= r->event.aux && r->event.aux < 1 << 20) {
		struct pd_listed_pool *p = pd_vec_push(&l->pools, l->arena);

		if (!p)
			return;
		*p = (struct pd_listed_pool){0};
	}
	if (r->event.aux < l->pools.n)
		l->pools.v[r->event.aux] =
			(struct pd_listed_pool){r->event.addr, r->event.size,
						pd_arena_strndup(l->arena, r->text, r->text_n)};
}

/* ---- a line --------------------------------------------------------------------------------- */

static void print_site(const struct pd_listing *l, uint32_t id)
{
	const struct pd_site *s = site_of(l, id);

	if (!s) {
		fputs("(unknown place)", l->out);
		return;
	}
	fprintf(l->out, "%s:%u %s", pd_text_base(s->file), s->line, s->function);
	for (s = s->inlined_at; s && s->file; s = s->inlined_at)
		fprintf(l->out, " < %s:%u", pd_text_base(s->file), s->line);
}

static int print_address(const struct pd_listing *l, uint64_t addr)
{
	if (addr & PD_ADDR_OUTSIDE)
		return fprintf(l->out, "0x%lx", (unsigned long)(addr & ~PD_ADDR_OUTSIDE));
	for (uint32_t i = 0; i < l->pools.n; i++) {
		const struct pd_listed_pool *p = &l->pools.v[i];

		if (p->name && addr - p->base < p->size)
			return fprintf(l->out, "%s+0x%lx", pd_text_base(p->name),
				       (unsigned long)(addr - p->base));
	}
	return fprintf(l->out, "pm+0x%lx", (unsigned long)addr);
}

static int print_value(const struct pd_listing *l, const struct pd_event *e)
{
	uint64_t v = 0;

	if (!e->data)
		return 0;
	if (e->size > sizeof(v))
		return fprintf(l->out, " = ...");
	memcpy(&v, e->data, e->size);
	return fprintf(l->out, " = 0x%lx", (unsigned long)v);
}

static const char *order_name(uint8_t order)
{
	static const char *const names[] = {"relaxed", "consume", "acquire", "release",
					    "acq_rel", "seq_cst", ""};

	return names[PD_MIN(order, PD_ORDER_NONE)];
}

static int print_aux(const struct pd_listing *l, const struct pd_event *e)
{
	switch ((int)e->kind) { /* an int: in most kinds it is just a number */
	case PD_EV_POOL_OPEN:
	case PD_EV_POOL_SIZE:
	case PD_EV_POOL_MAP:
	case PD_EV_POOL_UNLINK:
	case PD_EV_POOL_RENAME:
		if (e->aux < l->pools.n && l->pools.v[e->aux].name)
			return fprintf(l->out, " %s", l->pools.v[e->aux].name);
		return 0;
	case PD_EV_THREAD_CREATE:
	case PD_EV_THREAD_BEGIN:
	case PD_EV_THREAD_JOIN:
		return fprintf(l->out, " T%lu", (unsigned long)e->aux);
	case PD_EV_ACQUIRE:
	case PD_EV_RELEASE:
		return fprintf(l->out, "%s", e->aux == PD_LOCK_SHARED ? " shared" : "");
	default:
		return fprintf(l->out, " %lu", (unsigned long)e->aux);
	}
}

static void print_event(struct pd_listing *l, const struct pd_event *e)
{
	int width = fprintf(l->out, "T%-2u %-13s ", e->tid, pd_event_info[e->kind].name);

	for (const char *f = pd_event_info[e->kind].fields; *f; f++) {
		switch (*f) {
		case 'a':
			width += print_address(l, e->addr);
			width += fprintf(l->out, " %lu", (unsigned long)e->size);
			break;
		case 'v':
			width += print_value(l, e);
			break;
		case 'o':
			if (e->order != PD_ORDER_NONE)
				width += fprintf(l->out, " %s", order_name(e->order));
			break;
		case 't':
			width += fprintf(l->out, " %.*s", (int)e->size, (const char *)e->data);
			break;
		default:
			width += print_aux(l, e);
		}
	}
	if (e->site) {
		fprintf(l->out, "%*s", PD_MAX(58 - width, 2), "");
		print_site(l, e->site);
	}
	fputc('\n', l->out);
}

void pd_listing_take(struct pd_listing *l, const struct pd_trace_record *r)
{
	switch (r->tag) {
	case PD_TRACE_HEADER:
	case PD_TRACE_WIRE:
		break;
	case PD_TRACE_SITE:
		pd_trace_site_take(&l->sites, l->arena, r);
		break;
	case PD_TRACE_POOL:
		define_pool(l, r);
		break;
	case PD_TRACE_LOSS:
		l->corrupt |= !pd_losses_take(&l->losses, l->arena, r);
		break;
	default:
		if (!l->no_events)
			print_event(l, &r->event);
	}
}

/* ---- the end -------------------------------------------------------------------------------- */

void pd_listing_stats(const struct pd_listing *l, const struct pd_channel *c)
{
	for (uint32_t k = 0; k < PD_EV_N; k++)
		if (c->events[k])
			fprintf(l->out, "%12lu  %-14s %s\n", (unsigned long)c->events[k],
				pd_event_info[k].name, pd_event_info[k].doc);
	fprintf(l->out, "%12lu  bytes stored\n", (unsigned long)c->bytes_stored);
	fprintf(l->out, "%12u  instrumented object files\n", c->modules);
	for (uint32_t i = 0; i < l->pools.n; i++)
		if (l->pools.v[i].name)
			fprintf(l->out, "%12lu  bytes in %s\n", (unsigned long)l->pools.v[i].size,
				l->pools.v[i].name);
}

bool pd_listing_losses(struct pd_listing *l)
{
	FILE *listing = l->out;

	l->out = stderr;
	for (uint32_t i = 0; i < l->losses.all.n; i++) {
		const struct pd_lost *lost = &l->losses.all.v[i];

		fprintf(stderr, "perdure: loss: %s: %s", pd_loss_name(lost->kind), lost->what);
		if (lost->place) {
			fputs(" at ", stderr);
			print_site(l, lost->place);
		}
		if (lost->count > 1)
			fprintf(stderr,
				lost->varied ? " (the first of %lu like it)" : " (%lu times)",
				(unsigned long)lost->count);
		fputc('\n', stderr);
	}
	l->out = listing;
	return l->losses.all.n > 0;
}
