/*
 * sort.c - failed recoveries, and which of them are one failure. See failure.h.
 *
 * The exploration executes every combination of lost stores that recovery can distinguish. The
 * *blame* of a failed recovery is the set of reads that did not see the newest value, each with the
 * lost store, who had to make it durable, and its state at the end (engine/crash/survey.h): one
 * store of the source may be lost for several reasons. Failures are compared only if they end in
 * the same way (engine/crash/end.h). Then failure A accounts for failure B
 *
 *   1. if A's blame is not empty, and all of it is in B's: whatever else is lost, that suffices;
 *   2. if A needs no lost store, and B is the same recovery, with the same reads and values: at some
 *      crash, memory without any loss holds just these values;
 *   3. if A needs no lost store and follows the same crash: recovery fails there in any case;
 *   4. if A needs no lost store and follows the crash one crash point before, and B sees no more
 *      than a first part of what was stored since: the same update, still half done;
 *   5. if neither needs a lost store, and the same store was the last one before both crashes (of
 *      hangs: and they read the same word at the same place).
 *
 * An empty blame is contained in every other one, so it is never compared as a set: a failure that
 * needs a lost store is another failure, even at the same place.
 */
#include "engine/crash/failure.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/sort.h"
#include "engine/crash/end.h"

/* ---- blame ---------------------------------------------------------------------------------- */

static int compare_blamed(const void *a, const void *b)
{
	const struct pd_blamed *x = a, *y = b;

	if (x->lost.site != y->lost.site)
		return x->lost.site < y->lost.site ? -1 : 1;
	if (x->load != y->load)
		return x->load < y->load ? -1 : 1;
	if (x->owner != y->owner)
		return x->owner < y->owner ? -1 : 1;
	if (x->at_end != y->at_end)
		return x->at_end < y->at_end ? -1 : 1;
	return x->passed - y->passed;
}

const struct pd_crash_choice *pd_run_sees_after(const struct pd_crash_run *run,
						const struct pd_crash_source *lost, uint32_t order)
{
	const struct pd_crash_choice *first = NULL;

	for (const struct pd_crash_choice *c = order ? run->last : NULL; c; c = c->before)
		if (c->seen && c->seen_exec == lost->exec && c->seen_order > order)
			first = c;
	return first;
}

/* Looks up owner and final state of a lost store. For a store of a recovery they are known only if
 * all of the program's own stores of that site agree. */
static void look_up_store(const struct pd_surveyed *s, struct pd_blamed *l)
{
	uint32_t k = l->lost.order - 1;

	if (!l->lost.exec && k < s->n) {
		l->owner = s->owner[k];
		l->at_end = (enum pd_at_end)s->at_end[k];
	} else if (l->lost.exec && l->lost.site < s->nsite) {
		l->owner = s->site_owner[l->lost.site];
		l->at_end = (enum pd_at_end)s->site_at_end[l->lost.site];
	}
}

/* Completes the blame: stores of one site may be lost for several reasons. */
static void look_up(struct pd_failure *f)
{
	for (uint32_t i = 0; i < f->n; i++) {
		struct pd_blamed *l = &f->blame[i];
		const struct pd_crash_choice *c =
			pd_run_sees_after(f->run, &l->lost, l->lost.flush);

		l->passed = c && c->seen_tid == l->lost.tid;
		if (f->surveyed)
			look_up_store(f->surveyed, l);
	}
}

enum level { LOST, NEEDED, ENDS_WELL };

/*
 * Which choices of a recovery count: those that lost something; if it was forced, those that it
 * needs; of these, if there are any, those without which it ends well. The others only prevent that
 * it fails in another way first.
 */
static enum level level_of(const struct pd_crash_run *run)
{
	uint32_t needed = 0, ends_well = 0;

	for (const struct pd_crash_choice *c = run->last; c; c = c->before) {
		needed += c->blamed;
		ends_well += c->ends_well;
	}
	if (!run->forced || (!needed && run->lost))
		return LOST;
	return ends_well ? ENDS_WELL : NEEDED;
}

static bool counts(const struct pd_crash_choice *c, enum level level)
{
	return level == ENDS_WELL ? c->ends_well : level == NEEDED ? c->blamed : c->pick > 0;
}

static void sort_blame(struct pd_failure *f, struct pd_arena *a)
{
	uint32_t unique = 0;

	pd_sort(f->blame, f->n, sizeof(*f->blame), compare_blamed, a);
	for (uint32_t i = 0; i < f->n; i++)
		if (!unique || compare_blamed(&f->blame[unique - 1], &f->blame[i]) != 0)
			f->blame[unique++] = f->blame[i];
	f->n = unique;
}

/*
 * Collects the blame of all recoveries in a row: what the first one missed may be why the second
 * one fails.
 */
