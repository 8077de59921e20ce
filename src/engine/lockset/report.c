/*
 * report.c - turns races into findings: one for each store and flush, with all its loads.
 *
 * A finding's sites are, in this order: the store and the locks held at it, the flush, then each
 * load with the locks held at it. A lock is named by where that thread took it.
 *
 * A reported finding has room for LOADS_MAX loads: further ones are reported in further parts, with
 * the same store and flush, which become one finding again (join.c).
 *
 * A race is reported when it is seen, since a program may end in any way. If its word later turns
 * out to be a lock, it is withdrawn: reported again, with a count of 0. It is reinstated if it is
 * seen at a word that is no lock.
 */
#include "base/hash.h"
#include "engine/lockset/state.h"

enum { LOADS_MAX = 6, LOCKS_MAX = 2, PARTS_MAX = 16, FACTS = 8 };

_Static_assert(2 + LOCKS_MAX + LOADS_MAX * (1 + LOCKS_MAX) <= PD_RAW_SITES,
	       "all sites of a race can be reported");

struct reader {
	uint32_t place;
	uint32_t set;
	uint32_t tid;
};

struct race {
	struct race *next;   /* with the same hash */
	struct race *before; /* the race created before this one */
	uint32_t kind;
	uint32_t number;
	uint32_t nreader;
	uint32_t part; /* number of earlier parts of the same race */
	uint64_t count;
	uint64_t at; /* word of the first pair */
	bool withdrawn;
	struct pd_ls_window window;
	struct reader reader[LOADS_MAX];
};

static uint64_t key_of(uint32_t kind, uint32_t place, uint32_t other)
{
	return pd_mix(pd_mix(place ^ (uint64_t)kind << 40) ^ other) >> 1;
}

static struct race *find(uint64_t first, uint32_t kind, uint32_t place, uint32_t other)
{
	struct race *r = (struct race *)(uintptr_t)first;

	while (r && (r->withdrawn || r->kind != kind || r->window.place != place ||
		     r->window.flush != other))
		r = r->next;
	return r;
}

/* The part that has room, which comes first; NULL: there are too many. */
static struct race *race_of(struct pd_lockset *l, uint32_t kind, const struct pd_ls_window *w,
			    uint32_t other)
{
	uint64_t *at = pd_map_put(&l->races, l->arena, key_of(kind, w->place, other));
	struct race *r, *full;

	if (!at) {
		l->failed = true;
		return NULL;
	}
	full = find(*at, kind, w->place, other);
	if (full && full->nreader < LOADS_MAX)
		return full;
	if (full && full->part + 1 == PARTS_MAX) {
		l->loads_capped++;
		return NULL;
	}
	r = pd_new(l->arena, struct race);
	if (!r) {
		l->failed = true;
		return NULL;
	}
	r->kind = kind;
	r->part = full ? full->part + 1 : 0;
	l->further += full != NULL;
	r->number = l->nraces++;
	r->window = *w;
	r->window.flush = other;
	r->window.set = pd_locks_certain(&l->locks, w->set);
	r->window.effective = pd_locks_certain(&l->locks, w->effective);
	r->next = (struct race *)(uintptr_t)*at;
	*at = (uintptr_t)r;
	r->before = l->last_race;
	l->last_race = r;
	return r;
}

/* ---- facts ---------------------------------------------------------------------------------- */

static enum pd_word fix_of(const struct pd_lockset *l, const struct race *r, const struct reader *x)
{
	const struct pd_ls_window *w = &r->window;
	uint32_t common = pd_locks_common(&l->locks, w->set, x->set);

	if (w->end == PD_LS_NEVER)
		return common == UINT32_MAX ? PD_WORD_FIX_PERSIST_AT_ONCE
					    : PD_WORD_FIX_PERSIST_IN_LOCK;
	if (common != UINT32_MAX)
		return pd_locks_exclude(&l->locks, w->set, x->set) ? PD_WORD_FIX_KEEP_LOCK
								   : PD_WORD_FIX_LOCK_FOR_WRITING;
	if (w->effective)
		return PD_WORD_FIX_LOCK_LOAD;
	return x->set ? PD_WORD_FIX_LOCK_STORE : PD_WORD_FIX_ONE_LOCK;
}

