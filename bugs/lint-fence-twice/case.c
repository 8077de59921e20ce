/* lint-fence-twice - a function that drains, and a caller that drains after it. */
#include "../pm.h"

static void put(uint64_t *p, uint64_t v)
{
	*p = v;
	pm_persist(p, sizeof(*p));
}

int main(int argc, char **argv)
{
	uint64_t *p = pm_map(argc > 1 ? argv[1] : NULL, 4096);

	for (uint64_t i = 0; i < 3; i++) {
		put(p, i);
#if !FIXED
		pm_fence(); //@ fence
#endif
	}
	return 0;
}
