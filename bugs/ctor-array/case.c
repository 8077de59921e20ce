/*
 * ctor-array - a new hash table's array is filled with a mark for "empty", and only the descriptor
 * is flushed: after a crash, buckets hold zeros, which are neither empty nor a key.
 */
#include "../pm.h"

#define EMPTY UINT64_MAX
enum { BUCKETS = 12, MAGIC = 0xa77a1 };

struct file {
	LINE uint64_t magic;
	uint64_t capacity;
	LINE uint64_t bucket[BUCKETS];
};

static void create(struct file *f)
{
	for (int i = 0; i < BUCKETS; i++)
		f->bucket[i] = EMPTY; //@ store
	f->capacity = BUCKETS;
#if FIXED
	pm_flush(f->bucket, sizeof(f->bucket));
#endif
	pm_persist(&f->capacity, sizeof(f->capacity));
	pm_set(&f->magic, MAGIC);
	pm_persist(&f->magic, sizeof(f->magic));
}

static void put(struct file *f, uint64_t key)
{
	for (uint64_t i = key % f->capacity;; i = (i + 1) % f->capacity) {
		uint64_t have = pm_get(&f->bucket[i]); //@ load

		if (have == key)
			return;
		assert(have == EMPTY || (have >= 20 && have < 30)); //@ check
		if (have == EMPTY) {
			pm_set(&f->bucket[i], key);
			pm_persist(&f->bucket[i], 8);
			return;
		}
	}
}

int main(int argc, char **argv)
{
	struct file *f = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f));

	if (f->magic != MAGIC)
		create(f);
	put(f, 20);
	put(f, 21);
	return 0;
}
