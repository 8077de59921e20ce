/*
 * torn-bitfield - a bit-field has no address and cannot be atomic: storing one reads the unit around it,
 * changes some bits and stores it. Flags that recovery reads are kept in an atomic word.
 */
#include "../pm.h"

struct file {
	LINE uint64_t generation;
#if FIXED
	uint32_t bits;
#else
	uint32_t ready : 1, kind : 5;
#endif
};

int main(int argc, char **argv)
{
	struct file *f = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f));

#if FIXED
	printf("%u\n", pm_get(&f->bits));
	pm_set(&f->bits, 1 | 7 << 1);
#else
	printf("%u\n", f->kind); //@ load
	f->kind = 7; //@ store
#endif
	pm_persist(f, sizeof(*f));
	return 0;
}
