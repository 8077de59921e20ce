/* treap.c - see treap.h. */
#include "engine/linear/treap.h"
#include "base/hash.h"

int pd_value_compare(const struct pd_linear_value *a, const struct pd_linear_value *b)
{
	if (a->word != b->word)
		return a->word < b->word ? -1 : 1;
	if (a->size != b->size)
		return a->size < b->size ? -1 : 1;
	return a->size ? memcmp(a->data, b->data, a->size) : 0;
}

uint64_t pd_value_hash(const struct pd_linear_value *v)
{
	return pd_mix(v->word + 0x9e3779b97f4a7c15ULL * (v->size + 1));
}

struct entry {
	enum pd_treap_kind kind;
	uint64_t key;
	const struct pd_linear_value *value;
	struct pd_linear_memory *m;
	bool *failed;
};

static int compare(const struct entry *e, const struct pd_treap *t)
{
	if (e->key != t->key)
		return e->key < t->key ? -1 : 1;
	return e->kind == PD_TREAP_MULTI ? pd_value_compare(e->value, &t->value) : 0;
}

static uint64_t entry_hash(const struct pd_treap *t)
{
	return pd_mix(pd_mix(t->key + 1) ^ pd_value_hash(&t->value)) * (2 * t->times + 1);
}

static const struct pd_treap *make(const struct entry *e, struct pd_treap from)
{
	struct pd_treap *t = e->m->alloc(e->m, sizeof(*t));

	if (!t) {
		*e->failed = true;
		return NULL;
	}
	*t = from;
	t->hash = entry_hash(t) + pd_treap_hash(t->left) + pd_treap_hash(t->right);
	t->count = t->times + pd_treap_count(t->left) + pd_treap_count(t->right);
	return t;
}

static const struct pd_treap *with(const struct entry *e, const struct pd_treap *t,
				   const struct pd_treap *left, const struct pd_treap *right)
{
	struct pd_treap n = *t;

	n.left = left;
	n.right = right;
	return make(e, n);
}

/* Equal ranks: the smaller key is above, in whatever order they were added. */
static bool is_above(const struct pd_treap *a, const struct pd_treap *b)
{
	if (a->rank != b->rank)
		return a->rank > b->rank;
	return a->key < b->key || (a->key == b->key && pd_value_compare(&a->value, &b->value) < 0);
}

/* A child of t has changed; it may belong above t. */
static const struct pd_treap *balance(const struct entry *e, const struct pd_treap *t,
				      const struct pd_treap *left, const struct pd_treap *right)
{
	if (left && is_above(left, t))
		return with(e, left, left->left, with(e, t, left->right, right));
	if (right && is_above(right, t))
		return with(e, right, with(e, t, left, right->left), right->right);
	return with(e, t, left, right);
}

/* All of a is before all of b. */
static const struct pd_treap *join(const struct entry *e, const struct pd_treap *a,
				   const struct pd_treap *b)
{
	if (!a || !b)
		return a ? a : b;
	if (is_above(a, b))
		return with(e, a, a->left, join(e, a->right, b));
	return with(e, b, join(e, a, b->left), b->right);
}

static const struct pd_treap *set(const struct entry *e, const struct pd_treap *t, uint64_t times)
{
	struct pd_treap n = {.key = e->key, .value = *e->value, .times = times};
	int c;

	if (!t) {
		n.rank = pd_mix(e->key + 0x5851f42d4c957f2dULL);
		if (e->kind == PD_TREAP_MULTI)
			n.rank ^= pd_value_hash(e->value);
		return times ? make(e, n) : NULL;
	}
	c = compare(e, t);
	if (c < 0)
		return balance(e, t, set(e, t->left, times), t->right);
	if (c > 0)
		return balance(e, t, t->left, set(e, t->right, times));
	if (!times)
		return join(e, t->left, t->right);
	n.rank = t->rank;
	n.left = t->left;
	n.right = t->right;
	return make(e, n);
}

const struct pd_treap *pd_treap_set(const struct pd_treap *t, enum pd_treap_kind kind, uint64_t key,
				    const struct pd_linear_value *value, uint64_t times,
				    struct pd_linear_memory *m, bool *failed)
{
	struct entry e = {kind, key, value, m, failed};

	return set(&e, t, times);
}

const struct pd_treap *pd_treap_find(const struct pd_treap *t, enum pd_treap_kind kind,
				     uint64_t key, const struct pd_linear_value *value)
{
	struct entry e = {kind, key, value, NULL, NULL};

	while (t) {
		int c = compare(&e, t);

		if (c == 0)
			return t;
		t = c < 0 ? t->left : t->right;
	}
	return NULL;
}

const struct pd_treap *pd_treap_at_least(const struct pd_treap *t, uint64_t key)
{
	const struct pd_treap *best = NULL;

	while (t) {
		if (t->key >= key) {
			best = t;
			t = t->left;
		} else {
			t = t->right;
		}
	}
	return best;
}

bool pd_treap_equal(const struct pd_treap *a, const struct pd_treap *b)
{
	if (a == b)
		return true;
	if (!a || !b || a->hash != b->hash || a->count != b->count)
		return false;
	return a->key == b->key && a->times == b->times &&
	       pd_value_compare(&a->value, &b->value) == 0 && pd_treap_equal(a->left, b->left) &&
	       pd_treap_equal(a->right, b->right);
}
