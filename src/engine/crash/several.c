/* several.c - see several.h. */
#include "engine/crash/several.h"

/* True once for each pair of a read and a store. */
static bool is_new(struct pd_several *s, uint32_t load, const struct pd_class *c)
{
	uint64_t key = pd_mix(load + ((uint64_t)(c->source ? c->source->site : 0) << 32)) ^
		       pd_mix(c->source ? c->source_exec + 1 : 0);

	key |= 1;
	for (uint64_t i = key % PD_SEVERAL_KNOWN;; i = (i + 1) % PD_SEVERAL_KNOWN) {
		uint64_t have = __atomic_load_n(&s->known[i], __ATOMIC_RELAXED);

		if (have == key)
			return false;
		if (__atomic_load_n(&s->n, __ATOMIC_RELAXED) >= PD_SEVERAL_KNOWN / 2) {
			__atomic_fetch_add(&s->full, 1, __ATOMIC_RELAXED);
			return false;
		}
		if (!have && __sync_bool_compare_and_swap(&s->known[i], 0, key)) {
			__atomic_fetch_add(&s->n, 1, __ATOMIC_RELAXED);
			return true;
		}
		if (__atomic_load_n(&s->known[i], __ATOMIC_RELAXED) == key)
			return false;
	}
}

struct pd_crash_several *pd_several_add(struct pd_several *s, const struct pd_tree_memory *mem,
					const struct pd_tree_node *node, const struct pd_class *c)
{
	const struct pd_tree_read *read = node->read;
	struct pd_crash_several *to =
		is_new(s, read->site, c) ? mem->alloc(mem->ctx, sizeof(*to)) : NULL;
	uint8_t value[PD_BLOCK];

	if (!to)
		return NULL;
	to->load = read->site;
	to->addr = read->block + (uint32_t)__builtin_ctzll(read->mask);
	to->size = pd_tree_pack(c->value, read->mask, value);
	to->store = (struct pd_crash_source){.exec = c->source_exec, .order = c->source_order};
	memcpy(&to->store.value, value, PD_MIN(to->size, sizeof(to->store.value)));
	if (c->source) {
		to->store.site = c->source->site;
		to->store.tid = c->source->tid;
	}
	do
		to->next = __atomic_load_n(&s->list, __ATOMIC_RELAXED);
	while (!__sync_bool_compare_and_swap(&s->list, to->next, to));
	return to;
}
