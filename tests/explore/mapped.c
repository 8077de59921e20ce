/* mapped.c - a symbolic file that is mapped: privately or shared (the argument), only to read. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int fd = open("some.bin", O_RDONLY), flags = argc > 1 && *argv[1] == 's' ? MAP_SHARED
										  : MAP_PRIVATE;
	const char *p = mmap(NULL, 4, PROT_READ, flags, fd, 0);
	char first;

	if (p == MAP_FAILED || read(fd, &first, 1) != 1)
		return 2;
	if (first == 'x') /* the first use of the input is not by the mapping */
		return 0;
	if (p[0] == 'a' && p[3] == 'b')
		puts("found");
	return 0;
}
