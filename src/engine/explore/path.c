/*
 * path.c - see path.h.
 *
 * A record other than the first (depth > 0) has a step at its bound: up to that it agrees with its
 * parent, and there it goes another way. So its own steps are those after it; and, if a value is
 * pinned there, that step too, except for the values that were tried.
 */
#include "engine/explore/path.h"
#include "base/bug.h"
#include "base/sort.h"
#include "base/vec.h"
#include "engine/explore/search.h"

struct alternative {
	pd_expr holds;
	uint32_t way;
};

struct one_case {
	uint64_t value;
	uint32_t target;
};

struct pd_path {
	struct pd_arena *arena;
	struct pd_exprs *x;
	struct pd_path_limits limits;
	struct pd_record record;
	const uint8_t *input;
	uint64_t tried[PD_PATH_PINS + 1]; /* values of the pin at the bound, ascending */
	uint32_t ntried;

	PD_VEC(struct pd_path_step) steps;
	PD_VEC(struct alternative) alternatives;
	uint32_t cut; /* steps that did not fit */
	uint64_t digest;

	/* Of a switch, or of values that were tried: scratch */
	PD_VEC(struct one_case) cases;
	PD_VEC(uint64_t) key;
	PD_VEC(pd_expr) entry;

	/* How far pd_path_assumed has got */
	const struct pd_ask *asked;
	uint64_t asked_number;
	uint32_t assumed;
};

struct pd_path *pd_path_create(struct pd_arena *a, struct pd_exprs *x, struct pd_path_limits limits)
{
	struct pd_path *p = pd_new(a, struct pd_path);

	if (!p)
		return NULL;
	p->arena = a;
	p->x = x;
	p->limits = limits;
	p->limits.pins = PD_MIN(PD_MAX(limits.pins, 1U), (uint32_t)PD_PATH_PINS);
	return p;
}

void pd_path_begin(struct pd_path *p, const struct pd_record *r, const uint8_t *input)
{
	PD_CHECK(r->npins <= PD_PATH_PINS, "more values than are ever tried");
	p->record = *r;
	p->input = input;
	p->ntried = r->npins;
	if (r->npins)
		memcpy(p->tried, pd_record_pins(r), r->npins * sizeof(p->tried[0]));
	p->steps.n = 0;
	p->alternatives.n = 0;
	p->cut = 0;
	p->digest = 0;
	p->asked = NULL;
	p->assumed = 0;
}

bool pd_path_resume(struct pd_path *p, const struct pd_path_step *steps, uint32_t n,
		    uint64_t digest)
{
	PD_CHECK(n <= p->record.bound && p->record.depth,
		 "a step that is this path's own is missing");
	for (uint32_t i = 0; i < n; i++) {
		struct pd_path_step *to = pd_vec_push(&p->steps, p->arena);

		if (!to)
			return false;
		*to = steps[i];
	}
	p->digest = digest;
	return true;
}

/* ---- steps ---------------------------------------------------------------------------------- */

static uint64_t digest_step(uint64_t d, const struct pd_path_step *s)
{
	d = pd_mix(d ^ s->site) + s->kind;
	d = pd_mix(d ^ ((uint64_t)s->way << 32 | s->kind));
	return s->kind == PD_STEP_PIN ? pd_mix(d + pd_mix(s->value + 1)) : d;
}

/* A condition of 0 means that memory ran out: from there on nothing is kept. */
static void add_step(struct pd_path *p, const struct pd_path_step *s)
{
	struct pd_path_step *to = NULL;

	p->digest = digest_step(p->digest, s);
	if (!p->cut && s->holds && p->steps.n < p->limits.steps)
		to = pd_vec_push(&p->steps, p->arena);
	if (to)
		*to = *s;
	else
		p->cut++;
}

static bool is_constant(const struct pd_path *p, pd_expr e)
{
	uint64_t v;

	return !e || pd_expr_is_const(p->x, e, &v);
}

void pd_path_branch(struct pd_path *p, uint32_t site, pd_expr condition, bool taken)
{
	if (is_constant(p, condition))
		return;
	add_step(p, &(struct pd_path_step){
			    .site = site,
			    .kind = PD_STEP_BRANCH,
			    .way = taken,
			    .holds = taken ? condition : pd_expr_not(p->x, condition),
		    });
}

