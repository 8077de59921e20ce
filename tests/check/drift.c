/*
 * drift.c - a value that is another one in each execution of the program, as that of memory which it
 * never initialised may be. Recovery fails where it finds that value, and its exit status depends on
 * it.
 *
 *	drift HOW	"same": the value is always the same
 */
#include <emmintrin.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <x86intrin.h>

enum { VALID = 7, STATUSES = 199 };

struct file {
	_Alignas(64) uint64_t key;
	_Alignas(64) uint64_t valid;
};

static void persist(const void *p)
{
	_mm_clflush(p);
	_mm_sfence();
}

/* Not VALID, and different in most executions. */
static uint64_t whatever(const char *how)
{
	uint64_t ticks = strcmp(how, "same") == 0 ? 0 : __rdtsc();

	return 8 + (ticks / 64 ^ ticks >> 13) % STATUSES;
}

int main(int argc, char **argv)
{
	int fd = open("f.pm", O_RDWR | O_CREAT, 0600);
	struct file *f;

	if (argc < 2 || fd < 0 || ftruncate(fd, sizeof(*f)) != 0)
		return 255;
	f = mmap(NULL, sizeof(*f), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (f->valid)
		return f->key == VALID ? 0 : (int)f->key;
	f->key = whatever(argv[1]);
	persist(&f->key);
	f->key = VALID;
	f->valid = 1;
	persist(&f->valid);
	persist(&f->key);
	return 0;
}
