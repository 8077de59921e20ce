/* spec.c - see spec.h. */
#include "engine/linear/spec.h"
#include "base/hash.h"
#include "engine/linear/treap.h"
#include "finding/text.h"

const struct pd_linear_spec *const pd_specs[] = {&pd_spec_map,
						 &pd_spec_multimap,
						 &pd_spec_set,
						 &pd_spec_ordered_map,
						 &pd_spec_queue,
						 &pd_spec_stack,
						 &pd_spec_priority_queue,
						 &pd_spec_register,
						 &pd_spec_counter,
						 &pd_spec_array,
						 NULL};

/* Whether the n characters are the whole of name. */
static bool is_name(const char *name, const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!name[i] || name[i] != s[i])
			return false;
	return !name[n];
}

const struct pd_linear_spec *pd_spec_find(const char *name)
{
	for (size_t i = 0; pd_specs[i]; i++)
		if (is_name(pd_specs[i]->name, name, pd_text_len(name)))
			return pd_specs[i];
	return NULL;
}

int pd_spec_op(const struct pd_linear_spec *spec, const char *name, size_t n)
{
	for (int i = 0; spec->ops[i].name; i++)
		if (is_name(spec->ops[i].name, name, n))
			return i;
	return -1;
}

static void *from_arena(struct pd_linear_memory *m, size_t n)
{
	struct pd_spec_memory *s = (struct pd_spec_memory *)m;

	return pd_arena_alloc(s->arena, n ? n : 1);
}

void pd_spec_memory_init(struct pd_spec_memory *m, struct pd_arena *a)
{
	*m = (struct pd_spec_memory){{from_arena}, a};
}

int pd_spec_apply(const struct pd_linear_spec *spec, void *state, const struct pd_linear_op *op,
		  unsigned way, struct pd_linear_value *result, struct pd_linear_memory *m)
{
	*result = (struct pd_linear_value){0};
	if (!(op->flags & PD_MAY_FAIL))
		return spec->apply(state, op, way, result, m);
	if (way > 0)
		return spec->apply(state, op, way - 1, result, m);
	result->word = PD_FAILED;
	return 1;
}

bool pd_spec_clone(const struct pd_linear_spec *spec, void *to, const void *from,
		   struct pd_linear_memory *m)
{
	if (spec->clone)
		return spec->clone(to, from, m);
	memcpy(to, from, spec->size);
	return true;
}

bool pd_spec_equal(const struct pd_linear_spec *spec, const void *a, const void *b)
{
	return spec->equal ? spec->equal(a, b) : memcmp(a, b, spec->size) == 0;
}

uint64_t pd_spec_hash(const struct pd_linear_spec *spec, const void *state)
{
	struct pd_digest d = PD_DIGEST_INIT;

	if (spec->hash)
		return spec->hash(state);
	pd_digest_bytes(&d, state, spec->size);
	return d.a;
}

void pd_spec_finish(const struct pd_linear_spec *spec, void *state)
{
	if (spec->finish)
		spec->finish(state);
}

bool pd_spec_agrees(const struct pd_linear_op *op, const struct pd_linear_value *result)
{
	return !op->returned || pd_value_compare(&op->result, result) == 0;
}

bool pd_spec_returns_same(const struct pd_linear_spec *spec, void *const state[2],
			  const struct pd_linear_op *op, struct pd_linear_memory *m)
{
	struct pd_linear_value was[2] = {{0}, {0}};
	int way[2];

	for (int k = 0; k < 2; k++)
		way[k] = pd_spec_apply(spec, state[k], op, 0, &was[k], m);
	return way[0] == way[1] && was[0].word == was[1].word && was[0].size == was[1].size;
}
