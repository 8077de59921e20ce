/*
 * cas-publish - a lock-free stack: the node is written, then the top is exchanged for it by a
 * compare-and-swap. The node is flushed afterwards: by then it can be found.
 */
#include "../pm.h"

enum { NODES = 3 };

struct node {
	LINE uint64_t value;
	uint64_t next;
};

struct file {
	LINE uint64_t top;
	LINE uint64_t used;
	struct node node[NODES];
};

static void push(struct file *f, uint64_t value)
{
	struct node *n = &f->node[f->used];
	uint64_t top = pm_get(&f->top);

	pm_set(&f->used, f->used + 1);
	pm_persist(&f->used, sizeof(f->used));
	n->value = value; //@ store
	do {
		n->next = top; //@ store
#if FIXED
		pm_persist(n, sizeof(*n));
#endif
	} while (!pm_cas(&f->top, &top, pm_offset(f, n)));
	pm_flush(&f->top, sizeof(f->top));
	pm_persist(n, sizeof(*n)); //@ flush
}

int main(int argc, char **argv)
{
	struct file *f = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f));

	for (struct node *n = pm_at(f, f->top); n; n = pm_at(f, n->next))
		assert(n->value >= 10); //@ load
	while (f->used < NODES)
		push(f, 10 + f->used);
	return 0;
}
