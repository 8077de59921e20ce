/*
 * api-confusion - a helper flushes an object and leaves the fence to its caller; another one fences
 * and leaves the flush to its caller. The caller of the second thinks it was the first.
 */
#include "../pm.h"

enum { BUCKETS = 3 };

struct file {
	struct bucket {
		LINE uint64_t key;
		LINE uint64_t value;
	} bucket[BUCKETS];
};

static void flush_only(const void *p, size_t n)
{
	pm_flush(p, n);
}

static void fence_only(const void *p, size_t n)
{
	(void)p;
	(void)n;
	pm_fence();
}

static void put(struct bucket *b, uint64_t key)
{
	b->value = key + 1000; //@ store
#if FIXED
	flush_only(&b->value, sizeof(b->value));
#endif
	fence_only(&b->value, sizeof(b->value));
	pm_set(&b->key, key);
	flush_only(&b->key, sizeof(b->key));
	fence_only(&b->key, sizeof(b->key));
}

int main(int argc, char **argv)
{
	struct file *f = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f));

	for (uint64_t i = 0; i < BUCKETS; i++) {
		struct bucket *b = &f->bucket[i];

		if (b->key)
			assert(b->value == b->key + 1000); //@ load
		else
			put(b, i + 1);
	}
	return 0;
}
