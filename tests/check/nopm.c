/*
 * nopm.c - a program that says that it ran: a line in ran.log for each time. Then it maps its file shared and writable,
 * and stores to it.
 */
#include "real.h"
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int log = open_real("ran.log", O_WRONLY | O_CREAT | O_APPEND, 0666);
	int fd = argc > 1 ? open(argv[1], O_RDWR | O_CREAT, 0666) : -1;
	uint64_t *p;

	if (write(log, "ran\n", 4) != 4)
		return 1;
	if (fd < 0)
		return 0;
	if (ftruncate(fd, 4096) != 0)
		return 1;
	p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		return 1;
	p[0]++;
	msync(p, 4096, MS_SYNC);
	return 0;
}
