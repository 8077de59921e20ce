/* line.c - histories, and splitting a version set by what a load would see. See line.h. */
#include "model/line.h"
#include "base/bug.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/sort.h"

static uint32_t blocks_of(const struct pd_params *p)
{
	return (1u << p->line_shift) / PD_BLOCK;
}

static size_t storage_size(const struct pd_params *p)
{
	return blocks_of(p) * (2 * sizeof(uint64_t) + PD_BLOCK);
}

static void set_storage(struct pd_history *h, const struct pd_params *p, void *storage)
{
	h->known = storage;
	h->written = h->known + blocks_of(p);
	h->base = (uint8_t *)(h->written + blocks_of(p));
}

/*
 * The first history's storage comes with the line, so that the common case needs one place in the
 * cache.
 */
struct pd_line *pd_line_create(struct pd_arena *a, const struct pd_params *p, uint64_t index)
{
	struct pd_line *line = pd_arena_alloc(a, sizeof(*line) + storage_size(p));

	if (!line)
		return NULL;
	line->cur.line = index;
	set_storage(&line->cur, p, line + 1);
	return line;
}

bool pd_line_begin(struct pd_line *line, struct pd_arena *a, const struct pd_params *p,
		   const struct pd_log *log, const uint8_t *content)
{
	struct pd_history *h = &line->cur;

	if (!h->known) {
		void *storage = pd_arena_alloc(a, storage_size(p));

		if (!storage)
			return false;
		set_storage(h, p, storage);
	}
	h->log = log;
	if (content) {
		memset(h->known, 0xff, blocks_of(p) * sizeof(uint64_t));
		memcpy(h->base, content, (size_t)blocks_of(p) * PD_BLOCK);
	}
	return true;
}

void pd_line_end(struct pd_line *line, const struct pd_params *p, bool kept)
{
	struct pd_history fresh = {.line = line->cur.line};

	if (!kept && line->cur.known) {
		memset(line->cur.known, 0, storage_size(p));
		set_storage(&fresh, p, line->cur.known);
	}
	line->cur = fresh;
}

static uint64_t store_mask(const struct pd_store *s)
{
	return pd_store_mask(s->off, s->size);
}

void pd_history_fold(struct pd_history *h, uint32_t limit)
{
	while (limit-- && h->first && h->first <= h->must) {
		const struct pd_store *s = pd_log_at(h->log, h->first - 1);

		pd_store_put(h->base + s->off, s->value, s->size);
		h->known[s->off / PD_BLOCK] |= store_mask(s);
		h->first = s->next;
	}
}

uint32_t pd_history_place(const struct pd_history *h, uint32_t v)
{
	uint32_t n = 0;

	for (uint32_t i = h->first; i && i <= v; i = pd_log_at(h->log, i - 1)->next)
		n++;
	return n;
}

uint32_t pd_history_open(const struct pd_history *h, uint32_t from)
{
	uint32_t n = 0, i = from ? pd_log_at(h->log, from - 1)->next : h->first;

	for (; i; i = pd_log_at(h->log, i - 1)->next)
		n += i > h->must;
	return n;
}

bool pd_line_crash_now(const struct pd_line *line, struct pd_arena *a, struct pd_history **crashed,
		       struct pd_vset *set)
{
	const struct pd_history *cur = &line->cur;
	struct pd_span now;

	*crashed = line->crashed;
	*set = line->set;
	if (!cur->log)
		return true;
	if (cur->last <= cur->must && !line->crashed)
		return true; /* everything is on the medium, and memory has it */

	now = (struct pd_span){cur->must, PD_MAX(cur->last, cur->must)};
	set->ndim = line->crashed ? line->set.ndim + 1 : 1;
	set->nbox = line->crashed ? line->set.nbox : 1;
	set->span = pd_new_array(a, struct pd_span, (size_t)set->nbox * set->ndim);
	*crashed = pd_new(a, struct pd_history);
	if (!set->span || !*crashed)
		return false;
	**crashed = *cur;
	(*crashed)->older = line->crashed;
	for (uint32_t b = 0; b < set->nbox; b++) {
		struct pd_span *to = set->span + b * set->ndim;

		to[0] = now;
		if (set->ndim > 1)
			memcpy(to + 1, line->set.span + b * (set->ndim - 1),
			       (set->ndim - 1) * sizeof(*to));
	}
	return true;
}

/* ---- classes -------------------------------------------------------------------------------- */

