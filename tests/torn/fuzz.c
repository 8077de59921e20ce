/*
 * fuzz.c - the torn engine against its naive twin, on random programs.
 *
 *	fuzz [--seed S] [--programs N]
 *
 * For each program:
 *  - tracking, at some crash: are the races those of the definition, with prefixes and without?
 *  - without tracking, over all crash points of a program with one thread: are they, together, all those
 *    that prefixes would show? (torn.h claims it, and saves the tracking.)
 *  - as if every store were a block's: are those unchanged that write what was there? Of what is settled the engine
 *    may not know any more, and then says that they are not.
 *
 * Values differ where there are several threads: with equal ones the engine takes the oldest version of a
 * line for its prefix (docs/engines/torn.md, "What is missed").
 */
#include "twin.h"
#include "engine/torn/torn.h"
#include "host/host.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state;

static uint32_t below(uint32_t n)
{
	state += 0x9e3779b97f4a7c15ULL;
	return (uint32_t)((pd_mix(state) >> 32) * n >> 32);
}

static void generate(struct program *p, int threads)
{
	int held[OBJECTS] = {-1, -1}, words[WORDS];

	memset(p, 0, sizeof(*p));
	p->n = 4 + (int)below(EVENTS - 4);
	for (int i = 0; i < p->n; i++) {
		struct event *e = &p->e[i];

		*e = (struct event){.op = (enum op)below(OPS), .tid = (int)below((uint32_t)threads),
				    .strong = below(2), .value = (uint64_t)i + 1};
		if (below(3) == 0)
			e->op = (enum op)below(CLWB + 1); /* more of what matters */
		e->at = (int)below(e->op <= CLWB ? WORDS : OBJECTS);
		if (threads == 1 && below(3) == 0)
			e->value = 1 + below(2);
		if ((e->op == LOCK && held[e->at] >= 0) || (e->op == UNLOCK && held[e->at] != e->tid))
			e->op = SFENCE;
		if (e->op == LOCK || e->op == UNLOCK)
			held[e->at] = e->op == LOCK ? e->tid : -1;
	}
	for (int i = 0; i < WORDS; i++)
		words[i] = i;
	p->nread = 1 + (int)below(READS);
	for (int i = 0; i < p->nread; i++) {
		int k = i + (int)below((uint32_t)(WORDS - i)), t = words[i];

		words[i] = words[k];
		words[k] = t;
		p->read[i] = words[i];
	}
}

/* A word is handed over by an atomic, from thread to thread, and flushed by the last: with one thing missing. */
static void hand_over(struct program *p)
{
	static const struct event steps[] = {
		{PLAIN, 0, 0, false, 0}, {FENCE_REL, 0, 0, false, 0}, {A_STORE, 0, 0, true, 0},
		{A_RMW, 1, 0, true, 0},	 {A_LOAD, 2, 0, true, 0},     {FENCE_ACQ, 2, 0, false, 0},
		{CLFLUSH, 2, 0, false, 0}, {RELEASE, 2, 3, false, 0},
	};

	p->n = 0;
	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		if (below(4) == 0)
			continue;
		p->e[p->n] = steps[i];
		p->e[p->n].strong = steps[i].strong && below(2);
		p->e[p->n].value = (uint64_t)p->n + 1;
		p->n++;
	}
	p->nread = 2;
	p->read[0] = 3;
	p->read[1] = 0;
}

static void show(const struct program *p)
{
	static const char *const names[OPS] = {"plain", "relaxed", "release", "seq_cst", "rmw", "clflush",
					       "clwb", "sfence", "mfence", "lock", "unlock", "a-load",
					       "a-store", "a-rmw", "fence-acq", "fence-rel"};

	for (int i = 0; i < p->n; i++)
		printf("# %2d  T%d %-9s %d%s = %lu\n", i, p->e[i].tid, names[p->e[i].op], p->e[i].at,
		       p->e[i].strong ? " strong" : "", (unsigned long)p->e[i].value);
	printf("# reads");
	for (int i = 0; i < p->nread; i++)
		printf(" %d", p->read[i]);
	printf("\n");
}

/* ---- the engine ---------------------------------------------------------------------------------- */

struct run {
	const struct program *p;
	struct pd_arena arena;
	struct pd_arena step;
	struct pd_model model;
	struct pd_torn torn;
	uint8_t mem[64 * LINES];
	int event_of[EVENTS + 1]; /* by number of the store */
	bool (*race)[READS];
	int unlike; /* number of a store, from 1, that is not what the definition says: changed or unchanged; 0: none */
	struct pd_vset set[LINES]; /* of lines that the path has narrowed */
	struct pd_history *crashed[LINES];
	bool narrowed[LINES];
};

static uint64_t address(int word)
{
	return (uint64_t)(word / WORDS_A_LINE) * 64 + (uint64_t)(word % WORDS_A_LINE) * 8;
}

static void found(void *ctx, const struct pd_torn_race *r)
{
	struct run *run = ctx;

	int event = run->event_of[r->number];
	bool unchanged = twin_unchanged(run->p, event);

	run->race[event][r->load - 1] = true;
	if (r->unchanged ? !unchanged : unchanged && !r->prefix)
		run->unlike = event + 1;
}

