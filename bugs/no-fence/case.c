/*
 * no-fence - data and commit are both flushed, in the right order, by an instruction that keeps no
 * order. Between the two a fence is missing.
 */
#include "../pm.h"
#include <immintrin.h>

enum { SLOTS = 3 };

struct file {
	LINE uint64_t count;
	struct slot {
		LINE uint64_t id;
		uint64_t price, amount;
	} slot[SLOTS];
};

static void __attribute__((target("clwb"))) clwb(void *p)
{
	_mm_clwb(p);
}

static void add(struct file *f)
{
	struct slot *s = &f->slot[f->count];

	s->id = f->count + 1;
	s->price = 250;
	s->amount = 4; //@ store
	clwb(s);       //@ flush
#if FIXED
	pm_fence();
#endif
	pm_set(&f->count, f->count + 1);
	clwb(&f->count);
	pm_fence();
}

int main(int argc, char **argv)
{
	struct file *f = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f));

	for (uint64_t i = 0; i < f->count; i++)
		assert(f->slot[i].amount == 4); //@ load
	while (f->count < SLOTS)
		add(f);
	return 0;
}
