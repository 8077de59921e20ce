/* lint-bump - the allocator's bump pointer is moved by an atomic addition and never flushed. */
#include "../pm.h"

struct file {
	LINE uint64_t used;
	struct item {
		LINE uint64_t v;
	} item[8];
};

static struct item *take(struct file *f)
{
	uint64_t i = __atomic_fetch_add(&f->used, 1, __ATOMIC_SEQ_CST) % 8; //@ store

#if FIXED
	pm_persist(&f->used, sizeof(f->used));
#endif
	return &f->item[i];
}

int main(int argc, char **argv)
{
	struct file *f = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f));

	for (uint64_t i = 1; i < 4; i++) {
		struct item *it = take(f);

		it->v = i;
		pm_persist(it, sizeof(*it));
	}
	return 0;
}
