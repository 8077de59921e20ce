/* deep.c - see deep.h. */
#include "runtime/explore/deep.h"
#include "runtime/base/raw.h"
#include "runtime/explore/explore.h"
#include "runtime/explore/in_place.h"
#include "runtime/explore/pages.h"
#include "runtime/pm/pool.h"
#include "runtime/symbolic/symbolic.h"

enum {
	SNAPSHOTS = 256, /* at most */
	PAGES = 4096,	 /* of one */
	STEPS = 1 << 16, /* of one */
	MANY = 1 << 12,	 /* steps, beyond which their memory is freed */
	SEEN = 1 << 8,	 /* expressions that are known to be used, each in its place or not there */
	PER_US = 2048,	 /* ticks of the clock, about */
	MOST_US = 1000000,
};

struct page {
	uint64_t at;
	uint32_t slot;
};

struct snapshot {
	uint64_t last; /* when it was of use; 0: there is none here */
	uint64_t work; /* ticks from the checkpoint to it */
	uint32_t uses; /* runs that started from it */
	struct pd_run_stop stop;
	struct pd_pages_asked asked;
	struct pd_explore_fault fault[PD_EXPLORE_FAULTS];
	uint64_t digest;
	uint32_t npages, nsteps, nused;
	struct page page[PAGES];
	uint32_t used[PD_EXPLORE_INPUT]; /* bytes of the input */
	uint8_t value[PD_EXPLORE_INPUT]; /* and what they are */
	struct pd_path_step step[STEPS];
};

/* Mapped shared, so that it is neither protected nor restored; no other process uses it. */
static struct deep {
	uint64_t least, after;	 /* ticks: then one pays, as far as is known */
	uint64_t since;		 /* ticks of the clock: the run began, or went on */
	uint64_t before;	 /* ticks from the checkpoint to there */
	uint64_t now;		 /* uses so far */
	struct snapshot *parent; /* of the next one: this run started there, or made it */
	bool is_own;		 /* this run made it */
	bool resumed;		 /* it has not gone on yet */
	uint32_t nfree;
	uint32_t *free;	   /* numbers of slots */
	uint32_t *holders; /* snapshots that have each */
	uint8_t *content;  /* PD_PAGE bytes each */
	struct snapshot snapshot[SNAPSHOTS];
} *deep;

/* Of the run: memory as any other. */
static struct {
	bool blind;
	uint32_t n; /* used bytes */
	pd_expr seen[SEEN];
	uint8_t used[PD_EXPLORE_INPUT]; /* 1: it is */
} run PD_TABLE;

static uint64_t ticks(void)
{
	return __builtin_ia32_rdtsc();
}

/* ---- slots ---------------------------------------------------------------------------------- */

static uint8_t *content(uint32_t slot)
{
	return deep->content + (uint64_t)slot * PD_PAGE;
}

static void leave(struct snapshot *s)
{
	for (uint32_t i = 0; i < s->npages; i++)
		if (--deep->holders[s->page[i].slot] == 0)
			deep->free[deep->nfree++] = s->page[i].slot;
	if (s->nsteps > MANY)
		pd_raw_madvise(PD_PAGE_UP((uint64_t)s->step),
			       PD_PAGE_DOWN((uint64_t)(s + 1)) - PD_PAGE_UP((uint64_t)s->step),
			       MADV_REMOVE);
	s->last = 0;
	s->npages = 0;
}

/* Evicts the least recently used one, except two. */
static bool make_room(const struct snapshot *keep)
{
	struct snapshot *oldest = NULL;

	for (uint32_t i = 0; i < SNAPSHOTS; i++) {
		struct snapshot *s = &deep->snapshot[i];

		if (s->last && s != keep && s != deep->parent &&
		    (!oldest || s->last < oldest->last))
			oldest = s;
	}
	if (!oldest)
		return false;
	if (!oldest->uses) /* they do not pay */
		deep->after = PD_MIN(deep->after * 2, MOST_US * (uint64_t)PER_US);
	leave(oldest);
	pd_exploring.self->snapshots_gone++;
	return true;
}

