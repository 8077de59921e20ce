/* goes_back.c FILE: a generation that does not only grow. */
#include <emmintrin.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int fd = argc > 1 ? open(argv[1], O_RDWR | O_CREAT, 0644) : -1;
	volatile uint64_t *pm;

	if (fd < 0 || ftruncate(fd, 4096) != 0)
		return 8;
	pm = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	pm[0] = 2;
	pm[0] = 1;
	_mm_clflush((void *)pm);
	return 0;
}