static enum pd_word locks_of(const struct pd_lockset *l, const struct race *r,
			     const struct reader *x)
{
	const struct pd_ls_window *w = &r->window;
	uint32_t common = pd_locks_common(&l->locks, w->set, x->set);

	if (common != UINT32_MAX)
		return pd_locks_exclude(&l->locks, w->set, x->set) ? PD_WORD_LOCKS_RELEASED
								   : PD_WORD_LOCKS_SHARED;
	if (w->effective)
		return x->set ? PD_WORD_LOCKS_DIFFERENT : PD_WORD_LOCKS_NOT_AT_LOAD;
	if (x->set)
		return PD_WORD_LOCKS_ONLY_AT_LOAD;
	return w->set ? PD_WORD_LOCKS_ONLY_AT_STORE : PD_WORD_LOCKS_NONE;
}

static enum pd_word until(const struct race *r)
{
	if (r->window.end == PD_LS_DURABLE)
		return PD_WORD_UNTIL_DURABLE;
	return r->window.end == PD_LS_OVERWRITTEN ? PD_WORD_UNTIL_OVERWRITTEN : PD_WORD_UNTIL_NEVER;
}

static void put_facts(const struct pd_lockset *l, const struct race *r, struct pd_fact_list *to)
{
	const struct reader *x = &r->reader[0];

	if (r->kind == PD_KIND_LOCKSET_WRITE) {
		pd_fact_put(to, PD_FACT_FIX, PD_WORD_FIX_LOCK_BOTH);
		return;
	}
	pd_fact_put(to, PD_FACT_UNTIL, until(r));
	pd_fact_put(to, PD_FACT_LOCKS, locks_of(l, r, x));
	pd_fact_put(to, PD_FACT_FIX, fix_of(l, r, x));
}

/* ---- sites ---------------------------------------------------------------------------------- */

static void add_site(struct pd_raw_finding *f, enum pd_role role, uint32_t place)
{
	if (place && f->nsites < PD_RAW_SITES)
		f->site[f->nsites++] = (struct pd_raw_site){(uint8_t)role, place};
}

static void add_locks(const struct pd_lockset *l, struct pd_raw_finding *f, uint32_t set,
		      uint32_t tid)
{
	const struct pd_lock_set *s = &l->locks.sets.v[set];

	for (uint32_t i = 0; i < PD_MIN(s->n, LOCKS_MAX); i++)
		add_site(f, PD_ROLE_LOCK, pd_locks_place(&l->locks, s->lock[i], tid));
}

static void report(const struct pd_lockset *l, const struct race *r)
{
	struct pd_raw_finding f = {.number = r->number, .kind = r->kind, .count = r->count};
	struct pd_fact facts[FACTS];
	struct pd_fact_list list = {.v = facts, .cap = FACTS};

	put_facts(l, r, &list);
	f.facts = pd_facts_of(&list);
	add_site(&f, PD_ROLE_STORE, r->window.place);
	add_locks(l, &f, r->window.set, r->window.tid);
	if (r->kind == PD_KIND_LOCKSET_WRITE) {
		add_site(&f, PD_ROLE_STORE, r->reader[0].place);
		add_locks(l, &f, r->reader[0].set, r->reader[0].tid);
	} else {
		f.cause = r->window.end == PD_LS_NEVER ? PD_CAUSE_MISSING_FLUSH : PD_CAUSE_ORDER;
		add_site(&f, PD_ROLE_FLUSH, r->window.flush);
		for (uint32_t i = 0; i < r->nreader; i++) {
			add_site(&f, PD_ROLE_LOAD, r->reader[i].place);
			add_locks(l, &f, r->reader[i].set, r->reader[i].tid);
		}
	}
	l->sink->finding(l->sink->ctx, &f);
}

/* ---- races ---------------------------------------------------------------------------------- */

static bool known_reader(const struct race *r, uint32_t place)
{
	for (uint32_t i = 0; i < r->nreader; i++)
		if (r->reader[i].place == place)
			return true;
	return false;
}

