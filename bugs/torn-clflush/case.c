/*
 * torn-clflush - the flag is atomic, the data behind it is not: it need not be, if its line is written
 * back before the flag is set. clflush alone does that: it is ordered like a store.
 */
#include "../pm.h"

struct file {
	LINE uint64_t flag;
	LINE uint64_t data;
};

int main(int argc, char **argv)
{
	struct file *f = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f));

	if (pm_get(&f->flag))
		printf("%llu\n", (unsigned long long)f->data); //@ load
	else
		f->data = 42; //@ store
#if FIXED
	_mm_clflush(&f->data);
#endif
	pm_set(&f->flag, 1);
	_mm_clflush(&f->flag);
	_mm_clflush(&f->data);
	return 0;
}
