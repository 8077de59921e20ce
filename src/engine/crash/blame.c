/* blame.c - see blame.h. */
#include "engine/crash/blame.h"

static uint64_t small_value(const struct pd_class *c, uint64_t mask, uint32_t *size)
{
	uint8_t packed[PD_BLOCK];
	uint32_t n = pd_tree_pack(c->value, mask, packed);
	uint64_t v = 0;

	memcpy(&v, packed, PD_MIN(n, sizeof(v)));
	*size = n;
	return v;
}

void pd_blame_show(struct pd_crash_source *s, const struct pd_class *c, const struct pd_class *seen,
		   uint64_t mask)
{
	uint8_t a[PD_BLOCK + 8] = {0}, b[PD_BLOCK + 8] = {0};
	uint32_t n = pd_tree_pack(c->value, mask, a), at = 0;

	pd_tree_pack(seen->value, mask, b);
	while (at + 8 < n && memcmp(a + at, b + at, 8) == 0)
		at += 8;
	memcpy(&s->shown, a + at, sizeof(s->shown));
	memcpy(&s->shown_seen, b + at, sizeof(s->shown_seen));
}

struct pd_crash_source pd_blame_source(const struct pd_class *c, const struct pd_class *seen,
				       uint64_t mask)
{
	uint32_t size;
	struct pd_crash_source s = {.site = c->source ? c->source->site : 0,
				    .exec = c->source_exec,
				    .order = c->source_order,
				    .flush = c->source_flush,
				    .tid = c->source ? c->source->tid : 0,
				    .written = c->source && c->source->flags & PD_LOGGED_WHOLE,
				    .value = small_value(c, mask, &size)};

	pd_blame_show(&s, c, seen, mask);
	return s;
}

/* The newest version in a set, for each crashed execution. */
static void newest_of(const struct pd_vset *set, uint32_t *version)
{
	const struct pd_span *best = set->span;

	for (uint32_t b = 1; b < set->nbox; b++) {
		const struct pd_span *box = set->span + (size_t)b * set->ndim;
		uint32_t d = 0;

		while (d < set->ndim && box[d].hi == best[d].hi)
			d++;
		if (d < set->ndim && box[d].hi > best[d].hi)
			best = box;
	}
	for (uint32_t d = 0; d < PD_MIN(set->ndim, PD_CRASH_DEPTH); d++)
		version[d] = best[d].hi;
}

struct pd_crash_choice pd_blame_choice(const struct pd_class *classes, uint32_t n, uint32_t pick,
				       uint64_t mask, uint32_t load, uint64_t addr)
{
	struct pd_crash_choice c = {.n = n, .pick = pick, .load = load, .addr = addr};
	const struct pd_class *newest = &classes[0], *seen = &classes[pick];

	if (newest->source) {
		c.newest = newest->source->site;
		c.newest_tid = newest->source->tid;
		c.newest_order = newest->source_order;
		c.flush = newest->source_flush;
		c.newest_exec = newest->source_exec;
	}
	if (seen->source) {
		c.seen = seen->source->site;
		c.seen_tid = seen->source->tid;
		c.seen_exec = seen->source_exec;
		c.seen_order = seen->source_order;
	}
	if (pick)
		c.next = pd_blame_source(&classes[pick - 1], seen, mask);
	c.newest_value = small_value(newest, mask, &c.size);
	c.seen_value = small_value(seen, mask, &c.size);
	c.ndim = PD_MIN(seen->set.ndim, PD_CRASH_DEPTH);
	newest_of(&seen->set, c.version);
	newest_of(&newest->set, c.newest_version);
	return c;
}

void pd_blame_crash(struct pd_crash_run *run, const struct pd_crash *crash)
{
	run->parent = crash->parent;
	run->seed = crash->seed;
	run->work = crash->work;
	run->depth = crash->depth;
	run->point = crash->point;
	run->when = crash->when;
	run->crash_site = crash->site;
	run->crash_kind = crash->kind;
	run->last_store = crash->last_store;
	run->idle_flush = crash->idle_flush;
	run->idle_order = crash->idle_order;
	run->length = crash->length;
	run->nstack = crash->nstack;
	memcpy(run->stack, crash->stack, sizeof(run->stack));
}

/* Address of the lowest byte read. */
static uint64_t addr_of(const struct pd_tree_read *read)
{
	return read->block + (uint64_t)__builtin_ctzll(read->mask);
}

/* Records one choice of the walk's path. All paths below share the record. */
static struct pd_crash_choice *note_choice(const struct pd_walk *w, uint32_t i)
{
	struct pd_walk_taken *t = &w->taken.v[i];
	struct pd_crash_choice *c = w->memory.alloc(w->memory.ctx, sizeof(*c));

	if (!c)
		return NULL;
	*c = pd_blame_choice(t->classes, t->n, w->picks.v[i], t->node->read->mask,
			     t->node->read->site, addr_of(t->node->read));
	c->before = i ? w->taken.v[i - 1].noted : NULL;
	c->number = i;
	c->kept = true;
	t->noted = c;
	return c;
}

struct pd_crash_run *pd_blame_path(const struct pd_walk *w, const struct pd_tree_node *leaf,
				   const struct pd_crash *crash,
				   void (*noted)(const struct pd_crash_choice *c))
{
	struct pd_crash_run *run = w->memory.alloc(w->memory.ctx, sizeof(*run));

	if (!run)
		return NULL;
	*run = *(const struct pd_crash_run *)leaf->bad->run;
	pd_blame_crash(run, crash);
	run->signature = w->signature;
	run->lost = 0;
	run->nchoice = w->taken.n;
	run->last = NULL;
	for (uint32_t i = 0; i < w->taken.n; i++) {
		run->lost += w->picks.v[i] != 0;
		run->last = w->taken.v[i].noted;
		if (run->last)
			continue;
		run->last = note_choice(w, i);
		if (!run->last)
			return NULL;
		noted(run->last);
	}
	return run;
}
