/*
 * check/survey.c - records, in one more run of the program, where each store is made and who
 * flushes it first. See check/again.h; engine/crash/survey.h judges the result.
 *
 * Collected in this process, and copied to the board at the end. Precision lost: a store that
 * another thread flushes has no way, nor has one beyond PD_SURVEY_STORES.
 */
#include "base/map.h"
#include "base/vec.h"
#include "engine/crash/survey.h"
#include "model/line.h"
#include "runtime/access/mem.h"
#include "runtime/base/listen.h"
#include "runtime/check/again.h"
#include "runtime/check/check.h"
#include "runtime/place/place.h"
#include <string.h>

enum { THREADS = 1024 };

static struct {
	bool on;
	struct pd_arena arena;
	uint32_t length; /* of the log after the previous event */
	PD_VEC(struct pd_survey_place) places;
	PD_VEC(struct pd_survey_way) ways;
	PD_VEC(struct pd_survey_visit) visits;
	PD_VEC(struct pd_tx_step) steps;
	/* By index in the log */
	PD_VEC(struct store {
		uint32_t place;
		uint32_t visit;
		uint32_t fate;
		uint32_t fences;  /* of its thread so far */
		uint32_t returns; /* operations of its thread that have returned so far */
	})
	stores;
	struct pd_map numbers; /* the runtime's number of a place -> the number here */
	struct pd_map known;   /* hash of a way -> its number */
	struct pd_map flushed; /* by line: number of the last store that was flushed */
	uint32_t fences[THREADS];
	uint32_t returns[THREADS];
	uint32_t visit[THREADS]; /* by thread: number of the last one */
} survey PD_TABLE;

/* ---- places --------------------------------------------------------------------------------- */

static uint32_t new_place(uint32_t site, uint32_t place)
{
	struct pd_survey_place *to = pd_vec_push(&survey.places, &survey.arena);
	struct pd_wire_frame frame[PD_AGAIN_FRAMES + 1];
	uint32_t n = place ? pd_place_frames(NULL, place, frame, PD_LEN(frame)) : 0;

	if (!to)
		return 0;
	*to = (struct pd_survey_place){.site = site};
	for (uint32_t i = 0; i < n; i++)
		if (frame[i].how == PD_WIRE_PC && to->nstack < PD_LEN(to->stack))
			to->stack[to->nstack++] = frame[i].pc;
	if (site)
		pd_check_publish(site, false);
	return survey.places.n;
}

/* The current place. What leaves a store buffer has the calls with which it entered. */
static uint32_t place_here(uint32_t site)
{
	uintptr_t pc[PD_PLACE_DEPTH];
	uint32_t n = 0, place;
	uint64_t *number;

	place = pd_rt.stack && pd_rt.stack(pc, PD_LEN(pc), &n) ? pd_place_of(site, pc, n)
							       : pd_place_here(site);
	number = place ? pd_map_put(&survey.numbers, &survey.arena, place) : NULL;
	if (number && !*number)
		*number = new_place(site, place);
	return number ? (uint32_t)*number : 0;
}

uint32_t pd_survey_place(uint32_t site)
{
	return survey.on ? place_here(site) : 0;
}

/*
 * The thread is at this place now, the log having had this length; returns the number of the visit,
 * 0: none.
 */
static uint32_t visit(uint16_t tid, uint32_t place, uint32_t order)
{
	uint32_t *last = &survey.visit[tid % THREADS];
	struct pd_survey_visit *to;

	if (*last && survey.visits.v[*last - 1].place == place)
		return *last;
	to = place && survey.visits.n < PD_SURVEY_VISITS
		     ? pd_vec_push(&survey.visits, &survey.arena)
		     : NULL;
	if (!to)
		return 0;
	*to = (struct pd_survey_visit){place, *last, order};
	return *last = survey.visits.n;
}

