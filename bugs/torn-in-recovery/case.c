/*
 * torn-in-recovery - the first execution is right. Recovery counts what it finds and stores the count; a
 * crash there leaves it to the next recovery.
 */
#include "../pm.h"

enum { SLOTS = 3 };

struct file {
	LINE uint64_t used[SLOTS];
	LINE uint64_t counted;
};

int main(int argc, char **argv)
{
	struct file *f = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f));
	uint64_t n = 0;

	for (int i = 0; i < SLOTS; i++)
		n += pm_get(&f->used[i]);
	if (n) {
		if (f->counted > SLOTS) //@ load
			return 1;
#if FIXED
		pm_set(&f->counted, n);
#else
		f->counted = n; //@ store
#endif
		pm_persist(&f->counted, sizeof(f->counted));
	}
	for (int i = 0; i < SLOTS; i++) {
		pm_set(&f->used[i], 1);
		pm_persist(&f->used[i], sizeof(f->used[i]));
	}
	return 0;
}
