/*
 * ours.c - faults whose owner is not the code at the place of the fault: ours MODE OFFSET
 *
 * OFFSET is that of a function of the runtime's core. Called with a wild pointer it stands for a
 * defect of perdure's: here the program does it, since nobody else can.
 */
#define _GNU_SOURCE
#include <emmintrin.h>
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int find(struct dl_phdr_info *info, size_t size, void *base)
{
	(void)size;
	if (!strstr(info->dlpi_name, "libperdure_rt"))
		return 0;
	*(uint64_t *)base = info->dlpi_addr;
	return 1;
}

static void core(const char *offset)
{
	uint64_t base = 0;

	if (dl_iterate_phdr(find, &base))
		((void (*)(uint64_t, uint64_t, uint64_t))(base + strtoull(offset, NULL, 16)))(64, 64, 64);
}

/* Uses up the stack, and stores to PM on the way. */
static int deep(volatile uint64_t *p, int n)
{
	volatile char room[200];

	room[0] = (char)n;
	p[9] = (uint64_t)n;
	_mm_clflush((const void *)(p + 9));
	return deep(p, n + 1) + room[0];
}

int main(int argc, char **argv)
{
	const char *mode = argc > 2 ? argv[1] : "";
	int fd = open("x.pm", O_RDWR | O_CREAT, 0600);
	volatile uint64_t *p;

	if (fd < 0 || ftruncate(fd, 4096) != 0)
		return 9;
	p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (!strcmp(mode, "first"))
		core(argv[2]);
	if (p[0] && !strcmp(mode, "recovery"))
		core(argv[2]);
	if (p[0] && !strcmp(mode, "stack"))
		return deep(p, 0);
	if (p[0] && !strcmp(mode, "wild"))
		memcpy((void *)(p + 16), (const void *)p[0], 8);
	p[0] = 64;
	_mm_clflush((const void *)p);
	return 0;
}
