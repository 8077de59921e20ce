/*
 * commit-first - an item is announced, and only then written. Everything is flushed and fenced.
 */
#include "../pm.h"

enum { ITEMS = 3 };

struct file {
	LINE uint64_t count;
	LINE struct item {
		LINE uint64_t key;
		uint64_t value;
	} item[ITEMS];
};

static void add(struct file *f, uint64_t key)
{
	uint64_t n = f->count;

#if FIXED
	f->item[n].key = key;
	f->item[n].value = key * 3;
	pm_persist(&f->item[n], sizeof(f->item[n]));
	pm_set(&f->count, n + 1);
	pm_persist(&f->count, sizeof(f->count));
#else
	pm_set(&f->count, n + 1);		 //@ commit
	pm_persist(&f->count, sizeof(f->count)); //@ crash
	f->item[n].key = key;
	f->item[n].value = key * 3; //@ store
	pm_persist(&f->item[n], sizeof(f->item[n]));
#endif
}

int main(int argc, char **argv)
{
	struct file *f = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f));

	for (uint64_t i = 0; i < f->count; i++)
		assert(f->item[i].value == (i + 1) * 3); //@ load
	while (f->count < ITEMS)
		add(f, f->count + 1);
	return 0;
}
