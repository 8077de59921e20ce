/*
 * root-swap - a tree grows by a level: a new root is made, and the tree's root pointer set to it
 * with a locked exchange. The new root itself is not flushed by then.
 */
#include "../pm.h"

enum { MAGIC = 0x4007 };

struct node {
	LINE uint64_t level;
	uint64_t child[4];
};

struct file {
	LINE uint64_t magic;
	LINE uint64_t root;
	struct node leaf[2], inner;
};

static void grow(struct file *f)
{
	struct node *n = &f->inner;

	n->level = 1;
	n->child[0] = pm_offset(f, &f->leaf[0]);
	n->child[1] = pm_offset(f, &f->leaf[1]); //@ store
#if FIXED
	pm_persist(n, sizeof(*n));
#endif
	__atomic_exchange_n(&f->root, pm_offset(f, n), __ATOMIC_SEQ_CST);
	pm_flush(&f->root, sizeof(f->root));
	pm_persist(n, sizeof(*n)); //@ flush
}

static uint64_t last_leaf(struct file *f)
{
	struct node *n = pm_at(f, f->root);

	if (n != &f->leaf[0])
		n = pm_at(f, n->child[1]); //@ load
	return n->level;		   //@ fail
}

int main(int argc, char **argv)
{
	struct file *f = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f));

	if (f->magic != MAGIC) {
		f->root = pm_offset(f, &f->leaf[0]);
		pm_persist(&f->root, sizeof(f->root));
		pm_set(&f->magic, MAGIC);
		pm_persist(&f->magic, sizeof(f->magic));
	}
	if (last_leaf(f) != 0)
		return 1;
	grow(f);
	return 0;
}
