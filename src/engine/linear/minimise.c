/* minimise.c - see minimise.h. */
#include "engine/linear/minimise.h"
#include "base/hash.h"
#include "base/map.h"

enum { FEW_KEYS = 16 };

struct work {
	struct pd_minimise *m;
	struct pd_workload *w;	/* the shortest so far */
	struct pd_workload try; /* room for a proposal, as large as w was at first */
};

static bool still_fails(struct work *k)
{
	struct pd_minimise *m = k->m;

	if (m->budget && m->asked >= m->budget) {
		m->cut_short = true;
		return false;
	}
	m->asked++;
	return m->fails(m->ctx, &k->try);
}

static void adopt(struct work *k)
{
	memcpy(k->w->ops.v, k->try.ops.v, k->try.ops.n * sizeof(*k->try.ops.v));
	k->w->ops.n = k->try.ops.n;
}

/*
 * Proposes the workload without the operations for which `out` is true; true: it still goes wrong,
 * and is adopted.
 */
static bool without(struct work *k, bool (*out)(const struct work *k, uint32_t i, uint64_t what),
		    uint64_t what)
{
	k->try.ops.n = 0;
	for (uint32_t i = 0; i < k->w->ops.n; i++)
		if (!out(k, i, what))
			k->try.ops.v[k->try.ops.n++] = k->w->ops.v[i];
	if (k->try.ops.n == k->w->ops.n || k->try.ops.n == 0 || !still_fails(k))
		return false;
	adopt(k);
	return true;
}

static bool is_thread(const struct work *k, uint32_t i, uint64_t thread)
{
	return k->w->ops.v[i].thread == thread;
}

static bool is_key_arg(const struct pd_linear_entry *e, uint32_t arg)
{
	return e->args[arg] == PD_NEW_KEY || e->args[arg] == PD_OLD_KEY ||
	       e->args[arg] == PD_ANY_KEY;
}

static bool has_key(const struct work *k, uint32_t i, uint64_t key)
{
	const struct pd_work *x = &k->w->ops.v[i];

	for (uint32_t a = 0; a < PD_LINEAR_ARGS; a++)
		if (is_key_arg(&k->m->table[x->entry], a) && x->arg[a].word == key)
			return true;
	return false;
}

/* what: the first one in the upper half, how many in the lower. */
static bool is_between(const struct work *k, uint32_t i, uint64_t what)
{
	(void)k;
	return i >= what >> 32 && i - (what >> 32) < (uint32_t)what;
}

/* The largest thread that has an operation. */
static uint32_t last_thread(const struct pd_workload *w)
{
	uint32_t t = 0;

	for (uint32_t i = 0; i < w->ops.n; i++)
		t = PD_MAX(t, w->ops.v[i].thread);
	return t;
}

static void drop_threads(struct work *k)
{
	for (uint32_t t = last_thread(k->w) + 1; t-- > 0;)
		without(k, is_thread, t);
}

/* With many keys, removing halves removes most of them. */
static bool has_few_keys(const struct work *k, struct pd_arena *a)
{
	struct pd_map keys = {0};
	uint32_t n = 0;

	for (uint32_t i = 0; i < k->w->ops.n && n <= FEW_KEYS; i++)
		for (uint32_t j = 0; j < PD_LINEAR_ARGS; j++) {
			const struct pd_work *x = &k->w->ops.v[i];
			uint64_t *at = is_key_arg(&k->m->table[x->entry], j)
					       ? pd_map_put(&keys, a, pd_mix(x->arg[j].word) >> 1)
					       : NULL;

			n += at && !(*at)++;
		}
	return n <= FEW_KEYS;
}

static void drop_keys(struct work *k)
{
	for (uint32_t i = k->w->ops.n; i-- > 0;) {
		for (uint32_t a = 0; a < PD_LINEAR_ARGS && i < k->w->ops.n; a++) {
			const struct pd_work *x = &k->w->ops.v[i];

			if (is_key_arg(&k->m->table[x->entry], a))
				without(k, has_key, x->arg[a].word);
		}
		i = PD_MIN(i, k->w->ops.n);
	}
}