uint32_t pd_survey_step(const struct pd_event *e, uint32_t order)
{
	uint32_t place = pd_survey_place(e->site);
	struct pd_tx_step *to =
		survey.on && e->tid < THREADS ? pd_vec_push(&survey.steps, &survey.arena) : NULL;

	if (to)
		*to = (struct pd_tx_step){.order = order,
					  .place = place,
					  .visit = visit(e->tid, place, order),
					  .tid = e->tid,
					  .begins = e->kind == PD_EV_TX_BEGIN};
	return place;
}

/* ---- events --------------------------------------------------------------------------------- */

static void note_stores(const struct pd_event *e, uint32_t from, uint32_t to)
{
	uint32_t place = place_here(e->site), seen = visit(e->tid, place, from);

	/* Stores in between were not reported. */
	while (survey.stores.n < to && survey.stores.n < PD_SURVEY_STORES) {
		struct store *s = pd_vec_push(&survey.stores, &survey.arena);

		if (!s)
			return;
		*s = (struct store){
			survey.stores.n > from ? place : 0, survey.stores.n > from ? seen : 0, 0,
			survey.fences[e->tid % THREADS], survey.returns[e->tid % THREADS]};
	}
}

/* The number of a way, added if it is new; 0: there are too many. */
static uint32_t way_number(const struct pd_survey_way *w)
{
	uint64_t hash = pd_mix((uint64_t)w->store << 32 | w->flush) ^
			pd_mix((uint64_t)w->last << 1 | w->timely) ^
			pd_mix((uint64_t)w->store_visit << 32 | w->flush_visit) * 3 ^
			pd_mix(~(uint64_t)w->last_visit);
	uint64_t *number = pd_map_put(&survey.known, &survey.arena, hash >> 1);
	struct pd_survey_way *to;

	if (!number || *number || survey.ways.n == PD_SURVEY_WAYS)
		return number ? (uint32_t)*number : 0;
	to = pd_vec_push(&survey.ways, &survey.arena);
	if (!to)
		return 0;
	*to = *w;
	return (uint32_t)(*number = survey.ways.n);
}

/* The last store of thread `tid` to a line, from number i on; 0: none. */
static uint32_t last_own(const struct pd_log *log, uint32_t i, uint16_t tid)
{
	uint32_t last = 0;

	for (; i; i = pd_log_at(log, i - 1)->next)
		if (pd_log_at(log, i - 1)->tid == tid)
			last = i;
	return last;
}

static void note_flush_of(const struct pd_line *line, uint16_t tid, uint32_t flush, uint32_t seen)
{
	const struct pd_log *log = line->cur.log;
	uint64_t *known = pd_map_put(&survey.flushed, &survey.arena, line->cur.line);
	const struct store *nearest;
	uint32_t i, last;

	if (!known || !log)
		return;
	i = *known ? pd_log_at(log, (uint32_t)*known - 1)->next : line->cur.oldest;
	last = last_own(log, i, tid);
	nearest = last ? &survey.stores.v[PD_MIN(last, survey.stores.n) - 1] : NULL;
	for (; i && i <= survey.stores.n; i = pd_log_at(log, i - 1)->next) {
		struct store *s = &survey.stores.v[i - 1];

		*known = i;
		if (s->returns != survey.returns[tid % THREADS])
			s->fate = PD_SURVEY_OPEN; /* as it was when its operation returned */
		else if (nearest && pd_log_at(log, i - 1)->tid == tid && s->place && flush)
			s->fate = way_number(&(struct pd_survey_way){
				.store = s->place,
				.flush = flush,
				.last = nearest->place,
				.timely = s->fences == survey.fences[tid % THREADS],
				.store_visit = s->visit,
				.flush_visit = seen,
				.last_visit = nearest->visit});
	}
}

static void note_flushes(const struct pd_event *e)
{
	uint32_t shift = pd_mem.model.params.line_shift, flush = place_here(e->site);
	uint32_t seen = visit(e->tid, flush, survey.length);
	uint64_t end = e->addr + (e->size ? e->size : 1);

	for (uint64_t at = e->addr; at < end; at = ((at >> shift) + 1) << shift) {
		const struct pd_line *line = pd_model_line(&pd_mem.model, at);

		if (line)
			note_flush_of(line, e->tid, flush, seen);
	}
}

