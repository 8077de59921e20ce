/*
 * torn-volatile - volatile says that a store happens, not how. Compilers keep an aligned word whole all the
 * same, so this is a note and no error.
 */
#include "../pm.h"

struct file {
#if FIXED
	LINE _Atomic uint64_t commit;
#else
	LINE volatile uint64_t commit;
#endif
};

int main(int argc, char **argv)
{
	struct file *f = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f));

	printf("%llu\n", (unsigned long long)f->commit); //@ load
	f->commit = 1; //@ store
	pm_persist(f, sizeof(*f));
	return 0;
}
