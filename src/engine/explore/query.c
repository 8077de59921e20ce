/* query.c - see query.h. */
#include "engine/explore/query.h"
#include "base/leb.h"
#include "base/map.h"
#include "base/sort.h"
#include "base/vec.h"

/* ---- writing -------------------------------------------------------------------------------- */

struct writer {
	const struct pd_exprs *x;
	struct pd_arena *a;
	struct pd_map number; /* of a node that was reached: its place in the list */
	PD_VEC(pd_expr) nodes;
	struct pd_leb_writer out;
	uint32_t at; /* the node being written */
};

/* Adds e to the list if it is new there. */
static bool reach(struct writer *w, pd_expr e)
{
	pd_expr *last;

	if (!e || pd_map_get(&w->number, e))
		return true;
	last = pd_map_put(&w->number, w->a, e) ? pd_vec_push(&w->nodes, w->a) : NULL;
	if (!last)
		return false;
	*last = e;
	return true;
}

static bool reach_operands(struct writer *w, pd_expr e)
{
	bool ok = true;

	for (uint32_t i = 0; i < 3; i++)
		ok = ok && reach(w, pd_expr_operand(w->x, e, i));
	if (pd_expr_op(w->x, e) == PD_SYM_TABLE) {
		const struct pd_expr_table *t = pd_expr_table_of(w->x, e);

		for (uint32_t i = 0; i < t->n; i++)
			ok = ok && reach(w, t->entry[i]);
		ok = ok && reach(w, t->otherwise);
	}
	return ok;
}

static int by_number(const void *a, const void *b)
{
	pd_expr x = *(const pd_expr *)a, y = *(const pd_expr *)b;

	return x < y ? -1 : x > y;
}

/* All nodes that the conditions are made of, operands first: operands have smaller numbers. */
static bool collect(struct writer *w, const pd_expr *holds, uint32_t n)
{
	bool ok = true;

	for (uint32_t i = 0; i < n; i++)
		ok = ok && reach(w, holds[i]);
	for (uint32_t i = 0; ok && i < w->nodes.n; i++)
		ok = reach_operands(w, w->nodes.v[i]);
	if (!ok)
		return false;
	pd_sort(w->nodes.v, w->nodes.n, sizeof(*w->nodes.v), by_number, w->a);
	for (uint32_t i = 0; i < w->nodes.n; i++)
		*pd_map_get(&w->number, w->nodes.v[i]) = i;
	return true;
}

static void put_ref(struct writer *w, pd_expr e)
{
	pd_leb_put(&w->out, w->at - *pd_map_get(&w->number, e));
}

static void put_table(struct writer *w, pd_expr e)
{
	const struct pd_expr_table *t = pd_expr_table_of(w->x, e);

	put_ref(w, pd_expr_operand(w->x, e, 0));
	put_ref(w, t->otherwise);
	pd_leb_put(&w->out, t->n);
	for (uint32_t i = 0; i < t->n; i++) {
		pd_leb_put(&w->out, i ? t->key[i] - t->key[i - 1] : t->key[i]);
		put_ref(w, t->entry[i]);
	}
}

static void put_node(struct writer *w, pd_expr e)
{
	enum pd_sym_op op = pd_expr_op(w->x, e);
	uint64_t value = 0;

	pd_leb_put_byte(&w->out, (uint8_t)op);
	if (op == PD_SYM_CONST) {
		pd_expr_is_const(w->x, e, &value);
		pd_leb_put(&w->out, pd_expr_width(w->x, e));
		pd_leb_put(&w->out, value);
	} else if (op == PD_SYM_INPUT) {
		pd_leb_put(&w->out, pd_expr_input_index(w->x, e));
	} else if (op == PD_SYM_TABLE) {
		put_table(w, e);
	} else {
		for (uint32_t i = 0; i < 3 && pd_expr_operand(w->x, e, i); i++)
			put_ref(w, pd_expr_operand(w->x, e, i));
		if (op == PD_SYM_EXTRACT)
			pd_leb_put(&w->out, pd_expr_low(w->x, e));
		if (op == PD_SYM_EXTRACT || op == PD_SYM_ZEXT || op == PD_SYM_SEXT)
			pd_leb_put(&w->out, pd_expr_width(w->x, e));
	}
}

uint32_t pd_query_write(const struct pd_exprs *x, const pd_expr *holds, uint32_t n,
			struct pd_arena *scratch, uint8_t *buf, uint32_t size)
{
	struct writer w = {.x = x, .a = scratch, .out = {.buf = buf, .size = size}};

