/*
 * redo-commit-early - a redo log: entries, then the number of entries as commit, then they are
 * applied. Here the commit may become durable before the entries.
 */
#include "../pm.h"

enum { CELLS = 3, MAGIC = 0x4ed0 };

struct file {
	LINE uint64_t magic;
	LINE uint64_t cell[CELLS];
	LINE uint64_t committed;
	LINE struct entry {
		uint64_t index, value;
	} log[CELLS];
};

static void apply(struct file *f)
{
	for (uint64_t i = 0; i < f->committed; i++) {
		struct entry *e = &f->log[i];

		if (e->value != 10 + e->index) { //@ load
			fprintf(stderr, "log entry %d is void\n", (int)i);
			exit(1);
		}
		pm_set(&f->cell[e->index], e->value);
	}
	pm_persist(f->cell, sizeof(f->cell));
	pm_set(&f->committed, 0);
	pm_persist(&f->committed, sizeof(f->committed));
}

static void update(struct file *f)
{
	for (uint64_t i = 0; i < CELLS; i++) {
		f->log[i].index = i;
		f->log[i].value = 10 + i; //@ store
	}
#if FIXED
	pm_persist(f->log, sizeof(f->log));
#endif
	pm_set(&f->committed, CELLS); //@ commit
	pm_persist(&f->committed, sizeof(f->committed));
#if !FIXED
	pm_persist(f->log, sizeof(f->log)); //@ flush
#endif
	apply(f);
}

int main(int argc, char **argv)
{
	struct file *f = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f));

	if (f->magic == MAGIC) {
		apply(f);
	} else {
		pm_set(&f->magic, MAGIC);
		pm_persist(&f->magic, sizeof(f->magic));
	}
	update(f);
	return 0;
}
