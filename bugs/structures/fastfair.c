/*
 * fastfair.c - a B+-tree whose nodes are sorted in place and tolerate torn states, after the idea
 *of FAST and FAIR (Hwang et al., FAST 2018).
 *
 * Invariants that hold at every moment, for whatever a crash keeps:
 *	1  A node's records end at the first one without a pointer. A record whose pointer is that
 *of the record before it (for the first: `leftmost`) does not count: a shift is under way there. 2
 *An insert shifts from the right, pointer before key, flushing when it leaves a line. It then
 *	   doubles the left neighbour's pointer, stores the key, and commits by storing the pointer.
 *	3  A split makes the right half durable in a new node, links that as sibling, and then ends
 *the old node in the middle. A key that is not below the sibling's first is looked for there, so
 *the parent may learn of the new node later, or never. Recovery takes out records that do not count
 *and what a split has left behind, and gives a root that has a sibling a new root.
 *
 * BUG (the published ones in brackets):
 *	1  the header of a new root is not flushed (Jaaru #4)
 *	2  the record of an insert is not flushed (Jaaru #5)
 *	3  the tree's root pointer is not flushed by its constructor (Jaaru #6)
 *	4  a shift flushes the node's first line instead of the one it leaves (Durinn #10)
 *	5  the sibling is linked before it is durable
 *	6  the old node is cut before the sibling is linked (Durinn #12)
 *	7  the root pointer is set before the new root is durable
 *	8  recovery leaves records that do not count, and inserts trip over them (Durinn #11)
 */
#include "driver.h"

enum { RECORDS = 8, LEAF = 1 /* leftmost of a leaf: no value and no node */ };

struct node {
	LINE uint64_t level;
	uint64_t leftmost;
	uint64_t sibling;
	LINE struct record {
		uint64_t key, ptr;
	} record[RECORDS];
};

static pthread_mutex_t tree_lock = PTHREAD_MUTEX_INITIALIZER;

static struct node *node_at(uint64_t offset)
{
	return pm_at(pool, offset);
}

static struct node *root_now(void)
{
	return node_at(pm_get(&pool->root));
}

static uint64_t ptr_of(const struct node *n, int i)
{
	return i < 0 ? n->leftmost : pm_get(&n->record[i].ptr);
}

static int counts(const struct node *n, int i)
{
	return ptr_of(n, i) != ptr_of(n, i - 1);
}

static int length(const struct node *n)
{
	int i = 0;

	while (i < RECORDS && ptr_of(n, i))
		i++;
	return i;
}

/* The smallest key at or right of the node's beginning that a sibling is judged by. */
static uint64_t first_key(const struct node *n)
{
	for (int i = 0; i < RECORDS && ptr_of(n, i); i++)
		if (counts(n, i))
			return n->record[i].key;
	return UINT64_MAX;
}

static struct node *move_right(struct node *n, uint64_t key)
{
	struct node *s;

	while ((s = node_at(n->sibling)) && key >= first_key(s))
		n = s;
	return n;
}

static struct node *child_for(const struct node *n, uint64_t key)
{
	uint64_t child = n->leftmost;

	for (int i = 0; i < RECORDS && ptr_of(n, i); i++) {
		if (!counts(n, i))
			continue;
		if (key < n->record[i].key)
			break;
		child = n->record[i].ptr;
	}
	return node_at(child);
}

/* The node of this level where the key belongs. */
static struct node *descend(uint64_t key, uint64_t level)
{
	struct node *n = move_right(root_now(), key);

	while (n->level > level)
		n = move_right(child_for(n, key), key);
	return n;
}

static void flush_record(struct node *n, int i)
{
#if BUG == 4
	pm_persist(&n->record[0], sizeof(n->record[0]));
	(void)i;
#else
	pm_persist(&n->record[i], sizeof(n->record[i]));
#endif
}

static int same_line(int i, int j)
{
	return i / 4 == j / 4;
}

/* Into a node that has room. */
static void record_insert(struct node *n, uint64_t key, uint64_t ptr)
{
	int i = length(n);
	struct record *r;

	if (i + 1 < RECORDS) {
		pm_set(&n->record[i + 1].ptr, 0);
		if (!same_line(i, i + 1))
			flush_record(n, i + 1);
	}
	for (; i > 0 && n->record[i - 1].key > key; i--) {
		r = &n->record[i];
		pm_set(&r->ptr, n->record[i - 1].ptr);
		pm_set(&r->key, n->record[i - 1].key);
		if (!same_line(i, i - 1))
			flush_record(n, i);
	}
	r = &n->record[i];
	pm_set(&r->ptr, ptr_of(n, i - 1));
	pm_set(&r->key, key);
	pm_set(&r->ptr, ptr);
#if BUG != 2
	pm_persist(r, sizeof(*r));
#endif
}