	if (!collect(&w, holds, n))
		return 0;
	pd_leb_put(&w.out, w.nodes.n);
	for (w.at = 0; w.at < w.nodes.n && !w.out.full; w.at++)
		put_node(&w, w.nodes.v[w.at]);
	pd_leb_put(&w.out, n);
	for (uint32_t i = 0; i < n && !w.out.full; i++)
		put_ref(&w, holds[i]);
	return w.out.full ? 0 : w.out.n;
}

/* ---- reading -------------------------------------------------------------------------------- */

struct reader {
	struct pd_exprs *x;
	struct pd_arena *a;
	struct pd_leb_reader in;
	uint32_t input_size;
	pd_expr *node; /* those that were read */
	uint32_t at;   /* how many */
};

/* An operand; 0: the bytes are bad. */
static pd_expr get_ref(struct reader *r)
{
	uint32_t back = pd_leb_get_small(&r->in, r->at);

	if (!pd_leb_ok(&r->in) || back == 0) {
		r->in.bad = true;
		return 0;
	}
	return r->node[r->at - back];
}

/* A number of `low` to `high`, or the bytes are bad and it is `low`. */
static uint32_t get_within(struct reader *r, uint32_t low, uint32_t high)
{
	uint32_t v = pd_leb_get_small(&r->in, high);

	r->in.bad |= v < low;
	return pd_leb_ok(&r->in) ? v : low;
}

static bool good(struct reader *r, bool holds)
{
	r->in.bad |= !holds;
	return pd_leb_ok(&r->in);
}

static uint64_t mask(uint32_t width)
{
	return width >= 64 ? UINT64_MAX : (1ULL << width) - 1;
}

static pd_expr get_const(struct reader *r)
{
	uint32_t width = get_within(r, 1, 64);
	uint64_t value = pd_leb_get(&r->in);

	return good(r, (value & ~mask(width)) == 0) ? pd_expr_const(r->x, width, value) : 0;
}

static pd_expr get_input(struct reader *r)
{
	uint64_t index = pd_leb_get(&r->in);

	return good(r, index < r->input_size) ? pd_expr_input(r->x, (uint32_t)index) : 0;
}

/* Keys and entries, checked; false: bad, or no memory. */
static bool get_entries(struct reader *r, pd_expr index, uint32_t n, uint64_t *key, pd_expr *entry,
			pd_expr otherwise)
{
	uint32_t wide = pd_expr_width(r->x, otherwise);
	uint64_t last = mask(pd_expr_width(r->x, index));

	for (uint32_t i = 0; i < n; i++) {
		uint64_t before = i ? key[i - 1] : 0;
		uint64_t step = pd_leb_get(&r->in);

		entry[i] = get_ref(r);
		if (!good(r, step <= last - before && (i == 0 || step > 0)) ||
		    !good(r, pd_expr_width(r->x, entry[i]) == wide))
			return false;
		key[i] = before + step;
	}
	return true;
}

static pd_expr get_table(struct reader *r)
{
	pd_expr index = get_ref(r), otherwise = get_ref(r);
	uint32_t n = pd_leb_get_small(&r->in, (uint64_t)(r->in.end - r->in.p)); /* a byte each */
	uint64_t *key;
	pd_expr *entry;

	if (!pd_leb_ok(&r->in))
		return 0;
	key = pd_new_array(r->a, uint64_t, n + 1);
	entry = pd_new_array(r->a, pd_expr, n + 1);
	if (!key || !entry)
		return 0;
	return get_entries(r, index, n, key, entry, otherwise)
		       ? pd_expr_table(r->x, index, n, key, entry, otherwise)
		       : 0;
}

static pd_expr get_binary(struct reader *r, enum pd_sym_op op)
{
	pd_expr a = get_ref(r), b = get_ref(r);

	if (!pd_leb_ok(&r->in) || !good(r, pd_expr_width(r->x, a) == pd_expr_width(r->x, b)))
		return 0;
	return pd_expr_binary(r->x, op, a, b);
}

static pd_expr get_ite(struct reader *r)
{
	pd_expr c = get_ref(r), a = get_ref(r), b = get_ref(r);

	if (!pd_leb_ok(&r->in) || !good(r, pd_expr_width(r->x, c) == 1) ||
	    !good(r, pd_expr_width(r->x, a) == pd_expr_width(r->x, b)))
		return 0;
	return pd_expr_ite(r->x, c, a, b);
}

static pd_expr get_cast(struct reader *r, enum pd_sym_op op)
{
	pd_expr a = get_ref(r);
	uint32_t low = op == PD_SYM_EXTRACT ? get_within(r, 0, 63) : 0;
	uint32_t width = get_within(r, 1, 64);

	if (!pd_leb_ok(&r->in))
		return 0;
	if (op != PD_SYM_EXTRACT)
		return good(r, width >= pd_expr_width(r->x, a)) ? pd_expr_extend(r->x, op, a, width)
								: 0;
	return good(r, low + width <= pd_expr_width(r->x, a)) ? pd_expr_extract(r->x, a, low, width)
							      : 0;
}

