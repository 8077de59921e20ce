/*
 * killer.c - a program with one bug, whose recovery kills a process of the exploration, once:
 *
 *	killer WHO FILE.pm MARKER
 *
 * WHO is nobody, self, zygote (which started this recovery), walker (one that looks at a crash point) or
 * first (the execution that crashes). It happens in the recovery that makes MARKER.
 */
#include "real.h"
#include <dirent.h>
#include <fcntl.h>
#include <emmintrin.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { STEPS = 24 };

struct file {
	uint64_t committed;
	_Alignas(64) uint64_t data[STEPS][8];
};

static void persist(const void *p)
{
	_mm_clflush(p);
	_mm_sfence();
}

/* The numbers that the kernel knows, not those that perdure fixes. */
static long kernel(long n, long a, long b)
{
	long r;

	__asm__ volatile("syscall" : "=a"(r) : "0"(n), "D"(a), "S"(b) : "rcx", "r11", "memory");
	return r;
}

static long parent_of(long pid)
{
	char path[64], text[400];
	long ppid = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%ld/stat", pid);
	f = fopen(path, "r");
	if (!f)
		return 0;
	if (fgets(text, sizeof(text), f) && strrchr(text, ')'))
		sscanf(strrchr(text, ')') + 1, " %*c %ld", &ppid);
	fclose(f);
	return ppid;
}

/* A process that is `depth` below the tool and does not come from this one's zygote. */
static long find(int depth)
{
	long zygote = kernel(SYS_getppid, 0, 0), tool = parent_of(zygote), found = 0;
	DIR *d = opendir("/proc");
	struct dirent *e;

	while (!found && (e = readdir(d))) {
		long pid = atol(e->d_name), up = pid;
		int n = 0;

		for (; up > 1 && up != tool && up != zygote; n++)
			up = parent_of(up);
		if (pid && up == tool && n == depth)
			found = pid;
	}
	closedir(d);
	return found;
}

static void kill_once(const char *who, const char *marker)
{
	long pid = 0;
	int fd;

	if (strcmp(who, "nobody") == 0)
		return;
	fd = open_real(marker, O_CREAT | O_EXCL | O_WRONLY, 0600);
	if (fd < 0)
		return;
	close(fd);
	if (strcmp(who, "self") == 0)
		pid = kernel(SYS_getpid, 0, 0);
	if (strcmp(who, "zygote") == 0)
		pid = kernel(SYS_getppid, 0, 0);
	if (strcmp(who, "walker") == 0)
		pid = find(3);
	if (strcmp(who, "first") == 0)
		pid = find(2);
	if (pid > 1)
		kernel(SYS_kill, pid, SIGKILL);
}

int main(int argc, char **argv)
{
	int fd = open(argv[2], O_RDWR | O_CREAT, 0600);
	struct file *f;

	if (argc < 4 || fd < 0 || ftruncate(fd, sizeof(*f)) != 0)
		return 9;
	f = mmap(NULL, sizeof(*f), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (f->committed) {
		if (f->committed == STEPS / 2)
			kill_once(argv[1], argv[3]);
		for (uint64_t i = 0; i < f->committed; i++)
			if (f->data[i][0] != i + 1)
				return 1;
		return 0;
	}
	for (uint64_t i = 0; i < STEPS; i++) {
		__atomic_store_n(&f->data[i][0], i + 1, __ATOMIC_RELEASE);
		if (i != 5) /* the bug */
			persist(&f->data[i][0]);
		__atomic_store_n(&f->committed, i + 1, __ATOMIC_RELEASE);
		persist(&f->committed);
	}
	return 0;
}
