/*
 * lint-mfence-before - flushing as some indexes do it: a full fence before the flush, for nothing, and
 * one after it.
 */
#include "../pm.h"

static void write_back(void *p)
{
#if !FIXED
	_mm_mfence(); //@ fence
#endif
	_mm_clflush(p);
	_mm_mfence();
}

int main(int argc, char **argv)
{
	uint64_t *p = pm_map(argc > 1 ? argv[1] : NULL, 4096);

	for (uint64_t i = 0; i < 3; i++) {
		p[8 * i] = i + 1;
		write_back(&p[8 * i]);
	}
	return 0;
}
