/*
 * treap.h - a sorted set of entries that never changes: adding and removing give a new one, which
 * shares all but a path with the old one.
 *
 * A treap whose priorities are hashes of the keys, so equal contents have equal shapes: comparing
 * two trees stops at subtrees that they share, and at the first difference of hashes. Cloning is
 * copying a pointer, which is what the search (search.h) does at every step.
 *
 * An entry is found by key and, among entries of one key, by value too (PD_TREAP_MULTI), or by key
 * alone.
 */
#ifndef PD_ENGINE_LINEAR_TREAP_H
#define PD_ENGINE_LINEAR_TREAP_H

#include "base/types.h"
#include "perdure_linear.h"

struct pd_treap {
	const struct pd_treap *left, *right;
	uint64_t key;
	struct pd_linear_value value;
	uint64_t times; /* how often the entry is there */
	uint64_t rank;	/* the priority */
	uint64_t hash;	/* of all entries below and here, in any order */
	uint64_t count; /* entries below and here, each as often as it is there */
};

/* Whether entries of one key are distinguished by their values. */
enum pd_treap_kind { PD_TREAP_BY_KEY, PD_TREAP_MULTI };

int pd_value_compare(const struct pd_linear_value *a, const struct pd_linear_value *b);
uint64_t pd_value_hash(const struct pd_linear_value *v);

/* The entry; with PD_TREAP_BY_KEY the value does not matter. NULL: not there. */
const struct pd_treap *pd_treap_find(const struct pd_treap *t, enum pd_treap_kind kind,
				     uint64_t key, const struct pd_linear_value *value);

/* The first entry whose key is at least this; NULL: there is none. */
const struct pd_treap *pd_treap_at_least(const struct pd_treap *t, uint64_t key);

/*
 * A tree with the entry `times` times, 0: without it. PD_TREAP_BY_KEY: this value replaces the old
 * one. *failed: memory ran out.
 */
const struct pd_treap *pd_treap_set(const struct pd_treap *t, enum pd_treap_kind kind, uint64_t key,
				    const struct pd_linear_value *value, uint64_t times,
				    struct pd_linear_memory *m, bool *failed);

static inline uint64_t pd_treap_count(const struct pd_treap *t)
{
	return t ? t->count : 0;
}

static inline uint64_t pd_treap_hash(const struct pd_treap *t)
{
	return t ? t->hash : 0;
}

bool pd_treap_equal(const struct pd_treap *a, const struct pd_treap *b);

#endif
