/*
 * split-sibling - a full leaf is split: the upper half goes to a new leaf, which is linked as the
 * sibling. Here the link is durable before the new leaf is.
 */
#include "../pm.h"

enum { FANOUT = 4, MAGIC = 0x5b117 };

struct leaf {
	LINE uint64_t count;
	uint64_t sibling, key[FANOUT];
};

struct file {
	LINE uint64_t magic;
	struct leaf leaf[2];
};

static void split(struct file *f, struct leaf *l, struct leaf *new)
{
	for (int i = FANOUT / 2; i < FANOUT; i++)
		new->key[i - FANOUT / 2] = l->key[i];
	new->count = FANOUT / 2; //@ store
#if FIXED
	pm_persist(new, sizeof(*new));
#endif
	pm_set(&l->sibling, pm_offset(f, new)); //@ link
	pm_persist(&l->sibling, sizeof(l->sibling));
#if !FIXED
	pm_persist(new, sizeof(*new)); //@ flush
#endif
	pm_set(&l->count, FANOUT / 2);
	pm_persist(&l->count, sizeof(l->count));
}

/* A key that is in both leaves belongs to the sibling: the split was cut off. */
static void recover(struct file *f)
{
	struct leaf *l = &f->leaf[0], *s = pm_at(f, l->sibling);
	int found = 0;

	if (s && l->count == FANOUT) {
		pm_set(&l->count, FANOUT / 2);
		pm_persist(&l->count, sizeof(l->count));
	}
	for (uint64_t i = 0; i < l->count; i++)
		found += l->key[i] == i + 1;
	for (uint64_t i = 0; s && i < s->count; i++)	  //@ load
		found += s->key[i] == i + 1 + FANOUT / 2; //@ load
	if (found != FANOUT) {
		fprintf(stderr, "%d of %d keys found\n", found, FANOUT);
		exit(1);
	}
}

int main(int argc, char **argv)
{
	struct file *f = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f));

	if (f->magic == MAGIC) {
		recover(f);
	} else {
		for (int i = 0; i < FANOUT; i++)
			f->leaf[0].key[i] = (uint64_t)i + 1;
		f->leaf[0].count = FANOUT;
		pm_persist(&f->leaf[0], sizeof(f->leaf[0]));
		pm_set(&f->magic, MAGIC);
		pm_persist(&f->magic, sizeof(f->magic));
	}
	if (f->leaf[0].count == FANOUT)
		split(f, &f->leaf[0], &f->leaf[1]);
	return 0;
}
