/*
 * worker.c - one record after the other. See explore.h.
 *
 * The worker stays at the checkpoint; a run is a snapshot of it, with the bytes of its input
 * wherever memory has labels. When the run has ended the worker asks which inputs leave its path,
 * and puts them into the frontier. All of the engine is in the worker's part of the shared memory,
 * in one arena, so that what was learnt during a run is there after it.
 *
 * A graph that has become too large is dropped, with the caches that name its expressions; labels
 * in memory at the checkpoint are bytes of the input, and those are made again first.
 */
#include "engine/explore/query.h"
#include "runtime/base/listen.h"
#include "runtime/base/raw.h"
#include "runtime/explore/deep.h"
#include "runtime/explore/explore.h"
#include "runtime/explore/in_place.h"
#include "runtime/place/site.h"
#include "runtime/symbolic/symbolic.h"
#include <unistd.h>

/* At the start of a worker's region. */
struct part {
	struct pd_arena arena, scratch;
	uint64_t used; /* bytes of the region passed to the arena */
	uint64_t kept; /* of these, bytes from before the first run */
	struct pd_exprs *exprs;
	struct pd_path *path;
	struct pd_ask *ask;
	struct pd_record record; /* of the current run, without what follows it in its slot */
	uint8_t input[PD_EXPLORE_INPUT];
};

static struct part *part;

/* ---- memory --------------------------------------------------------------------------------- */

static void *grow(void *ctx, size_t n)
{
	struct part *p = ctx;
	uint8_t *at = (uint8_t *)p + p->used;

	n = (n + 4095) & ~(size_t)4095;
	if (p->used + n > PD_EXPLORE_REGION)
		return NULL;
	p->used += n;
	return at;
}

static void release(void *ctx, void *at, size_t n)
{
	(void)ctx, (void)at, (void)n;
}

/* Zeroes what was written, and frees the memory. */
static void empty(struct part *p)
{
	uint64_t from = (sizeof(*p) + 4095) & ~4095ULL;

	if (p->used > from)
		pd_raw_madvise((uint64_t)p + from, p->used - from, MADV_REMOVE);
	p->used = from;
}

static enum pd_ask_answer solve(void *ctx, struct pd_exprs *x, const pd_expr *holds, uint32_t n,
				uint8_t *input);

static void make_engine(struct part *p)
{
	struct pd_explore *b = pd_exploring.board;

	pd_deep_forget();
	empty(p);
	pd_arena_init(&p->arena, (struct pd_host){grow, release, p});
	pd_arena_init(&p->scratch, (struct pd_host){grow, release, p});
	p->exprs = pd_exprs_create(&p->arena, b->input_size);
	p->path = p->exprs ? pd_path_create(&p->arena, p->exprs, b->limits) : NULL;
	p->ask = p->path ? pd_ask_create(&p->arena, p->exprs, b->input_size,
					 (struct pd_ask_solver){solve, p})
			 : NULL;
	if (!p->ask)
		pd_rt_fail(4, "no memory for expressions");
	pd_ask_share(p->ask, (struct pd_common *)(PD_EXPLORE_BASE + PD_EXPLORE_COMMON));
	pd_explore_number_inputs(p->exprs);
	pd_symbolic.exprs = p->exprs;
	pd_symbolic.path = p->path;
	pd_symbolic.ask = p->ask;
	pd_symbolic.input = p->input;
}

/* ---- questions ------------------------------------------------------------------------------ */

static enum pd_ask_answer solve(void *ctx, struct pd_exprs *x, const pd_expr *holds, uint32_t n,
				uint8_t *input)
{
	struct pd_explore *b = pd_exploring.board;
	struct pd_explore_query *q = &pd_exploring.self->query;
	struct part *p = ctx;
	uint32_t size = 0;

	if (!b->no_solver)
		size = pd_query_write(x, holds, n, &p->scratch, q->bytes, sizeof(q->bytes));
	pd_arena_reset(&p->scratch);
	if (!size)
		return PD_ASK_UNKNOWN;
	q->n = size;
	q->solver = q->tries = 0;
	__atomic_store_n(&q->state, PD_QUERY_ASKED, __ATOMIC_RELEASE);
	pd_explore_wake(&b->solver_event);
	for (;;) {
		uint32_t state = __atomic_load_n(&q->state, __ATOMIC_ACQUIRE);

		if (state == PD_QUERY_ANSWERED)
			break;
		if (b->stop || b->over)
			return PD_ASK_UNKNOWN;
		pd_explore_wait(&q->state, state, 100);
	}
	pd_exploring.self->solver_ns += q->ns;
	if (q->answer == PD_ASK_YES && !pd_query_answer_read(q->bytes, q->n, input, b->input_size))
		return PD_ASK_UNKNOWN;
	return (enum pd_ask_answer)q->answer;
}

