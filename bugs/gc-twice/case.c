/*
 * gc-twice - removed nodes go to a garbage list and are reclaimed later. Here the node is on the
 * garbage list before it is out of the list in use: a crash in between, and recovery reclaims what
 * can still be reached. Every store is flushed and fenced.
 */
#include "../pm.h"

enum { MAGIC = 0x6c6c, POISON = 0xdead };

struct node {
	LINE uint64_t value;
	uint64_t next;
	LINE uint64_t garbage_next;
};

struct file {
	LINE uint64_t magic;
	LINE uint64_t head;
	LINE uint64_t garbage;
	struct node node[3];
};

static void discard(struct file *f, struct node *n)
{
	n->garbage_next = f->garbage;
	pm_persist(&n->garbage_next, sizeof(n->garbage_next));
	pm_set(&f->garbage, pm_offset(f, n));	     //@ store
	pm_persist(&f->garbage, sizeof(f->garbage)); //@ crash
}

static void remove_after(struct file *f, struct node *before)
{
	struct node *n = pm_at(f, before->next);

#if !FIXED
	discard(f, n);
#endif
	pm_set(&before->next, n->next); //@ store
	pm_persist(&before->next, sizeof(before->next));
#if FIXED
	discard(f, n); /* a crash before this leaks the node */
#endif
}

static void collect(struct file *f)
{
	for (struct node *n; (n = pm_at(f, f->garbage));) { //@ load
		pm_set(&n->value, (uint64_t)POISON);
		pm_persist(&n->value, sizeof(n->value));
		pm_set(&f->garbage, n->garbage_next);
		pm_persist(&f->garbage, sizeof(f->garbage));
	}
}

int main(int argc, char **argv)
{
	struct file *f = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f));

	if (f->magic == MAGIC) {
		collect(f);
		for (struct node *n = pm_at(f, f->head); n; n = pm_at(f, n->next)) //@ load
			assert(n->value != POISON);				   //@ check
		return 0;
	}
	for (int i = 0; i < 3; i++) {
		f->node[i].value = (uint64_t)i + 1;
		f->node[i].next = i < 2 ? pm_offset(f, &f->node[i + 1]) : 0;
	}
	f->garbage = 0;
	f->head = pm_offset(f, &f->node[0]);
	pm_persist(f, sizeof(*f));
	pm_set(&f->magic, MAGIC);
	pm_persist(&f->magic, sizeof(f->magic));
	remove_after(f, &f->node[0]);
	collect(f);
	return 0;
}
