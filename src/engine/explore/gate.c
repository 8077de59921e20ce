/* gate.c - see gate.h. */
#include "engine/explore/gate.h"
#include "base/bug.h"

enum { KIND_AND = 1, KIND_XOR, KIND_MUX, KIND_PARITY, KIND_MAJORITY };
enum { T = PD_BLAST_TRUE, F = PD_BLAST_FALSE };
enum { SLOTS = 1 << 10, LAST = INT32_MAX - 1 };

/* ---- variables and clauses ------------------------------------------------------------------ */

bool pd_gates_init(struct pd_gates *g, struct pd_arena *a, struct pd_blast_sink sink)
{
	*g = (struct pd_gates){.a = a, .sink = sink, .last = T, .mask = SLOTS - 1};
	g->slots = pd_new_array(a, struct pd_gate, SLOTS);
	if (!g->slots)
		return false;
	pd_gate_clause(g, &(int32_t){T}, 1);
	return true;
}

int32_t pd_gate_new(struct pd_gates *g)
{
	if (g->last == LAST) {
		g->failed = true;
		return T;
	}
	return ++g->last;
}

void pd_gate_clause(struct pd_gates *g, const int32_t *literal, uint32_t n)
{
	if (g->failed)
		return;
	g->clauses++;
	g->sink.clause(g->sink.ctx, literal, n);
}

#define CLAUSE(g, ...)                                                                             \
	pd_gate_clause(g, (const int32_t[]){__VA_ARGS__},                                          \
		       sizeof((const int32_t[]){__VA_ARGS__}) / sizeof(int32_t))

/* ---- gates that there are ------------------------------------------------------------------- */

static struct pd_gate *find(struct pd_gate *slots, uint32_t mask, const struct pd_gate *key)
{
	uint64_t h = pd_mix((uint64_t)(uint32_t)key->in[0] << 32 | (uint32_t)key->in[1]);

	h = pd_mix(h ^ ((uint64_t)(uint32_t)key->in[2] << 8 | key->kind));
	for (uint32_t i = (uint32_t)h & mask;; i = (i + 1) & mask) {
		struct pd_gate *s = &slots[i];

		if (!s->in[0] || (s->kind == key->kind && s->in[0] == key->in[0] &&
				  s->in[1] == key->in[1] && s->in[2] == key->in[2]))
			return s;
	}
}

static bool grow(struct pd_gates *g)
{
	uint32_t mask = g->mask * 2 + 1;
	struct pd_gate *slots = pd_new_array(g->a, struct pd_gate, (size_t)mask + 1);

	if (!slots)
		return false;
	for (uint32_t i = 0; i <= g->mask; i++) {
		if (g->slots[i].in[0])
			*find(slots, mask, &g->slots[i]) = g->slots[i];
	}
	g->slots = slots;
	g->mask = mask;
	return true;
}

/* The output of such a gate; `made`: it is new and needs its clauses. */
static int32_t output(struct pd_gates *g, uint32_t kind, int32_t a, int32_t b, int32_t c,
		      bool *made)
{
	struct pd_gate key = {.in = {a, b, c}, .kind = kind}, *s;

	*made = false;
	if (g->n >= g->mask / 2 && !grow(g))
		g->failed = true;
	if (g->failed)
		return T;
	s = find(g->slots, g->mask, &key);
	if (s->in[0])
		return s->out;
	key.out = pd_gate_new(g);
	if (g->failed)
		return T;
	*s = key;
	g->n++;
	*made = true;
	return key.out;
}

static void swap(int32_t *a, int32_t *b)
{
	int32_t t = *a;

	*a = *b;
	*b = t;
}

static int32_t variable(int32_t a)
{
	return a < 0 ? -a : a;
}

/* ---- the gates ------------------------------------------------------------------------------ */

int32_t pd_gate_and(struct pd_gates *g, int32_t a, int32_t b)
{
	bool made;
	int32_t o;

	if (a == F || b == F || a == -b)
		return F;
	if (a == T || a == b)
		return b;
	if (b == T)
		return a;
	if (a > b)
		swap(&a, &b);
	o = output(g, KIND_AND, a, b, 0, &made);
	if (made) {
		CLAUSE(g, -o, a);
		CLAUSE(g, -o, b);
		CLAUSE(g, o, -a, -b);
	}
	return o;
}

int32_t pd_gate_xor(struct pd_gates *g, int32_t a, int32_t b)
{
	int32_t sign = (a < 0) == (b < 0) ? 1 : -1, o;
	bool made;

	a = variable(a);
	b = variable(b);
	if (a == b)
		return F * sign;
	if (a > b)
		swap(&a, &b);
	if (a == T)
		return -b * sign;
	o = output(g, KIND_XOR, a, b, 0, &made);
	if (made) {
		CLAUSE(g, -o, a, b);
		CLAUSE(g, -o, -a, -b);
		CLAUSE(g, o, -a, b);
		CLAUSE(g, o, a, -b);
	}
	return o * sign;
}

