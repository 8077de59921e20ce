/* spec_words.c - register, counter and array; see spec.h. */
#include "engine/linear/spec.h"
#include "engine/linear/treap.h"

/* ---- register: 0 at first ------------------------------------------------------------------- */

enum { READ, WRITE, SWAP, CAS };

static const struct pd_linear_spec_op register_ops[] = {{"read", PD_READS, 0},
							{"write", PD_WRITES, 1},
							{"swap", PD_WRITES, 1},
							{"cas", PD_WRITES, 2},
							{NULL, 0, 0}};

static int apply_register(void *state, const struct pd_linear_op *op, unsigned way,
			  struct pd_linear_value *result, struct pd_linear_memory *m)
{
	struct pd_linear_value *x = state;

	(void)m;
	if (way > 0)
		return 0;
	*result = *x;
	switch (op->fn) {
	case WRITE:
		*result = (struct pd_linear_value){1, NULL, 0};
		*x = op->arg[0];
		break;
	case SWAP:
		*x = op->arg[0];
		break;
	case CAS:
		*result = (struct pd_linear_value){0};
		result->word = pd_value_compare(x, &op->arg[0]) == 0;
		if (result->word)
			*x = op->arg[1];
		break;
	}
	return 1;
}

static int equal_register(const void *a, const void *b)
{
	return pd_value_compare(a, b) == 0;
}

static uint64_t hash_register(const void *state)
{
	return pd_value_hash(state);
}

const struct pd_linear_spec pd_spec_register = {"register",
						register_ops,
						sizeof(struct pd_linear_value),
						apply_register,
						NULL,
						equal_register,
						hash_register,
						NULL,
						NULL,
						0};

/* ---- counter: 0 at first, modulo 2^64 ------------------------------------------------------- */

enum { VALUE, INCREMENT, DECREMENT, FETCH_ADD };

static const struct pd_linear_spec_op counter_ops[] = {{"read", PD_READS, 0},
						       {"increment", PD_WRITES, 0},
						       {"decrement", PD_WRITES, 0},
						       {"fetch_add", PD_WRITES, 1},
						       {NULL, 0, 0}};

static int apply_counter(void *state, const struct pd_linear_op *op, unsigned way,
			 struct pd_linear_value *result, struct pd_linear_memory *m)
{
	uint64_t *x = state;

	(void)m;
	if (way > 0)
		return 0;
	switch (op->fn) {
	case VALUE:
		result->word = *x;
		break;
	case INCREMENT:
		result->word = ++*x;
		break;
	case DECREMENT:
		result->word = --*x;
		break;
	case FETCH_ADD:
		result->word = *x;
		*x += op->arg[0].word;
		break;
	}
	return 1;
}

const struct pd_linear_spec pd_spec_counter = {
	"counter", counter_ops, sizeof(uint64_t), apply_counter, NULL, NULL, NULL, NULL, NULL, 0};

/* ---- array: elements are 0 at first; without bounds until it is resized --------------------- */

enum { AT, SET, EXCHANGE, LENGTH, RESIZE };

static const struct pd_linear_spec_op array_ops[] = {
	{"get", PD_READS, 1},	 {"set", PD_WRITES, 2},	   {"swap", PD_WRITES, 2},
	{"length", PD_READS, 0}, {"resize", PD_WRITES, 1}, {NULL, 0, 0}};

struct array {
	const struct pd_treap *root; /* what is not 0 */
	uint64_t bound;		     /* length + 1; 0: none */
};

static bool is_inside(const struct array *s, uint64_t i)
{
	return !s->bound || i < s->bound - 1;
}

static struct pd_linear_value at(const struct array *s, uint64_t i)
{
	const struct pd_treap *t = pd_treap_find(s->root, PD_TREAP_BY_KEY, i, NULL);

	return t ? t->value : (struct pd_linear_value){0};
}

static int set(struct array *s, uint64_t i, const struct pd_linear_value *v,
	       struct pd_linear_memory *m)
{
	bool failed = false, zero = !v->word && !v->size;

	s->root = pd_treap_set(s->root, PD_TREAP_BY_KEY, i, v, !zero, m, &failed);
	return failed ? -1 : 1;
}

/* Drops the elements beyond the new length. */
static int resize(struct array *s, uint64_t n, struct pd_linear_memory *m)
{
	static const struct pd_linear_value zero;

	s->bound = n + 1;
	for (;;) {
		const struct pd_treap *t = pd_treap_at_least(s->root, n);

		if (!t)
			return 1;
		if (set(s, t->key, &zero, m) < 0)
			return -1;
	}
}

static int apply_array(void *state, const struct pd_linear_op *op, unsigned way,
		       struct pd_linear_value *result, struct pd_linear_memory *m)
{
	struct array *s = state;
	uint64_t i = op->arg[0].word;

	if (way > 0)
		return 0;
	if (op->fn == LENGTH) {
		result->word = s->bound ? s->bound - 1 : PD_NONE;
		return 1;
	}
	if (op->fn == RESIZE) {
		result->word = 1;
		return resize(s, i, m);
	}
	result->word = op->fn == SET ? 0 : PD_NONE;
	if (!is_inside(s, i))
		return 1;
	*result = at(s, i);
	if (op->fn == SET)
		*result = (struct pd_linear_value){1, NULL, 0};
	return op->fn == AT ? 1 : set(s, i, &op->arg[1], m);
}

static int equal_array(const void *a, const void *b)
{
	const struct array *x = a, *y = b;

	return x->bound == y->bound && pd_treap_equal(x->root, y->root);
}

static uint64_t hash_array(const void *state)
{
	const struct array *s = state;

	return pd_treap_hash(s->root) + s->bound * 0x9e3779b97f4a7c15ULL;
}

static int key_of(const struct pd_linear_op *op, uint64_t *key)
{
	*key = op->arg[0].word;
	return op->fn <= EXCHANGE;
}

const struct pd_linear_spec pd_spec_array = {"array",
					     array_ops,
					     sizeof(struct array),
					     apply_array,
					     NULL,
					     equal_array,
					     hash_array,
					     key_of,
					     NULL,
					     0};
