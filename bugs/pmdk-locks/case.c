/* pmdk-locks - buckets with a lock each, and a total that is durable before one of them. */
#include "../pmdk.h"

enum { BUCKETS = 24 }; /* with two values of each lock, recovery would not end */

struct bucket {
	PMEMmutex lock;
	uint64_t n;
	uint64_t unused[7];
};

struct root {
	struct bucket bucket[BUCKETS];
	uint64_t total;
};

/* Adding up takes every lock, as the run that crashed did. */
static uint64_t count(PMEMobjpool *p, struct root *r)
{
	uint64_t n = 0;

	for (int i = 0; i < BUCKETS; i++) {
		pmemobj_mutex_lock(p, &r->bucket[i].lock);
		n += r->bucket[i].n;
		pmemobj_mutex_unlock(p, &r->bucket[i].lock);
	}
	return n;
}

int main(int argc, char **argv)
{
	PMEMobjpool *p = pmdk_pool(argc > 1 ? argv[1] : "x.pm");
	struct root *r = pmemobj_direct(pmemobj_root(p, sizeof(*r)));

	assert(count(p, r) >= r->total); //@ check
	if (!r->total) {
		struct bucket *b = &r->bucket[BUCKETS - 1];

		pmemobj_mutex_lock(p, &b->lock);
		b->n++; //@ store
#if FIXED
		pmemobj_persist(p, &b->n, sizeof(b->n));
#endif
		pmemobj_mutex_unlock(p, &b->lock);
		r->total++;
		pmemobj_persist(p, &r->total, sizeof(r->total));
	}
	pmemobj_close(p);
	return 0;
}
