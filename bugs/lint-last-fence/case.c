/* lint-last-fence - the last update is flushed, and the program ends without a fence. */
#include "../pm.h"

int main(int argc, char **argv)
{
	uint64_t *p = pm_map(argc > 1 ? argv[1] : NULL, 4096);

	for (uint64_t i = 0; i < 4; i++) {
		p[8 * i] = i + 1;      //@ store
		pm_clwb(&p[8 * i]);    //@ flush
		if (FIXED || i < 3)
			pm_fence();
	}
	return 0;
}
