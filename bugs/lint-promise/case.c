/* lint-promise - an operation promises durability when it returns, and flushes with the next one. */
#include "../pm.h"
#include "perdure.h"

struct file {
	LINE uint64_t head;
	uint64_t slot[7];
};

static void push(struct file *f, uint64_t v)
{
	f->slot[f->head % 7] = v;
#if FIXED
	f->head++;
	pm_persist(f, sizeof(*f));
#else
	pm_persist(f, sizeof(*f));
	f->head++; //@ store
#endif
	pd_durable(f, sizeof(*f)); //@ check
}

int main(int argc, char **argv)
{
	struct file *f = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f));

	push(f, 1);
	push(f, 2);
	pm_persist(f, sizeof(*f));
	return 0;
}
