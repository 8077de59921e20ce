/*
 * apart.c - several bugs in one program, none of which may hide another. Selected by CASE:
 *
 *	ATOMIC   two updates that are not atomic, in two functions, and a missing fence; each fails an assertion
 *	STATUS   the same, but all of them end with status 3, by one function
 *	IDS      a store that is durable too late, and an update that is not atomic, of the same word
 *	PAGE     a page is set by memset, not flushed, and read back word by word
 *	HELPERS  two stores that are not flushed, by a function that stores for others and may be inlined
 *	CUT      nothing is wrong: what was stored behind the end of a file that was then cut is gone
 *	EADR     two stores that belong together, and nothing else: with eADR power may fail between them
 */
#include <assert.h>
#include <fcntl.h>
#include <emmintrin.h>
#define _mm_clwb __builtin_ia32_clwb /* immintrin.h takes long to compile */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ATOMIC, STATUS, IDS, PAGE, HELPERS, CUT, EADR, WORDS = 512 };

struct line {
	uint64_t v, fill[7];
};

struct file {
	struct line a, b, c, d, e, f, ready;
	uint64_t page[WORDS];
};

static void persist(const void *p)
{
	_mm_clwb((void *)p);
	_mm_sfence();
}

__attribute__((noinline)) static void require(int good)
{
	if (CASE == ATOMIC)
		assert(good);
	else if (!good)
		exit(3);
}

static void first(struct file *p)
{
	p->a.v = 1; //@ first
	persist(&p->a);
	p->b.v = 1;
	persist(&p->b);
}

static void second(struct file *p)
{
	p->c.v = 1; //@ second
	persist(&p->c);
	p->d.v = 1;
	persist(&p->d);
}

static void third(struct file *p)
{
	p->e.v = 1; //@ third
	_mm_clwb(&p->e);
	p->f.v = 1;
	persist(&p->f);
}

/* b is trusted before a is durable; and a alone is half of an update. */
static void both(struct file *p)
{
	p->a.v = 1; //@ both
	p->b.v = 1;
	persist(&p->b);
	persist(&p->a);
	p->c.v = 1;
	persist(&p->c);
}

static void put(uint64_t *p, uint64_t v)
{
	*p = v;
}

static void put_a(struct file *p)
{
	put(&p->a.v, 1); //@ helper-a
	put(&p->b.v, 1);
	persist(&p->b);
}

static void put_c(struct file *p)
{
	put(&p->c.v, 1); //@ helper-c
	put(&p->d.v, 1);
	persist(&p->d);
}

static void cut(int fd, struct file *p)
{
	p->a.v = p->b.v = 1;
	persist(&p->a);
	persist(&p->b);
	p->page[WORDS - 1] = 1; /* in the second page of the file */
	persist(&p->page[WORDS - 1]);
	munmap(p, sizeof(*p));
	if (ftruncate(fd, 4096) != 0)
		exit(2);
}

static void verify(const struct file *p)
{
	if (CASE == HELPERS) {
		require(!p->b.v || p->a.v);
		require(!p->d.v || p->c.v);
		return;
	}
	if (CASE == CUT)
		return;
	if (CASE == IDS) {
		if (p->b.v && !p->a.v)
			exit(3);
		if (p->a.v && !p->c.v)
			exit(4);
		return;
	}
	require(p->a.v == p->b.v);
	require(p->c.v == p->d.v);
	require(!p->f.v || p->e.v);
	for (int i = 0; p->ready.v && i < WORDS; i++)
		require(p->page[i] == 0x0101010101010101);
}

int main(int argc, char **argv)
{
	int fd = open(argc > 1 ? argv[1] : "", O_RDWR | O_CREAT, 0644);
	struct file *p;

	if (CASE == CUT && lseek(fd, 0, SEEK_END) == 4096) {
		p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		return p == MAP_FAILED || !p->a.v || !p->b.v;
	}
	if (fd < 0 || ftruncate(fd, sizeof(*p)) != 0)
		return 2;
	p = mmap(NULL, sizeof(*p), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		return 2;
	verify(p);
	if (argc > 2)
		return 0;
	if (CASE == IDS) {
		both(p);
	} else if (CASE == HELPERS) {
		put_a(p);
		put_c(p);
	} else if (CASE == CUT) {
		cut(fd, p);
	} else if (CASE == EADR) {
		p->a.v = 1; //@ eadr
		p->b.v = 1;
	} else if (CASE == PAGE) {
		memset(p->page, 1, sizeof(p->page)); //@ page
		p->ready.v = 1;
		persist(&p->ready);
	} else {
		first(p);
		second(p);
		third(p);
	}
	return 0;
}