/* ---- records -------------------------------------------------------------------------------- */

static struct pd_search_worth worth(void *ctx, const struct pd_record *r)
{
	const struct pd_explore *b = pd_exploring.board;
	uint32_t edge = pd_explore_edge(r->site, r->way);
	/* If it was never taken: as much as the other way */
	uint32_t like = b->edge[edge] ? edge : pd_explore_edge(r->site, !r->way);

	(void)ctx;
	return (struct pd_search_worth){
		.distance = b->reach ? pd_reaches_distance(b->reach, r->site, r->way, false)
				     : PD_REACH_NONE,
		.near = b->reach ? pd_reaches_distance(b->reach, r->site, r->way, true)
				 : PD_REACH_NONE,
		.pm = b->led[like],
		.new_edge = !b->edge[edge],
		.turned = b->edge[edge],
		.tried = b->tried[edge]};
}

struct pd_search_judge pd_worker_judge(void)
{
	return (struct pd_search_judge){worth, NULL};
}

static bool put(void *ctx, const struct pd_record *r, const uint8_t *input, const uint64_t *pins)
{
	struct pd_explore *b = pd_exploring.board;
	struct pd_search_judge judge = pd_worker_judge();
	bool room;

	(void)ctx;
	pd_explore_lock(&b->lock);
	room = pd_search_put(&b->search, r, input, pins, &judge);
	pd_explore_unlock(&b->lock);
	if (!room)
		__atomic_add_fetch(&b->frontier_cut, 1, __ATOMIC_RELAXED);
	if (b->jobs > 1)
		pd_explore_wake(&b->waiting);
	return true;
}

static bool is_over(const struct pd_explore *b)
{
	return b->stop || b->over || (b->max_paths && b->paths >= b->max_paths);
}

static struct pd_record *try_take(struct pd_explore *b)
{
	struct pd_search_judge judge = pd_worker_judge();
	struct pd_record *r;

	pd_explore_lock(&b->lock);
	pd_reach_refresh();
	r = is_over(b) ? NULL : pd_search_take(&b->search, &judge);
	if (r) {
		uint16_t *tried = &b->tried[pd_explore_edge(r->site, r->way)];

		*tried += *tried < UINT16_MAX;
		b->busy++;
		pd_exploring.self->record = (uint64_t)(uintptr_t)r;
	} else if (!b->busy) {
		b->over = 1; /* no one runs that could find more */
	}
	pd_explore_unlock(&b->lock);
	return r;
}

/* NULL: there will be no more. */
static struct pd_record *take(void)
{
	struct pd_explore *b = pd_exploring.board;

	for (;;) {
		uint32_t was = __atomic_load_n(&b->waiting, __ATOMIC_ACQUIRE);
		struct pd_record *r = try_take(b);

		if (r || is_over(b))
			return r;
		pd_explore_wait(&b->waiting, was, 100);
	}
}

static void put_away(struct pd_record *r)
{
	struct pd_explore *b = pd_exploring.board;

	pd_explore_lock(&b->lock);
	pd_search_drop(&b->search, r);
	pd_exploring.self->record = 0;
	pd_exploring.self->retried = 0;
	b->busy--;
	pd_explore_unlock(&b->lock);
}

/* ---- runs ----------------------------------------------------------------------------------- */

static void prepare(const struct pd_record *r)
{
	struct pd_explore_worker *self = pd_exploring.self;

	memcpy(part->input, pd_record_input(r), r->size);
	pd_exprs_input(part->exprs, part->input);
	pd_path_begin(part->path, r, part->input);
	self->new_edges = self->new_sites = self->new_finding = 0;
	self->failed = self->assumed = 0;
	self->stored = 0;
	self->what[0] = '\0';
	memset(self->fault, 0, sizeof(self->fault));
	self->runs++;
}

/* From here on it is the program, with this input. */
static void begin(void)
{
	pd_exploring.role = PD_EXPLORE_RUN;
	pd_result_begin();
	pd_in_place_aside(pd_labels_refresh);
}

