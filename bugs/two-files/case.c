/*
 * two-files - an index in one file points to records in another. The record is flushed, but only
 * the fence after the index waits for it.
 */
#include "../pm.h"

enum { ENTRIES = 3 };

struct index {
	LINE uint64_t count;
	LINE struct {
		uint64_t key, offset;
	} entry[ENTRIES];
};

struct data {
	LINE uint64_t end;
	LINE struct record {
		LINE uint64_t key;
		uint64_t value;
	} record[ENTRIES];
};

static void put(struct index *x, struct data *d, uint64_t key)
{
	struct record *r = &d->record[d->end % ENTRIES];
	uint64_t n = x->count;

	r->value = key * key;
	r->key = key;		 //@ store
	pm_flush(r, sizeof(*r)); //@ flush
	pm_set(&d->end, d->end + 1);
	pm_flush(&d->end, sizeof(d->end));
#if FIXED
	pm_fence();
#endif
	x->entry[n].key = key;
	x->entry[n].offset = pm_offset(d, r);
	_mm_clflush(&x->entry[n]);
	pm_set(&x->count, n + 1);
	pm_persist(&x->count, sizeof(x->count));
}

int main(int argc, char **argv)
{
	struct index *x = pm_map(argc > 2 ? argv[1] : NULL, sizeof(*x));
	struct data *d = pm_map(argc > 2 ? argv[2] : NULL, sizeof(*d));

	for (uint64_t i = 0; i < x->count; i++) {
		struct record *r = pm_at(d, x->entry[i].offset);

		if (r->key != x->entry[i].key) { //@ load
			fprintf(stderr, "entry %d leads to another record\n", (int)i);
			return 1;
		}
	}
	while (x->count < ENTRIES)
		put(x, d, 7 + x->count);
	return 0;
}
