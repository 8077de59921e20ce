/* stores42.c FILE */
#include <emmintrin.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

static __attribute__((noinline)) void put(volatile uint64_t *p)
{
	*p = 42; //@ store
}

int main(int argc, char **argv)
{
	int fd = argc > 1 ? open(argv[1], O_RDWR | O_CREAT, 0644) : -1;
	uint64_t *pm;

	if (fd < 0 || ftruncate(fd, 4096) != 0)
		return 8;
	pm = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	put(&pm[2]);
	put(&pm[2]);
	_mm_clflush(pm);
	return 0;
}
