/* straight.c - see straight.h. */
#include "engine/linear/straight.h"

/*
 * Those that returned, by response. The history has them by call, which is nearly that order: each
 * moves only past those that contain it. If too many overlap it is not worth it: UINT32_MAX.
 */
static uint32_t sort_by_response(const struct pd_search *s, uint32_t *order)
{
	const struct pd_hop *ops = s->history->ops.v;
	uint64_t moves = 0;
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->n; i++) {
		uint64_t ret = ops[s->which[i]].ret;
		uint32_t k = n;

		if (ret == PD_NEVER || ret > s->until)
			continue;
		for (; k > 0 && ops[order[k - 1]].ret > ret; k--)
			order[k] = order[k - 1];
		order[k] = s->which[i];
		moves += n++ - k;
		if (moves > 8 * (uint64_t)s->n + 64)
			return UINT32_MAX;
	}
	return n;
}

/* Only a read can be tried in several ways: it does not change the state. */
static bool fits(const struct pd_search *s, void *state, const struct pd_linear_op *op,
		 struct pd_linear_memory *m)
{
	bool reads = s->spec->ops[op->fn].effect == PD_READS;
	struct pd_linear_value result;

	for (unsigned way = 0; way == 0 || reads; way++) {
		if (pd_spec_apply(s->spec, state, op, way, &result, m) != 1)
			return false;
		if (pd_spec_agrees(op, &result))
			return true;
	}
	return false;
}

bool pd_straight_explains(struct pd_search *s, struct pd_arena *arena)
{
	uint32_t *order = pd_new_array(arena, uint32_t, s->n + 1), n, i = 0;
	void *state = pd_arena_alloc(arena, s->spec->size);
	struct pd_spec_memory m;

	n = order && state ? sort_by_response(s, order) : UINT32_MAX;
	if (n == UINT32_MAX)
		return false;
	pd_spec_memory_init(&m, arena);
	while (i < n && fits(s, state, &s->history->ops.v[order[i]].op, &m.m))
		i++;
	s->steps += i;
	pd_spec_finish(s->spec, state);
	return i == n;
}
