/*
 * explore.c - every execution of a litmus program, on the model.
 *
 * Stateless search: a run follows a list of choices and makes new ones (alternative 0) at its end;
 * then the last choice that has another alternative is advanced and the program runs again from the
 * start. A step is one of: a thread runs its next instruction, the oldest entry of a buffer takes
 * effect, power fails (where another execution follows). A run stops early in a state that was seen
 * before, known by its digest.
 *
 * Images are collected without crashing: in every new state the model says what a crash now could
 * leave of each line, and lines are independent of each other (P1), so the images are the product.
 * Recoveries are explored as `perdure check` does it: lazily, by what they load.
 */
#include "base/bug.h"
#include "litmus/litmus.h"
#include "model/model.h"
#include "model/state.h"

enum { MAX_STEPS = 2 * PD_LIT_THREADS + 1 };

/* The bytes of one block that variables cover. */
struct cell {
	uint64_t addr; /* of the block */
	uint64_t need;
};

struct walk {
	const struct pd_litmus *lit;
	struct pd_arena *keep;
	struct pd_arena run; /* the model and all that one run makes */
	struct pd_arena step;
	struct pd_lit_result *out;
	uint64_t max_states;
	PD_VEC(struct pd_choice) choices;
	uint32_t pos;
	struct pd_map seen;
	PD_VEC(struct cell) cells;
	/* One run: */
	struct pd_model model;
	struct pd_chooser chooser;
	uint8_t *mem;
	uint32_t section;
	uint32_t pc[PD_LIT_THREADS];
	uint64_t reg[PD_LIT_REGS];
	uint8_t *image;
	bool by_state; /* crashes travel as bytes */
	bool failed;
};

/* ---- choices -------------------------------------------------------------------------------- */

static uint32_t pick(void *ctx, enum pd_choice_kind kind, uint32_t n)
{
	struct walk *w = ctx;
	struct pd_choice *c;

	if (w->pos < w->choices.n) {
		c = &w->choices.v[w->pos++];
		PD_CHECK(c->kind == kind && c->n == n, "a litmus run diverged from its choices");
		return c->pick;
	}
	c = pd_vec_push(&w->choices, w->keep);
	if (!c) {
		w->failed = true;
		return 0;
	}
	*c = (struct pd_choice){kind, n, 0};
	w->pos++;
	return 0;
}

/* The next run's choices; false at the end of the search. */
static bool advance(struct walk *w)
{
	while (w->choices.n) {
		struct pd_choice *c = &w->choices.v[w->choices.n - 1];

		if (++c->pick < c->n)
			return true;
		w->choices.n--;
	}
	return false;
}

/* ---- instructions --------------------------------------------------------------------------- */

static uint64_t operand(const struct walk *w, const struct pd_lit_operand *o)
{
	return o->is_reg ? w->reg[o->value] : o->value;
}

static uint64_t load(struct walk *w, uint32_t tid, const struct pd_lit_instr *in)
{
	uint64_t v = 0;

	pd_model_load(&w->model, tid, in->addr, &v, in->size, &w->chooser);
	return v;
}

static uint64_t truncate(uint64_t v, uint32_t size)
{
	return size == 8 ? v : v & ((1ULL << (8 * size)) - 1);
}

static void images_from(struct walk *w, uint32_t i, const struct pd_history *crashed,
			const struct pd_vset *set);
static void crash(struct walk *w);

/*
 * The store of a locked instruction, word by word: no thread can come in between, but power can
 * fail there (P2). Returns false if it did.
 */
static bool locked_store(struct walk *w, uint32_t tid, const struct pd_lit_instr *in, uint64_t v)
{
	for (uint32_t done = 0; done < in->size;) {
		uint32_t room = PD_WORD - (uint32_t)((in->addr + done) % PD_WORD);
		uint32_t k = PD_MIN(in->size - done, room);

		if (done) {
			pd_arena_reset(&w->step);
			images_from(w, 0, NULL, NULL);
			if (w->section + 1 < w->lit->nsection &&
			    pd_choose(&w->chooser, PD_CHOICE_CRASH, 2)) {
				crash(w);
				return false;
			}
		}
		pd_model_rmw_store(&w->model, tid, in->addr + done, (uint8_t *)&v + done, k, 0);
		done += k;
	}
	return true;
}

