/*
 * other.c - a program whose recovery reads another file of PM, which the program itself does not open:
 *
 *	other make FILE.pm		makes that file
 *	other run FILE.pm		has something persistent, and then a flag in each of FLAGS lines that is not
 *	other recover FILE.pm OTHER.pm	reads OTHER.pm, then the flags: fails if the first is alone
 *	other renew FILE.pm		sets the first flag, cuts the file short, lets it grow again, and is ready
 *	other renewed FILE.pm		fails if it was ready and there is a flag
 *	other cut FILE.pm		cuts the file short, lets it grow again, and fails if anything is in it
 *	other fickle FILE.pm RAN	reads the flags if there is no file RAN yet, and makes one
 */
#include "real.h"
#include <fcntl.h>
#include <emmintrin.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { FLAGS = 9 }; /* more states than a worker executes at a time */

struct file {
	uint64_t ready;
	_Alignas(64) uint64_t flag[FLAGS][8];
};

static struct file *map(const char *name)
{
	int fd = open(name, O_RDWR | O_CREAT, 0600);

	if (fd < 0 || ftruncate(fd, sizeof(struct file)) != 0)
		_exit(9);
	return mmap(NULL, sizeof(struct file), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
}

static void cut(const char *name)
{
	if (truncate(name, 0) != 0 || truncate(name, sizeof(struct file)) != 0)
		_exit(9);
}

static void set(uint64_t *p)
{
	__atomic_store_n(p, 1, __ATOMIC_RELEASE);
}

static int first_alone(const struct file *f)
{
	uint64_t others = 0;

	for (int i = 1; i < FLAGS; i++)
		others += f->flag[i][0];
	return f->flag[0][0] && !others;
}

int main(int argc, char **argv)
{
	struct file *f = map(argv[2]);
	int fd;

	if (strcmp(argv[1], "recover") == 0 && argc > 3)
		return map(argv[3])->ready != 1 || (f->ready && first_alone(f));
	if (strcmp(argv[1], "fickle") == 0 && argc > 3) {
		fd = open_real(argv[3], O_CREAT | O_EXCL | O_WRONLY, 0600);
		/* All of the flag is used, so that either value of it is an execution */
		return f->ready && fd >= 0 ? f->flag[0][0] * f->flag[0][0] > 1 : 0;
	}
	if (strcmp(argv[1], "renewed") == 0)
		return f->ready && f->flag[0][0];
	if (strcmp(argv[1], "cut") == 0) {
		cut(argv[2]);
		return f->ready || f->flag[0][0] || f->flag[1][0];
	}
	if (strcmp(argv[1], "renew") == 0) {
		set(&f->flag[0][0]);
		cut(argv[2]);
	}
	set(&f->ready);
	_mm_clflush(&f->ready);
	_mm_sfence();
	for (int i = 0; i < FLAGS && strcmp(argv[1], "run") == 0; i++)
		set(&f->flag[i][0]);
	return 0;
}
