/*
 * dlist-prev - a doubly linked list is only as good as its forward links, which are the commit. The
 * backward links can be stale after a crash; who uses them in recovery must mend them first.
 */
#include "../pm.h"

enum { NODES = 3, MAGIC = 0xd1157 };

struct file {
	LINE uint64_t magic;
	LINE uint64_t head;
	LINE uint64_t tail;
	struct node {
		LINE uint64_t next;
		uint64_t prev;
	} node[NODES];
};

static uint64_t length(struct file *f)
{
	uint64_t n = 0;

	for (struct node *p = pm_at(f, f->head); p; p = pm_at(f, p->next))
		n++;
	return n;
}

static void push_front(struct file *f, struct node *n)
{
	struct node *old = pm_at(f, f->head);

	n->next = f->head;
	n->prev = 0;
	pm_persist(n, sizeof(*n));
	pm_set(&f->head, pm_offset(f, n));
	pm_persist(&f->head, sizeof(f->head)); //@ crash
	if (old) {
		pm_set(&old->prev, pm_offset(f, n)); //@ store
		pm_persist(&old->prev, sizeof(old->prev));
	} else {
		pm_set(&f->tail, pm_offset(f, n)); //@ store
		pm_persist(&f->tail, sizeof(f->tail));
	}
}

static void recover(struct file *f)
{
	uint64_t n = 0;

#if FIXED
	uint64_t prev = 0;

	for (uint64_t at = f->head; at; at = ((struct node *)pm_at(f, at))->next) {
		struct node *p = pm_at(f, at);

		pm_set(&p->prev, prev);
		pm_flush(p, sizeof(*p));
		prev = at;
	}
	pm_set(&f->tail, prev);
	pm_persist(&f->tail, sizeof(f->tail));
#endif
	for (struct node *p = pm_at(f, f->tail); p; p = pm_at(f, p->prev)) //@ load
		n++;
	assert(n == length(f)); //@ check
}

int main(int argc, char **argv)
{
	struct file *f = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f));

	if (f->magic == MAGIC) {
		recover(f);
	} else {
		pm_set(&f->magic, MAGIC);
		pm_persist(&f->magic, sizeof(f->magic));
	}
	for (uint64_t n = length(f); n < NODES; n++)
		push_front(f, &f->node[n]);
	return 0;
}
