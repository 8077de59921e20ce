/* large.c - a PM file of 1 GB of which little is used: large [FILE] */
#include <emmintrin.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	const long n = 1L << 30;
	int fd = open(argc > 1 ? argv[1] : "large.pm", O_RDWR | O_CREAT, 0666);
	char *p;

	if (fd < 0 || ftruncate(fd, n))
		return 3;
	p = mmap(NULL, (size_t)n, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		return 3;
	for (long at = 0; at < n; at += n / 4) {
		if (p[at] > 1)
			return 4;
		for (long i = 0; i < 1 << 20; i += 4096) /* more of it than there is room in a small tmpfs */
			p[at + 4096 + i] = 1;
		p[at] = 1;
		_mm_clflush(p + at);
	}
	return 0;
}
