/*
 * lint-shrink - an array is made shorter, and the loop that flushes what was added runs with a difference
 * that is negative, over everything behind it.
 */
#include "../pm.h"

enum { MAX = 64 };

struct file {
	LINE uint64_t size;
	struct item {
		LINE uint64_t v;
	} item[MAX];
};

static void resize(struct file *f, uint32_t to)
{
	uint32_t size = (uint32_t)f->size;

	for (uint32_t i = size; i < to; i++)
		f->item[i].v = 1;
#if FIXED
	for (uint32_t i = size; i < to; i++)
		pm_clwb(&f->item[i]);
#else
	for (uint32_t i = 0; i < (to - size) % MAX; i++)
		pm_clwb(&f->item[(i + size) % MAX]); //@ flush
#endif
	if (to > size)
		pm_fence();
	pm_set(&f->size, to);
	pm_persist(&f->size, sizeof(f->size));
}

int main(int argc, char **argv)
{
	struct file *f = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f));

	resize(f, 8);
	resize(f, 4);
	return 0;
}
