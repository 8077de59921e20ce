/*
 * forced.c - recoveries of which the cause shows only if lost stores are forced to be durable.
 *
 *   masked   data is lost, and recovery only looks at it where the lock is lost, too
 *   two      either of two copies would do, and both are lost
 *   wide     one read sees four words; only the last one matters
 */
#include <fcntl.h>
#include <emmintrin.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct word {
	_Alignas(64) uint64_t v;
};

struct file {
	struct word lock, data, copy, commit;
	_Alignas(64) uint64_t wide[4];
};

static struct file *f;

static void persist(void *p)
{
	_mm_clflush(p);
	_mm_sfence();
}

static void masked(void)
{
	if (f->commit.v) {
		if (f->lock.v)
			exit(4);
		if (!f->data.v) //@ data-load
			abort();
		return;
	}
	f->lock.v = 1; //@ lock
	f->data.v = 7; //@ data
	f->commit.v = 1;
	persist(&f->commit);
	persist(&f->data);
	f->lock.v = 0;
	persist(&f->lock);
}

static void two(void)
{
	if (f->commit.v) {
		if (!f->data.v && !f->copy.v)
			abort();
		return;
	}
	f->lock.v = 1; /* nobody minds */
	f->data.v = 7; //@ first
	f->copy.v = 7; //@ second
	f->commit.v = 1;
	persist(&f->commit);
}

static void wide(void)
{
	if (f->commit.v) {
		uint64_t all[4];

		memcpy(all, f->wide, sizeof(all));
		if (all[3] != 3)
			abort();
		return;
	}
	f->wide[0] = 1;
	f->wide[1] = 1;
	f->wide[3] = 2;
	f->wide[2] = 1;
	f->wide[3] = 3; //@ last
	f->commit.v = 1;
	persist(&f->commit);
}

int main(int argc, char **argv)
{
	int fd = argc == 3 ? open(argv[2], O_RDWR | O_CREAT, 0600) : -1;

	if (fd < 0 || posix_fallocate(fd, 0, sizeof(*f)) != 0)
		return 99;
	f = mmap(NULL, sizeof(*f), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (strcmp(argv[1], "masked") == 0)
		masked();
	else if (strcmp(argv[1], "two") == 0)
		two();
	else
		wide();
	return 0;
}
