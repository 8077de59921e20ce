/*
 * page.c - page MODE: an ordinary file, for --model page. Recovery fails (3) where the file is not as it may be.
 *
 *	whole	one write inside a page: there or not there, never a part of it
 *	pages	one write of two pages, and nothing that syncs it: one of them may be there alone
 *	mapped	the same with stores to a mapping
 *	nosync	two writes, a page each, and no sync
 *	range	the same with sync_file_range between them, which makes nothing durable
 *	fsync, fdatasync, osync, msync	two pages, the first synced before the second is changed: right
 *	torn	a copy of several words to a mapping, then msync
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096, WORDS = 25, AT = 3 };

static int fd;
static uint64_t *map;

static int is(const char *mode, const char *name)
{
	return strcmp(mode, name) == 0;
}

static int recover(const char *mode)
{
	uint64_t a[WORDS], b[WORDS];
	int sum = 0;

	if (is(mode, "torn"))
		return map[0] + map[1] + map[2] > 3 ? 3 : 0;
	if (pread(fd, a, sizeof(a), 0) != sizeof(a) || pread(fd, b, sizeof(b), PAGE) != sizeof(b))
		return 9;
	if (is(mode, "whole")) {
		for (int i = 0; i < WORDS; i++)
			sum += a[i] == 7;
		return sum == 0 || sum == WORDS ? 0 : 3;
	}
	return b[AT] == 7 && a[AT] != 7 ? 3 : 0;
}

/* One word of a block: those before it stay zeros. */
static void put(const char *mode, int page)
{
	uint64_t block[WORDS] = {0};

	block[AT] = 7;
	if (is(mode, "mapped") || is(mode, "msync"))
		map[page * PAGE / 8 + AT] = 7;
	else if (pwrite(fd, block, sizeof(block), page * PAGE) != sizeof(block))
		_exit(9);
}

static int run(const char *mode)
{
	static uint64_t all[2 * PAGE / 8];

	for (int i = 0; i < WORDS && is(mode, "whole"); i++)
		all[i] = 7;
	if (is(mode, "whole"))
		return pwrite(fd, all, WORDS * 8, 0) != WORDS * 8;
	if (is(mode, "torn")) {
		all[0] = all[1] = all[2] = 1;
		memcpy(map, all, 24);
		return msync(map, PAGE, MS_SYNC); /* the sync */
	}
	if (is(mode, "pages")) {
		all[AT] = all[PAGE / 8 + AT] = 7;
		return pwrite(fd, all, sizeof(all), 0) != sizeof(all);
	}
	put(mode, 0);
	if ((is(mode, "fsync") && fsync(fd) != 0) || (is(mode, "fdatasync") && fdatasync(fd) != 0) ||
	    (is(mode, "msync") && msync(map, PAGE, MS_SYNC) != 0) ||
	    (is(mode, "range") && sync_file_range(fd, 0, PAGE, 7) != 0))
		return 9;
	put(mode, 1);
	return 0;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	int fresh;

	fd = open("page.db", O_RDWR | O_CREAT | (is(mode, "osync") ? O_DSYNC : 0), 0600);
	fresh = lseek(fd, 0, SEEK_END) == 0;
	if (fd < 0 || (fresh && ftruncate(fd, 2 * PAGE) != 0))
		return 9;
	map = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	return fresh ? run(mode) : recover(mode);
}
