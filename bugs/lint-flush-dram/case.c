/* lint-flush-dram - the copy in ordinary memory is flushed, too. */
#include "../pm.h"

struct record {
	LINE uint64_t id, value;
};

int main(int argc, char **argv)
{
	struct record *r = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*r));
	static struct record copy;

	copy.id = 1;
	copy.value = 2;
#if !FIXED
	pm_flush(&copy, sizeof(copy)); //@ flush
#endif
	memcpy(r, &copy, sizeof(*r));
	pm_persist(r, sizeof(*r));
	return 0;
}
