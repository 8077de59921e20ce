/* blast.c - see blast.h: expressions to circuits, each once. */
#include "engine/explore/blast.h"
#include "base/map.h"
#include "base/vec.h"
#include "engine/explore/circuit.h"

enum { T = PD_BLAST_TRUE, F = PD_BLAST_FALSE };

struct done {
	uint32_t where;	    /* its literals in `bits`, plus 1 */
	uint32_t variables; /* that it has made */
	uint32_t seen;	    /* by which count of a cone */
};

struct pd_blast {
	struct pd_arena *a;
	struct pd_exprs *x;
	struct pd_gates g;
	PD_VEC(struct done) done; /* by node */
	PD_VEC(int32_t) bits;	  /* of all nodes */
	PD_VEC(pd_expr) todo;
	struct pd_map input;	  /* by index: its first variable */
	struct pd_map divided[2]; /* unsigned, signed: by operands: quotient and rest in `bits` */
	PD_VEC(const int32_t *) entry; /* of the current table */
	PD_VEC(uint64_t) key;
	uint32_t cones; /* that were counted */
};

struct pd_blast *pd_blast_create(struct pd_arena *a, struct pd_exprs *x, struct pd_blast_sink sink)
{
	struct pd_blast *b = pd_new(a, struct pd_blast);

	if (!b || !pd_gates_init(&b->g, a, sink))
		return NULL;
	b->a = a;
	b->x = x;
	return b;
}

struct pd_blast_size pd_blast_size(const struct pd_blast *b)
{
	return (struct pd_blast_size){(uint64_t)b->g.last, b->g.clauses};
}

int32_t pd_blast_input(const struct pd_blast *b, uint32_t index, uint32_t bit)
{
	const uint64_t *first = pd_map_get(&b->input, index);

	return first ? (int32_t)(*first + bit) : 0;
}

/* ---- literals of nodes ---------------------------------------------------------------------- */

static const int32_t *bits_of(const struct pd_blast *b, pd_expr e)
{
	return &b->bits.v[b->done.v[e].where - 1];
}

static bool is_done(const struct pd_blast *b, pd_expr e)
{
	return e < b->done.n && b->done.v[e].where;
}

/* Where n literals are kept, from 1 on; 0: no memory. */
static uint32_t keep(struct pd_blast *b, const int32_t *literal, uint32_t n)
{
	uint32_t first = b->bits.n;

	for (uint32_t i = 0; i < n; i++) {
		int32_t *last = pd_vec_push(&b->bits, b->a);

		if (!last)
			return 0;
		*last = literal[i];
	}
	return first + 1;
}

static bool keep_of(struct pd_blast *b, pd_expr e, const int32_t *literal, uint32_t variables)
{
	uint32_t where = keep(b, literal, pd_expr_width(b->x, e));

	struct done *done = pd_vec_at(&b->done, b->a, e);

	if (!done)
		return false;
	*done = (struct done){.where = where, .variables = variables};
	return where != 0;
}

/* ---- operators ------------------------------------------------------------------------------ */

static bool input_bits(struct pd_blast *b, pd_expr e, int32_t *out)
{
	uint64_t *first = pd_map_put(&b->input, b->a, pd_expr_input_index(b->x, e));

	if (!first)
		return false;
	for (uint32_t i = 0; i < 8; i++)
		out[i] = pd_gate_new(&b->g);
	*first = (uint64_t)out[0];
	return true;
}

/* UDIV to SREM: quotient and rest of the same operands are made together. */
static bool divide(struct pd_blast *b, enum pd_sym_op op, pd_expr n, pd_expr d, int32_t *out)
{
	bool is_signed = op == PD_SYM_SDIV || op == PD_SYM_SREM;
	uint32_t width = pd_expr_width(b->x, n);
	uint64_t *at = pd_map_put(&b->divided[is_signed], b->a, (uint64_t)n << 32 | d);
	int32_t both[2 * PD_CIRCUIT_BITS];

	if (!at)
		return false;
	if (!*at) {
		pd_circuit_divide(&b->g, both, both + width, bits_of(b, n), bits_of(b, d), width,
				  is_signed);
		*at = keep(b, both, 2 * width);
		if (!*at)
			return false;
	}
	memcpy(out, &b->bits.v[*at - 1 + (op == PD_SYM_UREM || op == PD_SYM_SREM ? width : 0)],
	       width * sizeof(*out));
	return true;
}