static bool is_block(void *ctx, uint32_t site, bool in_recovery)
{
	(void)ctx;
	(void)site;
	return !in_recovery;
}

static void store(struct run *r, int i, uint32_t flags)
{
	const struct event *e = &r->p->e[i];

	pd_model_store(&r->model, (uint32_t)e->tid, address(e->at), &e->value, 8, 1, flags);
	r->event_of[r->model.log->n] = i;
}

static void locked_store(struct run *r, int i)
{
	const struct event *e = &r->p->e[i];

	pd_model_rmw_begin(&r->model, (uint32_t)e->tid);
	pd_model_rmw_store(&r->model, (uint32_t)e->tid, address(e->at), &e->value, 8, 1);
	r->event_of[r->model.log->n] = i;
}

static void happen(struct run *r, int i)
{
	const struct event *e = &r->p->e[i];
	uint32_t tid = (uint32_t)e->tid;
	struct pd_event out = {.tid = (uint16_t)e->tid, .site = 1, .order = PD_ORDER_NONE, .addr = address(e->at),
			       .size = 8};
	bool lock = e->op == LOCK || e->op == UNLOCK;
	uint64_t object = (uint64_t)((lock ? 2000 : 1000) + 8 * e->at) | PD_ADDR_OUTSIDE;
	struct pd_model *m = &r->model;

	switch (e->op) {
	case PLAIN: out.kind = PD_EV_STORE; store(r, i, 0); break;
	case RELAXED:
		out.kind = PD_EV_STORE;
		out.order = PD_ORDER_RELAXED;
		store(r, i, PD_LOGGED_ATOMIC | PD_LOGGED_RELAXED);
		break;
	case RELEASE: out.kind = PD_EV_STORE; out.order = PD_ORDER_RELEASE; store(r, i, PD_LOGGED_ATOMIC); break;
	case SEQ_CST: out.kind = PD_EV_STORE; out.order = PD_ORDER_SEQ_CST; locked_store(r, i); break;
	case RMW: out.kind = PD_EV_RMW; out.order = PD_ORDER_ACQ_REL; locked_store(r, i); break;
	case CLFLUSH:
		out.kind = PD_EV_CLFLUSH;
		out.addr &= ~63ULL;
		out.size = 64;
		pd_model_flush(m, tid, out.addr, PD_FLUSH_CLFLUSH);
		break;
	case CLWB:
		out.kind = PD_EV_CLWB;
		out.addr &= ~63ULL;
		out.size = 64;
		pd_model_flush(m, tid, out.addr, PD_FLUSH_CLWB);
		break;
	case SFENCE: out.kind = PD_EV_SFENCE; pd_model_sfence(m, tid); break;
	case MFENCE: out.kind = PD_EV_MFENCE; pd_model_mfence(m, tid); break;
	case LOCK: out.kind = PD_EV_ACQUIRE; out.addr = object; break;
	case UNLOCK: out.kind = PD_EV_RELEASE; out.addr = object; break;
	case A_LOAD:
		out.kind = PD_EV_ATOMIC_LOAD;
		out.order = e->strong ? PD_ORDER_ACQUIRE : PD_ORDER_RELAXED;
		out.addr = object;
		break;
	case A_STORE:
		out.kind = PD_EV_ATOMIC_STORE;
		out.order = e->strong ? PD_ORDER_RELEASE : PD_ORDER_RELAXED;
		out.addr = object;
		break;
	case A_RMW:
		out.kind = PD_EV_ATOMIC_RMW;
		out.order = e->strong ? PD_ORDER_ACQ_REL : PD_ORDER_RELAXED;
		out.addr = object;
		pd_model_mfence(m, tid);
		break;
	case FENCE_ACQ: out.kind = PD_EV_CFENCE; out.order = PD_ORDER_ACQUIRE; break;
	case FENCE_REL: out.kind = PD_EV_CFENCE; out.order = PD_ORDER_RELEASE; break;
	case OPS: break;
	}
	if (r->torn.tracking)
		pd_torn_event(&r->torn, &out);
}

/* All paths of recovery, as the walk of the crash engine goes them. */
static void explore(struct run *r, int at)
{
	struct pd_history *crashed = NULL;
	struct pd_vset set = {0};
	struct pd_torn_read read;
	pd_classes classes;
	int line;

	if (at == r->p->nread)
		return;
	line = r->p->read[at] / WORDS_A_LINE;
	read = (struct pd_torn_read){.block = (uint64_t)line * 64,
				     .mask = 0xffULL << (address(r->p->read[at]) % 64),
				     .load = (uint32_t)at + 1};
	if (r->narrowed[line]) {
		crashed = r->crashed[line];
		set = r->set[line];
	} else {
		struct pd_line *l = pd_model_line(&r->model, read.block);

		if (l)
			pd_line_crash_now(l, &r->step, &crashed, &set);
	}
	pd_torn_read(&r->torn, &read, crashed, &set);
	if (!crashed) {
		uint32_t mark = pd_torn_mark(&r->torn);

		pd_torn_took(&r->torn, &read, NULL, NULL);
		explore(r, at + 1);
		pd_torn_back(&r->torn, mark);
		return;
	}
	pd_vset_classes(crashed, &set, 0, read.mask, NULL, &r->step, &classes);
	for (uint32_t i = 0; i < classes.n; i++) {
		bool was = r->narrowed[line];
		struct pd_vset before = r->set[line];
		uint32_t mark = pd_torn_mark(&r->torn);

		r->narrowed[line] = true;
		r->crashed[line] = crashed;
		r->set[line] = classes.v[i].set;
		pd_torn_took(&r->torn, &read, crashed, &classes.v[i].set);
		explore(r, at + 1);
		pd_torn_back(&r->torn, mark);
		r->narrowed[line] = was;
		r->set[line] = before;
	}
}

