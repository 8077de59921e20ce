/*
 * transient.c - stores to a range that recovery does not need, as the program says it.
 *
 * Usage: transient HOW. Each run stores to a range and then makes `done` durable; the next start looks at
 * both.
 */
#include "perdure.h"
#include <assert.h>
#include <fcntl.h>
#include <immintrin.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct file {
	uint64_t done, pad[7];
	uint64_t run, neighbour, more[6]; /* a line */
};

static struct file *f;

static void persist(const void *p)
{
	_mm_clflush(p);
	_mm_sfence();
}

static void finish(void)
{
	f->done = 1;
	persist(&f->done);
}

/* A word that is never flushed, as run-ids of locks are not: it has one value, the last one. */
static void said(int transient)
{
	if (transient)
		pd_transient(&f->run, 64);
	f->run = 1;
	f->run = 2;
	finish();
}

/* The word beside it in the line is needed. */
static void beside(void)
{
	pd_transient(&f->run, 8);
	f->neighbour = 1;
	f->run = 2;
	finish();
}

/* The line is used for something else, which is flushed once: it is needed from then on. */
static void flushed(void)
{
	pd_transient(&f->run, 64);
	f->neighbour = 1;
	persist(&f->run);
	f->run = 2;
	finish();
}

/* The same if a transaction logs it. */
static void logged(void)
{
	pd_transient(&f->run, 64);
	pd_tx_begin();
	pd_tx_add(&f->run, 64);
	f->neighbour = 1;
	f->run = 2;
	pd_tx_end();
	finish();
}

int main(int argc, char **argv)
{
	int fd = open("x.pm", O_RDWR);

	assert(argc == 2);
	if (fd < 0)
		return 1;
	f = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert(f != MAP_FAILED);
	if (f->done) {
		assert(f->run * 3 == 6);
		assert(strcmp(argv[1], "beside") != 0 || f->neighbour == 1);
		return 0;
	}
	if (strcmp(argv[1], "beside") == 0)
		beside();
	else if (strcmp(argv[1], "flushed") == 0)
		flushed();
	else if (strcmp(argv[1], "logged") == 0)
		logged();
	else
		said(strcmp(argv[1], "said") == 0);
	return 0;
}
