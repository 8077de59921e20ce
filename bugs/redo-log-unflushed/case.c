/*
 * redo-log-unflushed - a redo log is committed, but its entries are never flushed. Applying it
 * stores to several lines with one fence at the end, which is right as long as the log is there.
 */
#include "../pm.h"

enum { CELLS = 3 };

struct file {
	LINE uint64_t committed;
	LINE uint64_t n;
	struct {
		uint64_t cell, value;
	} entry[CELLS];
	struct {
		LINE uint64_t value;
	} cell[CELLS];
};

static void apply(struct file *f)
{
	for (uint64_t i = 0; i < f->n; i++) {
		f->cell[f->entry[i].cell].value = f->entry[i].value;
		pm_flush(&f->cell[f->entry[i].cell], 8);
	}
	pm_fence();
	pm_set(&f->committed, 0);
	pm_persist(&f->committed, 8);
}

int main(int argc, char **argv)
{
	struct file *f = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f));

	if (pm_get(&f->committed))
		apply(f);
	for (int i = 1; i < CELLS; i++)
		assert(f->cell[i].value == f->cell[0].value);
	if (f->cell[0].value)
		return 0;
	for (uint64_t i = 0; i < CELLS; i++) {
		f->entry[i].cell = i;
		f->entry[i].value = 1;
	}
	f->n = CELLS; //@ store
#if FIXED
	pm_persist(&f->n, 8 + sizeof(f->entry));
#endif
	pm_set(&f->committed, 1);
	pm_persist(&f->committed, 8);
	apply(f);
	return 0;
}
