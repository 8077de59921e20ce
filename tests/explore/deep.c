/*
 * Commands that cost something: a long way to the last of them, with state in registers, in the heap and in
 * PM. HOW they come: 0 in a buffer that is read as a whole, 1 by getchar, 2 in lines of fgets.
 *
 * What a command was when it was executed is compared with what it is at the end: they differ if a byte of
 * another path's input was left anywhere.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { BYTES = 64 };

static unsigned table[1 << 12];
static unsigned char buf[BYTES], copy[BYTES], seen[BYTES];
static unsigned char kinds[BYTES];
static int size = -1, at;

static unsigned long work(unsigned long h)
{
	for (unsigned i = 0; i < WORK; i++) {
		h = h * 6364136223846793005UL + 1442695040888963407UL;
		table[h >> 52] += (unsigned)h;
	}
	return h;
}

static int next(void)
{
	char line[8];

	if (HOW == 1)
		return getchar();
	if (HOW == 2)
		return fgets(line, sizeof(line), stdin) ? (unsigned char)line[0] : -1;
	if (size < 0) {
		size = (int)read(0, buf, sizeof(buf));
		memcpy(copy, buf, sizeof(buf)); /* nobody has looked at them */
	}
	return at < size ? buf[at++] : -1;
}

static unsigned char kind_of(unsigned char c)
{
	if (c == 'a')
		return 1;
	if (c == 'b')
		return 2;
	return c == 'p' ? 3 : 0;
}

int main(int argc, char **argv)
{
	int fd = open(argv[argc - 1], O_RDWR | O_CREAT, 0600), c, n;
	unsigned long h = 1, *pm, *heap = NULL;

	if (fd < 0 || ftruncate(fd, 4096))
		return 2;
	pm = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	for (n = 0; (c = next()) >= 0; n++) {
		seen[n] = (unsigned char)c;
		switch (c) {
		case 'a':
			h = work(h + 1);
			kinds[n] = 1;
			break;
		case 'b':
			heap = realloc(heap, (size_t)(n + 1) * 4000);
			heap[n * 500] = work(h);
			h ^= heap[0];
			kinds[n] = 2;
			break;
		case 'p':
			pm[n] = h;
			if (n != 1) /* forgotten once */
				__builtin_ia32_clflush(&pm[n]);
			kinds[n] = 3;
			break;
		default:
			h = work(h);
		}
	}
	for (int i = 0; i < n; i++)
		if (kinds[i] != kind_of(seen[i]) || (HOW == 0 && kinds[i] != kind_of(copy[i])))
			abort();
	printf("%lu %u\n", h, table[1]);
	return 0;
}