static void count(const struct pd_path_flipped *f)
{
	struct pd_explore *b = pd_exploring.board;

	__atomic_add_fetch(&b->unknown, f->unknown, __ATOMIC_RELAXED);
	__atomic_add_fetch(&b->steps_cut, f->steps_cut, __ATOMIC_RELAXED);
	__atomic_add_fetch(&b->pins_cut, f->pins_cut, __ATOMIC_RELAXED);
	pd_exploring.self->asked = *pd_ask_stats(part->ask);
}

/* `step` is the first that differs. If the path ended before it: the one that it was run for. */
static void diverge(const struct pd_record *r, uint32_t step)
{
	struct pd_explore *b = pd_exploring.board;
	uint32_t n;
	const struct pd_path_step *steps = pd_path_steps(part->path, &n);
	uint32_t site = step < n ? steps[step].site : r->site;
	const struct pd_site *at = pd_site_get(site);
	struct pd_outbuf out;

	if (__atomic_fetch_add(&b->diverged, 1, __ATOMIC_RELAXED))
		return;
	b->diverged_at = site;
	pd_outbuf_init(&out, b->diverged_what, sizeof(b->diverged_what));
	if (at)
		pd_outf(&out.out, "%s:%u", at->file, at->line);
}

/*
 * Credits each branch of this path with the sites of PM that it was the first to reach, and reports
 * the ways taken (pd_reach_passed).
 */
static void credit(void)
{
	uint32_t n, sites = pd_exploring.self->new_sites;
	const struct pd_path_step *step = pd_path_steps(part->path, &n);

	for (uint32_t i = 0; i < n; i++) {
		uint8_t *led = &pd_exploring.board->led[pd_explore_edge(step[i].site, step[i].way)];

		*led = (uint8_t)PD_MIN(*led + sites, 255U);
		pd_reach_passed(step[i].site, step[i].way);
	}
}

static void settle(const struct pd_record *r, struct pd_run_end end)
{
	struct pd_path_flipped flipped = {0};
	bool left;

	credit();
	left = pd_path_flip(part->path, part->ask, put, NULL, &flipped) == PD_PATH_DIVERGED;
	if (left)
		diverge(r, flipped.diverged_at);
	count(&flipped);
	pd_result_ended(r, part->input, pd_path_digest(part->path), end, left);
	if (part->arena.failed || part->used > pd_exploring.board->max_bytes)
		make_engine(part);
}

static void hush(void)
{
	long null = pd_raw_open("/dev/null", O_RDWR);

	if (null < 0)
		return;
	pd_raw(SYS_dup2, null, STDOUT_FILENO, 0, 0, 0, 0);
	pd_raw(SYS_dup2, null, STDERR_FILENO, 0, 0, 0, 0);
	pd_raw_close((int)null);
}

static void become(uint32_t number)
{
	struct pd_explore *b = pd_exploring.board;

	pd_exploring.role = PD_EXPLORE_WORKER;
	pd_exploring.number = number;
	pd_explore_renew();
	pd_exploring.self = &b->worker[number];
	pd_exploring.self->state = PD_WORKER_RUNNING;
	part = (struct part *)(PD_EXPLORE_BASE + PD_EXPLORE_FRONTIER +
			       PD_EXPLORE_REGION * (number + 1));
	part->used = PD_MAX(part->used, sizeof(*part));
	make_engine(part);
	hush();
}

static void loop(void)
{
	struct pd_explore *b = pd_exploring.board;
	struct pd_record *r;

	while ((r = take())) {
		struct pd_run_end end;

		prepare(r);
		end = pd_in_place_run(b->path_ms, pd_deep_prepare(r, part->input, part->path),
				      pd_deep_stopped);
		if (end.stopped)
			break; /* the tool puts its record back */
		settle(r, end);
		put_away(r);
	}
	pd_exploring.self->state = PD_WORKER_GONE;
	pd_explore_wake(&b->waiting);
	pd_explore_wake(&b->ended_event);
	pd_rt_leave(0);
}

void pd_worker_work(uint32_t number)
{
	const struct pd_explore *b = pd_exploring.board;

	become(number);
	if (!b->no_in_place)
		pd_deep_start(b->snapshot_bytes, b->snapshot_us);
	pd_in_place_start(!b->no_in_place, loop);
	begin();
}