static void find_blame(struct pd_failure *f, struct pd_arena *a)
{
	uint32_t n = 0;

	for (const struct pd_crash_run *run = f->run; run; run = run->parent)
		n += run->lost;
	f->end = pd_end_digest(f->run);
	f->n = 0;
	f->blame = pd_new_array(a, struct pd_blamed, n + 1);
	f->proven = level_of(f->run) != LOST && f->run->proven;
	for (const struct pd_crash_run *run = f->run; f->blame && run; run = run->parent) {
		enum level level = level_of(run);

		for (const struct pd_crash_choice *c = run->last; c; c = c->before)
			if (counts(c, level) && f->n < n)
				f->blame[f->n++] = (struct pd_blamed){
					.load = c->load, .lost = c->next, .choice = c};
	}
}

void pd_failure_blame(struct pd_failure *f, struct pd_arena *a)
{
	find_blame(f, a);
	look_up(f);
	sort_blame(f, a);
}

/* ---- which one accounts for another --------------------------------------------------------- */

/* Whether all of a's blame is in b's. */
static bool contains(const struct pd_failure *b, const struct pd_failure *a)
{
	uint32_t j = 0;

	for (uint32_t i = 0; i < a->n; i++) {
		while (j < b->n && compare_blamed(&b->blame[j], &a->blame[i]) < 0)
			j++;
		if (j == b->n || compare_blamed(&b->blame[j], &a->blame[i]) != 0)
			return false;
	}
	return true;
}

static bool is_same_recovery(const struct pd_crash_run *a, const struct pd_crash_run *b)
{
	return a->path.a == b->path.a && a->path.b == b->path.b;
}

/* Whether the same recoveries crashed before. Each walker has its own record of them. */
static bool same_parents(const struct pd_crash_run *a, const struct pd_crash_run *b)
{
	const struct pd_crash_run *x = a->parent, *y = b->parent;

	while (x && y && x != y && x->when == y->when && is_same_recovery(x, y)) {
		x = x->parent;
		y = y->parent;
	}
	return x == y;
}

bool pd_run_is_later_by(const struct pd_crash_run *a, const struct pd_crash_run *b, uint64_t points)
{
	return a->seed == b->seed && a->when + points == b->when && same_parents(a, b);
}

/* Recovery saw what was stored up to some moment, and nothing later. */
static bool sees_first_part(const struct pd_crash_run *run)
{
	uint32_t seen = 0, lost = UINT32_MAX;

	for (const struct pd_crash_choice *c = run->last; c; c = c->before) {
		if (c->seen && c->seen_exec == run->depth - 1)
			seen = PD_MAX(seen, c->seen_order);
		if (c->pick && c->next.exec == run->depth - 1)
			lost = PD_MIN(lost, c->next.order);
	}
	return seen < lost;
}

static bool accounts_for(const struct pd_failure *by, const struct pd_failure *f)
{
	const struct pd_crash_run *a = by->run, *b = f->run;

	if (by->end != f->end)
		return false;
	if (by->n)
		return contains(f, by);
	if (is_same_recovery(a, b))
		return true;
	if (f->n)
		return pd_run_is_later_by(a, b, 0) ||
		       (pd_run_is_later_by(a, b, 1) && sees_first_part(b));
	return a->last_store == b->last_store &&
	       (a->outcome != PD_OUTCOME_HANG ||
		(a->last_load == b->last_load && a->last_addr == b->last_addr));
}

/*
 * Orders by how easy a failure is to follow: fewer crashes, less blame, earlier schedule and crash,
 * fewer choices. A total order, so that it does not matter which was executed first.
 */
static bool better(const struct pd_failure *a, const struct pd_failure *b)
{
	const struct pd_crash_run *x = a->run, *y = b->run;

	if (x->depth != y->depth)
		return x->depth < y->depth;
	if (a->n != b->n)
		return a->n < b->n;
	if (x->seed != y->seed)
		return x->seed < y->seed;
	if (x->when != y->when)
		return x->when < y->when;
	if (x->nchoice != y->nchoice)
		return x->nchoice < y->nchoice;
	for (; x && y && x != y; x = x->parent, y = y->parent) {
		if (x->when != y->when)
			return x->when < y->when;
		if (x->path.a != y->path.a)
			return x->path.a < y->path.a;
	}
	for (uint32_t i = 0; i < a->n; i++) {
		int c = compare_blamed(&a->blame[i], &b->blame[i]);

		if (c)
			return c < 0;
		if (a->blame[i].lost.order != b->blame[i].lost.order)
			return a->blame[i].lost.order < b->blame[i].lost.order;
	}
	return a->run < b->run;
}

