/*
 * flush-pointee - a list is extended by its tail's next pointer. What is flushed is the node that
 * the pointer points to, once more, and not the pointer.
 */
#include "../pm.h"

enum { NODES = 4, MAGIC = 0x115f };

struct node {
	LINE uint64_t value;
	uint64_t next;
};

struct file {
	LINE uint64_t magic;
	uint64_t count; /* of nodes that are certainly in the list */
	struct node node[NODES];
};

static void append(struct file *f)
{
	struct node *tail = &f->node[f->count - 1], *n = &f->node[f->count];

	n->value = 100 + f->count;
	n->next = 0;
	pm_persist(n, sizeof(*n));
	pm_set(&tail->next, pm_offset(f, n)); //@ store
#if FIXED
	pm_persist(&tail->next, sizeof(tail->next));
#else
	pm_persist(n, sizeof(tail->next)); //@ flush
#endif
	pm_set(&f->count, f->count + 1);
	pm_persist(&f->count, sizeof(f->count));
}

static void recover(struct file *f)
{
	struct node *n = &f->node[0];

	for (uint64_t i = 1; i < f->count; i++) {
		n = pm_at(f, n->next);	 //@ load
		if (n->value != 100 + i) //@ fail
			abort();
	}
}

int main(int argc, char **argv)
{
	struct file *f = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f));

	if (f->magic == MAGIC) {
		recover(f);
	} else {
		f->node[0].value = 100;
		f->count = 1;
		pm_persist(f, sizeof(*f));
		pm_set(&f->magic, MAGIC);
		pm_persist(&f->magic, sizeof(f->magic));
	}
	while (f->count < NODES)
		append(f);
	return 0;
}
