/*
 * circuit_table.c - a table that is read at a symbolic index, as gates.
 *
 * A tree over the bits of the index (a PATRICIA tree of the keys): inner nodes are multiplexers by
 * the highest bit in which keys differ; bits that are skipped, because all keys agree in them, are
 * compared with the index, and give `otherwise` if it differs.
 */
#include "engine/explore/circuit.h"

enum { T = PD_BLAST_TRUE, F = PD_BLAST_FALSE };

struct tree {
	struct pd_gates *g;
	const struct pd_circuit_table *t;
};

/* Bits `low` to `high` - 1 of the index are those of the key. */
static int32_t matches(const struct tree *w, uint64_t key, uint32_t low, uint32_t high)
{
	int32_t same[64];

	for (uint32_t i = low; i < high; i++)
		same[i - low] = key >> i & 1 ? w->t->index[i] : -w->t->index[i];
	return low < high ? pd_gate_all(w->g, same, high - low) : T;
}

static uint32_t highest_bit(uint64_t v)
{
	return 63 - (uint32_t)__builtin_clzll(v);
}

/* The first key of these that has this bit. */
static uint32_t first_with(const struct pd_circuit_table *t, uint32_t from, uint32_t to,
			   uint32_t bit)
{
	while (from < to) {
		uint32_t mid = from + (to - from) / 2;

		if (t->key[mid] >> bit & 1)
			to = mid;
		else
			from = mid + 1;
	}
	return from;
}

/* Of keys `from` to `to` - 1, which agree with the index from bit `high` on. Not deeper than the
 * index is wide. */
static void subtree(const struct tree *w, int32_t *out, uint32_t from, uint32_t to, uint32_t high)
{
	const struct pd_circuit_table *t = w->t;
	int32_t left[64];
	uint32_t bit, mid;

	if (to - from == 1) {
		pd_circuit_mux(w->g, out, matches(w, t->key[from], 0, high), t->entry[from],
			       t->otherwise, t->width);
		return;
	}
	bit = highest_bit(t->key[from] ^ t->key[to - 1]);
	mid = first_with(t, from, to, bit);
	subtree(w, left, from, mid, bit);
	subtree(w, out, mid, to, bit);
	pd_circuit_mux(w->g, out, t->index[bit], out, left, t->width);
	pd_circuit_mux(w->g, out, matches(w, t->key[from], bit + 1, high), out, t->otherwise,
		       t->width);
}

/* ---- tables that are affine ----------------------------------------------------------------- */

/* Which bits differ, if the keys are all combinations of these; else 0. */
static uint64_t all_combinations(const struct pd_circuit_table *t)
{
	uint64_t differ = 0, combinations = 1;

	for (uint32_t i = 1; i < t->n; i++)
		differ |= t->key[i] ^ t->key[0];
	for (uint64_t d = differ; d && combinations <= t->n; d &= d - 1)
		combinations *= 2;
	return combinations == t->n ? differ : 0;
}

/* Entry i is entry 0 with, for each bit of i, the same bits flipped. */
static bool is_affine(const struct pd_circuit_table *t)
{
	for (uint32_t i = 0; i < t->n; i++) {
		uint32_t rest = i & (i - 1), last = i & -i;
		uint64_t a, b, c, d;

		if (!pd_circuit_is_const(t->entry[i], t->width, &a) ||
		    !pd_circuit_is_const(t->entry[rest], t->width, &b) ||
		    !pd_circuit_is_const(t->entry[last], t->width, &c) ||
		    !pd_circuit_is_const(t->entry[0], t->width, &d) || (a ^ b ^ c ^ d) != 0)
			return false;
	}
	return true;
}

static void affine(const struct tree *w, int32_t *out, uint64_t differ)
{
	const struct pd_circuit_table *t = w->t;
	int32_t same[64];
	uint32_t fixed = 0, entry = 1;

	memcpy(out, t->entry[0], t->width * sizeof(*out));
	for (uint32_t k = 0; k < t->index_width; k++) {
		if (!(differ >> k & 1)) {
			same[fixed++] = t->key[0] >> k & 1 ? t->index[k] : -t->index[k];
			continue;
		}
		for (uint32_t i = 0; i < t->width; i++) {
			if (t->entry[entry][i] != t->entry[0][i])
				out[i] = pd_gate_xor(w->g, out[i], t->index[k]);
		}
		entry <<= 1;
	}
	pd_circuit_mux(w->g, out, pd_gate_all(w->g, same, fixed), out, t->otherwise, t->width);
}

void pd_circuit_table(struct pd_gates *g, int32_t *out, const struct pd_circuit_table *t)
{
	struct tree w = {g, t};
	uint64_t differ = t->n > 2 ? all_combinations(t) : 0;

	if (t->n == 0)
		memcpy(out, t->otherwise, t->width * sizeof(*out));
	else if (differ && is_affine(t))
		affine(&w, out, differ);
	else
		subtree(&w, out, 0, t->n, t->index_width);
}