/* The content of the block in one history as its version increases. */
struct content {
	uint8_t byte[PD_BLOCK];
	uint64_t known;
	const struct pd_store *source; /* of the lowest byte needed, where a store gave it */
	uint32_t index;		       /* and its index */
};

/* Of each byte of a block: 1 + the index of the last store that nobody needs; 0: none. (P17) */
struct unneeded {
	uint32_t last[PD_BLOCK];
	bool any;
};

/* How far a walk through the stores of a history has come. */
struct reached {
	struct content c;
	uint32_t next;	/* 1 + index of the store that comes next; 0: none */
	uint32_t whole; /* the first word of a store that goes on; 0: none */
};

/* What makes values different: all bytes, or what is seen of them. */
struct key {
	uint8_t byte[PD_BLOCK];
};

/* The walk through one box: what the newer dimensions have fixed so far. */
struct split {
	struct pd_arena *a;
	pd_classes *out;
	uint32_t block;
	uint64_t need;
	const struct pd_lens *lens; /* NULL: all bytes count */
	bool only_one;		    /* end with the second class */
	const struct pd_span *box;
	uint32_t ndim;
	struct pd_span *part; /* the sub-box being built */
	uint8_t value[PD_BLOCK];
	struct pd_class source;	 /* only its source_* */
	PD_VEC(struct key) keys; /* of the classes */
	uint32_t nkey;		 /* bytes of a key */
	struct pd_map by_key;	 /* hash of the key -> 1 + its class; empty while they are few */
	uint32_t emitted;
	/* Dimension 0 up to the end of the last box: boxes mostly come oldest first */
	struct reached reached;
	uint32_t reached_to;
	struct unneeded unneeded;
	bool failed;
	bool stopped; /* also because of only_one */
};

/* Two boxes that differ in one dimension, and touch there, are one. */
static bool merge_box(struct pd_span *into, const struct pd_span *box, uint32_t ndim)
{
	struct pd_span *differs = NULL;
	const struct pd_span *with = NULL;

	for (uint32_t d = 0; d < ndim; d++) {
		if (into[d].lo == box[d].lo && into[d].hi == box[d].hi)
			continue;
		if (differs)
			return false;
		differs = &into[d];
		with = &box[d];
	}
	if (!differs || with->lo > differs->hi + 1 || differs->lo > with->hi + 1)
		return false;
	differs->lo = PD_MIN(differs->lo, with->lo);
	differs->hi = PD_MAX(differs->hi, with->hi);
	return true;
}

static void add_box(struct split *s, struct pd_class *c)
{
	struct pd_vset *v = &c->set;
	size_t box = s->ndim * sizeof(*v->span);

	if (v->nbox && merge_box(v->span + (size_t)(v->nbox - 1) * s->ndim, s->part, s->ndim))
		return;
	if (v->nbox == v->cap && !pd_vec_grow(s->a, (void **)&v->span, &v->cap, box)) {
		s->failed = true;
		return;
	}
	memcpy(v->span + (size_t)v->nbox * s->ndim, s->part, box);
	v->nbox++;
}

enum { FEW = 8 }; /* classes that are looked through one by one */

/* The table's entry for this key: the number of its class, or 0; NULL: memory ran out. */
static uint64_t *find_key(struct split *s, const struct key *key)
{
	struct pd_digest d = PD_DIGEST_INIT;

	pd_digest_bytes(&d, key->byte, s->nkey);
	for (uint64_t at = d.a >> 1;; at++) {
		uint64_t *i = pd_map_put(&s->by_key, s->a, at);

		if (!i || !*i || memcmp(s->keys.v[*i - 1].byte, key->byte, s->nkey) == 0)
			return i;
	}
}

/* There are too many of them now. */
static bool make_table(struct split *s)
{
	for (uint32_t i = 0; i < s->out->n; i++) {
		uint64_t *at = find_key(s, &s->keys.v[i]);

		if (!at)
			return false;
		*at = i + 1;
	}
	return true;
}

static void key_of_value(const struct split *s, struct key *key)
{
	if (s->lens)
		pd_view_look(s->lens, s->value + __builtin_ctzll(s->need), key->byte);
	else
		memcpy(key->byte, s->value, PD_BLOCK);
}

/* The class of the current value, added if it is new; NULL: memory ran out. */
static struct pd_class *class_of_value(struct split *s)
{
	uint64_t *at = NULL;
	struct key key, *added;
	struct pd_class *c;

