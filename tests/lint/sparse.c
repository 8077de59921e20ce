/* sparse.c - a pool of 64 GB, or of a page more (BEYOND), nearly all of it a hole: the first and the last word are
 * stored to. */
#include <emmintrin.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

int main(int argc, char **argv)
{
#ifdef BEYOND
	const long size = (64L << 30) + 4096;
#else
	const long size = 64L << 30;
#endif
	int fd = open(argc > 1 ? argv[1] : "x.pm", O_RDWR | O_CREAT, 0600);
	long *p;

	if (fd < 0 || ftruncate(fd, size))
		return 2;
	p = mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		return 2;
	p[0] = 1;
	_mm_clflush(p);
	p[size / 8 - 1] = 1; /* the end */
#ifndef FORGET
	_mm_clflush(p + size / 8 - 1);
#endif
	_mm_sfence();
	return 0;
}
