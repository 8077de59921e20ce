/*
 * fixed.c - a PM file at addresses that the program insists on, twice the same bytes, grown and moved.
 * Each store has its events in its comment, as in insn.c.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096 };

static void store(volatile uint64_t *p, uint64_t v)
{
	*p = v;
	__asm__ volatile("clwb %0; sfence" : "+m"(*p));
}

int main(int argc, char **argv)
{
	int fd = open(argv[argc - 1], O_RDWR | O_CREAT, 0600);
	char *low, *home, *again, *asked;

	if (fd < 0 || ftruncate(fd, 8 * PAGE) != 0)
		return 1;
	home = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	store((uint64_t *)home, 1); //= 0
	/* The same bytes a second time, and others. */
	again = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	store((uint64_t *)again + 1, 2); //= 8
	store((uint64_t *)(again + PAGE), 3); //= 1000
	if (((uint64_t *)home)[1] != 2)
		return 2;
	/* Memory of the program's own, and PM put in the middle of it. */
	low = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	store((uint64_t *)(low + PAGE), 4); //= out
	if (mmap(low + PAGE, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 2 * PAGE) == MAP_FAILED)
		return 3;
	store((uint64_t *)(low + PAGE), 5); //= 2000
	store((uint64_t *)low, 6); //= out
	store((uint64_t *)(low + 2 * PAGE), 7); //= out
	store((uint64_t *)home + 2, 8); //= 10
	/* Grows in place, or is moved. */
	again = mremap(again, 2 * PAGE, 8 * PAGE, MREMAP_MAYMOVE);
	if (again == MAP_FAILED)
		return 4;
	store((uint64_t *)(again + 7 * PAGE), 9); //= 7000
	store((uint64_t *)again + 3, 10); //= 18
	if (((uint64_t *)home)[3] != 10 || ((uint64_t *)(again + 2 * PAGE))[0] != 5)
		return 5;
	munmap(home, PAGE);
	/* Asked for, not insisted on: given where it is free, and only there. */
	asked = mmap((void *)0x7e0000000000, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 3 * PAGE);
	if (asked != (char *)0x7e0000000000)
		return 6;
	store((uint64_t *)asked, 12); //= 3000
	if (mmap(asked, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 4 * PAGE) == asked)
		return 7;
	/* No PM any more. */
	mmap(low + PAGE, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	store((uint64_t *)(low + PAGE), 11); //= out
	return 0;
}
