/*
 * torn-relaxed - data and flag share a line and recovery reads the flag first. With a relaxed store of
 * the flag that helps nobody: the store of the data may be completed after it.
 */
#include "../pm.h"

#if FIXED
#define ORDER __ATOMIC_RELEASE
#else
#define ORDER __ATOMIC_RELAXED
#endif

struct file {
	LINE uint64_t data;
	uint64_t flag;
};

int main(int argc, char **argv)
{
	struct file *f = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f));

	if (pm_get(&f->flag)) {
		printf("%llu\n", (unsigned long long)f->data); //@ load
		return 0;
	}
	f->data = 42; //@ store
	__atomic_store_n(&f->flag, 1, ORDER);
	pm_persist(f, sizeof(*f));
	return 0;
}