static void crash(struct run *r)
{
	memset(r->narrowed, 0, sizeof(r->narrowed));
	pd_torn_begin(&r->torn);
	explore(r, 0);
}

static bool is_crash_point(const struct event *e)
{
	return e->op == CLFLUSH || e->op == SFENCE || e->op == MFENCE || e->op == RMW || e->op == SEQ_CST ||
	       e->op == A_RMW;
}

/* at < 0: at every crash point. False: whether a store changes something was misjudged. */
static bool engine_races(const struct program *p, int at, bool prefix, bool tracking, bool race[EVENTS][READS])
{
	static struct run r;

	memset(&r, 0, sizeof(r));
	r.p = p;
	r.race = race;
	pd_arena_init(&r.arena, pd_host_memory());
	pd_arena_init(&r.step, pd_host_memory());
	pd_model_init(&r.model, &r.arena, PD_PARAMS_ADR, r.mem, false);
	pd_torn_init(&r.torn, &r.model, &r.arena, prefix);
	r.torn.race = found;
	r.torn.is_block = is_block;
	r.torn.ctx = &r;
	if (tracking)
		pd_torn_track(&r.torn);
	for (int i = 0; i < (at < 0 ? p->n : at); i++) {
		if (at < 0 && is_crash_point(&p->e[i]))
			crash(&r);
		happen(&r, i);
	}
	crash(&r);
	pd_torn_finish(&r.torn);
	pd_model_finish(&r.model);
	pd_arena_finish(&r.arena);
	pd_arena_finish(&r.step);
	if (!r.unlike)
		return true;
	printf("# store %d is not what the engine says: changed or unchanged\n", r.unlike - 1);
	show(p);
	return false;
}

/* ---- comparing ------------------------------------------------------------------------------------ */

static int differs(bool a[EVENTS][READS], bool b[EVENTS][READS], const struct program *p, const char *what)
{
	for (int e = 0; e < EVENTS; e++)
		for (int r = 0; r < READS; r++)
			if (a[e][r] != b[e][r]) {
				printf("# %s: store %d, read number %d: the engine says %s, the definition %s\n",
				       what, e, r, a[e][r] ? "race" : "none", b[e][r] ? "race" : "none");
				show(p);
				return 1;
			}
	return 0;
}

static uint64_t races;

static int one(const struct program *p, int threads)
{
	int crash_at = p->n - (int)below((uint32_t)p->n + 1) * (int)below(2);

	for (int prefix = 0; prefix < 2; prefix++) {
		bool a[EVENTS][READS] = {0}, b[EVENTS][READS] = {0};

		if (!engine_races(p, crash_at, prefix, true, a))
			return 1;
		twin_races(p, crash_at, prefix, b);
		if (differs(a, b, p, prefix ? "prefix" : "no prefix")) {
			printf("# the crash is before event %d\n", crash_at);
			return 1;
		}
		for (int i = 0; i < EVENTS * READS; i++)
			races += b[i / READS][i % READS];
	}
	if (threads == 1) {
		bool a[EVENTS][READS] = {0}, b[EVENTS][READS] = {0};

		if (!engine_races(p, -1, true, false, a))
			return 1;
		for (int at = 0; at <= p->n; at++)
			if (at == p->n || is_crash_point(&p->e[at]))
				twin_races(p, at, true, b);
		return differs(a, b, p, "all crash points, nothing tracked");
	}
	return 0;
}

int main(int argc, char **argv)
{
	uint64_t seed = 1, programs = 20000, n = 0;

	for (int i = 1; i + 1 < argc; i += 2) {
		uint64_t v = strtoull(argv[i + 1], NULL, 10);

		if (!strcmp(argv[i], "--seed"))
			seed = v;
		else if (!strcmp(argv[i], "--programs"))
			programs = v;
		else
			return 2;
	}
	for (; n < programs; n++) {
		struct program p;
		int threads;

		state = pd_mix(seed + n);
		threads = 1 + (int)below(THREADS);
		generate(&p, threads);
		if (threads == THREADS && below(4) == 0)
			hand_over(&p);
		if (one(&p, threads)) {
			printf("# again: fuzz --programs 1 --seed %lu\n", (unsigned long)(seed + n));
			return 1;
		}
	}
	printf("# %lu programs, %lu races\n", (unsigned long)n, (unsigned long)races);
	return !races;
}
