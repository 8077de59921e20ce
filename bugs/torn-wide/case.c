/*
 * torn-wide - a value of 16 bytes is two words to a crash, whatever instruction stores it.
 */
#include "../pm.h"

typedef unsigned __int128 wide;

struct file {
	LINE uint64_t which;
	LINE wide value[2];
};

int main(int argc, char **argv)
{
	struct file *f = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f));
	uint64_t which = pm_get(&f->which);

	printf("%llu\n", (unsigned long long)f->value[which & 1]); //@ load
#if FIXED
	which++;
#endif
	f->value[which & 1] = (wide)which << 64 | 1; //@ store
	pm_persist(f->value, sizeof(f->value));
	pm_set(&f->which, which);
	pm_persist(&f->which, sizeof(f->which));
	return 0;
}
