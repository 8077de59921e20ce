/*
 * cli.c - a program for cli.t: cli HOW FILE
 *
 * It leaves a file `ran` behind, in any case. HOW: right, forgets (a flush), fails (by itself, before it has mapped
 * anything), twice (flushes the same line two times).
 */
#include <fcntl.h>
#include <emmintrin.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	const char *how = argc > 2 ? argv[1] : "fails";
	uint64_t *pm;
	int fd;

	close(open("ran", O_CREAT | O_WRONLY, 0600));
	if (strcmp(how, "fails") == 0) {
		printf("about to fail\n");
		fprintf(stderr, "the moon is full\n");
		return 2;
	}
	fd = open(argv[2], O_RDWR | O_CREAT, 0600);
	if (fd < 0 || ftruncate(fd, 4096) != 0)
		return 1;
	pm = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (*pm > 1)
		return 1;
	__atomic_store_n(pm, 1, __ATOMIC_RELEASE);
	for (int i = strcmp(how, "forgets") == 0 ? 2 : strcmp(how, "twice") != 0; i < 2; i++) {
		_mm_clflush(pm);
		_mm_sfence();
	}
	return 0;
}
