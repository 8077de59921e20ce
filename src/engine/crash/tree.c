/* tree.c - see tree.h. */
#include "engine/crash/tree.h"

uint32_t pd_tree_pack(const uint8_t *block, uint64_t mask, uint8_t *value)
{
	uint32_t n = 0;

	for (; mask; mask &= mask - 1)
		value[n++] = block[__builtin_ctzll(mask)];
	return n;
}

struct pd_tree_node *pd_tree_find(const struct pd_tree_node *node, const uint8_t *value, uint32_t n)
{
	for (const struct pd_tree_edge *e = node->edges; e; e = e->next)
		if (e->n == n && memcmp(e->value, value, n) == 0)
			return e->to;
	return NULL;
}

/* Not the builtin: without a popcnt instruction that is a function of the compiler's library. */
static uint32_t bits_in(uint64_t mask)
{
	uint32_t n = 0;

	for (; mask; mask &= mask - 1)
		n++;
	return n;
}

struct pd_tree_node *pd_tree_step(struct pd_tree_node *node, const struct pd_tree_memory *mem,
				  uint64_t block, uint64_t mask, const uint8_t *value, bool *diverged)
{
	uint32_t n = bits_in(mask);
	struct pd_tree_node *to;
	struct pd_tree_edge *e;

	*diverged = false;
	if (!node->mask && !node->edges && node->outcome == PD_OUTCOME_NONE) {
		node->block = block;
		node->mask = mask;
	}
	if (node->block != block || node->mask != mask) {
		*diverged = true;
		return NULL;
	}
	to = pd_tree_find(node, value, n);
	if (to)
		return to;
	e = mem->alloc(mem->ctx, sizeof(*e) + n);
	to = mem->alloc(mem->ctx, sizeof(*to));
	if (!e || !to)
		return NULL;
	memcpy(e->value, value, n);
	e->n = n;
	e->to = to;
	e->next = node->edges;
	node->edges = e;
	return to;
}

bool pd_tree_blame_is_new(struct pd_tree_node *leaf, const struct pd_tree_memory *mem,
			  uint64_t signature)
{
	struct pd_tree_blame *b;

	for (b = leaf->blames; b; b = b->next)
		if (b->signature == signature)
			return false;
	b = mem->alloc(mem->ctx, sizeof(*b));
	if (!b)
		return false;
	b->signature = signature;
	b->next = leaf->blames;
	leaf->blames = b;
	return true;
}
