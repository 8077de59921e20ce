/*
 * torn-rmw - a count of what is there. An atomic increment cannot be torn; reading, adding and storing
 * can.
 */
#include "../pm.h"

struct file {
	LINE uint64_t count;
};

int main(int argc, char **argv)
{
	struct file *f = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f));

	for (int i = 0; i < 3; i++) {
#if FIXED
		__atomic_fetch_add(&f->count, 1, __ATOMIC_ACQ_REL);
#else
		f->count = f->count + 1; //@ store //@ load
#endif
		pm_persist(&f->count, sizeof(f->count));
	}
	return 0;
}
