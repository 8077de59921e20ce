/*
 * store.c - a test program for the recipes of docs/guide/ci.md: one record, then the word that commits it.
 *
 *	store_test [FILE]     default: a.pm
 *
 * With BUG the record is not flushed.
 */
#include <assert.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

struct file {
	_Atomic uint64_t record[8];
	_Atomic uint64_t committed;
};

static void persist(void *p)
{
	__asm__ volatile("clflush %0\n\tsfence" : "+m"(*(char *)p) : : "memory");
}

int main(int argc, char **argv)
{
	int fd = open(argc > 1 ? argv[1] : "a.pm", O_RDWR | O_CREAT, 0600);
	struct file *f;

	if (fd < 0 || ftruncate(fd, sizeof(*f)) != 0)
		return 2;
	f = mmap(NULL, sizeof(*f), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (f == MAP_FAILED)
		return 2;
	if (atomic_load(&f->committed)) {
		assert(atomic_load(&f->record[0]) == 42);
		return 0;
	}
	atomic_store_explicit(&f->record[0], 42, memory_order_release);
#ifndef BUG
	persist(&f->record[0]);
#endif
	atomic_store_explicit(&f->committed, 1, memory_order_release);
	persist(&f->committed);
	munmap(f, sizeof(*f));
	return 0;
}
