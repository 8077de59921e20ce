/* wide.c - a crash point with 2^40 states that recovery can tell apart, and a bug behind it. */
#include <fcntl.h>
#include <emmintrin.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

enum { LINES = 40, WORDS = 8 };

int main(int argc, char **argv)
{
	int fd = open(argv[argc - 1], O_RDWR | O_CREAT, 0600);
	uint64_t *p, sum = 0;

	if (fd < 0 || ftruncate(fd, 1 << 16) != 0)
		return 9;
	p = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	for (int i = 0; i < LINES; i++)
		sum += p[WORDS * i];
	printf("%lu\n", (unsigned long)sum);
	if (p[WORDS * 60] && !p[WORDS * 61])
		return 7;
	for (int i = 0; i < LINES; i++)
		p[WORDS * i] = 1;
	_mm_clflush(p + WORDS * 50);
	for (int i = 0; i < LINES; i++)
		_mm_clflush(p + WORDS * i);
	p[WORDS * 60] = 1;
	_mm_clflush(p + WORDS * 60);
	p[WORDS * 61] = 1;
	_mm_clflush(p + WORDS * 61);
	return 0;
}
