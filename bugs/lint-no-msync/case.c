/* lint-no-msync - an ordinary file, mapped: the second page is never synced. */
#include "../pm.h"

int main(int argc, char **argv)
{
	uint64_t *p = pm_map(argc > 1 ? argv[1] : NULL, 8192);

	p[0] = 1;
	p[512] = 2; //@ store
	if (msync(p, FIXED ? 8192 : 4096, MS_SYNC) != 0)
		return 1;
	return 0;
}
