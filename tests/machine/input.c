/* input.c - stores what it reads from standard input; every execution must read all of it. */
#include <emmintrin.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int main(void)
{
	char *p, line[64];
	int fd = open("input.pm", O_RDWR | O_CREAT, 0666);

	if (fd < 0 || ftruncate(fd, 4096) || !fgets(line, sizeof(line), stdin) || strcmp(line, "to be stored\n"))
		return 3;
	p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED || (*p && *p != *line))
		return 4;
	*p = *line;
	_mm_clflush(p);
	return 0;
}
