/* spec_multi.c - multimap and priority queue, whose entries may be there several times; see
 * spec.h. */
#include "engine/linear/spec.h"
#include "engine/linear/treap.h"

struct multi {
	const struct pd_treap *root;
};

static int equal(const void *a, const void *b)
{
	return pd_treap_equal(((const struct multi *)a)->root, ((const struct multi *)b)->root);
}

static uint64_t hash(const void *state)
{
	return pd_treap_hash(((const struct multi *)state)->root);
}

static uint64_t times_of(const struct pd_treap *t)
{
	return t ? t->times : 0;
}

/* Adds or removes one. */
static int change(struct multi *s, uint64_t key, const struct pd_linear_value *v, int by,
		  struct pd_linear_memory *m)
{
	const struct pd_treap *t = pd_treap_find(s->root, PD_TREAP_MULTI, key, v);
	bool failed = false;

	s->root = pd_treap_set(s->root, PD_TREAP_MULTI, key, v, times_of(t) + (uint64_t)by, m,
			       &failed);
	return failed ? -1 : 1;
}

/* The entry of this key that has `nth` others of the key before it, each counted once. */
static const struct pd_treap *nth_of(const struct pd_treap *t, uint64_t key, unsigned *nth)
{
	const struct pd_treap *found;

	if (!t)
		return NULL;
	if (t->key != key)
		return nth_of(key < t->key ? t->left : t->right, key, nth);
	found = nth_of(t->left, key, nth);
	if (found)
		return found;
	if ((*nth)-- == 0)
		return t;
	return nth_of(t->right, key, nth);
}

static uint64_t count_of(const struct pd_treap *t, uint64_t key)
{
	if (!t)
		return 0;
	if (t->key != key)
		return count_of(key < t->key ? t->left : t->right, key);
	return t->times + count_of(t->left, key) + count_of(t->right, key);
}

/* ---- multimap ------------------------------------------------------------------------------- */

enum { ADD, GET, CONTAINS, COUNT, REMOVE, REMOVE_ALL, SIZE };

static const struct pd_linear_spec_op multimap_ops[] = {
	{"add", PD_WRITES, 2},	   {"get", PD_READS, 1},
	{"contains", PD_READS, 2}, {"count", PD_READS, 1},
	{"remove", PD_REMOVES, 2}, {"remove_all", PD_REMOVES, 1},
	{"size", PD_READS, 0},	   {NULL, 0, 0}};

/* Any of the values. */
static int get_any(const struct multi *s, uint64_t key, unsigned way,
		   struct pd_linear_value *result)
{
	unsigned nth = way;
	const struct pd_treap *t = nth_of(s->root, key, &nth);

	if (!t && way > 0)
		return 0;
	result->word = PD_NONE;
	if (t)
		*result = t->value;
	return 1;
}

static int remove_all(struct multi *s, uint64_t key, struct pd_linear_memory *m)
{
	bool failed = false;

	for (;;) {
		unsigned nth = 0;
		const struct pd_treap *t = nth_of(s->root, key, &nth);

		if (!t)
			return 1;
		s->root = pd_treap_set(s->root, PD_TREAP_MULTI, key, &t->value, 0, m, &failed);
		if (failed)
			return -1;
	}
}

static int apply_multimap(void *state, const struct pd_linear_op *op, unsigned way,
			  struct pd_linear_value *result, struct pd_linear_memory *m)
{
	struct multi *s = state;
	uint64_t key = op->arg[0].word;
	const struct pd_linear_value *v = &op->arg[1];

	if (op->fn == GET)
		return get_any(s, key, way, result);
	if (way > 0)
		return 0;
	switch (op->fn) {
	case ADD:
		result->word = 1;
		return change(s, key, v, 1, m);
	case CONTAINS:
		result->word = pd_treap_find(s->root, PD_TREAP_MULTI, key, v) != NULL;
		return 1;
	case COUNT:
		result->word = count_of(s->root, key);
		return 1;
	case REMOVE:
		result->word = pd_treap_find(s->root, PD_TREAP_MULTI, key, v) != NULL;
		return result->word ? change(s, key, v, -1, m) : 1;
	case REMOVE_ALL:
		result->word = count_of(s->root, key);
		return remove_all(s, key, m);
	case SIZE:
		result->word = pd_treap_count(s->root);
		return 1;
	}
	return 0;
}

static int key_of(const struct pd_linear_op *op, uint64_t *key)
{
	*key = op->arg[0].word;
	return op->fn != SIZE;
}

const struct pd_linear_spec pd_spec_multimap = {"multimap",
						multimap_ops,
						sizeof(struct multi),
						apply_multimap,
						NULL,
						equal,
						hash,
						key_of,
						NULL,
						0};

/* ---- priority queue ------------------------------------------------------------------------- */

enum { PQ_PUSH, PQ_INSERT, PQ_POP, PQ_POP_VALUE, PQ_MIN, PQ_SIZE };

static const struct pd_linear_spec_op pq_ops[] = {{"push", PD_WRITES, 1},
						  {"insert", PD_WRITES, 2},
						  {"pop", PD_REMOVES, 0},
						  {"pop_value", PD_REMOVES, 0},
						  {"min", PD_READS, 0},
						  {"size", PD_READS, 0},
						  {NULL, 0, 0}};

/* Takes one of those with the least key: any of them. */
static int pop(struct multi *s, bool value, unsigned way, struct pd_linear_value *result,
	       struct pd_linear_memory *m)
{
	const struct pd_treap *least = pd_treap_at_least(s->root, 0), *t;
	unsigned nth = way;

	if (!least) {
		result->word = PD_NONE;
		return way == 0;
	}
	t = nth_of(s->root, least->key, &nth);
	if (!t)
		return 0;
	if (value)
		*result = t->value;
	else
		result->word = t->key;
	return change(s, t->key, &t->value, -1, m);
}

static int apply_pq(void *state, const struct pd_linear_op *op, unsigned way,
		    struct pd_linear_value *result, struct pd_linear_memory *m)
{
	struct multi *s = state;
	const struct pd_treap *least;

	if (op->fn == PQ_POP || op->fn == PQ_POP_VALUE)
		return pop(s, op->fn == PQ_POP_VALUE, way, result, m);
	if (way > 0)
		return 0;
	switch (op->fn) {
	case PQ_PUSH:
	case PQ_INSERT:
		result->word = 1;
		return change(s, op->arg[0].word, &op->arg[op->fn == PQ_INSERT], 1, m);
	case PQ_MIN:
		least = pd_treap_at_least(s->root, 0);
		result->word = least ? least->key : PD_NONE;
		return 1;
	case PQ_SIZE:
		result->word = pd_treap_count(s->root);
		return 1;
	}
	return 0;
}

const struct pd_linear_spec pd_spec_priority_queue = {
	"priority-queue", pq_ops, sizeof(struct multi), apply_pq, NULL, equal, hash, NULL, NULL, 0};
