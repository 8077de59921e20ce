/*
 * same-line - value and valid flag share a line, so that one flush is enough and no fence is
 * needed between them: the line's stores become durable in their order. But then the order counts.
 */
#include "../pm.h"

enum { CELLS = 3 };

struct file {
	struct cell {
		LINE uint64_t value;
		uint64_t valid;
	} cell[CELLS];
};

static void fill(struct cell *c, uint64_t value)
{
#if FIXED
	pm_set(&c->value, value);
	pm_set(&c->valid, 1);
#else
	pm_set(&c->valid, 1);
	pm_set(&c->value, value); //@ store
#endif
	pm_persist(c, sizeof(*c));
}

int main(int argc, char **argv)
{
	struct file *f = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f));

	for (uint64_t i = 0; i < CELLS; i++) {
		if (!f->cell[i].valid)
			fill(&f->cell[i], 40 + i);
		else
			assert(f->cell[i].value == 40 + i); //@ load
	}
	return 0;
}