static pd_expr get_concat(struct reader *r)
{
	pd_expr high = get_ref(r), low = get_ref(r);

	if (!pd_leb_ok(&r->in) ||
	    !good(r, pd_expr_width(r->x, high) + pd_expr_width(r->x, low) <= 64))
		return 0;
	return pd_expr_concat(r->x, high, low);
}

static pd_expr get_not(struct reader *r)
{
	pd_expr a = get_ref(r);

	return pd_leb_ok(&r->in) ? pd_expr_not(r->x, a) : 0;
}

/* The next node; 0: bad bytes, or no memory. */
static pd_expr get_node(struct reader *r)
{
	enum pd_sym_op op = (enum pd_sym_op)pd_leb_get_small(&r->in, PD_SYM_OPS - 1);

	if (!pd_leb_ok(&r->in))
		return 0;
	if (op >= PD_SYM_ADD && op <= PD_SYM_SLE)
		return get_binary(r, op);
	if (op == PD_SYM_ZEXT || op == PD_SYM_SEXT || op == PD_SYM_EXTRACT)
		return get_cast(r, op);
	if (op == PD_SYM_CONST)
		return get_const(r);
	if (op == PD_SYM_INPUT)
		return get_input(r);
	if (op == PD_SYM_TABLE)
		return get_table(r);
	if (op == PD_SYM_NOT)
		return get_not(r);
	return op == PD_SYM_ITE ? get_ite(r) : get_concat(r);
}

static bool get_nodes(struct reader *r)
{
	uint32_t n = pd_leb_get_small(&r->in, (uint64_t)(r->in.end - r->in.p));

	if (!pd_leb_ok(&r->in))
		return false;
	r->node = pd_new_array(r->a, pd_expr, n + 1);
	if (!r->node)
		return false;
	for (; r->at < n; r->at++) {
		r->node[r->at] = get_node(r);
		if (!r->node[r->at])
			return false;
	}
	return true;
}

static bool get_conditions(struct reader *r, struct pd_query *out)
{
	uint32_t n = pd_leb_get_small(&r->in, (uint64_t)(r->in.end - r->in.p));
	pd_expr *holds = pd_leb_ok(&r->in) ? pd_new_array(r->a, pd_expr, n + 1) : NULL;

	if (!holds)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		holds[i] = get_ref(r);
		if (!pd_leb_ok(&r->in) || !good(r, pd_expr_width(r->x, holds[i]) == 1))
			return false;
	}
	*out = (struct pd_query){holds, n};
	return good(r, r->in.p == r->in.end);
}

enum pd_query_read pd_query_read(struct pd_exprs *x, uint32_t input_size, const uint8_t *buf,
				 uint32_t size, struct pd_arena *scratch, struct pd_query *out)
{
	struct reader r = {.x = x,
			   .a = scratch,
			   .in = {.p = buf, .end = buf + size},
			   .input_size = input_size};

	if (get_nodes(&r) && get_conditions(&r, out))
		return PD_QUERY_READ;
	return pd_leb_ok(&r.in) ? PD_QUERY_NO_MEMORY : PD_QUERY_BAD;
}

/* ---- answers -------------------------------------------------------------------------------- */

uint32_t pd_query_answer_write(const uint32_t *at, const uint8_t *value, uint32_t n, uint8_t *buf,
			       uint32_t size)
{
	struct pd_leb_writer out = {.buf = buf, .size = size};

	pd_leb_put(&out, n);
	for (uint32_t i = 0; i < n; i++) {
		pd_leb_put(&out, i ? at[i] - at[i - 1] : at[i]);
		pd_leb_put_byte(&out, value[i]);
	}
	return out.full ? 0 : out.n;
}

/* Without `input`, only looks. */
static bool read_answer(struct pd_leb_reader in, uint8_t *input, uint32_t input_size)
{
	uint32_t n = pd_leb_get_small(&in, (uint64_t)(in.end - in.p));
	uint64_t at = 0;

	for (uint32_t i = 0; i < n && pd_leb_ok(&in); i++) {
		uint64_t step = pd_leb_get(&in);
		const uint8_t *value = pd_leb_get_bytes(&in, 1);

		if (!value || !pd_leb_ok(&in) || step >= input_size - at || (i && !step))
			return false;
		at += step;
		if (input)
			input[at] = *value;
	}
	return pd_leb_ok(&in) && in.p == in.end;
}

bool pd_query_answer_read(const uint8_t *buf, uint32_t size, uint8_t *input, uint32_t input_size)
{
	struct pd_leb_reader in = {.p = buf, .end = buf + size};

	return read_answer(in, NULL, input_size) && read_answer(in, input, input_size);
}
