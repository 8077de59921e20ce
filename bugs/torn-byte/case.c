/*
 * torn-byte - a byte is never split. A compiler that knows that it will be stored to may use it for
 * something else before (a store may be invented), so a plain one still races.
 */
#include "../pm.h"
#include <stdbool.h>

struct list {
	LINE uint64_t head;
	bool added;
};

int main(int argc, char **argv)
{
	struct list *l = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*l));

	if (l->added) //@ load
		printf("%llu\n", (unsigned long long)pm_get(&l->head));
	pm_set(&l->head, 64);
	pm_persist(&l->head, sizeof(l->head));
#if FIXED
	pm_set(&l->added, true);
#else
	l->added = true; //@ store
#endif
	pm_persist(&l->added, sizeof(l->added));
	return 0;
}
