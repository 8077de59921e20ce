/*
 * spinlock-held - the bucket's lock is in the bucket, in PM. A crash while it is held leaves it
 * held, and nobody will ever give it back.
 */
#include "../pm.h"

enum { MAGIC = 0x10c4, BUCKETS = 2 };

struct file {
	LINE uint64_t magic;
	struct bucket {
		LINE uint8_t lock;
		uint64_t count;
	} bucket[BUCKETS];
};

static void acquire(uint8_t *lock)
{
	while (__atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE)) //@ load //@ store
		_mm_pause();
}

static void add(struct bucket *b)
{
	acquire(&b->lock);
	pm_set(&b->count, b->count + 1);
	pm_persist(&b->count, sizeof(b->count)); //@ crash
	__atomic_store_n(&b->lock, 0, __ATOMIC_RELEASE);
}

int main(int argc, char **argv)
{
	struct file *f = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f));

#if FIXED
	for (int i = 0; i < BUCKETS; i++)
		__atomic_store_n(&f->bucket[i].lock, 0, __ATOMIC_RELEASE);
#endif
	if (f->magic != MAGIC) {
		pm_set(&f->magic, MAGIC);
		pm_persist(&f->magic, sizeof(f->magic));
	}
	for (int i = 0; i < BUCKETS; i++)
		add(&f->bucket[i]);
	return 0;
}
