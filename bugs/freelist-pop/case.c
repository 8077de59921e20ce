/*
 * freelist-pop - a node leaves the free list and enters the list in use. If it enters before it
 * has left, a crash leaves it in both, and the next allocation overwrites a node in use.
 */
#include "../pm.h"

enum { NODES = 4, MAGIC = 0xf4ee };

struct node {
	LINE uint64_t next;
	uint64_t value;
};

struct file {
	LINE uint64_t magic;
	LINE uint64_t free;
	LINE uint64_t used;
	struct node node[NODES];
};

static void push(struct file *f, uint64_t value)
{
	uint64_t at = f->free; //@ load
	struct node *n = pm_at(f, at);
	uint64_t rest = n->next;

#if FIXED
	pm_set(&f->free, rest);
	pm_persist(&f->free, sizeof(f->free));
#endif
	n->value = value;
	n->next = f->used;
	pm_persist(n, sizeof(*n));
	pm_set(&f->used, at);		       //@ store
	pm_persist(&f->used, sizeof(f->used)); //@ crash
#if !FIXED
	pm_set(&f->free, rest); //@ store
	pm_persist(&f->free, sizeof(f->free));
#endif
}

/* How many nodes are in use; the newest has the highest value. */
static uint64_t recover(struct file *f)
{
	uint64_t n = 0, last = 100;

	for (uint64_t at = f->used; at; n++) { //@ load
		struct node *node = pm_at(f, at);

		if (node->value >= last || n >= NODES) { //@ load
			fprintf(stderr, "the list in use is not what was pushed\n");
			exit(1);
		}
		last = node->value;
		at = node->next; //@ load
	}
	return n;
}

int main(int argc, char **argv)
{
	struct file *f = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f));

	if (f->magic != MAGIC) {
		f->used = 0;
		f->free = pm_offset(f, &f->node[0]);
		for (int i = 0; i < NODES; i++)
			f->node[i].next = i + 1 < NODES ? pm_offset(f, &f->node[i + 1]) : 0;
		pm_persist(f, sizeof(*f));
		pm_set(&f->magic, MAGIC);
		pm_persist(&f->magic, sizeof(f->magic));
	}
	for (uint64_t n = recover(f); n < 2; n++)
		push(f, n + 1);
	recover(f);
	return 0;
}
