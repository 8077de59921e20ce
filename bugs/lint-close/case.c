/* lint-close - the clean mark is stored right before the file is unmapped. */
#include "../pm.h"

struct file {
	LINE uint64_t runs;
	LINE uint64_t clean;
};

static void leave(struct file *f)
{
	f->clean = 1; //@ store
#if FIXED
	pm_persist(&f->clean, sizeof(f->clean));
#endif
	munmap(f, sizeof(*f));
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : NULL;
	struct file *f = pm_map(name, sizeof(*f));

	f->runs++;
	f->clean = 0;
	pm_persist(&f->runs, sizeof(f->runs));
	pm_persist(&f->clean, sizeof(f->clean));
	leave(f);
	/* Somebody else maps it and makes everything durable: too late. */
	f = pm_map(name, sizeof(*f));
	f->clean++;
	pm_persist(f, sizeof(*f));
	return 0;
}
