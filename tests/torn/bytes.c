/* bytes.c - bytes OFFSET LENGTH FILE: copies so many bytes to a file, whose length the compiler does not know. */
#include <emmintrin.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

__attribute__((noinline)) static void put(char *to, const char *from, size_t n)
{
	memcpy(to, from, n);
	for (char *p = to; p <= to + n; p += 64)
		_mm_clflush(p);
	_mm_sfence();
}

int main(int argc, char **argv)
{
	int fd = argc > 3 ? open(argv[3], O_RDWR | O_CREAT, 0600) : -1;
	char buffer[256] = "";
	char *p;

	if (fd < 0 || ftruncate(fd, 4096) != 0)
		return 2;
	p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	memcpy(buffer, p, sizeof(buffer));
	memset(buffer, buffer[64] + 1, sizeof(buffer));
	put(p + atoi(argv[1]), buffer, (size_t)atoi(argv[2]));
	return 0;
}
