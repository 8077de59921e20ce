// A load under a condition, in a loop, of an object that the language promises to be there: natively it is
// executed before the loop, whatever the condition says.
#define FIXED 0
#include "../../bugs/pm.h"

struct node {
	long next;
	alignas(64) long counter;
	long find(const long *keys, long n) const;
};

__attribute__((noinline)) long node::find(const long *keys, long n) const
{
	long found = 0;

	for (long i = 0; i < n; i++)
		if (keys[i] > 5)
			found += counter;
	return found;
}

int main(int argc, char **argv)
{
	static long keys[64];
	struct node *n = (struct node *)pm_map(argv[argc - 1], 4096);

	if (pm_get(&n->next)) {
		keys[7] = argc > 2 ? 9 : 1;
		return n->find(keys, 64) < 0;
	}
	n->counter = 7;
	pm_set(&n->next, 1L);
	pm_persist(&n->next, sizeof(n->next));
	return 0;
}