/* c is no constant and positive, a positive, all variables differ but perhaps a constant b's. */
static int32_t mux(struct pd_gates *g, int32_t c, int32_t a, int32_t b)
{
	bool made;
	int32_t o = output(g, KIND_MUX, c, a, b, &made);

	if (made) {
		CLAUSE(g, -o, -c, a);
		CLAUSE(g, o, -c, -a);
		CLAUSE(g, -o, c, b);
		CLAUSE(g, o, c, -b);
		CLAUSE(g, -o, a, b); /* these two say no more, but propagate */
		CLAUSE(g, o, -a, -b);
	}
	return o;
}

int32_t pd_gate_mux(struct pd_gates *g, int32_t c, int32_t a, int32_t b)
{
	if (c < 0) {
		c = -c;
		swap(&a, &b);
	}
	if (c == T || a == b)
		return a;
	if (a == -b)
		return -pd_gate_xor(g, c, a);
	if (a == T || a == c)
		return pd_gate_or(g, c, b);
	if (a == F || a == -c)
		return pd_gate_and(g, -c, b);
	if (b == T || b == -c)
		return pd_gate_or(g, -c, a);
	if (b == F || b == c)
		return pd_gate_and(g, c, a);
	return a < 0 ? -mux(g, c, -a, -b) : mux(g, c, a, b);
}

/* Ascending by variable. */
static void sort3(int32_t *a, int32_t *b, int32_t *c)
{
	if (variable(*a) > variable(*b))
		swap(a, b);
	if (variable(*b) > variable(*c))
		swap(b, c);
	if (variable(*a) > variable(*b))
		swap(a, b);
}

int32_t pd_gate_parity(struct pd_gates *g, int32_t a, int32_t b, int32_t c)
{
	int32_t sign = (a < 0) ^ (b < 0) ^ (c < 0) ? -1 : 1, o;
	bool made;

	a = variable(a);
	b = variable(b);
	c = variable(c);
	sort3(&a, &b, &c);
	if (a == b)
		return c * sign;
	if (b == c)
		return a * sign;
	if (a == T)
		return -pd_gate_xor(g, b, c) * sign;
	o = output(g, KIND_PARITY, a, b, c, &made);
	if (made) {
		CLAUSE(g, -o, a, b, c);
		CLAUSE(g, -o, a, -b, -c);
		CLAUSE(g, -o, -a, b, -c);
		CLAUSE(g, -o, -a, -b, c);
		CLAUSE(g, o, -a, -b, -c);
		CLAUSE(g, o, -a, b, c);
		CLAUSE(g, o, a, -b, c);
		CLAUSE(g, o, a, b, -c);
	}
	return o * sign;
}

int32_t pd_gate_majority(struct pd_gates *g, int32_t a, int32_t b, int32_t c)
{
	int32_t sign = 1, o;
	bool made;

	sort3(&a, &b, &c);
	if (a == b || b == c)
		return b;
	if (a == -b)
		return c;
	if (b == -c)
		return a;
	if (a == T)
		return pd_gate_or(g, b, c);
	if (a == F)
		return pd_gate_and(g, b, c);
	if (a < 0) {
		sign = -1;
		a = -a;
		b = -b;
		c = -c;
	}
	o = output(g, KIND_MAJORITY, a, b, c, &made);
	if (made) {
		CLAUSE(g, -o, a, b);
		CLAUSE(g, -o, a, c);
		CLAUSE(g, -o, b, c);
		CLAUSE(g, o, -a, -b);
		CLAUSE(g, o, -a, -c);
		CLAUSE(g, o, -b, -c);
	}
	return o * sign;
}

int32_t pd_gate_all(struct pd_gates *g, const int32_t *literal, uint32_t n)
{
	int32_t all[65], o;
	uint32_t k = 0;

	PD_CHECK(n <= 64, "a gate of more than 64 inputs");
	for (uint32_t i = 0; i < n; i++) {
		if (literal[i] == F)
			return F;
		if (literal[i] != T)
			all[k++] = -literal[i];
	}
	if (k <= 2)
		return k == 0 ? T : pd_gate_and(g, -all[0], -all[k - 1]);
	o = pd_gate_new(g);
	if (g->failed)
		return T;
	for (uint32_t i = 0; i < k; i++)
		CLAUSE(g, -o, -all[i]);
	all[k] = o;
	pd_gate_clause(g, all, k + 1);
	return o;
}
