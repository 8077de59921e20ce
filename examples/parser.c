/* A table in persistent memory that is changed by commands: p KEY puts a key, d KEY deletes it.
 * Built with -DBUG, deleting forgets the flush: only an input that puts a key and deletes it shows that. */
#include <fcntl.h>
#include <immintrin.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { KEYS = 8 };

struct table {
	unsigned long used[KEYS]; /* 1: the key is there */
};

static void persist(const void *p)
{
	_mm_clflush(p);
	_mm_sfence();
}

static void put(struct table *t, unsigned key)
{
	t->used[key] = 1;
	persist(&t->used[key]);
}

static void drop(struct table *t, unsigned key)
{
	if (!t->used[key])
		return;
	t->used[key] = 0;
#ifndef BUG
	persist(&t->used[key]);
#endif
}

static int number(char c)
{
	return c >= '0' && c < '0' + KEYS ? c - '0' : -1;
}

/* Commands of two letters each. */
static int run(struct table *t, const char *s, size_t n)
{
	for (size_t i = 0; i + 1 < n; i += 2) {
		int key = number(s[i + 1]);

		if (key < 0)
			return 1;
		if (s[i] == 'p')
			put(t, (unsigned)key);
		else if (s[i] == 'd')
			drop(t, (unsigned)key);
		else
			return 1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	int fd = argc > 1 ? open(argv[1], O_RDWR | O_CREAT, 0666) : -1;
	struct table *t;
	char line[64];
	ssize_t n;

	if (fd < 0 || ftruncate(fd, 4096) != 0)
		return 2;
	t = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (t == MAP_FAILED)
		return 2;
	n = read(STDIN_FILENO, line, sizeof(line));
	return n < 0 ? 2 : run(t, line, (size_t)n);
}
