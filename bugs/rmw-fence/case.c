/*
 * rmw-fence - a locked exchange waits for earlier flushes as a fence does, so clwb and xchg are
 * enough to order data before its publication. A plain store is not.
 */
#include "../pm.h"

enum { SLOTS = 3 };

struct file {
	LINE uint64_t current; /* slot + 1 */
	struct slot {
		LINE uint64_t value;
	} slot[SLOTS];
};

static void publish(uint64_t *where, uint64_t what)
{
#if FIXED
	__asm__ volatile("xchgq %0, %1" : "+r"(what), "+m"(*where) : : "memory");
#else
	pm_set(where, what);
#endif
}

static void update(struct file *f, uint64_t i)
{
	f->slot[i].value = 30 + i; //@ store
	pm_clwb(&f->slot[i]);	   //@ flush
	publish(&f->current, i + 1);
	pm_clwb(&f->current);
	pm_fence();
}

int main(int argc, char **argv)
{
	struct file *f = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f));
	uint64_t now = pm_get(&f->current);

	if (now)
		assert(f->slot[now - 1].value == 30 + now - 1); //@ load
	for (uint64_t i = now; i < SLOTS; i++)
		update(f, i);
	return 0;
}
