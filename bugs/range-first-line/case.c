/*
 * range-first-line - persist(p, n) flushes the line of p, whatever n is. It worked as long as
 * objects were small.
 */
#include "../pm.h"

enum { WORDS = 24, MAGIC = 0xb10b };

struct file {
	LINE uint64_t magic;
	LINE uint64_t word[WORDS];
};

static void persist(const void *p, size_t n)
{
#if FIXED
	for (size_t i = 0; i < n; i += 64)
		__asm__ volatile("clwb %0" : "+m"(*((volatile char *)(uintptr_t)p + i)));
#else
	__asm__ volatile("clwb %0" : "+m"(*(volatile char *)(uintptr_t)p)); //@ flush
	(void)n;
#endif
	__asm__ volatile("sfence" ::: "memory");
}

int main(int argc, char **argv)
{
	struct file *f = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f));

	if (f->magic == MAGIC) {
		for (int i = 0; i < WORDS; i++)
			assert(f->word[i] == (uint64_t)i + 7); //@ load
		return 0;
	}
	for (int i = 0; i < WORDS; i++)
		f->word[i] = (uint64_t)i + 7; //@ store
	persist(f->word, sizeof(f->word));
	pm_set(&f->magic, MAGIC);
	persist(&f->magic, sizeof(f->magic));
	return 0;
}
