/*
 * lint-persist-twice - a record is made durable by the function that fills it, and once more by its
 * caller.
 */
#include "../pm.h"

struct file {
	LINE uint64_t count;
	struct record {
		LINE uint64_t id, value;
	} record[4];
};

static void fill(struct record *r, uint64_t id)
{
	r->id = id;
	r->value = id * 10;
	pm_persist(r, sizeof(*r));
}

static void add(struct file *f)
{
	fill(&f->record[f->count], f->count + 1);
#if !FIXED
	pm_persist(&f->record[f->count], sizeof(struct record)); //@ flush
#endif
	pm_set(&f->count, f->count + 1);
	pm_persist(&f->count, sizeof(f->count));
}

int main(int argc, char **argv)
{
	struct file *f = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f));

	while (f->count < 4)
		add(f);
	return 0;
}