static void bitwise(struct pd_gates *g, enum pd_sym_op op, int32_t *out, const int32_t *l,
		    const int32_t *r, uint32_t width)
{
	for (uint32_t i = 0; i < width; i++)
		out[i] = op == PD_SYM_AND  ? pd_gate_and(g, l[i], r[i])
			 : op == PD_SYM_OR ? pd_gate_or(g, l[i], r[i])
					   : pd_gate_xor(g, l[i], r[i]);
}

/* ADD to SLE, but divisions. */
static void binary(struct pd_blast *b, enum pd_sym_op op, pd_expr e, int32_t *out)
{
	pd_expr x = pd_expr_operand(b->x, e, 0), y = pd_expr_operand(b->x, e, 1);
	const int32_t *l = bits_of(b, x), *r = bits_of(b, y);
	uint32_t width = pd_expr_width(b->x, x);

	if (op == PD_SYM_ADD)
		pd_circuit_add(&b->g, out, l, r, F, width);
	else if (op == PD_SYM_SUB)
		pd_circuit_subtract(&b->g, out, l, r, width);
	else if (op == PD_SYM_MUL)
		pd_circuit_multiply(&b->g, out, l, r, width);
	else if (op == PD_SYM_SHL || op == PD_SYM_LSHR || op == PD_SYM_ASHR)
		pd_circuit_shift(&b->g, op, out, l, r, width);
	else if (op == PD_SYM_AND || op == PD_SYM_OR || op == PD_SYM_XOR)
		bitwise(&b->g, op, out, l, r, width);
	else if (op == PD_SYM_EQ)
		out[0] = pd_circuit_equal(&b->g, l, r, width);
	else if (op == PD_SYM_ULT || op == PD_SYM_SLT)
		out[0] = pd_circuit_less(&b->g, l, r, width, op == PD_SYM_SLT);
	else
		out[0] = -pd_circuit_less(&b->g, r, l, width, op == PD_SYM_SLE);
}

/* NOT, ITE and what only takes bits together. */
static void rewire(struct pd_blast *b, enum pd_sym_op op, pd_expr e, int32_t *out)
{
	pd_expr x = pd_expr_operand(b->x, e, 0), y = pd_expr_operand(b->x, e, 1);
	const int32_t *l = bits_of(b, x), *r = y ? bits_of(b, y) : NULL;
	uint32_t width = pd_expr_width(b->x, e), from = pd_expr_width(b->x, x);
	uint32_t low = op == PD_SYM_EXTRACT ? pd_expr_low(b->x, e) : 0;

	if (op == PD_SYM_ITE) {
		pd_circuit_mux(&b->g, out, l[0], r, bits_of(b, pd_expr_operand(b->x, e, 2)), width);
		return;
	}
	for (uint32_t i = 0; i < width; i++) {
		if (op == PD_SYM_NOT)
			out[i] = -l[i];
		else if (op == PD_SYM_CONCAT)
			out[i] = i < width - from ? r[i] : l[i - (width - from)];
		else if (i + low < from)
			out[i] = l[i + low];
		else
			out[i] = op == PD_SYM_SEXT ? l[from - 1] : F;
	}
}

/* ---- tables --------------------------------------------------------------------------------- */

/* Of index + c: what is taken from each key, so that the index alone is looked at. */
static uint64_t take_off(struct pd_blast *b, pd_expr *index)
{
	pd_expr x, y;
	uint64_t c = 0;

	if (pd_expr_op(b->x, *index) != PD_SYM_ADD)
		return 0;
	x = pd_expr_operand(b->x, *index, 0);
	y = pd_expr_operand(b->x, *index, 1);
	if (pd_expr_is_const(b->x, y, &c))
		*index = x;
	else if (pd_expr_is_const(b->x, x, &c))
		*index = y;
	return c;
}

/* Keys less what was taken off, ascending: they wrap at most once. */
static bool rotate(struct pd_blast *b, const struct pd_expr_table *t, uint64_t off, uint64_t mask)
{
	uint32_t first = 0;

	while (first < t->n && t->key[first] < off)
		first++;
	b->key.n = b->entry.n = 0;
	for (uint32_t i = 0; i < t->n; i++) {
		uint32_t from = (first + i) % t->n;
		uint64_t *key = pd_vec_push(&b->key, b->a);
		const int32_t **entry = pd_vec_push(&b->entry, b->a);

		if (!key || !entry)
			return false;
		*key = (t->key[from] - off) & mask;
		*entry = bits_of(b, t->entry[from]);
	}
	return true;
}

