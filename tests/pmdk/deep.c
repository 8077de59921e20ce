/* deep.c - a library that looks like libpmemobj and stores 20 calls deep, and its user; see deep.t. */
#include <emmintrin.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

void pmemobj_memdeep(uint64_t *p, int depth, uint64_t value);

#ifdef LIBRARY
void pmemobj_memdeep(uint64_t *p, int depth, uint64_t value)
{
	if (depth)
		pmemobj_memdeep(p, depth - 1, value);
	else
		*p = value;
	__asm__ volatile("" ::: "memory"); /* no tail call */
}
#else
int main(int argc, char **argv)
{
	int fd = argc > 1 ? open(argv[1], O_RDWR | O_CREAT, 0600) : -1;
	uint64_t *p;

	if (fd < 0 || ftruncate(fd, 4096) != 0)
		return 1;
	p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p[8] > p[0]) //@ check
		abort();
	pmemobj_memdeep(p, 20, 1); //@ user
	p[8] = 1;
	_mm_clflush(p + 8);
	return 0;
}
#endif
