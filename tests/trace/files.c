/*
 * files.c - walks over directories and private mappings of a PM file.
 * Usage: files walk|follow|scan DIR PMFILE; files private|read PMFILE.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <fts.h>
#include <ftw.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SIZE = 4096 };

static int seen(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)path, (void)st, (void)kind, (void)at;
	return 0;
}

static int walk(const char *how, char *dir, const char *file)
{
	int fd = open(file, O_RDWR | O_CREAT, 0600);
	char *paths[] = {dir, NULL};
	struct dirent **list;
	FTS *fts;
	char *pm;

	if (fd < 0 || ftruncate(fd, SIZE))
		return 1;
	pm = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (pm == MAP_FAILED)
		return 1;
	pm[0] = 1;
	if (!strcmp(how, "follow"))
		return nftw(dir, seen, 8, 0);
	if (!strcmp(how, "scan"))
		return scandir(dir, &list, NULL, alphasort) < 0;
	fts = fts_open(paths, FTS_PHYSICAL | FTS_XDEV, NULL);
	while (fts && fts_read(fts))
		;
	return !fts || fts_close(fts);
}

static int look(const char *how, const char *file)
{
	int fd = open(file, O_RDONLY);
	char copy[8], *p = copy;

	if (fd < 0)
		return 1;
	if (!strcmp(how, "private"))
		p = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	else if (read(fd, copy, sizeof(copy)) != sizeof(copy))
		return 1;
	if (p == MAP_FAILED)
		return 1;
	p[0]++;
	fprintf(stderr, "%c\n", p[0]);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 4)
		return walk(argv[1], argv[2], argv[3]);
	return argc == 3 ? look(argv[1], argv[2]) : 1;
}
