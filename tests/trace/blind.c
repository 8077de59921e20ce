/* blind.c - calls a library that was not instrumented, with a pointer to PM. */
#include <fcntl.h>
#include <emmintrin.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SIZE = 1 << 21 };

void plug(uint64_t *pm);

int main(int argc, char **argv)
{
	int fd = open(argc > 1 ? argv[1] : "", O_RDWR | O_CREAT, 0600);
	uint64_t *pm;

	if (fd < 0 || ftruncate(fd, SIZE) != 0)
		return 1;
	pm = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	pm[1] = 1;
	plug(pm);
	_mm_clflush(pm); /* found here: word 0 */
	_mm_sfence();
	printf("%lu\n", (unsigned long)pm[0]); /* word 8 is found at the end */
	return 0;
}
