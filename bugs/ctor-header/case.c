/*
 * ctor-header - the constructor of a hash table flushes the table's descriptor and forgets the
 * second line of it, where the place of the buckets is.
 */
#include "../pm.h"

enum { BUCKETS = 8, MAGIC = 0x7ab1e };

struct table {
	uint64_t magic, capacity, count, seed, spare[4];
	uint64_t buckets; /* offset; the second line */
};

struct file {
	LINE struct table table;
	LINE uint64_t bucket[BUCKETS];
};

static void create(struct file *f)
{
	struct table *t = &f->table;

	t->capacity = BUCKETS;
	t->seed = 5;
	t->buckets = pm_offset(f, f->bucket); //@ store
#if FIXED
	pm_persist(t, sizeof(*t));
#else
	pm_persist(t, 64); //@ flush
#endif
	pm_set(&t->magic, MAGIC);
	pm_persist(&t->magic, sizeof(t->magic));
}

static void put(struct file *f, uint64_t key)
{
	uint64_t *bucket = pm_at(f, f->table.buckets); //@ load
	uint64_t *slot = &bucket[(key * f->table.seed) % f->table.capacity];

	pm_set(slot, key); //@ fail
	pm_persist(slot, sizeof(*slot));
}

int main(int argc, char **argv)
{
	struct file *f = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f));

	if (f->table.magic != MAGIC)
		create(f);
	put(f, 3);
	put(f, 4);
	return 0;
}
