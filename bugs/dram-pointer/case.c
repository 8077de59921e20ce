/*
 * dram-pointer - a pointer to ordinary memory is kept in PM, for the time of an operation. After a
 * crash in that time recovery follows it.
 */
#include "../pm.h"

enum { MAGIC = 0xd4a3, SIZE = 1 << 20 };

struct file {
	LINE uint64_t magic;
	LINE uint64_t scratch; /* address of a buffer while a sort is on */
	LINE uint64_t item[4];
};

struct buffer {
	uint64_t magic, item[4];
	char room[SIZE];
};

static void recover(struct file *f)
{
#if FIXED
	pm_set(&f->scratch, 0); /* the buffer died with its process: start again */
	pm_persist(&f->scratch, sizeof(f->scratch)); //@ crash
#else
	struct buffer *b = (struct buffer *)(uintptr_t)f->scratch; //@ load

	if (b && b->magic != MAGIC) //@ fail
		abort();
#endif
}

static void sort(struct file *f)
{
	struct buffer *b = malloc(sizeof(*b));

	b->magic = MAGIC;
	for (int i = 0; i < 4; i++)
		b->item[i] = (uint64_t)i + 1;
	pm_set(&f->scratch, (uint64_t)(uintptr_t)b); //@ store
	pm_persist(&f->scratch, sizeof(f->scratch)); //@ crash
	memcpy(f->item, b->item, sizeof(f->item));   //@ crash
	pm_persist(f->item, sizeof(f->item));	     //@ crash
	pm_set(&f->scratch, 0);
	pm_persist(&f->scratch, sizeof(f->scratch)); //@ crash
	free(b);
}

int main(int argc, char **argv)
{
	struct file *f = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f));

	if (f->magic == MAGIC) {
		recover(f);
	} else {
		pm_set(&f->magic, MAGIC);
		pm_persist(&f->magic, sizeof(f->magic));
	}
	sort(f);
	return 0;
}