void pd_path_pin(struct pd_path *p, uint32_t site, pd_expr e, uint64_t value)
{
	struct pd_path_step s = {.site = site, .kind = PD_STEP_PIN, .pinned = e, .value = value};
	uint64_t only;

	if (is_constant(p, e))
		return;
	s.holds = pd_expr_binary(p->x, PD_SYM_EQ, e,
				 pd_expr_const(p->x, pd_expr_width(p->x, e), value));
	/* It is the only possible value. */
	if (s.holds && pd_expr_is_const(p->x, s.holds, &only) && only)
		return;
	add_step(p, &s);
}

/* ---- switch --------------------------------------------------------------------------------- */

static int by_value(const void *a, const void *b)
{
	const struct one_case *p = a, *q = b;

	return p->value < q->value ? -1 : p->value > q->value;
}

/* The number of the target, as an expression; 0: memory ran out. */
static pd_expr target_of(struct pd_path *p, pd_expr on, const struct pd_sym_switch *s)
{
	uint64_t mask = s->width >= 64 ? UINT64_MAX : (1ULL << s->width) - 1;
	bool in_order = true;

	p->cases.n = p->key.n = p->entry.n = 0;
	for (uint32_t i = 0; i < s->n; i++) {
		struct one_case *c = pd_vec_push(&p->cases, p->arena);

		if (!c)
			return 0;
		*c = (struct one_case){s->value[i] & mask, s->target[i]};
		in_order &= i == 0 || c[-1].value < c->value;
	}
	if (!in_order)
		pd_sort(p->cases.v, p->cases.n, sizeof(*p->cases.v), by_value, p->arena);
	for (uint32_t i = 0; i < s->n; i++) {
		uint64_t *key = pd_vec_push(&p->key, p->arena);
		pd_expr *entry = pd_vec_push(&p->entry, p->arena);

		if (!key || !entry)
			return 0;
		*key = p->cases.v[i].value;
		*entry = pd_expr_const(p->x, 16, p->cases.v[i].target);
	}
	return pd_expr_table(p->x, on, s->n, p->key.v, p->entry.v, pd_expr_const(p->x, 16, 0));
}

static uint32_t way_of(const struct pd_sym_switch *s, uint64_t value)
{
	for (uint32_t i = 0; i < s->n; i++)
		if (s->value[i] == value)
			return s->target[i];
	return 0;
}

void pd_path_switch(struct pd_path *p, uint32_t site, pd_expr on, const struct pd_sym_switch *s,
		    uint64_t value)
{
	struct pd_path_step step = {.site = site,
				    .kind = PD_STEP_SWITCH,
				    .way = (uint16_t)way_of(s, value),
				    .first = p->alternatives.n};
	pd_expr target;

	if (is_constant(p, on))
		return;
	PD_CHECK(s->targets <= UINT16_MAX, "a switch with more than 65535 targets");
	target = target_of(p, on, s);
	if (target && is_constant(p, target))
		return;
	step.holds = pd_expr_binary(p->x, PD_SYM_EQ, target, pd_expr_const(p->x, 16, step.way));
	for (uint32_t t = 0; t < s->targets && step.holds; t++) {
		pd_expr e = pd_expr_binary(p->x, PD_SYM_EQ, target, pd_expr_const(p->x, 16, t));
		struct alternative *a;

		if (t == step.way || (e && is_constant(p, e)))
			continue;
		a = e ? pd_vec_push(&p->alternatives, p->arena) : NULL;
		if (a)
			*a = (struct alternative){e, t};
		else
			step.holds = 0;
	}
	step.others = p->alternatives.n - step.first;
	add_step(p, &step);
}

const struct pd_path_step *pd_path_steps(const struct pd_path *p, uint32_t *n)
{
	*n = p->steps.n;
	return p->steps.v;
}

bool pd_path_is_cut(const struct pd_path *p)
{
	return p->cut;
}

uint64_t pd_path_digest(const struct pd_path *p)
{
	return p->digest;
}

