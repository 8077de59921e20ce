/* atomic.c MODE FILE: a structure of two words at offset 64 that may only change in a transaction. */
#include "perdure.h"
#include <emmintrin.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void persist(void *p)
{
	_mm_clflush(p);
	_mm_sfence();
}

int main(int argc, char **argv)
{
	int fd = argc > 2 ? open(argv[2], O_RDWR | O_CREAT, 0644) : -1;
	uint64_t *pm;

	if (fd < 0 || ftruncate(fd, 4096) != 0)
		return 8;
	pm = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	pm[8] = 1; /* set up */
	persist(&pm[8]);
	pd_tx_begin(); //@ begin
	pd_tx_add(&pm[8], 8);
	pm[8] = 2;
	if (strcmp(argv[1], "unlogged") == 0)
		pm[9] = 3; //@ unlogged
	if (strcmp(argv[1], "late") == 0) {
		pd_tx_end();
		persist(&pm[8]);
		return 0;
	}
	persist(&pm[8]);
	pd_tx_end();
	if (strcmp(argv[1], "outside") == 0) {
		pm[8] = 4; //@ outside
		persist(&pm[8]);
	}
	pm[0] = 5; /* not in the structure */
	persist(pm);
	return 0;
}
