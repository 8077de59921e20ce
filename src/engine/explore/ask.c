/* ask.c - the ladder of ask.h. */
#include "engine/explore/ask.h"
#include "engine/explore/alike.h"
#include "engine/explore/answers.h"
#include "engine/explore/common.h"
#include "engine/explore/node.h"
#include "engine/explore/product.h"
#include "engine/explore/range.h"
#include "engine/explore/slice.h"
#include "engine/explore/wide.h"

enum {
	KNOWN = 16,	     /* inputs that answered lately */
	WORK = 6000,	     /* nodes evaluated 256 wide, before a solver is asked */
	WORK_ALONE = 200000, /* where there is no solver */
	WORK_VALUES = 20000, /* for pd_ask_values */
	SMALL = 16,	     /* combinations that are tried right away */
};

struct pd_ask {
	struct pd_arena *arena;
	struct pd_exprs *x;
	uint32_t input_size;
	struct pd_ask_solver solver;
	struct pd_assumptions assumed;
	struct pd_product *product;
	struct pd_answers *answers;
	struct pd_common *common; /* NULL: nobody shares */
	uint64_t seen;		  /* inputs of it */
	uint8_t *input;		  /* the current one */
	uint8_t *known[KNOWN];
	uint32_t nknown, next_known;
	uint8_t *scratch;      /* pd_ask_scratch */
	uint8_t *trial;	       /* an input under construction */
	uint8_t *least, *most; /* bytes that are all 0, all 255 */
	struct pd_ask_stats stats;
};

struct pd_ask *pd_ask_create(struct pd_arena *a, struct pd_exprs *x, uint32_t input_size,
			     struct pd_ask_solver solver)
{
	struct pd_ask *q = pd_new(a, struct pd_ask);
	uint8_t *inputs;

	if (!q)
		return NULL;
	q->arena = a;
	q->x = x;
	q->input_size = input_size;
	q->solver = solver;
	inputs = pd_arena_alloc(a, (KNOWN + 5ULL) * input_size);
	q->product = pd_product_create(a, x, input_size);
	q->answers = pd_answers_create(a, x);
	if (!inputs || !q->product || !q->answers ||
	    !pd_assumptions_init(&q->assumed, a, x, input_size))
		return NULL;
	for (uint32_t i = 0; i < KNOWN; i++)
		q->known[i] = inputs + (uint64_t)i * input_size;
	q->input = inputs + (uint64_t)KNOWN * input_size;
	q->scratch = q->input + input_size;
	q->trial = q->scratch + input_size;
	q->least = q->trial + input_size;
	q->most = q->least + input_size;
	memset(q->most, 255, input_size);
	return q;
}

void pd_ask_share(struct pd_ask *q, struct pd_common *c)
{
	q->common = c;
}

void pd_ask_begin(struct pd_ask *q, const uint8_t *input)
{
	memcpy(q->input, input, q->input_size);
	pd_assumptions_begin(&q->assumed);
}

void pd_ask_assume(struct pd_ask *q, pd_expr holds)
{
	pd_assumptions_add(&q->assumed, holds);
}

uint64_t pd_ask_number(const struct pd_ask *q)
{
	return q->assumed.path;
}

uint8_t *pd_ask_scratch(struct pd_ask *q)
{
	return q->scratch;
}

const struct pd_ask_stats *pd_ask_stats(const struct pd_ask *q)
{
	return &q->stats;
}

static enum pd_ask_answer answered(struct pd_ask *q, enum pd_ask_by by, enum pd_ask_answer a)
{
	q->stats.asked[by][a]++;
	return a;
}

/* ---- inputs --------------------------------------------------------------------------------- */

/* Whether the slice's conditions hold under this input. */
static bool meets(struct pd_ask *q, const struct pd_slice *l, const uint8_t *input)
{
	uint64_t epoch;

	for (uint32_t i = 0; i < l->byte.n; i++)
		if (!pd_set_has(&l->domain.v[i], input[l->byte.v[i]]))
			return false;
	epoch = pd_eval_epoch(q->x);
	/* The question is one of the last, and the one that most inputs fail. */
	for (uint32_t i = l->holds.n; i-- > 0;)
		if (!pd_eval(q->x, l->holds.v[i], input, epoch))
			return false;
	return true;
}