/* Removes chunks, smaller and smaller, from the end, until no single operation can be removed. */
static void drop_ops(struct work *k)
{
	uint32_t size = PD_MAX(k->w->ops.n / 2, 1);

	for (;;) {
		bool any = false;

		for (uint32_t at = k->w->ops.n; at > 0;) {
			uint32_t n = PD_MIN(size, at);

			at -= n;
			any |= without(k, is_between, (uint64_t)at << 32 | n);
		}
		if (size == 1 && !any)
			return;
		if (!any)
			size = PD_MAX(size / 2, 1);
		size = PD_MAX(PD_MIN(size, k->w->ops.n / 2), 1);
	}
}

static void propose_same(struct work *k)
{
	memcpy(k->try.ops.v, k->w->ops.v, k->w->ops.n * sizeof(*k->w->ops.v));
	k->try.ops.n = k->w->ops.n;
}

/* Assigns all operations of a thread to another one. */
static void merge_threads(struct work *k)
{
	for (uint32_t from = last_thread(k->w); from > 0; from--)
		for (uint32_t to = 0; to < from; to++) {
			bool changed = false;

			propose_same(k);
			for (uint32_t i = 0; i < k->try.ops.n; i++)
				if (k->try.ops.v[i].thread == from) {
					k->try.ops.v[i].thread = to;
					changed = true;
				}
			if (changed && still_fails(k)) {
				adopt(k);
				break;
			}
		}
}

/* In the proposal: replaces the word of this key, or of this value, by another. */
static void rename_word(struct work *k, bool keys, uint64_t from, uint64_t to)
{
	for (uint32_t i = 0; i < k->try.ops.n; i++) {
		struct pd_work *x = &k->try.ops.v[i];
		const struct pd_linear_entry *e = &k->m->table[x->entry];

		for (uint32_t a = 0; a < PD_LINEAR_ARGS; a++)
			if ((keys ? is_key_arg(e, a) : e->args[a] == PD_VALUE) &&
			    x->arg[a].word == from)
				x->arg[a].word = to;
	}
}

static bool is_word_used(const struct work *k, bool keys, uint64_t word)
{
	for (uint32_t i = 0; i < k->w->ops.n; i++) {
		const struct pd_work *x = &k->w->ops.v[i];
		const struct pd_linear_entry *e = &k->m->table[x->entry];

		for (uint32_t a = 0; a < PD_LINEAR_ARGS; a++)
			if ((keys ? is_key_arg(e, a) : e->args[a] == PD_VALUE) &&
			    x->arg[a].word == word)
				return true;
	}
	return false;
}

/* Renames them to 1, 2, 3... in order of appearance, one by one, if it still goes wrong. */
static void small_words(struct work *k, bool keys)
{
	uint64_t next = 1;

	for (uint32_t i = 0; i < k->w->ops.n; i++)
		for (uint32_t a = 0; a < PD_LINEAR_ARGS; a++) {
			const struct pd_linear_entry *e = &k->m->table[k->w->ops.v[i].entry];
			uint64_t word = k->w->ops.v[i].arg[a].word;

			if (!(keys ? is_key_arg(e, a) : e->args[a] == PD_VALUE))
				continue;
			while (next < word && is_word_used(k, keys, next))
				next++;
			if (next >= word)
				continue;
			propose_same(k);
			rename_word(k, keys, word, next);
			if (still_fails(k))
				adopt(k);
		}
}

void pd_minimise(struct pd_minimise *m, struct pd_workload *w, struct pd_arena *a)
{
	struct work k = {.m = m, .w = w};

	m->asked = 0;
	m->cut_short = false;
	k.try.ops.v = pd_new_array(a, struct pd_work, w->ops.n + 1);
	k.try.ops.cap = w->ops.n + 1;
	if (!k.try.ops.v) {
		m->cut_short = true;
		return;
	}
	drop_threads(&k);
	if (has_few_keys(&k, a))
		drop_keys(&k);
	drop_ops(&k);
	merge_threads(&k);
	small_words(&k, true);
	small_words(&k, false);
}