/* ---- turning round -------------------------------------------------------------------------- */

struct flip {
	struct pd_path *p;
	struct pd_ask *q;
	bool (*found)(void *ctx, const struct pd_record *r, const uint8_t *input,
		      const uint64_t *pins);
	void *ctx;
	struct pd_path_flipped *out;
	uint8_t *input; /* for answers */
	uint64_t prefix;
	uint64_t before; /* the digest one step earlier */
	bool stopped;
	bool unasked; /* no answers any more: only the last step is recorded */
};

static bool is_stopped(const struct pd_path *p)
{
	return p->limits.stop && __atomic_load_n(p->limits.stop, __ATOMIC_RELAXED);
}

static bool was_tried(const struct pd_path *p, uint64_t value)
{
	for (uint32_t i = 0; i < p->ntried; i++)
		if (p->tried[i] == value)
			return true;
	return false;
}

/* Whether the step at the bound is the one that the record was made for. */
static bool goes_its_way(const struct pd_path *p)
{
	const struct pd_path_step *s = &p->steps.v[p->record.bound];

	if (s->site != p->record.site || s->way != p->record.way)
		return false;
	return p->record.npins == 0 || (s->kind == PD_STEP_PIN && !was_tried(p, s->value));
}

/*
 * The first step that differs from what the record and the input predict; the number of steps:
 * there is none.
 */
static uint32_t differs_at(struct pd_path *p)
{
	uint64_t digest = 0;

	if (p->record.depth && p->record.bound >= p->steps.n)
		return p->steps.n;
	pd_exprs_input(p->x, p->input);
	for (uint32_t i = 0; i < p->steps.n; i++) {
		if (p->record.depth && i == p->record.bound &&
		    (digest != p->record.prefix || !goes_its_way(p)))
			return i;
		/* Labels and machine disagree. */
		if (!pd_expr_value(p->x, p->steps.v[i].holds))
			return i;
		digest = digest_step(digest, &p->steps.v[i]);
	}
	return UINT32_MAX;
}

static enum pd_ask_answer ask(struct flip *f, pd_expr also)
{
	enum pd_ask_answer a = also ? pd_ask(f->q, also, f->input) : PD_ASK_UNKNOWN;

	f->out->asked++;
	f->out->yes += a == PD_ASK_YES;
	f->out->no += a == PD_ASK_NO;
	f->out->unknown += a == PD_ASK_UNKNOWN;
	return a;
}

static void give(struct flip *f, uint32_t step, uint32_t way, const uint64_t *pins, uint32_t npins)
{
	const struct pd_record *parent = &f->p->record;
	struct pd_record r = {.prefix = f->prefix,
			      .bound = step,
			      .site = f->p->steps.v[step].site,
			      .way = way,
			      .depth = parent->depth + 1,
			      .npins = (uint16_t)npins,
			      .size = parent->size};

	if (!f->found(f->ctx, &r, f->input, pins))
		f->stopped = true;
}

/* The values that were tried, with this one, ascending. */
static uint32_t tried_with(const struct pd_path *p, uint32_t step, uint64_t value, uint64_t *to)
{
	uint32_t n = p->record.depth && step == p->record.bound ? p->ntried : 0, at = n;

	memcpy(to, p->tried, n * sizeof(*to));
	while (at > 0 && to[at - 1] > value) {
		to[at] = to[at - 1];
		at--;
	}
	to[at] = value;
	return n + 1;
}

static void flip_pin(struct flip *f, uint32_t step)
{
	struct pd_path *p = f->p;
	const struct pd_path_step *s = &p->steps.v[step];
	uint64_t tried[PD_PATH_PINS + 1];
	pd_expr entry[PD_PATH_PINS + 1], is_tried;
	uint32_t n = tried_with(p, step, s->value, tried);

	for (uint32_t i = 0; i < n; i++)
		entry[i] = pd_expr_const(p->x, 1, 1);
	is_tried = pd_expr_table(p->x, s->pinned, n, tried, entry, pd_expr_const(p->x, 1, 0));
	if (ask(f, pd_expr_not(p->x, is_tried)) != PD_ASK_YES)
		return;
	if (n >= p->limits.pins)
		f->out->pins_cut++;
	else
		give(f, step, 0, tried, n);
}

