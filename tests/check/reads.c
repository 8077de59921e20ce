/* reads.c - a recovery that looks at PM first, then reads a byte: of standard input, or of a file that it has opened before. */
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include <x86intrin.h>

struct data {
	_Alignas(64) uint64_t a;
	_Alignas(64) uint64_t b;
};

int main(int argc, char **argv)
{
	int fd = open("x.pm", O_RDWR | O_CREAT, 0644), in = argc > 1 ? open(argv[1], O_RDONLY) : 0;
	struct data *d;
	uint64_t a;
	char c = 0;

	if (fd < 0 || in < 0 || ftruncate(fd, sizeof(*d)))
		return 1;
	d = mmap(NULL, sizeof(*d), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (d == MAP_FAILED)
		return 1;
	a = d->a; /* after a crash it may be one or the other */
	if (read(in, &c, 1) != 1 || c != 'x')
		abort();
	if (read(in, &c, 1) != 1 || c != 'y')
		abort();
	if (a == 0) {
		d->a = 1;
		d->b = 1;
		_mm_clflush(&d->b);
		_mm_clflush(&d->a);
		_mm_sfence();
	}
	return 0;
}
