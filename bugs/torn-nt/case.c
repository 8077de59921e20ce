/*
 * torn-nt - a non-temporal store of a word is an instruction of its own, which no compiler splits.
 */
#include "../pm.h"

struct file {
	LINE uint64_t commit;
};

int main(int argc, char **argv)
{
	struct file *f = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f));

	printf("%llu\n", (unsigned long long)f->commit); //@ load
#if FIXED
	_mm_stream_si64((long long *)&f->commit, 1);
	pm_fence();
#else
	f->commit = 1; //@ store
	pm_persist(f, sizeof(*f));
#endif
	return 0;
}
