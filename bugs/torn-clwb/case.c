/*
 * torn-clwb - as torn-clflush, with clwb: which has no effect by any certain moment but a fence's.
 */
#include "../pm.h"

struct file {
	LINE uint64_t flag;
	LINE uint64_t data;
};

int main(int argc, char **argv)
{
	struct file *f = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f));

	if (pm_get(&f->flag))
		printf("%llu\n", (unsigned long long)f->data); //@ load
	else
		f->data = 42; //@ store
	pm_clwb(&f->data);
#if FIXED
	pm_fence();
#endif
	pm_set(&f->flag, 1);
	pm_clwb(&f->flag);
	pm_fence();
	return 0;
}