static void note(struct pd_event *e)
{
	uint32_t before = survey.length;

	survey.length = pd_mem.model.log->n;
	if (e->addr & PD_ADDR_OUTSIDE)
		return;
	/* An int: few kinds concern PM */
	switch ((int)e->kind) {
	case PD_EV_STORE:
	case PD_EV_NTSTORE:
	case PD_EV_RMW:
		note_stores(e, before, survey.length);
		break;
	case PD_EV_CLFLUSH:
	case PD_EV_CLFLUSHOPT:
	case PD_EV_CLWB:
		note_flushes(e);
		break;
	case PD_EV_MSYNC:
		note_flushes(e);
		survey.fences[e->tid % THREADS]++;
		break;
	case PD_EV_SFENCE:
	case PD_EV_MFENCE:
		visit(e->tid, place_here(e->site), survey.length);
		survey.fences[e->tid % THREADS]++;
		break;
	default:
		break;
	}
}

/* Does nothing: a listener makes store buffers keep the calls of what enters them. */
static void note_buffered(uint64_t off, size_t n, uint32_t site)
{
	(void)off;
	(void)n;
	(void)site;
}

static void stop(void)
{
	survey.on = false;
}

void pd_survey_returned(void)
{
	if (survey.on)
		survey.returns[pd_thread_self() % THREADS]++;
}

void pd_survey_begin(void)
{
	static const struct pd_listener surveys = {.wants = PD_EV_ACCESSES | PD_EV_BIT(MSYNC),
						   .event = note,
						   .buffered = note_buffered,
						   .forked = stop};

	if (!pd_board()->again.surveys || pd_check.depth)
		return;
	survey.on = true;
	pd_arena_init(&survey.arena, pd_rt_memory());
	pd_listen_add(&surveys);
}

/* ---- the end -------------------------------------------------------------------------------- */

static void mark_open(void)
{
	for (const struct pd_line *line = pd_mem.model.lines; line; line = line->next)
		for (uint32_t i = line->cur.log ? line->cur.first : 0; i && i <= survey.stores.n;
		     i = pd_log_at(line->cur.log, i - 1)->next)
			if (i > line->cur.must)
				survey.stores.v[i - 1].fate |= PD_SURVEY_OPEN;
}

static void *leave(const void *from, size_t n)
{
	void *to = pd_board_alloc(NULL, n + 1);

	if (to && n)
		memcpy(to, from, n);
	return to;
}

void pd_survey_end(void)
{
	uint32_t n = survey.stores.n;
	struct pd_survey *to = survey.on ? pd_board_alloc(NULL, sizeof(*to)) : NULL;
	uint32_t *placed = to ? pd_board_alloc(NULL, (n + 1) * sizeof(*placed)) : NULL;
	uint32_t *fate = to ? pd_board_alloc(NULL, (n + 1) * sizeof(*fate)) : NULL;
	const struct pd_tx *tx = pd_check_tx();

	if (!placed || !fate)
		return;
	mark_open();
	for (uint32_t i = 0; i < n; i++) {
		placed[i] = survey.stores.v[i].place;
		fate[i] = survey.stores.v[i].fate;
	}
	*to = (struct pd_survey){n,
				 placed,
				 fate,
				 survey.places.n,
				 leave(survey.places.v, survey.places.n * sizeof(*survey.places.v)),
				 survey.ways.n,
				 leave(survey.ways.v, survey.ways.n * sizeof(*survey.ways.v)),
				 survey.visits.n,
				 leave(survey.visits.v, survey.visits.n * sizeof(*survey.visits.v)),
				 tx ? tx->found.n : 0,
				 tx ? leave(tx->found.v, tx->found.n * sizeof(*tx->found.v)) : NULL,
				 survey.steps.n,
				 leave(survey.steps.v, survey.steps.n * sizeof(*survey.steps.v))};
	if (to->place && to->way && to->visit && to->step && (to->unlogged || !to->nunlogged))
		pd_board()->again.survey = to;
}