static bool table(struct pd_blast *b, pd_expr e, int32_t *out)
{
	const struct pd_expr_table *t = pd_expr_table_of(b->x, e);
	pd_expr index = pd_expr_operand(b->x, e, 0);
	uint32_t wide = pd_expr_width(b->x, index);
	uint64_t off = take_off(b, &index);
	struct pd_circuit_table c;

	if (!rotate(b, t, off, wide < 64 ? (1ULL << wide) - 1 : UINT64_MAX))
		return false;
	c = (struct pd_circuit_table){.index = bits_of(b, index),
				      .index_width = wide,
				      .width = pd_expr_width(b->x, e),
				      .n = t->n,
				      .key = b->key.v,
				      .entry = b->entry.v,
				      .otherwise = bits_of(b, t->otherwise)};
	pd_circuit_table(&b->g, out, &c);
	return true;
}

/* ---- the graph ------------------------------------------------------------------------------ */

/* Its operands are done. */
static bool blast(struct pd_blast *b, pd_expr e)
{
	enum pd_sym_op op = pd_expr_op(b->x, e);
	int32_t out[PD_CIRCUIT_BITS], before = b->g.last;
	uint64_t value = 0;
	bool ok = true;

	if (op == PD_SYM_CONST) {
		pd_expr_is_const(b->x, e, &value);
		pd_circuit_const(out, value, pd_expr_width(b->x, e));
	} else if (op == PD_SYM_INPUT) {
		ok = input_bits(b, e, out);
	} else if (op == PD_SYM_TABLE) {
		ok = table(b, e, out);
	} else if (op >= PD_SYM_UDIV && op <= PD_SYM_SREM) {
		ok = divide(b, op, pd_expr_operand(b->x, e, 0), pd_expr_operand(b->x, e, 1), out);
	} else if (op >= PD_SYM_ADD && op <= PD_SYM_SLE) {
		binary(b, op, e, out);
	} else {
		rewire(b, op, e, out);
	}
	return ok && !b->g.failed && keep_of(b, e, out, (uint32_t)(b->g.last - before));
}

/* To be blasted, or, for a cone, to be counted, if it is not yet. */
static bool want(struct pd_blast *b, pd_expr e, uint32_t cone)
{
	pd_expr *last;

	if (!e || (cone ? b->done.v[e].seen == cone : is_done(b, e)))
		return true;
	if (cone)
		b->done.v[e].seen = cone;
	last = pd_vec_push(&b->todo, b->a);
	if (last)
		*last = e;
	return last != NULL;
}

static bool want_operands(struct pd_blast *b, pd_expr e, uint32_t cone)
{
	bool ok = true;

	if (pd_expr_op(b->x, e) == PD_SYM_TABLE) {
		const struct pd_expr_table *t = pd_expr_table_of(b->x, e);
		pd_expr index = pd_expr_operand(b->x, e, 0);

		take_off(b, &index);
		ok = want(b, index, cone) && want(b, t->otherwise, cone);
		for (uint32_t i = 0; i < t->n; i++)
			ok = ok && want(b, t->entry[i], cone);
		return ok;
	}
	for (uint32_t i = 0; i < 3; i++)
		ok = ok && want(b, pd_expr_operand(b->x, e, i), cone);
	return ok;
}

const int32_t *pd_blast_bits(struct pd_blast *b, pd_expr e, uint64_t max_clauses)
{
	b->todo.n = 0;
	if (!want(b, e, 0))
		return NULL;
	while (b->todo.n) {
		uint32_t n = b->todo.n;
		pd_expr now = b->todo.v[n - 1];

		if (max_clauses && b->g.clauses > max_clauses)
			return NULL;
		if (is_done(b, now)) {
			b->todo.n--;
			continue;
		}
		if (!want_operands(b, now, 0))
			return NULL;
		if (b->todo.n == n && !blast(b, now))
			return NULL;
	}
	return bits_of(b, e);
}

uint64_t pd_blast_cone(struct pd_blast *b, const pd_expr *e, uint32_t n)
{
	uint64_t variables = 1;

	b->todo.n = 0;
	b->cones++;
	for (uint32_t i = 0; i < n; i++) {
		if (!want(b, e[i], b->cones))
			return 0;
	}
	while (b->todo.n) {
		pd_expr now = b->todo.v[--b->todo.n];

		variables += b->done.v[now].variables;
		if (!want_operands(b, now, b->cones))
			return 0;
	}
	return variables;
}
