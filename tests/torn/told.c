/* told.c - a table that is made without a flush: recovery fails without its size, not without its seed. */
#include "../../bugs/pm.h"

struct table {
	LINE uint64_t size;
	LINE uint64_t seed;
	LINE uint64_t count;
	LINE uint64_t ready;
};

static void make(struct table *t)
{
	t->size = 4;
	t->seed = 7;
}

static void count(struct table *t)
{
	t->count++;
	pm_persist(&t->count, sizeof(t->count));
}

int main(int argc, char **argv)
{
	struct table *t = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*t));

	if (!pm_get(&t->ready)) {
		make(t);
		pm_set(&t->ready, 1);
		pm_persist(&t->ready, sizeof(t->ready));
	}
	printf("%llu\n", (unsigned long long)t->seed);
	if (!t->size)
		abort();
	count(t);
	return 0;
}
