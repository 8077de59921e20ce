/*
 * one-fence-two-lines - the two lines of a record are written by different statements and both are
 * flushed. One fence is missing before the commit.
 */
#include "../pm.h"
#include <immintrin.h>

struct file {
	LINE uint64_t committed;
	LINE uint64_t id;
	LINE uint64_t amount;
};

static void __attribute__((target("clwb"))) clwb(void *p)
{
	_mm_clwb(p);
}

int main(int argc, char **argv)
{
	struct file *f = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f));

	if (pm_get(&f->committed)) {
		assert(f->id == 7);
		assert(f->amount == 250);
		return 0;
	}
	f->id = 7;
	clwb(&f->id);
	f->amount = 250; //@ later
	clwb(&f->amount);
#if FIXED
	pm_fence();
#endif
	pm_set(&f->committed, 1);
	clwb(&f->committed);
	pm_fence();
	return 0;
}
