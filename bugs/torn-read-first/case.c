/*
 * torn-read-first - data and flag share a line, the flag is a release store and comes last. Who reads
 * the flag first, and finds it set, knows that the line was written back after the data was complete.
 * Who reads the data first knows nothing.
 */
#include "../pm.h"

struct file {
	LINE uint64_t data;
	uint64_t flag;
};

int main(int argc, char **argv)
{
	struct file *f = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f));

#if FIXED
	if (pm_get(&f->flag))
		printf("%llu\n", (unsigned long long)f->data);
#else
	uint64_t data = f->data; //@ load

	if (pm_get(&f->flag))
		printf("%llu\n", (unsigned long long)data);
#endif
	else {
		f->data = 42; //@ store
		pm_set(&f->flag, 1);
		pm_persist(f, sizeof(*f));
	}
	return 0;
}
