/* order.c - a crash bug behind a command word: what says that data is valid is durable before the data. */
#include <assert.h>
#include <emmintrin.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct pool {
	uint64_t valid;
	uint64_t unused[7];
	uint64_t data;
};

int main(void)
{
	int fd = open("o.pm", O_RDWR | O_CREAT, 0644);
	struct pool *p;
	char word[4];

	if (ftruncate(fd, 4096))
		return 1;
	p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p->valid)
		assert(p->data == 42);
	/* The first use of the input is in libc */
	if (read(0, word, sizeof(word)) != sizeof(word) || memcmp(word, "set", 3))
		return 0;
	p->data = 42;
	p->valid = 1;
	_mm_clflush(&p->valid);
	_mm_clflush(&p->data);
	_mm_sfence();
	return 0;
}
