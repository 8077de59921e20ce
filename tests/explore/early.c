/* early.c - all that it does to PM comes before it looks at its input. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
#include <x86intrin.h>

int main(int argc, char **argv)
{
	int fd = open(argc > 1 ? argv[1] : "early.pm", O_RDWR | O_CREAT, 0666);
	char c = 0;
	long *p;

	if (fd < 0 || ftruncate(fd, 4096))
		return 1;
	p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	p[0] = 1;
	_mm_clflush(p);
	p[16] = 1; /* never flushed */
	munmap(p, 4096);
	if (read(0, &c, 1) != 1)
		return 1;
	if (c == 'x')
		puts("x");
	return 0;
}