static struct snapshot *find_free(void)
{
	for (uint32_t i = 0; i < SNAPSHOTS; i++)
		if (!deep->snapshot[i].last)
			return &deep->snapshot[i];
	return NULL;
}

/* ---- taking one ------------------------------------------------------------------------------ */

static bool is_same(const void *a, const void *b)
{
	return memcmp(a, b, PD_PAGE) == 0;
}

/* Where the parent has this page, and it is the same. Both are in one order, for the most part. */
static bool share(struct snapshot *s, uint64_t page)
{
	const struct snapshot *p = deep->parent;

	for (uint32_t k = 0; p && k < p->npages; k++) {
		const struct page *q = &p->page[(s->npages + k) % p->npages];

		if (q->at != page)
			continue;
		if (!is_same((void *)page, content(q->slot)))
			return false;
		deep->holders[q->slot]++;
		s->page[s->npages++] = *q;
		return true;
	}
	return false;
}

static bool keep_page(void *ctx, uint64_t page)
{
	struct snapshot *s = ctx;
	uint32_t slot;

	if (s->npages == PAGES)
		return false;
	if (share(s, page))
		return true;
	while (!deep->nfree)
		if (!make_room(s))
			return false;
	slot = deep->free[--deep->nfree];
	deep->holders[slot] = 1;
	memcpy(content(slot), (void *)page, PD_PAGE);
	s->page[s->npages++] = (struct page){page, slot};
	return true;
}

static void keep_used(struct snapshot *s)
{
	for (uint32_t i = 0; i < pd_exploring.board->input_size; i++)
		if (run.used[i]) {
			s->used[s->nused] = i;
			s->value[s->nused++] = pd_symbolic.input[i];
		}
}

static void keep_steps(struct snapshot *s)
{
	const struct pd_path_step *step = pd_path_steps(pd_symbolic.path, &s->nsteps);

	if (s->nsteps)
		memcpy(s->step, step, s->nsteps * sizeof(*step));
	s->digest = pd_path_digest(pd_symbolic.path);
}

/* Of those that a run makes while it uses no other byte, the deepest is as good as all. */
static void took(struct snapshot *s)
{
	struct snapshot *p = deep->parent;

	if (deep->is_own && p->nused == s->nused)
		leave(p);
	deep->parent = s;
	deep->is_own = true;
	pd_exploring.self->snapshots++;
}

void pd_deep_stopped(const struct pd_run_stop *stop)
{
	uint64_t work = deep->before + (ticks() - deep->since);
	struct snapshot *s = find_free();

	if (!s && make_room(NULL))
		s = find_free();
	if (s) {
		s->last = ++deep->now;
		s->work = work;
		s->stop = *stop;
		s->asked = *pd_pages_asked();
		memcpy(s->fault, pd_exploring.self->fault, sizeof(s->fault));
		s->npages = s->nused = s->uses = 0;
		keep_used(s);
		keep_steps(s);
		if (pd_pages_each_changed(keep_page, s))
			took(s);
		else
			leave(s);
	}
	deep->before = work;
	deep->since = ticks();
}

/* ---- where a run may stop -------------------------------------------------------------------- */

static bool is_new(pd_expr e)
{
	const uint32_t *byte;
	uint32_t n;

	if (!e || run.seen[e % SEEN] == e)
		return false;
	byte = pd_expr_support(pd_symbolic.exprs, e, &n);
	for (uint32_t i = 0; i < n; i++)
		if (!run.used[byte[i]])
			return true;
	return false;
}

static bool has_new(const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (is_new(pd_label_get(p + i)))
			return true;
	return false;
}

/* Restores the rest of what a run from here needs. */
static void go_on(void)
{
	uint32_t n;
	const struct pd_path_step *step = pd_path_steps(pd_symbolic.path, &n);

	deep->resumed = false;
	pd_result_begin();
	for (uint32_t i = 0; i < n; i++)
		if (step[i].kind == PD_STEP_BRANCH || step[i].kind == PD_STEP_SWITCH)
			pd_result_covered(step[i].site, step[i].way);
	pd_in_place_aside(pd_labels_refresh);
	pd_sources_refresh();
}

