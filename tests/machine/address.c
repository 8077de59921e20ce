/*
 * address.c - where it reads and stores in PM depends on addresses of its own: of code, heap and stack.
 *
 * Two executions agree only if their addresses do.
 */
#include <emmintrin.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SLOTS = 1000, SIZE = 3 * SLOTS * 64 };

int main(void)
{
	int fd = open("address.pm", O_RDWR | O_CREAT, 0666), on_stack;
	void *address[] = {malloc(100), &on_stack, (void *)(uintptr_t)main};
	char *p;

	if (fd < 0 || ftruncate(fd, SIZE))
		return 3;
	p = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		return 3;
	for (int i = 0; i < 3; i++) {
		long a = (long)address[i], *slot = (long *)(p + (i * SLOTS + (a >> 4) % SLOTS) * 64);

		if (*slot && *slot != a)
			return 4;
		*slot = a;
		_mm_clflush(slot);
	}
	return 0;
}