static void run_locked(struct walk *w, uint32_t tid, const struct pd_lit_instr *in)
{
	uint64_t a = truncate(operand(w, &in->value[0]), in->size), old, fresh;

	pd_model_rmw_begin(&w->model, tid);
	old = load(w, tid, in);
	if (in->op == PD_LIT_CAS && old != a) {
		w->reg[in->reg] = old;
		return;
	}
	fresh = in->op == PD_LIT_XCHG  ? a
		: in->op == PD_LIT_ADD ? old + a
				       : operand(w, &in->value[1]);
	if (locked_store(w, tid, in, fresh))
		w->reg[in->reg] = old;
}

static void wide_store(struct walk *w, uint32_t tid, const struct pd_lit_instr *in)
{
	uint64_t words[PD_LIT_WORDS];

	for (uint32_t i = 0; i < in->nvalue; i++)
		words[i] = operand(w, &in->value[i]);
	pd_model_store(&w->model, tid, in->addr, words, in->size, 0, 0);
}

static void execute(struct walk *w, uint32_t tid, const struct pd_lit_instr *in)
{
	struct pd_model *m = &w->model;
	uint64_t v = in->nvalue ? operand(w, &in->value[0]) : 0;

	if (in->guarded && w->reg[in->guard_reg] != in->guard_value)
		return;
	switch (in->op) {
	case PD_LIT_ST:
		pd_model_store(m, tid, in->addr, &v, in->size, 0, 0);
		break;
	case PD_LIT_STNT:
		pd_model_store(m, tid, in->addr, &v, in->size, 0, PD_LOGGED_NT);
		break;
	case PD_LIT_STV:
		wide_store(w, tid, in);
		break;
	case PD_LIT_LD:
		w->reg[in->reg] = load(w, tid, in);
		break;
	case PD_LIT_CLFLUSH:
		pd_model_flush(m, tid, in->addr, PD_FLUSH_CLFLUSH);
		break;
	case PD_LIT_CLFLUSHOPT:
		pd_model_flush(m, tid, in->addr, PD_FLUSH_CLFLUSHOPT);
		break;
	case PD_LIT_CLWB:
		pd_model_flush(m, tid, in->addr, PD_FLUSH_CLWB);
		break;
	case PD_LIT_SFENCE:
		pd_model_sfence(m, tid);
		break;
	case PD_LIT_MFENCE:
		pd_model_mfence(m, tid);
		break;
	case PD_LIT_LFENCE:
		break; /* P16 */
	case PD_LIT_XCHG:
	case PD_LIT_ADD:
	case PD_LIT_CAS:
		run_locked(w, tid, in);
		break;
	case PD_LIT_MSYNC:
		pd_model_msync(m, tid, in->addr, in->size);
		break;
	case PD_LIT_UNNEEDED:
		pd_model_unneeded(m, in->addr, in->size);
		break;
	}
}

/* ---- images --------------------------------------------------------------------------------- */

static void add_image(struct walk *w)
{
	uint64_t tuple[PD_LIT_VARS] = {0};

	for (uint32_t i = 0; i < w->lit->nvar; i++)
		memcpy(&tuple[i], w->image + w->lit->var[i].addr, w->lit->var[i].size);
	if (pd_tuples_add(&w->out->images[w->section], tuple) < 0)
		w->failed = true;
}

/*
 * Fills the image from cell i on in every possible way. `set` is what is left of the versions of
 * the line of cell i - 1.
 */