static int compare_failures(const void *a, const void *b)
{
	return better(a, b) ? -1 : better(b, a);
}

/* By end and blame; among equals the easiest to follow first. */
static int compare_blames(const void *a, const void *b)
{
	const struct pd_failure *x = a, *y = b;

	if (x->end != y->end)
		return x->end < y->end ? -1 : 1;
	if (x->n != y->n)
		return x->n < y->n ? -1 : 1;
	for (uint32_t i = 0; i < x->n; i++) {
		int c = compare_blamed(&x->blame[i], &y->blame[i]);

		if (c)
			return c;
	}
	return compare_failures(a, b);
}

static void count_in(struct pd_failure *to, struct pd_failure *from)
{
	from->subsumed = true;
	to->count += from->count;
}

/* Most failures have the same blame as another, so these are united first. */
static void unite_equals(struct pd_failures *fs)
{
	struct pd_failure *f = fs->v;
	uint32_t first = 0, n = fs->n;

	pd_sort(f, n, sizeof(*f), compare_blames, fs->arena);
	for (uint32_t i = 1; i < n; i++) {
		bool equal = f[i].n && f[i].end == f[first].end && f[i].n == f[first].n &&
			     contains(&f[i], &f[first]);

		if (equal)
			count_in(&f[first], &f[i]);
		else
			first = i;
	}
}

static void unite(struct pd_failures *fs)
{
	struct pd_failure **f = pd_new_array(fs->arena, struct pd_failure *, fs->n);
	uint32_t n = 0;

	for (uint32_t i = 0; f && i < fs->n; i++)
		if (!fs->v[i].subsumed)
			f[n++] = &fs->v[i];
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t j = 0; j < n && !f[i]->subsumed; j++)
			if (i != j && !f[j]->subsumed && accounts_for(f[j], f[i]) &&
			    (!accounts_for(f[i], f[j]) || better(f[j], f[i])))
				count_in(f[j], f[i]);
}

/* ---- the store that is missing -------------------------------------------------------------- */

/* Failures in which nothing else is lost, by the read and the store that it saw. */
struct alone {
	const struct pd_failure *f;
	struct pd_map first; /* hash -> 1 + index of the first */
	uint32_t *next;	     /* by index: the next one of that hash; 0: none */
};

static uint64_t hash_of_seen(uint32_t load, uint64_t addr, uint32_t site, uint64_t value)
{
	return pd_mix(pd_mix(pd_mix(addr) + load) + site + pd_mix(value)) >> 1;
}

static bool index_alone(struct alone *x, const struct pd_failures *fs)
{
	*x = (struct alone){.f = fs->v};
	x->next = pd_new_array(fs->arena, uint32_t, fs->n);
	for (uint32_t i = fs->n; x->next && i-- > 0;) { /* the first of a list comes last */
		const struct pd_crash_choice *c = fs->v[i].n == 1 ? fs->v[i].blame->choice : NULL;
		uint64_t *at;

		if (!c)
			continue;
		at = pd_map_put(&x->first, fs->arena,
				hash_of_seen(c->load, c->addr, c->seen, c->seen_value));
		if (!at)
			return false;
		x->next[i] = (uint32_t)*at;
		*at = i + 1;
	}
	return x->next;
}

/* A failure in which the same read saw the very store that l lost, and in which nothing else is
 * lost; NULL: with that store recovery does not fail. */
static const struct pd_blamed *seen_and_failed(const struct alone *x, const struct pd_blamed *l)
{
	uint64_t hash = hash_of_seen(l->load, l->choice->addr, l->lost.site, l->lost.value);
	const uint64_t *at = pd_map_get(&x->first, hash);

	for (uint32_t i = at ? (uint32_t)*at : 0; i; i = x->next[i - 1]) {
		const struct pd_blamed *b = x->f[i - 1].blame;
		const struct pd_crash_choice *c = b->choice;

		if (c->load == l->load && c->addr == l->choice->addr && c->seen == l->lost.site &&
		    c->seen_exec == l->lost.exec && c->seen_value == l->lost.value &&
		    c->next.order > l->lost.order)
			return b;
	}
	return NULL;
}

/* Where the value next newer to the one seen fails as well, blames the later store instead. */
static void blame_later(struct pd_failures *fs)
{
	struct alone alone;

	if (!index_alone(&alone, fs))
		return; /* the arena has noted it */
	for (uint32_t i = 0; i < fs->n; i++)
		for (uint32_t k = 0; k < fs->v[i].n; k++) {
			struct pd_blamed *l = &fs->v[i].blame[k];
			const struct pd_blamed *later;

			while (l->lost.site && (later = seen_and_failed(&alone, l)))
				l->lost = later->choice->next;
		}
}