static void flip_switch(struct flip *f, uint32_t step)
{
	const struct pd_path_step *s = &f->p->steps.v[step];

	for (uint32_t i = 0; i < s->others && !f->stopped; i++) {
		struct alternative a = f->p->alternatives.v[s->first + i];

		if (ask(f, a.holds) == PD_ASK_YES)
			give(f, step, a.way, NULL, 0);
	}
}

static void flip_branch(struct flip *f, uint32_t step)
{
	const struct pd_path_step *s = &f->p->steps.v[step];
	enum pd_ask_answer a = ask(f, pd_expr_not(f->p->x, s->holds));

	if (a == PD_ASK_YES)
		give(f, step, !s->way, NULL, 0);
	f->unasked = a == PD_ASK_UNKNOWN && is_stopped(f->p);
}

static void flip_step(struct flip *f, uint32_t step)
{
	struct pd_path *p = f->p;
	const struct pd_path_step *s = &p->steps.v[step];
	bool at_bound = p->record.depth && step == p->record.bound;

	if (s->kind == PD_STEP_PIN)
		flip_pin(f, step);
	else if (at_bound)
		return;
	else if (s->kind == PD_STEP_SWITCH)
		flip_switch(f, step);
	else
		flip_branch(f, step);
}

/*
 * Makes a record of the remaining steps: the same path once more, whose own steps begin here. (Not
 * after a pinned value: the same other values would be asked for again.)
 */
static bool leave_rest(struct flip *f, uint32_t step, uint32_t first)
{
	struct pd_path *p = f->p;
	struct pd_record r = p->record;

	if (step > first && p->steps.v[step - 1].kind == PD_STEP_PIN)
		return false;
	r.again = 1;
	if (step > first) {
		r.prefix = f->before;
		r.bound = step - 1;
		r.site = p->steps.v[step - 1].site;
		r.way = p->steps.v[step - 1].way;
		r.depth++;
		r.npins = 0;
	}
	f->found(f->ctx, &r, p->input, p->tried);
	return true;
}

/* False: this step and those after it are left to another run. */
static bool flip_or_leave(struct flip *f, uint32_t step, uint32_t first)
{
	f->unasked = is_stopped(f->p);
	if (!f->unasked) {
		flip_step(f, step);
		f->out->unknown -= f->unasked;
	}
	if (!f->unasked)
		return true;
	if (leave_rest(f, step, first))
		return false;
	f->out->unknown++;
	return true;
}

enum pd_path_end pd_path_flip(struct pd_path *p, struct pd_ask *q,
			      bool (*found)(void *ctx, const struct pd_record *r,
					    const uint8_t *input, const uint64_t *pins),
			      void *ctx, struct pd_path_flipped *out)
{
	struct flip f = {.p = p, .q = q, .found = found, .ctx = ctx, .out = out};
	uint32_t differs = differs_at(p), first = p->record.depth ? p->record.bound : 0;

	*out = (struct pd_path_flipped){.steps_cut = p->cut};
	if (differs != UINT32_MAX) {
		out->diverged_at = differs;
		return PD_PATH_DIVERGED;
	}
	f.input = pd_ask_scratch(q);
	pd_ask_begin(q, p->input);
	for (uint32_t i = 0; i < p->steps.n && !f.stopped; i++) {
		if (i >= first && !flip_or_leave(&f, i, first))
			break;
		pd_ask_assume(q, p->steps.v[i].holds);
		f.before = f.prefix;
		f.prefix = digest_step(f.prefix, &p->steps.v[i]);
	}
	return PD_PATH_FINE;
}

void pd_path_assumed(struct pd_path *p, struct pd_ask *q)
{
	if (p->asked != q || p->asked_number != pd_ask_number(q)) {
		pd_ask_begin(q, p->input);
		p->asked = q;
		p->asked_number = pd_ask_number(q);
		p->assumed = 0;
	}
	while (p->assumed < p->steps.n)
		pd_ask_assume(q, p->steps.v[p->assumed++].holds);
}
