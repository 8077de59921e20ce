/*
 * check/several.c - reads of recovery that can see several values, noted on the board whether
 * anything fails or not (--ambiguous). Told by the walk (engine/crash/walk.h), so that a crash
 * point that needs no execution counts as well.
 */
#include "protocol/board.h"
#include "runtime/check/check.h"
#include <string.h>

/* True once for each pair of a read and a store. */
static bool is_new(uint32_t load, const struct pd_class *c)
{
	struct pd_board *b = pd_board();
	uint64_t key = pd_mix(load + ((uint64_t)(c->source ? c->source->site : 0) << 32)) ^
		       pd_mix(c->source ? c->source_exec + 1 : 0);

	key |= 1;
	for (uint64_t i = key % PD_BOARD_SEVERAL;; i = (i + 1) % PD_BOARD_SEVERAL) {
		uint64_t have = __atomic_load_n(&b->several_known[i], __ATOMIC_RELAXED);

		if (have == key || b->nseveral >= PD_BOARD_SEVERAL / 2) {
			if (have != key)
				pd_board_count(b->capped);
			return false;
		}
		if (!have && __sync_bool_compare_and_swap(&b->several_known[i], 0, key)) {
			pd_board_count(b->nseveral);
			return true;
		}
		if (b->several_known[i] == key)
			return false;
	}
}

static void note(const struct pd_tree_node *node, const struct pd_class *c)
{
	struct pd_board *b = pd_board();
	struct pd_board_several *s = pd_board_alloc(NULL, sizeof(*s));
	uint8_t value[PD_BLOCK];

	if (!s)
		return;
	s->load = node->site;
	s->addr = node->block + (uint32_t)__builtin_ctzll(node->mask);
	s->size = pd_tree_pack(c->value, node->mask, value);
	s->store = (struct pd_board_source){.exec = c->source_exec, .order = c->source_order};
	memcpy(&s->store.value, value, PD_MIN(s->size, sizeof(s->store.value)));
	if (c->source) {
		s->store.site = c->source->site;
		s->store.tid = c->source->tid;
		if (c->source_exec == pd_check.depth) /* earlier ones are known */
			pd_check_publish(c->source->site, pd_check.depth > 0);
	}
	pd_board_push(b->several, s);
}

void pd_check_several(void *ctx, const struct pd_tree_node *node, const pd_classes *classes)
{
	(void)ctx;
	for (uint32_t i = 0; i < classes->n; i++)
		if (is_new(node->site, &classes->v[i]))
			note(node, &classes->v[i]);
}