static void take_bytes(uint8_t *to, const struct pd_slice *l, const uint8_t *from)
{
	for (uint32_t i = 0; i < l->byte.n; i++)
		to[l->byte.v[i]] = from[l->byte.v[i]];
}

static bool by_input(struct pd_ask *q, const struct pd_slice *l, uint8_t *found)
{
	if (meets(q, l, q->input))
		return true;
	for (uint32_t i = 0; i < q->nknown; i++)
		if (meets(q, l, q->known[i])) {
			take_bytes(found, l, q->known[i]);
			return true;
		}
	return false;
}

static void now_known(struct pd_ask *q, const uint8_t *input)
{
	memcpy(q->known[q->next_known], input, q->input_size);
	q->next_known = (q->next_known + 1) % KNOWN;
	q->nknown = PD_MIN(q->nknown + 1, (uint32_t)KNOWN);
}

/* ---- domains -------------------------------------------------------------------------------- */

static uint8_t pick(const struct pd_set *s, uint8_t own)
{
	return pd_set_has(s, own) ? own : (uint8_t)pd_set_next(s, 0);
}

/* A question about one byte that no condition joins to others. */
static enum pd_ask_answer ask_byte(struct pd_ask *q, pd_expr also, uint32_t byte, uint8_t *found)
{
	struct pd_set holds = pd_truth(q->x, also);

	pd_set_and(&holds, &pd_assumptions_byte(&q->assumed, byte)->domain);
	if (pd_set_is_empty(&holds))
		return answered(q, PD_ASK_BY_DOMAIN, PD_ASK_NO);
	memcpy(found, q->input, q->input_size);
	if (pd_set_has(&holds, q->input[byte]))
		return answered(q, PD_ASK_BY_INPUT, PD_ASK_YES);
	found[byte] = (uint8_t)pd_set_next(&holds, 0);
	return answered(q, PD_ASK_BY_DOMAIN, PD_ASK_YES);
}

static bool some_is_empty(const struct pd_slice *l)
{
	for (uint32_t i = 0; i < l->domain.n; i++)
		if (pd_set_is_empty(&l->domain.v[i]))
			return true;
	return false;
}

/* ---- products, solver ----------------------------------------------------------------------- */

static bool first_one(void *ctx, uint8_t *input, uint32_t byte, const struct pd_set *left)
{
	(void)ctx;
	input[byte] = pick(left, input[byte]);
	return false;
}

/* Whether all bytes but the one with the most values have few combinations. */
static bool is_small(const struct pd_slice *l)
{
	uint64_t product = 1;
	uint32_t most = 1;

	for (uint32_t i = 0; i < l->domain.n && product <= SMALL * PD_WIDE; i++) {
		uint32_t n = pd_set_count(&l->domain.v[i]);

		product *= n;
		most = PD_MAX(most, n);
	}
	return product / most <= SMALL;
}

/* Tries combinations, from those of `input` on; one of several values that are alike is enough. The
 * slice is restored. */
static enum pd_product_end
combine(struct pd_ask *q, struct pd_slice *l, pd_expr e, const uint8_t *input, uint64_t work,
	bool (*visit)(void *ctx, uint8_t *input, uint32_t byte, const struct pd_set *left),
	void *ctx)
{
	struct pd_set whole[PD_PRODUCT_BYTES];
	enum pd_product_end end;

	if (l->byte.n > PD_PRODUCT_BYTES)
		return PD_PRODUCT_CUT;
	memcpy(whole, l->domain.v, l->byte.n * sizeof(whole[0]));
	if (!is_small(l))
		pd_alike(q->x, l, e, input);
	memcpy(q->trial, input, q->input_size);
	end = pd_product(q->product, l, q->trial, work, visit, ctx);
	memcpy(l->domain.v, whole, l->byte.n * sizeof(whole[0]));
	return end;
}

static enum pd_ask_answer by_product(struct pd_ask *q, struct pd_slice *l, uint8_t *found)
{
	uint64_t work = q->solver.solve ? WORK : WORK_ALONE;

