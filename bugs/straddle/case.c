/*
 * straddle - records of 48 bytes lie one behind the other, so that some cross from one line to the
 * next. One flush at the record's beginning is not enough for those.
 */
#include "../pm.h"

enum { RECORDS = 4 };

struct record {
	uint64_t id, word[4], tail;
};

struct file {
	LINE uint64_t count;
	LINE struct record record[RECORDS];
};

static void add(struct file *f, uint64_t id)
{
	struct record *r = &f->record[f->count];

	r->id = id;
	for (int i = 0; i < 4; i++)
		r->word[i] = id * 10; //@ store
	r->tail = id;		      //@ store
	pm_clwb(r);		      //@ flush
#if FIXED
	pm_clwb(&r->tail);
#endif
	pm_fence();
	pm_set(&f->count, f->count + 1);
	pm_persist(&f->count, sizeof(f->count));
}

int main(int argc, char **argv)
{
	struct file *f = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f));

	for (uint64_t i = 0; i < f->count; i++) {
		struct record *r = &f->record[i];

		if (r->id != i + 1 || r->tail != i + 1) { //@ load
			fprintf(stderr, "record %d has lost its tail\n", (int)i);
			exit(1);
		}
	}
	while (f->count < RECORDS)
		add(f, f->count + 1);
	return 0;
}
