/* spec_map.c - maps, ordered or not, and sets; see spec.h. All are a tree of entries. */
#include "engine/linear/spec.h"
#include "engine/linear/treap.h"

struct map {
	const struct pd_treap *root;
};

enum {
	PUT,
	INSERT,
	UPDATE,
	UPSERT,
	GET,
	CONTAINS,
	REMOVE,
	ERASE,
	REPLACE,
	SIZE,
	CLEAR,
	SCAN,
	SCAN_N,
	FIRST,
	LAST,
	NEXT
};

#define MAP_OPS                                                                                    \
	{"put", PD_WRITES, 2}, {"insert", PD_WRITES, 2}, {"update", PD_WRITES, 2},                 \
		{"upsert", PD_WRITES, 2}, {"get", PD_READS, 1}, {"contains", PD_READS, 1},         \
		{"remove", PD_REMOVES, 1}, {"erase", PD_REMOVES, 1}, {"replace", PD_WRITES, 3},    \
		{"size", PD_READS, 0}, {"clear", PD_WRITES, 0}

static const struct pd_linear_spec_op map_ops[] = {MAP_OPS, {NULL, 0, 0}};

static const struct pd_linear_spec_op ordered_ops[] = {MAP_OPS,
						       {"scan", PD_READS, 2},
						       {"scan_n", PD_READS, 2},
						       {"first", PD_READS, 0},
						       {"last", PD_READS, 0},
						       {"next", PD_READS, 1},
						       {NULL, 0, 0}};

static int equal(const void *a, const void *b)
{
	return pd_treap_equal(((const struct map *)a)->root, ((const struct map *)b)->root);
}

static uint64_t hash(const void *state)
{
	return pd_treap_hash(((const struct map *)state)->root);
}

static int set(struct map *s, uint64_t key, const struct pd_linear_value *v, uint64_t times,
	       struct pd_linear_memory *m)
{
	bool failed = false;

	s->root = pd_treap_set(s->root, PD_TREAP_BY_KEY, key, v, times, m, &failed);
	return failed ? -1 : 1;
}

/* Operations that need no entry of one key. */
static bool is_whole(unsigned fn)
{
	return fn == SIZE || fn >= CLEAR;
}

static uint64_t key_or_none(const struct pd_treap *t)
{
	return t ? t->key : PD_NONE;
}

/* The first n entries from `key` to `to`, as pairs of key and the value's word. */
static int scan(const struct map *s, uint64_t key, uint64_t to, uint64_t n,
		struct pd_linear_value *result, struct pd_linear_memory *m)
{
	const struct pd_treap *t = pd_treap_at_least(s->root, key);
	uint64_t room = PD_MIN(n, pd_treap_count(s->root)), *out;

	out = m->alloc(m, room * 2 * sizeof(*out) + 1);
	if (!out)
		return -1;
	result->word = 0;
	for (; t && t->key <= to && result->word < n; t = pd_treap_at_least(s->root, t->key + 1)) {
		out[2 * result->word] = t->key;
		out[2 * result->word++ + 1] = t->value.word;
		if (t->key == UINT64_MAX)
			break;
	}
	result->data = out;
	result->size = result->word * 2 * sizeof(*out);
	return 1;
}

static int apply_whole(struct map *s, const struct pd_linear_op *op, struct pd_linear_value *result,
		       struct pd_linear_memory *m)
{
	const struct pd_treap *t = s->root;

	switch (op->fn) {
	case SIZE:
		result->word = pd_treap_count(t);
		return 1;
	case CLEAR:
		result->word = pd_treap_count(t);
		s->root = NULL;
		return 1;
	case SCAN:
		return scan(s, op->arg[0].word, op->arg[1].word, UINT64_MAX / 32, result, m);
	case SCAN_N:
		return scan(s, op->arg[0].word, UINT64_MAX, op->arg[1].word, result, m);
	case FIRST:
		result->word = key_or_none(pd_treap_at_least(t, 0));
		return 1;
	case LAST:
		while (t && t->right)
			t = t->right;
		result->word = key_or_none(t);
		return 1;
	case NEXT:
		result->word = op->arg[0].word == UINT64_MAX
				       ? PD_NONE
				       : key_or_none(pd_treap_at_least(t, op->arg[0].word + 1));
		return 1;
	}
	return 0;
}

static int apply(void *state, const struct pd_linear_op *op, unsigned way,
		 struct pd_linear_value *result, struct pd_linear_memory *m)
{
	static const struct pd_linear_value none = {PD_NONE, NULL, 0};
	struct map *s = state;
	const struct pd_linear_value *v = op->nargs > 1 ? &op->arg[op->nargs - 1] : &none;
	uint64_t key = op->arg[0].word;
	const struct pd_treap *t;

	if (way > 0)
		return 0;
	if (is_whole(op->fn))
		return apply_whole(s, op, result, m);
	t = pd_treap_find(s->root, PD_TREAP_BY_KEY, key, v);
	switch (op->fn) {
	case PUT:
		*result = t ? t->value : none;
		return set(s, key, v, 1, m);
	case INSERT:
		result->word = !t;
		return t ? 1 : set(s, key, v, 1, m);
	case UPDATE:
		result->word = t != NULL;
		return t ? set(s, key, v, 1, m) : 1;
	case UPSERT:
		result->word = !t;
		return set(s, key, v, 1, m);
	case GET:
		*result = t ? t->value : none;
		return 1;
	case CONTAINS:
		result->word = t != NULL;
		return 1;
	case REMOVE:
		*result = t ? t->value : none;
		return t ? set(s, key, v, 0, m) : 1;
	case ERASE:
		result->word = t != NULL;
		return t ? set(s, key, v, 0, m) : 1;
	case REPLACE:
		result->word = t && pd_value_compare(&t->value, &op->arg[1]) == 0;
		return result->word ? set(s, key, v, 1, m) : 1;
	}
	return 0;
}

static int key_of(const struct pd_linear_op *op, uint64_t *key)
{
	*key = op->arg[0].word;
	return !is_whole(op->fn);
}

const struct pd_linear_spec pd_spec_map = {
	"map", map_ops, sizeof(struct map), apply, NULL, equal, hash, key_of, NULL, 0};

const struct pd_linear_spec pd_spec_ordered_map = {
	"ordered-map", ordered_ops, sizeof(struct map), apply, NULL, equal, hash, key_of, NULL, 0};

/* ---- set ------------------------------------------------------------------------------------ */

static const struct pd_linear_spec_op set_ops[] = {
	{"add", PD_WRITES, 1}, {"remove", PD_REMOVES, 1}, {"contains", PD_READS, 1},
	{"size", PD_READS, 0}, {"clear", PD_WRITES, 0},	  {NULL, 0, 0}};

/* The equivalent operation of the map. */
static unsigned as_map(unsigned fn)
{
	static const uint8_t same[] = {INSERT, ERASE, CONTAINS, SIZE, CLEAR};

	return same[fn];
}

static int apply_set(void *state, const struct pd_linear_op *op, unsigned way,
		     struct pd_linear_value *result, struct pd_linear_memory *m)
{
	struct pd_linear_op map_op = *op;

	map_op.fn = (uint16_t)as_map(op->fn);
	return apply(state, &map_op, way, result, m);
}

static int set_key_of(const struct pd_linear_op *op, uint64_t *key)
{
	*key = op->arg[0].word;
	return !is_whole(as_map(op->fn));
}

const struct pd_linear_spec pd_spec_set = {"set", set_ops, sizeof(struct map), apply_set, NULL,
					   equal, hash,	   set_key_of,	       NULL,	  0};
