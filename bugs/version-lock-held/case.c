/*
 * version-lock-held - a node's lock is a bit of its version, in PM. Readers wait for it, too, and on
 * the way look whether the node has a sibling by now, so their loop reads two words, and not only
 * the lock. A crash in an insertion leaves the bit set: whatever uses the node then waits forever,
 * wherever that is. All of it is one mistake.
 */
#include "../pm.h"

enum { MAGIC = 0xb114, NODES = 2, SLOTS = 4, LOCKED = 2 };

struct file {
	LINE uint64_t magic;
	struct node {
		LINE uint64_t version;
		uint64_t next;
		uint64_t n;
		uint64_t key[SLOTS];
	} node[NODES];
};

static struct file *f;

/* The node that has the key: this one, or its sibling. */
static struct node *advance(struct node *n, uint64_t key)
{
	struct node *next = pm_at(f, pm_get(&n->next));

	return next && next->key[0] <= key ? next : n;
}

/* Waits until the node is not locked; its version then. */
static uint64_t read_lock(struct node **n, uint64_t key)
{
	uint64_t version;

	for (;;) {
		*n = advance(*n, key);
		version = pm_get(&(*n)->version); //@ load
		if (!(version & LOCKED))
			return version;
	}
}

static void write_lock(struct node **n, uint64_t key)
{
	uint64_t version;

	do
		version = read_lock(n, key);
	while (!pm_cas(&(*n)->version, &version, version + LOCKED)); //@ store
}

static void write_unlock(struct node *n)
{
	__atomic_fetch_add(&n->version, LOCKED, __ATOMIC_SEQ_CST);
}

static int has(struct node *n, uint64_t key)
{
	int found;

	for (;;) {
		uint64_t version = read_lock(&n, key);

		found = 0;
		for (uint64_t i = 0; i < n->n; i++)
			found |= n->key[i] == key;
		if (pm_get(&n->version) == version)
			return found;
	}
}

static void insert(struct node *n, uint64_t key)
{
	write_lock(&n, key);
	if (n->n < SLOTS) {
		n->key[n->n] = key;
		pm_persist(&n->key[n->n], sizeof(n->key[0]));
		pm_set(&n->n, n->n + 1);
		pm_persist(&n->n, sizeof(n->n));
	}
	write_unlock(n);
}

int main(int argc, char **argv)
{
	f = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f));
#if FIXED
	for (int i = 0; i < NODES; i++)
		pm_set(&f->node[i].version, 0);
#endif
	if (f->magic != MAGIC) {
		pm_set(&f->node[1].key[0], 5);
		pm_set(&f->node[1].n, 1);
		pm_persist(&f->node[1], sizeof(f->node[1]));
		pm_set(&f->node[0].next, pm_offset(f, &f->node[1]));
		pm_persist(&f->node[0], sizeof(f->node[0]));
		pm_set(&f->magic, MAGIC);
		pm_persist(&f->magic, sizeof(f->magic));
	}
	for (uint64_t key = 1; key < 8; key += 3) /* waits in has() or in insert() */
		if (key == 4 || !has(&f->node[0], key))
			insert(&f->node[0], key);
	return 0;
}
