/* bounds.c - as many paths as there are inputs: each bit is asked for by itself. */
#include <fcntl.h>
#include <immintrin.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int fd = open(argc > 1 ? argv[1] : "bounds.pm", O_RDWR | O_CREAT, 0666);
	uint64_t *p, bits = 0;
	unsigned char in[64];
	ssize_t n = read(0, in, sizeof(in));

	if (fd < 0 || ftruncate(fd, 4096) != 0)
		return 1;
	p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		return 1;
	for (ssize_t i = 0; i < n; i++)
		for (int j = 0; j < 8; j++)
			if (in[i] >> j & 1)
				bits++;
	*p = bits;
	_mm_clflush(p);
	_mm_sfence();
	return 0;
}
