/*
 * radix.c - a radix tree of four bits a level, after the idea of ART (Leis et al., ICDE 2013) as RECIPE made it
 * persistent (Lee et al., SOSP 2019).
 *
 * A slot of a node is empty, a leaf, or a node of the next level. A leaf is durable before its slot is stored, which
 * commits the insert. Where the slot has another key's leaf, nodes for the digits that both keys have in common are made
 * durable with both leaves in them, and then take the place of that leaf: one store again.
 *
 * BUG:
 *	1  the leaf is not flushed
 *	2  the slot is not flushed
 *	3  the root is not flushed by the constructor
 *	4  new nodes are linked before they are durable
 */
#include "driver.h"

enum { WAYS = 16, DIGITS = 16, IS_LEAF = 1 };

struct leaf {
	LINE uint64_t key;
	uint64_t value;
};

struct node {
	LINE uint64_t slot[WAYS]; /* offset of a node, that of a leaf plus IS_LEAF, or 0 */
};

static pthread_mutex_t tree_lock = PTHREAD_MUTEX_INITIALIZER;

static unsigned digit(uint64_t key, unsigned level)
{
	return (unsigned)(mix(key) >> 4 * level & (WAYS - 1));
}

static struct leaf *leaf_at(uint64_t slot)
{
	return slot & IS_LEAF ? pm_at(pool, slot - IS_LEAF) : NULL;
}

/* The slot where the key belongs: empty, or with a leaf. */
static uint64_t *slot_of(uint64_t key, unsigned *level)
{
	uint64_t *at = &pool->root;
	uint64_t slot;

	for (*level = 0; (slot = pm_get(at)) && !(slot & IS_LEAF); ++*level)
		at = &((struct node *)pm_at(pool, slot))->slot[digit(key, *level)];
	return at;
}

static uint64_t new_leaf(uint64_t key, uint64_t value)
{
	struct leaf *l = pm_alloc(sizeof(*l));

	l->key = key;
	l->value = value;
#if BUG != 1
	pm_persist(l, sizeof(*l));
#endif
	return off(l) + IS_LEAF;
}

/* Nodes from this level on, until the digits of the two leaves differ. */
static uint64_t new_nodes(unsigned level, uint64_t old, uint64_t new)
{
	struct node *n = pm_alloc(sizeof(*n));
	unsigned a = digit(leaf_at(old)->key, level), b = digit(leaf_at(new)->key, level);

	if (a == b) {
		n->slot[a] = new_nodes(level + 1, old, new);
	} else {
		n->slot[a] = old;
		n->slot[b] = new;
	}
#if BUG != 4
	pm_persist(n, sizeof(*n));
#endif
	return off(n);
}

static uint64_t st_find(uint64_t key)
{
	unsigned level;
	struct leaf *l = leaf_at(pm_get(slot_of(key, &level)));

	return l && l->key == key ? l->value : 0;
}

static void st_insert(uint64_t key, uint64_t value)
{
	uint64_t *at, old, new;
	unsigned level;

	pthread_mutex_lock(&tree_lock);
	at = slot_of(key, &level);
	old = pm_get(at);
	if (!old || leaf_at(old)->key != key) {
		new = new_leaf(key, value);
		pm_set(at, old ? new_nodes(level, old, new) : new);
#if BUG != 2
		pm_persist(at, sizeof(*at));
#endif
	}
	pthread_mutex_unlock(&tree_lock);
}

static void st_create(void)
{
	struct node *n = pm_alloc(sizeof(*n));

	pm_persist(n, sizeof(*n));
	pm_set(&pool->root, off(n));
#if BUG != 3
	pm_persist(&pool->root, sizeof(pool->root));
#endif
}

static void st_recover(void)
{
}

/* Each leaf is where its key leads. */
static void check_node(const struct node *n, unsigned level)
{
	for (unsigned i = 0; i < WAYS; i++) {
		uint64_t slot = pm_get(&n->slot[i]);
		const struct leaf *l = leaf_at(slot);

		if (l ? digit(l->key, level) != i : slot && level + 1 == DIGITS)
			lost("not where it belongs", l ? l->key : 0);
		if (slot && !l)
			check_node(pm_at(pool, slot), level + 1);
	}
}

static void st_check(void)
{
	check_node(pm_at(pool, pm_get(&pool->root)), 0);
}

#define DRIVER_MAIN
#include "driver.h"
