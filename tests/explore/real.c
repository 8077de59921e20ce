/*
 * real.c - what programs do with the system on a path: memory given back and protected, a closed stream, numbers
 * as long as a loop, PM written to by code that nobody instrumented.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { POOL = 64 << 20, LARGE = 1 << 20, PAGE = 4096 };

void store_blindly(char *p, char c);

/* fgets after fclose is an error, not a fault: libc never frees its standard streams. */
static int closes(void)
{
	char line[16];

	while (fgets(line, sizeof(line), stdin))
		if (line[0] == 'q')
			fclose(stdin);
	return 0;
}

/* Any length is a path: the first ones are to be short. */
static int loops(void)
{
	volatile uint64_t sum = 0;
	uint32_t n;

	if (read(0, &n, sizeof(n)) != sizeof(n))
		return 1;
	for (uint32_t i = 0; i < n; i++)
		sum += i;
	return sum & 1;
}

/* One way takes its time. */
static int spins(void)
{
	char c = 0;

	for (volatile uint64_t i = 0; read(0, &c, 1) == 1 && c == 's' && i < UINT64_MAX;)
		for (; i < UINT64_MAX; i++)
			;
	return 0;
}

/* All of a pool and a large block are given back at the end of each path, as libpmemobj does it. */
static int unmaps(const char *name)
{
	int fd = open(name, O_RDWR | O_CREAT, 0600);
	char *large = malloc(LARGE), *pool, *page, c[3] = "";

	if (fd < 0 || ftruncate(fd, POOL) || !large)
		return 1;
	pool = mmap(NULL, POOL, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	page = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memset(large, 1, LARGE);
	if (read(0, c, 2) != 2)
		return 1;
	pool[8] = c[0];
	page[0] = page[PAGE] = c[1];
	if (c[0] == 'b')
		store_blindly(pool + 4096, 'b');
	mprotect(page, PAGE, PROT_READ);
	if (c[1] == 'p')
		page[0] = 'p'; /* a fault */
	mprotect(page, PAGE, PROT_READ | PROT_WRITE);
	page[0] = large[c[1] & 1];
	munmap(page + PAGE, 1);
	if (c[1] == 'u')
		page[PAGE] = 'u'; /* another one */
	free(large);
	munmap(pool, POOL);
	return 0;
}

/* It depends on the time, which is not fixed where an instruction asks for it. */
static int differs(void)
{
	char c[8] = "";
	volatile int n = 0;

	if (read(0, c, sizeof(c)) != sizeof(c))
		return 1;
	for (size_t i = 0; i < sizeof(c); i++) {
		if (__builtin_ia32_rdtsc() & 64)
			n += i;
		else if (c[i] > 'k') /* here */
			n++;
	}
	return n == 999;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	return strcmp(what, "closes") == 0   ? closes()
	       : strcmp(what, "loops") == 0  ? loops()
	       : strcmp(what, "spins") == 0 ? spins()
	       : strcmp(what, "unmaps") == 0 ? unmaps(argv[2])
					     : differs();
}
