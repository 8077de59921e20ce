/*
 * store.c - a store of one page of data and two meta pages, as databases with a copy-on-write file have them: new
 * data goes to a page that nobody uses, then a meta page names it. Ordinary file, mapped, made durable by msync.
 *
 *	store FILE          prints what is there
 *	store FILE VALUE    stores another value
 *
 * -DBUG leaves out the msync between data and meta page.
 */
#include <assert.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE 4096

struct meta {
	uint64_t txn;  /* the larger one counts */
	uint64_t page; /* where its data is */
};

struct data {
	uint64_t txn; /* of whoever wrote it */
	char value[64];
};

static char *map;

static struct meta *meta(int i)
{
	return (struct meta *)(map + i * PAGE);
}

static struct data *data(uint64_t page)
{
	return (struct data *)(map + page * PAGE);
}

static struct meta *newest(void)
{
	return meta(0)->txn >= meta(1)->txn ? meta(0) : meta(1);
}

static void put(const char *value)
{
	struct meta *old = newest(), *new = old == meta(0) ? meta(1) : meta(0);
	uint64_t page = old->page == 2 ? 3 : 2;

	data(page)->txn = old->txn + 1;
	strncpy(data(page)->value, value, sizeof(data(page)->value) - 1);
#ifndef BUG
	msync(data(page), PAGE, MS_SYNC);
#endif
	new->page = page;
	msync(new, PAGE, MS_SYNC);
	__atomic_store_n(&new->txn, old->txn + 1, __ATOMIC_RELEASE); /* from now on it counts */
	msync(map, 4 * PAGE, MS_SYNC);
}

int main(int argc, char **argv)
{
	int fd = open(argc > 1 ? argv[1] : "store.db", O_RDWR | O_CREAT, 0666);

	if (fd < 0 || ftruncate(fd, 4 * PAGE) != 0) {
		perror("store");
		return 1;
	}
	map = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED) {
		perror("store");
		return 1;
	}
	if (newest()->txn) { /* what is there must be whole */
		assert(newest()->page == 2 || newest()->page == 3);
		assert(data(newest()->page)->txn == newest()->txn);
		puts(data(newest()->page)->value);
	}
	if (argc > 2)
		put(argv[2]);
	munmap(map, 4 * PAGE);
	return 0;
}
