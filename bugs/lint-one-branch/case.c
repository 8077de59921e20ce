/* lint-one-branch - one of two branches forgets the flush. */
#include "../pm.h"

struct file {
	LINE uint64_t object;
	LINE uint64_t freed;
};

static void release(struct file *f, int keep)
{
	if (keep) {
		f->freed++;
		pm_persist(&f->freed, sizeof(f->freed));
	} else {
		f->object = 0; //@ store
#if FIXED
		pm_persist(&f->object, sizeof(f->object));
#endif
	}
}

int main(int argc, char **argv)
{
	struct file *f = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f));

	f->object = 7;
	pm_persist(&f->object, sizeof(f->object));
	release(f, 1);
	release(f, 0);
	return 0;
}
