/*
 * resize - an array grows: it is copied to a bigger place, then capacity and place are changed, one
 * after the other. A crash in between leaves the new capacity with the old place.
 */
#include "../pm.h"

enum { SMALL = 2, BIG = 12, MAGIC = 0x4e512e };

struct array {
	uint64_t place, capacity;
};

struct file {
	LINE uint64_t magic;
	uint64_t use;
	LINE struct array array[2];
	LINE uint64_t small[SMALL];
	LINE uint64_t guard;
	LINE uint64_t big[BIG];
};

static void resize(struct file *f)
{
	struct array *a = &f->array[0];

	memcpy(f->big, f->small, sizeof(f->small));
	for (int i = SMALL; i < BIG; i++)
		f->big[i] = (uint64_t)i + 1;
	pm_persist(f->big, sizeof(f->big));
#if FIXED
	a = &f->array[1];
	a->capacity = BIG;
	a->place = pm_offset(f, f->big);
	pm_persist(a, sizeof(*a));
	pm_set(&f->use, 1);
	pm_persist(&f->use, sizeof(f->use));
#else
	pm_set(&a->capacity, BIG);		       //@ store
	pm_persist(&a->capacity, sizeof(a->capacity)); //@ crash
	pm_set(&a->place, pm_offset(f, f->big));       //@ store
	pm_persist(&a->place, sizeof(a->place));
#endif
}

static void recover(struct file *f)
{
	struct array *a = &f->array[f->use];
	uint64_t *item = pm_at(f, a->place); //@ load

	for (uint64_t i = 0; i < a->capacity; i++) //@ load
		assert(item[i] == i + 1);	   //@ check
}

int main(int argc, char **argv)
{
	struct file *f = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f));

	if (f->magic == MAGIC) {
		recover(f);
	} else {
		for (int i = 0; i < SMALL; i++)
			f->small[i] = (uint64_t)i + 1;
		f->array[0].place = pm_offset(f, f->small);
		f->array[0].capacity = SMALL;
		pm_persist(f, sizeof(*f));
		pm_set(&f->magic, MAGIC);
		pm_persist(&f->magic, sizeof(f->magic));
	}
	if (f->array[f->use].capacity == SMALL)
		resize(f);
	return 0;
}