/* Takes out record i, which does not count, by shifting the rest to the left. */
static UNUSED void record_remove(struct node *n, int i)
{
	for (; i + 1 < RECORDS && ptr_of(n, i + 1); i++) {
		pm_set(&n->record[i].key, n->record[i + 1].key);
		pm_set(&n->record[i].ptr, n->record[i + 1].ptr);
		if (!same_line(i, i + 1))
			pm_persist(&n->record[i], sizeof(n->record[i]));
	}
	pm_set(&n->record[i].ptr, 0);
	pm_persist(&n->record[i], sizeof(n->record[i]));
}

static void cut(struct node *n, int at)
{
	pm_set(&n->record[at].ptr, 0);
	pm_persist(&n->record[at], sizeof(n->record[at]));
}

static void link_sibling(struct node *n, struct node *sibling)
{
	pm_set(&n->sibling, off(sibling));
	pm_persist(&n->sibling, sizeof(n->sibling));
}

/* A new root over the old one and its sibling. */
static void grow(struct node *old, uint64_t key, struct node *right)
{
	struct node *n = pm_alloc(sizeof(*n));

	n->level = old->level + 1;
	n->leftmost = off(old);
	n->record[0].key = key;
	n->record[0].ptr = off(right);
#if BUG == 1
	pm_persist(n->record, sizeof(n->record));
#elif BUG != 7
	pm_persist(n, sizeof(*n));
#endif
	pm_set(&pool->root, off(n));
	pm_persist(&pool->root, sizeof(pool->root));
#if BUG == 7
	pm_persist(n, sizeof(*n));
#endif
}

static void insert_at(uint64_t level, uint64_t key, uint64_t ptr);

static void split(struct node *n)
{
	struct node *new = pm_alloc(sizeof(*new));
	int middle = RECORDS / 2;
	uint64_t key = n->record[middle].key;

	new->level = n->level;
	new->leftmost = n->level ? 0 : LEAF;
	new->sibling = n->sibling;
	for (int i = middle; i < RECORDS; i++) {
		new->record[i - middle].key = n->record[i].key;
		new->record[i - middle].ptr = n->record[i].ptr;
	}
#if BUG != 5
	pm_persist(new, sizeof(*new));
#endif
#if BUG == 6
	cut(n, middle);
#endif
	link_sibling(n, new);
#if BUG != 6
	cut(n, middle);
#endif
#if BUG == 5
	pm_persist(new, sizeof(*new));
#endif
	if (n == root_now())
		grow(n, key, new);
	else
		insert_at(n->level + 1, key, off(new));
}

static void insert_at(uint64_t level, uint64_t key, uint64_t ptr)
{
	struct node *n = descend(key, level);

	while (length(n) == RECORDS) {
		split(n);
		n = descend(key, level);
	}
	record_insert(n, key, ptr);
}

static uint64_t st_find(uint64_t key)
{
	struct node *n = descend(key, 0);

	for (int i = 0; i < RECORDS && ptr_of(n, i); i++)
		if (counts(n, i) && n->record[i].key == key)
			return n->record[i].ptr;
	return 0;
}

static void st_insert(uint64_t key, uint64_t value)
{
	pthread_mutex_lock(&tree_lock);
	if (!st_find(key))
		insert_at(0, key, value);
	pthread_mutex_unlock(&tree_lock);
}

static void st_create(void)
{
	struct node *n = pm_alloc(sizeof(*n));

	n->leftmost = LEAF;
	pm_persist(n, sizeof(*n));
	pm_set(&pool->root, off(n));
#if BUG != 3
	pm_persist(&pool->root, sizeof(pool->root));
#endif
}

static void mend(struct node *n)
{
	struct node *s = node_at(n->sibling);

#if BUG != 8
	for (int i = 0; i < RECORDS && ptr_of(n, i);)
		if (counts(n, i))
			i++;
		else
			record_remove(n, i);
#endif
	for (int i = 0; s && i < RECORDS && ptr_of(n, i); i++)
		if (n->record[i].key >= first_key(s)) {
			cut(n, i);
			break;
		}
}

static void st_recover(void)
{
	struct node *root = root_now();

	for (struct node *first = root; first;
	     first = first->level ? node_at(first->leftmost) : NULL)
		for (struct node *n = first; n; n = node_at(n->sibling))
			mend(n);
	if (root->sibling)
		grow(root, first_key(node_at(root->sibling)), node_at(root->sibling));
}

/* Keys ascend along each level. */
static void st_check(void)
{
	for (struct node *first = root_now(); first;
	     first = first->level ? node_at(first->leftmost) : NULL) {
		uint64_t last = 0;

		for (struct node *n = first; n; n = node_at(n->sibling))
			for (int i = 0; i < RECORDS && ptr_of(n, i); i++) {
				if (!counts(n, i))
					continue;
				if (n->level != first->level || n->record[i].key <= last)
					lost("out of order", n->record[i].key);
				last = n->record[i].key;
			}
	}
}

#define DRIVER_MAIN
#include "driver.h"