	switch (combine(q, l, 0, q->input, work, first_one, NULL)) {
	case PD_PRODUCT_ALL:
		return PD_ASK_NO;
	case PD_PRODUCT_STOPPED:
		take_bytes(found, l, q->trial);
		return PD_ASK_YES;
	case PD_PRODUCT_CUT:
		break;
	}
	return PD_ASK_UNKNOWN;
}

/*
 * A solver may choose any numbers, often large ones. Bytes that may keep their current value do so,
 * from the last on, which is the highest of a number: so what is found stays near the current
 * input, and lengths stay short.
 */
static void draw_near(struct pd_ask *q, struct pd_slice *l)
{
	for (uint32_t i = l->byte.n; i > 0; i--) {
		uint32_t byte = l->byte.v[i - 1];
		uint8_t was = q->trial[byte];

		q->trial[byte] = q->input[byte];
		if (was != q->input[byte] && !meets(q, l, q->trial))
			q->trial[byte] = was;
	}
}

static enum pd_ask_answer by_solver(struct pd_ask *q, struct pd_slice *l, uint8_t *found)
{
	enum pd_ask_answer a;

	pd_slice_alone(&q->assumed);
	for (uint32_t i = 0; i < l->holds.n && !l->failed; i++) {
		pd_expr *to = pd_vec_push(&l->alone, q->arena);

		if (to)
			*to = l->holds.v[i];
		else
			l->failed = true;
	}
	if (l->failed || !q->solver.solve)
		return PD_ASK_UNKNOWN;
	memcpy(q->trial, q->input, q->input_size);
	a = q->solver.solve(q->solver.ctx, q->x, l->alone.v, l->alone.n, q->trial);
	if (a != PD_ASK_YES)
		return a;
	/* A solver's answer is checked, not trusted. */
	if (!meets(q, l, q->trial))
		return PD_ASK_UNKNOWN;
	draw_near(q, l);
	take_bytes(found, l, q->trial);
	return PD_ASK_YES;
}

/* Answers and inputs of others. */
static bool by_others(struct pd_ask *q, struct pd_digest d, struct pd_slice *l, uint8_t *found,
		      enum pd_ask_answer *a)
{
	if (!q->common)
		return false;
	if (pd_common_find(q->common, d, l, found, a)) {
		if (*a == PD_ASK_NO || meets(q, l, found))
			return true;
		take_bytes(found, l, q->input);
	}
	while (pd_common_next(q->common, &q->seen, q->trial, q->input_size)) {
		now_known(q, q->trial);
		if (!meets(q, l, q->trial))
			continue;
		take_bytes(found, l, q->trial);
		*a = PD_ASK_YES;
		return true;
	}
	return false;
}

/* For this worker, and for others. */
static void keep(struct pd_ask *q, struct pd_digest d, const struct pd_slice *l,
		 const uint8_t *found, enum pd_ask_answer a)
{
	pd_answers_keep(q->answers, d, l, found, a);
	if (q->common)
		pd_common_keep(q->common, d, l, found, q->input_size, a);
}

/* Answers what known inputs and domains cannot. */
static enum pd_ask_answer ask_hard(struct pd_ask *q, struct pd_slice *l, uint8_t *found)
{
	struct pd_digest d = pd_answers_digest(q->x, l);
	enum pd_ask_by by = PD_ASK_BY_PRODUCT;
	enum pd_ask_answer a;

	if (pd_answers_find(q->answers, d, l, found, &a)) {
		if (a != PD_ASK_YES || meets(q, l, found))
			return answered(q, PD_ASK_BY_CACHE, a);
		take_bytes(found, l, q->input);
	}
	if (by_others(q, d, l, found, &a)) {
		pd_answers_keep(q->answers, d, l, found, a);
		return answered(q, PD_ASK_BY_SHARED, a);
	}
	a = by_product(q, l, found);
	if (a == PD_ASK_UNKNOWN) {
		by = PD_ASK_BY_SOLVER;
		a = by_solver(q, l, found);
	}
	if (a != PD_ASK_UNKNOWN || q->solver.solve)
		keep(q, d, l, found, a);
	if (a == PD_ASK_YES)
		now_known(q, found);
	return answered(q, by, a);
}

enum pd_ask_answer pd_ask(struct pd_ask *q, pd_expr also, uint8_t *found)
{
	struct pd_slice *l;
	const uint32_t *byte;
	uint64_t v;
	uint32_t n;

