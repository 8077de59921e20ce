/*
 * move-to-front - a node of a list is moved to its front. If it is put in front before it is taken
 * out where it was, a crash leaves a ring, and recovery walks it without end.
 */
#include "../pm.h"

enum { NODES = 3, MAGIC = 0x3f7 };

struct file {
	LINE uint64_t magic;
	LINE uint64_t head;
	struct node {
		LINE uint64_t next;
		uint64_t value;
	} node[NODES];
};

static void move_to_front(struct file *f, struct node *before, struct node *n)
{
	uint64_t rest = n->next;

#if FIXED
	pm_set(&before->next, rest); /* a crash from here on loses n: it is put back by recovery */
	pm_persist(&before->next, sizeof(before->next));
	pm_set(&n->next, f->head);
	pm_persist(&n->next, sizeof(n->next));
	pm_set(&f->head, pm_offset(f, n));
	pm_persist(&f->head, sizeof(f->head));
#else
	pm_set(&n->next, f->head); //@ store
	pm_persist(&n->next, sizeof(n->next));
	pm_set(&f->head, pm_offset(f, n));     //@ store
	pm_persist(&f->head, sizeof(f->head)); //@ crash
	pm_set(&before->next, rest);	       //@ store
	pm_persist(&before->next, sizeof(before->next));
#endif
}

static void recover(struct file *f)
{
	unsigned have = 0;

	for (struct node *n = pm_at(f, f->head); n; n = pm_at(f, n->next)) //@ load
		have |= 1u << n->value;
	for (int i = 0; i < NODES; i++)
		if (!(have & 1u << i)) {
			pm_set(&f->node[i].next, f->head);
			pm_persist(&f->node[i], sizeof(f->node[i]));
			pm_set(&f->head, pm_offset(f, &f->node[i]));
			pm_persist(&f->head, sizeof(f->head));
		}
}

int main(int argc, char **argv)
{
	struct file *f = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f));

	if (f->magic == MAGIC) {
		recover(f);
		return 0;
	}
	for (int i = 0; i < NODES; i++) {
		f->node[i].value = (uint64_t)i;
		f->node[i].next = i + 1 < NODES ? pm_offset(f, &f->node[i + 1]) : 0;
	}
	f->head = pm_offset(f, &f->node[0]);
	pm_persist(f, sizeof(*f));
	pm_set(&f->magic, MAGIC);
	pm_persist(&f->magic, sizeof(f->magic));
	move_to_front(f, &f->node[1], &f->node[2]);
	return 0;
}
