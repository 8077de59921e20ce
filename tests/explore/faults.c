/*
 * faults.c - a program whose calls may fail: it aborts where two allocations do, and where a read that was interrupted
 * is followed by a short one. ROUNDS: allocations before that, which do not matter.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef ROUNDS
#define ROUNDS 0
#endif
#ifndef FIRST
#define FIRST malloc(8)
#endif

static ssize_t get(char *to, size_t n)
{
	ssize_t got = read(0, to, n);

	if (got >= 0 || errno != EINTR)
		return got;
	got = read(0, to, n);
	if (got > 0 && got < (ssize_t)n)
		abort();
	return got;
}

static int map(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT, 0644);

	return fd < 0 || ftruncate(fd, 4096) != 0 ||
	       mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) == MAP_FAILED;
}

/* With a name: maps that file. */
int main(int argc, char **argv)
{
	char *p, *q, in[2];

	for (int i = 0; i < ROUNDS; i++)
		free(malloc(16));
	p = FIRST;
	q = calloc(1, 8);
	if (!p && !q)
		abort();
	free(q);
	free(p);
	if (get(in, 2) != 2)
		return 1;
	return argc > 1 && map(argv[1]);
}
