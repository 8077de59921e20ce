/*
 * clflushopt-no-fence - clflush keeps the order of stores and needs no fence before the next one;
 * clflushopt, its faster successor, does not. The two differ by a prefix byte.
 */
#include "../pm.h"

enum { NOTES = 3 };

struct file {
	LINE uint64_t count;
	struct note {
		LINE uint64_t length;
		uint64_t text[5];
	} note[NOTES];
};

static void flush(void *p)
{
#if FIXED
	__asm__ volatile("clflush %0" : "+m"(*(volatile char *)p));
#else
	__asm__ volatile(".byte 0x66; clflush %0" : "+m"(*(volatile char *)p)); //@ flush
#endif
}

static void add(struct file *f)
{
	struct note *n = &f->note[f->count];

	for (uint64_t i = 0; i < 5; i++)
		n->text[i] = i;
	n->length = 40; //@ store
	flush(n);
	pm_set(&f->count, f->count + 1);
	flush(&f->count);
}

int main(int argc, char **argv)
{
	struct file *f = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f));

	for (uint64_t i = 0; i < f->count; i++) {
		if (f->note[i].length != 40) { //@ load
			fprintf(stderr, "note %d is empty\n", (int)i);
			return 1;
		}
	}
	while (f->count < NOTES)
		add(f);
	pm_fence();
	return 0;
}
