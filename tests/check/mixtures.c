/*
 * mixtures.c - more states than anybody can visit: recovery adds up lines of which each may be durable or not, and compares the
 * sum with another one.
 */
#include <emmintrin.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

enum { LINES = 24 };

struct line {
	uint64_t value, pad[7];
};

static uint64_t sum(const struct line *l)
{
	uint64_t s = 7;

	for (int i = 0; i < LINES; i++)
		s = s * 31 + l[i].value;
	return s;
}

int main(int argc, char **argv)
{
	int fd = open(argc > 1 ? argv[1] : "mixtures.pm", O_RDWR | O_CREAT, 0666);
	struct line *l;

	if (fd < 0 || ftruncate(fd, (LINES + 1) * sizeof(*l)) != 0)
		return 1;
	l = mmap(NULL, (LINES + 1) * sizeof(*l), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (l == MAP_FAILED)
		return 1;
	if (l[LINES].value && sum(l) == l[LINES].value)
		puts("valid");
	for (int i = 0; i < LINES; i++)
		l[i].value = (uint64_t)i + 1;
	l[LINES].value = sum(l);
	_mm_clflush(&l[LINES]);
	return 0;
}
