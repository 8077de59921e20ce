/*
 * freelist-push - a node is given back: the head of the free list is set to it before its own link
 * to the rest is durable. The rest of the free list is gone, and what the old link says is not
 * free.
 */
#include "../pm.h"

enum { NODES = 4, MAGIC = 0xf4e2 };

struct node {
	LINE uint64_t next;
	uint64_t is_free;
};

struct file {
	LINE uint64_t magic;
	LINE uint64_t head;
	struct node node[NODES];
};

static void give_back(struct file *f, struct node *n)
{
	n->is_free = 1;
	n->next = f->head; //@ store
#if FIXED
	pm_persist(n, sizeof(*n));
	pm_set(&f->head, pm_offset(f, n));
#else
	pm_set(&f->head, pm_offset(f, n));
	pm_flush(n, sizeof(*n)); //@ flush
#endif
	pm_persist(&f->head, sizeof(f->head));
}

static int count(struct file *f)
{
	int n = 0;

	for (struct node *p = pm_at(f, f->head); p; p = pm_at(f, p->next)) { //@ load
		assert(p->is_free == 1);				     //@ load
		n++;
	}
	return n;
}

int main(int argc, char **argv)
{
	struct file *f = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f));

	if (f->magic != MAGIC) { /* all in use, chained to each other */
		f->head = 0;
		for (int i = 0; i < NODES; i++) {
			f->node[i].is_free = 0;
			f->node[i].next = pm_offset(f, &f->node[(i + 1) % NODES]);
		}
		pm_persist(f, sizeof(*f));
		pm_set(&f->magic, MAGIC);
		pm_persist(&f->magic, sizeof(f->magic));
	}
	for (int n = count(f); n < 3; n++)
		give_back(f, &f->node[n]);
	return 0;
}