	key_of_value(s, &key);
	for (uint32_t i = 0; s->out->n <= FEW && i < s->out->n; i++)
		if (memcmp(s->keys.v[i].byte, key.byte, s->nkey) == 0)
			return &s->out->v[i];
	if (s->out->n > FEW) {
		if (!s->by_key.n && !make_table(s))
			return NULL;
		at = find_key(s, &key);
		if (!at)
			return NULL;
		if (*at)
			return &s->out->v[*at - 1];
	}
	c = pd_vec_push(s->out, s->a);
	added = pd_vec_push(&s->keys, s->a);
	if (!c || !added)
		return NULL;
	if (at)
		*at = s->out->n;
	*added = key;
	*c = (struct pd_class){.set = {.ndim = s->ndim}};
	return c;
}

static void emit(struct split *s)
{
	struct pd_class *c = class_of_value(s);

	if (!c) {
		s->failed = s->stopped = true;
		return;
	}
	/* Versions come oldest first: the last one of a class is its newest. */
	c->newest = s->emitted++;
	memcpy(c->value, s->value, PD_BLOCK);
	c->source = s->source.source;
	c->source_exec = s->source.source_exec;
	c->source_order = s->source.source_order;
	c->source_flush = s->source.source_flush;
	add_box(s, c);
	s->stopped = s->failed || (s->only_one && s->out->n > 1);
}

static void split_older(struct split *s, const struct pd_history *h, uint32_t d, uint64_t need);

/* Records the store of the first byte asked for; for explanations, not for the split. */
static void note_source(struct split *s, const struct pd_history *h, const struct content *c)
{
	bool imported = c->index && c->index <= h->log->order.n;
	uint32_t order = imported ? h->log->order.v[c->index - 1] : c->index;

	s->source.source = c->source;
	s->source.source_exec = h->log->exec;
	s->source.source_order = order;
	s->source.source_flush = imported && order <= h->pending ? h->pending : 0;
}

/*
 * All versions of `span` look alike in history h; continues with older histories for the bytes that
 * h does not know.
 */
static void emit_span(struct split *s, const struct pd_history *h, uint32_t d, uint64_t need,
		      const struct content *c, struct pd_span span)
{
	uint64_t here = need & c->known;

	for (uint64_t m = here; m; m &= m - 1) {
		uint32_t i = (uint32_t)__builtin_ctzll(m);

		s->value[i] = c->byte[i];
	}
	if (here & s->need & -s->need)
		note_source(s, h, c);
	s->part[d] = span;
	split_older(s, h->older, d + 1, need & ~here);
}

/* The bytes `m` of a store. */
static void apply_bytes(struct content *c, const struct pd_store *st, uint64_t m, uint32_t index,
			uint64_t lowest)
{
	uint32_t at = st->off % PD_BLOCK;

	for (uint32_t k = 0; k < st->size; k++)
		if (m >> (at + k) & 1)
			c->byte[at + k] = (uint8_t)(st->value >> 8 * k);
	c->known |= m;
	if (m & lowest) {
		c->source = st;
		c->index = index;
	}
}

/* Stores that nobody needs are in every version. */
static void apply_unneeded(struct content *c, const struct pd_history *h, uint32_t block,
			   struct unneeded *u)
{
	for (uint32_t i = h->log->unneeded ? h->first : 0; i; i = pd_log_at(h->log, i - 1)->next) {
		const struct pd_store *st = pd_log_at(h->log, i - 1);

		if (!(st->flags & PD_LOGGED_UNNEEDED) || st->off / PD_BLOCK != block)
			continue;
		if (!u->any)
			memset(u->last, 0, sizeof(u->last));
		u->any = true;
		for (uint32_t k = 0; k < st->size; k++)
			u->last[st->off % PD_BLOCK + k] = i;
		apply_bytes(c, st, store_mask(st), 0, 0);
	}
}

/* The bytes of a store that are still seen when all stores that nobody needs are made. */
static uint64_t seen_of(const struct pd_store *st, uint32_t i, const struct unneeded *u)
{
	uint64_t m = store_mask(st);

	for (uint32_t k = 0; k < st->size && u->any; k++)
		if (u->last[st->off % PD_BLOCK + k] >= i)
			m &= ~(1ULL << (st->off % PD_BLOCK + k));
	return m;
}

/* The start of a walk through the history. */
static void begin_history(struct split *s, const struct pd_history *h, struct reached *r,
			  struct unneeded *u)
{
	u->any = false;
	r->c = (struct content){.known = h->known[s->block]};
	memcpy(r->c.byte, h->base + s->block * PD_BLOCK, PD_BLOCK);
	r->next = h->first;
	r->whole = 0;
	apply_unneeded(&r->c, h, s->block, u);
}

