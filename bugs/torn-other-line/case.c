/*
 * torn-other-line - recovery reads a release store first and the data then. If they share a line, the
 * line was written back after the data; if they do not, each line has its own time.
 */
#include "../pm.h"

struct file {
#if FIXED
	LINE uint64_t flag;
	uint64_t data;
#else
	LINE uint64_t flag;
	LINE uint64_t data;
#endif
};

int main(int argc, char **argv)
{
	struct file *f = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f));

	if (pm_get(&f->flag)) {
		printf("%llu\n", (unsigned long long)f->data); //@ load
		return 0;
	}
	f->data = 42; //@ store
	pm_set(&f->flag, 1);
	pm_persist(f, sizeof(*f));
	return 0;
}