static void images_from(struct walk *w, uint32_t i, const struct pd_history *crashed,
			const struct pd_vset *set)
{
	const struct cell *c = &w->cells.v[i];
	uint32_t line_size = 1u << w->lit->params.line_shift;
	struct pd_history *fresh;
	struct pd_vset fresh_set;
	pd_classes classes;

	if (i == w->cells.n) {
		add_image(w);
		return;
	}
	if (!i || c->addr / line_size != c[-1].addr / line_size) {
		struct pd_line *line = pd_model_line(&w->model, c->addr);

		crashed = NULL;
		if (line) {
			w->failed |= !pd_line_crash_now(line, &w->step, &fresh, &fresh_set);
			crashed = fresh;
			set = &fresh_set;
		}
	}
	if (!crashed) {
		memcpy(w->image + c->addr, w->mem + c->addr, PD_BLOCK);
		images_from(w, i + 1, NULL, NULL);
		return;
	}
	w->failed |= !pd_vset_classes(crashed, set, (uint32_t)(c->addr % line_size) / PD_BLOCK,
				      c->need, NULL, &w->step, &classes);
	for (uint32_t k = 0; k < classes.n && !w->failed; k++) {
		memcpy(w->image + c->addr, classes.v[k].value, PD_BLOCK);
		images_from(w, i + 1, crashed, &classes.v[k].set);
	}
}

static void find_cells(struct walk *w)
{
	for (uint64_t at = 0; at < w->lit->mem_size; at += PD_BLOCK) {
		struct cell c = {.addr = at};
		struct cell *slot;

		for (uint32_t i = 0; i < w->lit->nvar; i++)
			for (uint32_t k = 0; k < w->lit->var[i].size; k++) {
				uint64_t byte = w->lit->var[i].addr + k;

				if (byte / PD_BLOCK == at / PD_BLOCK)
					c.need |= 1ULL << (byte % PD_BLOCK);
			}
		if (!c.need)
			continue;
		slot = pd_vec_push(&w->cells, w->keep);
		if (slot)
			*slot = c;
		else
			w->failed = true;
	}
}

/* ---- one run -------------------------------------------------------------------------------- */

static const struct pd_lit_section *section_of(const struct walk *w)
{
	return &w->lit->section[w->section];
}

static bool thread_done(const struct walk *w, uint32_t t)
{
	return w->pc[t] == section_of(w)->thread[t].instr.n;
}

/* True if the state is new; then its images are collected. */
static bool visit(struct walk *w)
{
	struct pd_digest d = PD_DIGEST_INIT;
	uint64_t *at;

	pd_digest_u64(&d, w->section);
	pd_digest_bytes(&d, w->pc, sizeof(w->pc));
	pd_digest_bytes(&d, w->reg, sizeof(w->reg));
	pd_model_digest(&w->model, &d);
	at = pd_map_put(&w->seen, w->keep, d.a >> 1);
	if (!at) {
		w->failed = true;
		return false;
	}
	/* Half the digest is the key and the other half is checked. */
	if (*at == (d.b | 1))
		return false;
	*at = d.b | 1;
	w->out->states++;
	pd_arena_reset(&w->step);
	images_from(w, 0, NULL, NULL);
	return true;
}

static void record_outcome(struct walk *w)
{
	for (uint32_t t = 0; t < section_of(w)->nthread; t++)
		if (!thread_done(w, t))
			return;
	if (pd_tuples_add(&w->out->outcomes[w->section], w->reg) < 0)
		w->failed = true;
}

static void start_section(struct walk *w)
{
	memset(w->pc, 0, sizeof(w->pc));
	memset(w->reg, 0, sizeof(w->reg));
}

enum step_kind { STEP_RUN, STEP_EVICT, STEP_CRASH };

struct step {
	enum step_kind kind;
	uint32_t thread;
};

static uint32_t list_enabled(const struct walk *w, struct step *steps)
{
	uint32_t n = 0;

	for (uint32_t t = 0; t < section_of(w)->nthread; t++)
		if (!thread_done(w, t))
			steps[n++] = (struct step){STEP_RUN, t};
	for (uint32_t t = 0; t < section_of(w)->nthread; t++)
		if (pd_model_can_evict(&w->model, t))
			steps[n++] = (struct step){STEP_EVICT, t};
	if (w->section + 1 < w->lit->nsection)
		steps[n++] = (struct step){STEP_CRASH, 0};
	return n;
}

