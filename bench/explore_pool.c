/*
 * explore_pool.c - a parser behind a pool whose size is given: at its start all pages are stored
 * to, then each command stores to one line. What a path costs must not depend on the size.
 *
 *	explore_pool FILE MEGABYTES
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <x86intrin.h>

enum { COMMANDS = 5, LINE = 64 };

static void store(char *p, char value)
{
	*p = value;
	_mm_clflush(p);
	_mm_sfence();
}

int main(int argc, char **argv)
{
	size_t size = argc > 2 ? (size_t)atoi(argv[2]) << 20 : 0;
	int fd = argc > 2 ? open(argv[1], O_RDWR | O_CREAT, 0666) : -1;
	char *pool, b[COMMANDS];

	if (fd < 0 || ftruncate(fd, (off_t)size) ||
	    (pool = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)) == MAP_FAILED)
		return 1;
	for (size_t i = 0; i < size; i += 4096)
		store(pool + i, 1);
	if (read(0, b, sizeof(b)) != sizeof(b))
		return 1;
	for (int i = 0; i < COMMANDS; i++) {
		char *to = pool + size / 2 + (size_t)i * 4096;

		if (b[i] == 'a')
			store(to, 'a');
		else if (b[i] == 'b')
			store(to + LINE, 'b');
		else if (b[i] == 'c')
			store(to + 2 * LINE, 'c');
		else if (b[i] == 'd')
			store(to + 3 * LINE, 'd');
		else if (b[i] == 'e')
			store(to + 4 * LINE, 'e');
	}
	return 0;
}
