/* ends.c - a program that ends in several ways, by its first two bytes of standard input. */
#include <assert.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int fd = argc > 1 ? open(argv[1], O_RDWR | O_CREAT, 0666) : -1;
	volatile char *null = 0, *p;
	char in[2] = "";

	if (fd < 0 || ftruncate(fd, 4096) != 0)
		return 2;
	p = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (read(0, in, 2) < 1 || p == MAP_FAILED)
		return 2;
	switch (in[0]) {
	case 'a':
		assert(in[1] != 'b');
		break;
	case 'h':
		while (in[1] == 'i')
			;
		break;
	case 'z':
		null[4] = 1;
		break;
	}
	return 0;
}