/* A new model, from what the old one says that a crash would leave. */
static void crash_by_state(struct walk *w)
{
	size_t n = pd_model_export(&w->model, NULL, 0);
	void *bytes = n ? pd_arena_alloc(&w->run, n) : NULL;

	if (!bytes || pd_model_export(&w->model, bytes, n) != n) {
		w->failed = true;
		return;
	}
	/* What the old one had in memory beyond lines that it knows is still right: nobody wrote
	 * there. */
	pd_model_finish(&w->model);
	pd_model_init(&w->model, &w->run, w->lit->params, w->mem, true);
	w->failed |= !pd_model_import(&w->model, bytes, n);
}

static void crash(struct walk *w)
{
	if (w->by_state)
		crash_by_state(w);
	else
		pd_model_crash(&w->model);
	w->section++;
	start_section(w);
}

static void take_step(struct walk *w, struct step s)
{
	switch (s.kind) {
	case STEP_RUN:
		execute(w, s.thread, &section_of(w)->thread[s.thread].instr.v[w->pc[s.thread]++]);
		break;
	case STEP_EVICT:
		pd_model_evict(&w->model, s.thread);
		break;
	case STEP_CRASH:
		crash(w);
		break;
	}
}

static void start_run(struct walk *w)
{
	pd_arena_reset(&w->run);
	w->mem = pd_arena_alloc(&w->run, w->lit->mem_size);
	w->image = pd_arena_alloc(&w->run, w->lit->mem_size);
	if (!w->mem || !w->image) {
		w->failed = true;
		return;
	}
	for (uint32_t i = 0; i < w->lit->nvar; i++)
		memcpy(w->mem + w->lit->var[i].addr, &w->lit->var[i].init, w->lit->var[i].size);
	pd_model_init(&w->model, &w->run, w->lit->params, w->mem, true);
	w->pos = 0;
	w->section = 0;
	w->out->runs++;
	start_section(w);
}

static void run_once(struct walk *w)
{
	struct step steps[MAX_STEPS];

	start_run(w);
	while (!w->failed) {
		uint32_t n;

		/* What a prefix of old choices leads through was visited when they were new. */
		if (w->pos >= w->choices.n) {
			if (!visit(w))
				break;
			record_outcome(w);
		}
		n = list_enabled(w, steps);
		if (!n)
			break;
		take_step(w, steps[pd_choose(&w->chooser, PD_CHOICE_STEP, n)]);
		w->failed |= pd_model_failed(&w->model);
	}
	pd_model_finish(&w->model);
}

static bool explore(const struct pd_litmus *lit, struct pd_arena *keep, uint64_t max_states,
		    struct pd_lit_result *out, bool by_state)
{
	struct walk w = {.lit = lit,
			 .keep = keep,
			 .out = out,
			 .max_states = max_states,
			 .by_state = by_state};

	*out = (struct pd_lit_result){0};
	for (uint32_t s = 0; s < lit->nsection; s++) {
		pd_tuples_init(&out->images[s], keep, lit->nvar);
		pd_tuples_init(&out->outcomes[s], keep, lit->section[s].nreg);
	}
	w.chooser = (struct pd_chooser){pick, &w};
	pd_arena_init(&w.run, keep->host);
	pd_arena_init(&w.step, keep->host);
	find_cells(&w);
	do
		run_once(&w);
	while (!w.failed && !(out->capped = out->states >= max_states) && advance(&w));
	pd_arena_finish(&w.run);
	pd_arena_finish(&w.step);
	for (uint32_t s = 0; s < lit->nsection && !w.failed; s++) {
		pd_tuples_sort(&out->images[s]);
		pd_tuples_sort(&out->outcomes[s]);
	}
	return !w.failed;
}

bool pd_litmus_explore(const struct pd_litmus *lit, struct pd_arena *keep, uint64_t max_states,
		       struct pd_lit_result *out)
{
	return explore(lit, keep, max_states, out, false);
}

bool pd_litmus_explore_by_state(const struct pd_litmus *lit, struct pd_arena *keep,
				uint64_t max_states, struct pd_lit_result *out)
{
	return explore(lit, keep, max_states, out, true);
}