/* ---- all ------------------------------------------------------------------------------------ */

void pd_failures_sort(struct pd_failures *fs)
{
	blame_later(fs);
	for (uint32_t i = 0; i < fs->n; i++) {
		look_up(&fs->v[i]);
		sort_blame(&fs->v[i], fs->arena);
	}
	unite_equals(fs);
	unite(fs);
	pd_sort(fs->v, fs->n, sizeof(*fs->v), compare_failures, fs->arena);
}

bool pd_failure_take_in(struct pd_failure *to, struct pd_failure *from)
{
	if (to == from || to->subsumed || from->subsumed || !accounts_for(to, from))
		return false;
	count_in(to, from);
	return true;
}

/* ---- from the board ------------------------------------------------------------------------- */

/* By its crash and what it read. */
static int compare_paths(const struct pd_crash_run *x, const struct pd_crash_run *y)
{
	if (x->when != y->when)
		return x->when < y->when ? -1 : 1;
	if (x->path.a != y->path.a)
		return x->path.a < y->path.a ? -1 : 1;
	return x->path.b < y->path.b ? -1 : x->path.b > y->path.b;
}

/* Returns 0 for same_parents, so that sorting makes them neighbours. */
static int compare_parents(const struct pd_crash_run *x, const struct pd_crash_run *y)
{
	for (; x && y && x != y; x = x->parent, y = y->parent) {
		int c = compare_paths(x, y);

		if (c)
			return c;
	}
	return x == y ? 0 : x ? 1 : -1;
}

/* Sorts equal ways to the same end together, by crash; the earliest counts. */
static int compare_ways(const void *a, const void *b)
{
	const struct pd_crash_run *x = *(const struct pd_crash_run *const *)a;
	const struct pd_crash_run *y = *(const struct pd_crash_run *const *)b;
	int c;

	if (x->node != y->node)
		return x->node < y->node ? -1 : 1;
	if (x->signature != y->signature)
		return x->signature < y->signature ? -1 : 1;
	c = compare_parents(x->parent, y->parent);
	if (c)
		return c;
	return x->when < y->when ? -1 : x->when > y->when;
}

static bool same_way(const struct pd_crash_run *x, const struct pd_crash_run *y)
{
	return x->node == y->node && x->signature == y->signature && same_parents(x, y);
}

/* Sorts the records of one and the same recovery together. */
static int compare_recoveries(const void *a, const void *b)
{
	const struct pd_crash_run *x = *(const struct pd_crash_run *const *)a;
	const struct pd_crash_run *y = *(const struct pd_crash_run *const *)b;

	int c;

	if (x->seed != y->seed)
		return x->seed < y->seed ? -1 : 1;
	c = compare_paths(x, y);
	return c ? c : compare_parents(x->parent, y->parent);
}

/* Leaves one record of each recovery; returns how many. */
static uint32_t drop_repeated(const struct pd_crash_run **run, uint32_t n, struct pd_arena *a)
{
	uint32_t kept = 0;

	pd_sort(run, n, sizeof(*run), compare_recoveries, a);
	for (uint32_t i = 0; i < n; i++)
		if (!kept || compare_recoveries(&run[kept - 1], &run[i]) != 0)
			run[kept++] = run[i];
	return kept;
}

bool pd_failure_is_doubtful(const struct pd_failure *f)
{
	for (uint32_t i = 0; i < f->n; i++)
		if (!f->blame[i].lost.site)
			return true;
	return !f->n;
}

/* A run with `least` is the same failure before it was reduced: counts it there. */
static void count_least(struct pd_failures *fs, const struct pd_crash_run **run, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = 0; run[i]->least && k < fs->n; k++)
			fs->v[k].count += fs->v[k].run == run[i]->least;
}

struct pd_failures pd_failures_collect(const struct pd_crash_run **run, uint32_t n,
				       struct pd_collecting how, struct pd_arena *a)
{
	struct pd_failures fs = {pd_new_array(a, struct pd_failure, n + 1), 0, 0, a};

	if (how.repeated)
		n = drop_repeated(run, n, a);
	pd_sort(run, n, sizeof(*run), compare_ways, a);
	for (uint32_t i = 0; fs.v && i < n; i++) {
		struct pd_failure *to = &fs.v[fs.n];

		if (run[i]->least)
			continue;
		if (fs.n && same_way(to[-1].run, run[i])) {
			to[-1].count += how.random;
			continue;
		}
		*to = (struct pd_failure){
			.run = run[i], .count = 1, .outcomes = 1u << run[i]->outcome};
		find_blame(to, a);
		if (how.blind && pd_failure_is_doubtful(to))
			fs.doubtful++;
		else
			fs.n++;
	}
	count_least(&fs, run, n);
	return fs;
}
