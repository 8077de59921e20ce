/*
 * lint-version-flip - a transaction that needs no log: it fills in the copy that is not in use, makes it
 * durable, and commits by one store of the version, which says which copy counts. The buggy one flips
 * the version before the copy is durable: if it does not commit, the old content is gone.
 */
#include "../pm.h"
#include "perdure.h"

struct copy {
	LINE uint64_t balance[2];
};

struct file {
	LINE uint64_t version;
	struct copy copy[2];
};

static void transfer(struct file *f, uint64_t n)
{
	struct copy *from, *to;

	pd_tx_begin(); //@ transaction
	from = &f->copy[f->version % 2];
	to = &f->copy[(f->version + 1) % 2];
	to->balance[0] = from->balance[0] - n; //@ store
	to->balance[1] = from->balance[1] + n;
#if FIXED
	pm_persist(to, sizeof(*to));
	f->version++;
	pm_persist(&f->version, 8);
#else
	f->version++;
	pm_persist(&f->version, 8);
	pm_persist(to, sizeof(*to));
#endif
	pd_tx_end();
}

int main(int argc, char **argv)
{
	struct file *f = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f));

	transfer(f, 10);
	transfer(f, 20);
	return 0;
}