/*
 * Cuts dimension d's span where a store changes a byte that is needed. Spans are emitted oldest
 * first. Inside a store that becomes durable as a whole there is no version: a span that would
 * begin there begins with its last word, one that would end there ends before its first.
 */
static void cut_span(struct split *s, const struct pd_history *h, uint32_t d, uint64_t need,
		     struct reached *r, const struct unneeded *unneeded)
{
	struct pd_span span = s->box[d];
	uint64_t lowest = s->need & -s->need;
	uint32_t lo = span.lo;
	bool inside = false; /* the next span begins where that store ends */

	for (uint32_t i = r->next; i && i <= span.hi && !s->stopped; i = r->next) {
		const struct pd_store *st = pd_log_at(h->log, i - 1);
		bool open = st->flags & PD_LOGGED_OPEN;

		if (open && !r->whole)
			r->whole = i;
		if (st->off / PD_BLOCK == s->block) {
			uint64_t seen = seen_of(st, i, unneeded);

			/* Version i is the first with this store. */
			if (i > span.lo && seen & need && !inside) {
				emit_span(s, h, d, need, &r->c,
					  (struct pd_span){lo, (r->whole ? r->whole : i) - 1});
				inside = true;
			}
			apply_bytes(&r->c, st, seen, i, lowest);
		}
		if (inside && !open) {
			lo = i;
			inside = false;
		}
		if (!open)
			r->whole = 0;
		r->next = st->next;
	}
	if (!s->stopped)
		emit_span(s, h, d, need, &r->c, (struct pd_span){lo, span.hi});
}

/* Of the newest history it goes on where the box before has ended, if this one comes later. */
static void split_span(struct split *s, const struct pd_history *h, uint32_t d, uint64_t need)
{
	struct reached reached;
	struct unneeded unneeded;

	if (d) {
		begin_history(s, h, &reached, &unneeded);
		cut_span(s, h, d, need, &reached, &unneeded);
		return;
	}
	if (!s->reached_to || s->reached_to > s->box[0].lo)
		begin_history(s, h, &s->reached, &s->unneeded);
	cut_span(s, h, d, need, &s->reached, &s->unneeded);
	s->reached_to = s->box[0].hi;
}

static void split_older(struct split *s, const struct pd_history *h, uint32_t d, uint64_t need)
{
	if (!need || !h) {
		PD_CHECK(!need, "a byte of a crashed line has no oldest content");
		memcpy(s->part + d, s->box + d, (s->ndim - d) * sizeof(*s->part));
		emit(s);
		return;
	}
	split_span(s, h, d, need);
}

static int compare_newest(const void *one, const void *other)
{
	const struct pd_class *a = one, *b = other;

	return (a->newest < b->newest) - (a->newest > b->newest);
}

/* All boxes; the result is in s->out. */
static void split_set(struct split *s, const struct pd_history *crashed, const struct pd_vset *set)
{
	*s->out = (pd_classes){0};
	s->ndim = set->ndim;
	s->nkey = s->lens ? pd_view_seen(s->lens->view) : PD_BLOCK;
	s->part = pd_new_array(s->a, struct pd_span, set->ndim);
	s->failed = s->stopped =
		!s->part || !pd_vec_reserve(s->out, s->a, 2) || !pd_vec_reserve(&s->keys, s->a, 2);
	for (uint32_t b = 0; b < set->nbox && !s->stopped; b++) {
		s->box = set->span + b * set->ndim;
		split_older(s, crashed, 0, s->need);
	}
}

bool pd_vset_classes(const struct pd_history *crashed, const struct pd_vset *set, uint32_t block,
		     uint64_t need, const struct pd_lens *lens, struct pd_arena *a, pd_classes *out)
{
	struct split s = {.a = a, .out = out, .block = block, .need = need};

	s.lens = lens && lens->view ? lens : NULL;
	split_set(&s, crashed, set);
	/* Newest first, so that alternative 0 is "everything persisted" (choice.h). */
	pd_sort(out->v, out->n, sizeof(*out->v), compare_newest, a);
	return !s.failed;
}

bool pd_vset_only(const struct pd_history *crashed, const struct pd_vset *set, uint32_t block,
		  uint64_t need, struct pd_arena *a, uint8_t *value)
{
	pd_classes classes;
	struct split s = {.a = a, .out = &classes, .block = block, .need = need, .only_one = true};

	split_set(&s, crashed, set);
	if (s.stopped)
		return false;
	memcpy(value, classes.v[0].value, PD_BLOCK);
	return true;
}
