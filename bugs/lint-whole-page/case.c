/* lint-whole-page - a page is flushed for a header of 16 bytes. */
#include "../pm.h"

struct file {
	LINE uint64_t magic;
	uint64_t version;
	char rest[4080];
};

int main(int argc, char **argv)
{
	struct file *f = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f));

	f->magic = 42;
	f->version = 1;
#if FIXED
	pm_persist(f, 16);
#else
	pm_persist(f, sizeof(*f)); //@ flush
#endif
	return 0;
}