	if (!also || q->assumed.failed)
		return answered(q, PD_ASK_BY_SOLVER, PD_ASK_UNKNOWN);
	if (q->assumed.never || (pd_expr_is_const(q->x, also, &v) && !v))
		return answered(q, PD_ASK_BY_CONSTANT, PD_ASK_NO);
	byte = pd_expr_support(q->x, also, &n);
	if (n == 1 && !pd_assumptions_joined(&q->assumed, byte[0]))
		return ask_byte(q, also, byte[0], found);
	memcpy(found, q->input, q->input_size);
	if (n == 0)
		return answered(q, PD_ASK_BY_CONSTANT, PD_ASK_YES);
	l = pd_slice_of(&q->assumed, also);
	if (l->failed)
		return answered(q, PD_ASK_BY_SOLVER, PD_ASK_UNKNOWN);
	if (some_is_empty(l))
		return answered(q, PD_ASK_BY_DOMAIN, PD_ASK_NO);
	if (l->holds.n == 0) {
		for (uint32_t i = 0; i < l->byte.n; i++)
			found[l->byte.v[i]] = pick(&l->domain.v[i], q->input[l->byte.v[i]]);
		return answered(q, PD_ASK_BY_DOMAIN, PD_ASK_YES);
	}
	if (by_input(q, l, found))
		return answered(q, PD_ASK_BY_INPUT, PD_ASK_YES);
	return ask_hard(q, l, found);
}

/* ---- values --------------------------------------------------------------------------------- */

struct values {
	struct pd_ask *q;
	pd_expr e;
	uint64_t *v;
	uint32_t n, max;
	uint64_t work;
	bool too_many;
};

static void add_value(struct values *s, uint64_t v)
{
	uint32_t low = 0, high = s->n;

	while (low < high) {
		uint32_t mid = (low + high) / 2;

		if (s->v[mid] < v)
			low = mid + 1;
		else
			high = mid;
	}
	if (low < s->n && s->v[low] == v)
		return;
	if (s->n == s->max) {
		s->too_many = true;
		return;
	}
	memmove(s->v + low + 1, s->v + low, (s->n - low) * sizeof(*s->v));
	s->v[low] = v;
	s->n++;
}

static bool add_values(void *ctx, uint8_t *input, uint32_t byte, const struct pd_set *left)
{
	struct values *s = ctx;
	const uint64_t *lane = pd_wide(s->q->x, s->e, byte, input, &s->work);

	if (!lane || s->work > WORK_VALUES) {
		s->too_many = true;
		return false;
	}
	for (uint32_t i = pd_set_next(left, 0); i < PD_WIDE && !s->too_many;
	     i = pd_set_next(left, i + 1))
		add_value(s, lane[i]);
	return !s->too_many;
}

uint32_t pd_ask_values(struct pd_ask *q, pd_expr e, uint64_t *values, uint32_t max)
{
	struct values s = {.q = q, .e = e, .v = values, .max = max};
	struct pd_slice *l;
	uint64_t v;

	if (!e || q->assumed.failed || q->assumed.never)
		return 0;
	if (pd_expr_is_const(q->x, e, &v)) {
		if (max)
			values[0] = v;
		return max ? 1 : 0;
	}
	l = pd_slice_about(&q->assumed, e);
	if (l->failed)
		return 0;
	/* Not from the current input: what takes too much work may not depend on it. */
	if (combine(q, l, e, q->least, WORK_VALUES, add_values, &s) != PD_PRODUCT_ALL)
		return 0;
	return s.too_many ? 0 : s.n;
}

uint32_t pd_ask_among(struct pd_ask *q, pd_expr e, uint64_t *values, uint32_t max)
{
	uint64_t step, work = 0, v;
	struct pd_range r;
	uint32_t n = 0;

	if (!e)
		return 0;
	step = 1ULL << (pd_node(q->x, e)->zeros & 63);
	r = pd_range_of(q->x, e, q->least, q->most, &work);
	r.low = (r.low + step - 1) & ~(step - 1);
	if (r.high < r.low || (r.high - r.low) / step >= max)
		return 0;
	for (v = r.low; v <= r.high && v >= r.low && n < max; v += step)
		values[n++] = v;
	return n;
}