/* The part that has this load; NULL: none. */
static struct race *part_with(const struct pd_lockset *l, uint32_t kind, uint32_t store,
			      uint32_t other, uint32_t load)
{
	const uint64_t *at = l->nraces ? pd_map_get(&l->races, key_of(kind, store, other)) : NULL;
	struct race *r = at ? find(*at, kind, store, other) : NULL;

	while (r && !known_reader(r, load))
		r = find((uintptr_t)r->next, kind, store, other);
	return r;
}

static void seen(struct pd_lockset *l, uint32_t kind, uint64_t at, const struct pd_ls_window *w,
		 uint32_t other, struct reader x)
{
	struct race *r = part_with(l, kind, w->place, other, x.place);
	bool fresh = !r;

	if (fresh)
		r = race_of(l, kind, w, other);
	if (!r)
		return;
	if (!r->count++)
		r->at = at;
	if (!fresh)
		return;
	x.set = pd_locks_certain(&l->locks, x.set);
	r->reader[r->nreader++] = x;
	report(l, r);
}

void pd_ls_withdraw(struct pd_lockset *l, uint64_t at)
{
	for (struct race *r = l->last_race; r; r = r->before)
		if (r->at == at && !r->withdrawn) {
			r->withdrawn = true;
			r->count = 0;
			l->withdrawn += !r->part;
			report(l, r);
		}
}

bool pd_ls_race_is_reported(const struct pd_lockset *l, uint32_t store, uint32_t flush,
			    uint32_t load)
{
	return part_with(l, PD_KIND_LOCKSET_PERSISTENT, store, flush, load);
}

bool pd_ls_write_race_is_reported(const struct pd_lockset *l, uint32_t a, uint32_t b)
{
	uint32_t first = PD_MIN(a, b), second = PD_MAX(a, b);
	const uint64_t *at =
		l->nraces ? pd_map_get(&l->races, key_of(PD_KIND_LOCKSET_WRITE, first, second))
			  : NULL;

	return at && find(*at, PD_KIND_LOCKSET_WRITE, first, second);
}

void pd_ls_race(struct pd_lockset *l, uint64_t at, const struct pd_ls_window *w,
		const struct pd_ls_load *x)
{
	seen(l, PD_KIND_LOCKSET_PERSISTENT, at, w, w->flush,
	     (struct reader){x->place, x->set, x->tid});
}

void pd_ls_write_race(struct pd_lockset *l, uint64_t at, const struct pd_ls_window *a,
		      const struct pd_ls_window *b)
{
	const struct pd_ls_window *first = a->place <= b->place ? a : b,
				  *second = first == a ? b : a;

	seen(l, PD_KIND_LOCKSET_WRITE, at, first, second->place,
	     (struct reader){second->place, second->set, second->tid});
}

/* ---- the end -------------------------------------------------------------------------------- */

void pd_ls_report_stats(struct pd_lockset *l)
{
	const struct {
		const char *name;
		uint64_t value;
	} stats[] = {
		{"loads", l->stat_loads + l->known.count},
		{"stores", l->stat_stores},
		{"threads", l->threads.n},
		{"pm_threads", l->stat_threads},
		{"locks", l->locks.locks.n},
		{"locksets", l->locks.sets.n},
		{"stores_before_publication", l->stat_removed},
		{"words_recycled", l->stat_recycled},
		{"pairs_apart", l->apart.n},
		{"syncs", l->stat_syncs},
		{"allocated", l->stat_allocated},
		{"loads_helped", l->stat_helped},
		{"races", l->nraces - l->further - l->withdrawn},
		{"engine_bytes", l->arena->used},
	};

	for (size_t i = 0; i < PD_LEN(stats); i++)
		l->sink->stat(l->sink->ctx, stats[i].name, stats[i].value);
	if (l->loads_capped)
		l->sink->loss(l->sink->ctx, PD_LOSS_CAPPED, 0,
			      "lockset does not report all loads of a race");
	if (l->locks.left_out)
		l->sink->loss(l->sink->ctx, PD_LOSS_CAPPED, 0,
			      "a thread held more than 256 locks; lockset did not see those "
			      "beyond, so races may be false");
}
