/*
 * fixed.c - a pool that is wanted at one address: fixed FILE ADDRESS [returned|constant|reserved|taken|lost]
 *
 *	returned  the program goes by the address that mmap returns
 *	constant  by the one that it asked for
 *	reserved  the same, where it had memory of its own
 *	taken     that memory must not be replaced: mmap refuses
 *	lost      like `returned`; a value is not flushed before it is published
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <immintrin.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct file {
	_Alignas(64) uint64_t made;
	_Alignas(64) uint64_t *to; /* a pointer into PM */
	_Alignas(64) uint64_t value;
};

static void persist(const void *p)
{
	_mm_clflush(p);
	_mm_sfence();
}

int main(int argc, char **argv)
{
	const char *how = argc > 3 ? argv[3] : "returned";
	int constant = !strcmp(how, "constant") || !strcmp(how, "reserved");
	int taken = !strcmp(how, "taken"), lost = !strcmp(how, "lost");
	int flags = taken ? MAP_FIXED_NOREPLACE : MAP_FIXED;
	void *want = argc > 2 ? (void *)strtoul(argv[2], NULL, 0) : NULL, *got;
	int fd = argc > 1 ? open(argv[1], O_RDWR | O_CREAT, 0600) : -1;
	struct file *f;

	if (fd < 0 || ftruncate(fd, 4096))
		return 2;
	if (taken || !strcmp(how, "reserved"))
		mmap(want, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	got = mmap(want, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | flags, fd, 0);
	if (got == MAP_FAILED)
		return taken && errno == EEXIST ? 0 : 2;
	f = constant ? want : got;
	if (f->made)
		return f->to != &f->value || *f->to != 7;
	f->value = 7;
	f->to = &f->value;
	if (!lost)
		persist(&f->value);
	persist(&f->to);
	f->made = 1;
	persist(&f->made);
	return 0;
}
