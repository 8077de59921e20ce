/*
 * redo-increment - recovery applies a log, and the log's entries are increments. A crash in
 * recovery and a second recovery apply some of them twice. (Fixed: entries are values.)
 */
#include "../pm.h"

enum { CELLS = 2, MAGIC = 0x14c };

struct file {
	LINE uint64_t magic;
	LINE uint64_t pending; /* entries in the log; 0: none */
	struct entry {
		uint64_t cell, amount, result;
	} log[CELLS];
	struct {
		LINE uint64_t value;
	} cell[CELLS];
	LINE uint64_t done;
};

static void apply(struct file *f)
{
	for (uint64_t i = 0; i < f->pending; i++) {
		struct entry *e = &f->log[i];
		uint64_t *p = &f->cell[e->cell].value;

#if FIXED
		pm_set(p, e->result);
#else
		pm_set(p, *p + e->amount); //@ store //@ load
#endif
		pm_persist(p, sizeof(*p)); //@ crash
	}
	pm_set(&f->done, 1);
	pm_persist(&f->done, sizeof(f->done));
	pm_set(&f->pending, 0); //@ store
	pm_persist(&f->pending, sizeof(f->pending));
}

static void transact(struct file *f)
{
	for (uint64_t i = 0; i < CELLS; i++)
		f->log[i] = (struct entry){i, 5, f->cell[i].value + 5};
	pm_persist(f->log, sizeof(f->log));
	pm_set(&f->pending, CELLS);
	pm_persist(&f->pending, sizeof(f->pending));
	/* a crash here leaves the work to recovery */
}

int main(int argc, char **argv)
{
	struct file *f = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f));

	if (!f->done && !f->pending)
		transact(f);
	else
		apply(f);
	if (f->done && !f->pending)
		for (int i = 0; i < CELLS; i++)
			assert(f->cell[i].value == 5); //@ check //@ load
	return 0;
}
