/* halves.c - a struct of one word that is assigned: at -O2 compilers store its halves one by one. */
#include <fcntl.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>
#include <emmintrin.h>

struct point {
	uint32_t x, y;
};

struct file {
	struct point at;
};

static __attribute__((noinline)) void move(struct file *f, uint32_t x, uint32_t y)
{
	struct point p = {x, y};

	f->at = p;
}

int main(int argc, char **argv)
{
	int fd = open("h.pm", O_RDWR | O_CREAT, 0600);
	struct file *f;

	(void)argv;
	if (fd < 0 || ftruncate(fd, 4096))
		return 2;
	f = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (f == MAP_FAILED)
		return 2;
	if (f->at.x && f->at.x != f->at.y)
		return 0;
	move(f, (uint32_t)argc, (uint32_t)argc);
	_mm_clflush(f);
	_mm_sfence();
	return 0;
}
