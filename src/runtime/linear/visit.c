/* visit.c - see visit.h. */
#include "runtime/linear/visit.h"
#include "base/map.h"

/* A structure that gives out more elements than there were operations, and so many more, has them
 * in a circle: it is not emptied further. */
enum { MORE = 64 };

static bool is_key(enum pd_linear_arg a)
{
	return a == PD_NEW_KEY || a == PD_OLD_KEY || a == PD_ANY_KEY;
}

/* By entry; -1: it is none of the specification's. */
static int effect_of(const struct pd_stress *s, uint32_t entry)
{
	return s->driver->table[entry].flags & PD_SYNC ? -1 : s->spec->ops[s->fn[entry]].effect;
}

static void visit_key(const struct pd_stress *s, enum pd_linear_effect effect,
		      const struct pd_linear_value *args, struct pd_visitor v)
{
	const struct pd_linear_entry *table = s->driver->table;

	for (uint32_t e = 0; table[e].name; e++)
		if (effect_of(s, e) == (int)effect && is_key(table[e].args[0]) &&
		    pd_entry_nargs(&table[e]) == 1)
			v.call(v.ctx, e, args);
}

bool pd_visit_list(struct pd_stress *s)
{
	struct pd_map seen = {0};

	for (uint32_t i = 0; i < s->work.ops.n; i++) {
		const struct pd_work *x = &s->work.ops.v[i];
		struct pd_work *to;
		uint64_t *at;

		if (!is_key(s->driver->table[x->entry].args[0]))
			continue;
		at = pd_map_put(&seen, s->arena, x->arg[0].word);
		if (!at)
			return false;
		if ((*at)++)
			continue;
		to = pd_vec_push(&s->keys.ops, s->arena);
		if (!to)
			return false;
		*to = *x;
	}
	return true;
}

void pd_visit_keys(const struct pd_stress *s, enum pd_linear_effect effect, struct pd_visitor v)
{
	for (uint32_t i = 0; i < s->keys.ops.n; i++)
		visit_key(s, effect, s->keys.ops.v[i].arg, v);
}

void pd_visit_drain(const struct pd_stress *s, struct pd_visitor v)
{
	static const struct pd_linear_value none[PD_LINEAR_ARGS];
	const struct pd_linear_entry *table = s->driver->table;

	for (uint32_t e = 0; table[e].name; e++) {
		const struct pd_linear_op *op;
		uint32_t left;
		int effect = effect_of(s, e);

		if (effect < 0 || pd_entry_nargs(&table[e]) != 0)
			continue;
		if (effect == PD_READS || effect == PD_PEEKS)
			v.call(v.ctx, e, none);
		left = s->history.ops.n + MORE;
		do
			op = effect == PD_REMOVES ? v.call(v.ctx, e, none) : NULL;
		while (op && op->result.word < PD_FAILED && left--);
	}
}