static void stop(const void *p, size_t n)
{
	if (ticks() - deep->since < PD_MAX(deep->after, deep->least ? deep->before / 2 : 0) ||
	    run.blind || run.n == pd_exploring.board->input_size || !pd_in_place_may_stop() ||
	    (n && !has_new(p, n)) || pd_path_is_cut(pd_symbolic.path) || !pd_sources_may_stop())
		return;
	pd_in_place_stop();
	if (deep->resumed)
		go_on();
}

static void use(pd_expr e)
{
	const uint32_t *byte;
	uint32_t n;

	if (run.seen[e % SEEN] == e)
		return;
	run.seen[e % SEEN] = e;
	byte = pd_expr_support(pd_symbolic.exprs, e, &n);
	for (uint32_t i = 0; i < n; i++) {
		run.n += !run.used[byte[i]];
		run.used[byte[i]] = 1;
	}
}

void pd_deep_blind(void)
{
	run.blind = true;
}

/* ---- starting from one ----------------------------------------------------------------------- */

static bool agrees(const struct snapshot *s, const uint8_t *input)
{
	for (uint32_t i = 0; i < s->nused; i++)
		if (input[s->used[i]] != s->value[i])
			return false;
	return true;
}

static struct snapshot *find_deepest(const struct pd_record *r, const uint8_t *input)
{
	struct snapshot *best = NULL;

	for (uint32_t i = 0; i < SNAPSHOTS; i++) {
		struct snapshot *s = &deep->snapshot[i];

		if (s->last && s->nsteps <= r->bound && (!best || s->work > best->work) &&
		    agrees(s, input))
			best = s;
	}
	return best;
}

static bool put_in_place(const struct snapshot *s)
{
	if (!pd_pages_make_room(s->npages) || !pd_pages_ask_again(&s->asked))
		return false;
	for (uint32_t i = 0; i < s->npages; i++)
		pd_pages_fill(s->page[i].at, content(s->page[i].slot));
	return true;
}

const struct pd_run_stop *pd_deep_prepare(const struct pd_record *r, const uint8_t *input,
					  struct pd_path *p)
{
	struct snapshot *s = deep && r->depth ? find_deepest(r, input) : NULL;

	if (s && !(pd_path_resume(p, s->step, s->nsteps, s->digest) && put_in_place(s))) {
		pd_pages_put_back();
		pd_path_begin(p, r, input);
		s = NULL;
	}
	if (!deep)
		return NULL;
	deep->parent = s;
	deep->is_own = false;
	deep->resumed = s != NULL;
	deep->before = s ? s->work : 0;
	if (s) {
		s->last = ++deep->now;
		s->uses++;
		deep->after = PD_MAX(deep->after / 2, deep->least);
		memcpy(pd_exploring.self->fault, s->fault, sizeof(s->fault));
		pd_exploring.self->from_snapshots++;
	}
	deep->since = ticks();
	return s ? &s->stop : NULL;
}

/* ---- memory ---------------------------------------------------------------------------------- */

void pd_deep_forget(void)
{
	for (uint32_t i = 0; deep && i < SNAPSHOTS; i++)
		if (deep->snapshot[i].last)
			leave(&deep->snapshot[i]);
}

void pd_deep_start(uint64_t bytes, uint32_t us)
{
	uint64_t slots = PD_MIN(bytes / PD_PAGE, UINT32_MAX);
	uint64_t head = PD_PAGE_UP(sizeof(*deep) + slots * 2 * sizeof(uint32_t));
	long at;

	if (!slots)
		return;
	at = pd_raw_mmap(0, head + slots * PD_PAGE, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (pd_raw_failed(at))
		return;
	deep = (struct deep *)at;
	deep->least = deep->after = (uint64_t)us * PER_US;
	deep->free = (uint32_t *)(deep + 1);
	deep->holders = deep->free + slots;
	deep->content = (uint8_t *)at + head;
	while (deep->nfree < slots) {
		deep->free[deep->nfree] = (uint32_t)slots - 1 - deep->nfree;
		deep->nfree++;
	}
	pd_symbolic.used = use;
	pd_symbolic.stop = stop;
}
