/*
 * private.c - recoveries that read PM through a private mapping, as pmemobj_check does.
 *
 * Usage: private HOW. The first run leaves a line open in each of so many pages, then publishes the first
 * of them, the right way or (lost) without a flush of what is published. A recovery looks only at what
 * was published.
 */
#include <assert.h>
#include <fcntl.h>
#include <immintrin.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGES = 24, PAGE = 4096 };

struct page {
	uint64_t data[PAGE / 16]; /* the first half */
	uint64_t other[PAGE / 16];
};

static struct page *map(int fd, int flags)
{
	void *p = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, flags, fd, 0);

	assert(p != MAP_FAILED);
	return p;
}

static void persist(const void *p)
{
	_mm_clflush(p);
	_mm_sfence();
}

/* What is published is there, and its neighbour in the page is the old or the new one. */
static void look(const struct page *p)
{
	if (p->other[0])
		assert(p->data[8] == 7);
}

/* The kernel reads a page. (Recoveries part when it does so first: the pipe is made after that.) */
static void give(struct page *p)
{
	int fds[2], null = open("/dev/null", O_WRONLY);
	uint64_t got[2];

	assert(write(null, p, PAGE) == PAGE && pipe(fds) == 0);
	assert(write(fds[1], &p->other[0], 8) == 8 && write(fds[1], &p->data[8], 8) == 8);
	assert(read(fds[0], got, sizeof(got)) == sizeof(got));
	assert(!got[0] || got[1] == 7);
	assert(got[0] == p->other[0] && got[1] == p->data[8]);
}

/* What is stored stays here, and what was not stored is the file's. */
static void change(int fd, struct page *p)
{
	struct page *shared = map(fd, MAP_SHARED);
	uint64_t was = shared->other[0], half;

	((uint32_t *)p->other)[0] = 9;
	half = was >> 32 << 32 | 9;
	assert(p->other[0] == half && shared->other[0] == was);
	__atomic_fetch_add(&p->other[0], 1, __ATOMIC_SEQ_CST);
	memset(&p->data[0], 1, 16);
	assert(p->other[0] == half + 1 && shared->other[0] == was && shared->data[0] <= 1);
	p->other[0] = was;
	look(p);
}

/* A part of it goes, and another part is closed for a while. */
static void cut(struct page *p)
{
	assert(mprotect(p, PAGE, PROT_NONE) == 0);
	assert(munmap(p + 2, 3 * PAGE) == 0 && munmap(p + PAGES - 1, PAGE) == 0);
	assert(mprotect(p, PAGE, PROT_READ) == 0);
	look(p);
	assert(p[1].data[0] <= 2 && p[5].data[0] <= 6);
}

/* The program's own fault stays that. */
static void fault(struct page *p)
{
	assert(mprotect(p, PAGE, PROT_NONE) == 0);
	look(p);
}

static void recover(const char *how, int fd)
{
	struct page *p = map(fd, strcmp(how, "shared") == 0 ? MAP_SHARED : MAP_PRIVATE);

	if (strcmp(how, "give") == 0)
		give(p);
	else if (strcmp(how, "change") == 0)
		change(fd, p);
	else if (strcmp(how, "cut") == 0)
		cut(p);
	else if (strcmp(how, "fault") == 0)
		fault(p);
	else
		look(p);
	munmap(p, PAGES * PAGE);
}

int main(int argc, char **argv)
{
	int fd = open("x.pm", O_RDWR);
	struct page *p;

	assert(argc == 2);
	if (fd >= 0 && lseek(fd, 0, SEEK_END) == PAGES * PAGE) {
		recover(argv[1], fd);
		return 0;
	}
	fd = open("x.pm", O_RDWR | O_CREAT, 0600);
	assert(ftruncate(fd, PAGES * PAGE) == 0);
	p = map(fd, MAP_SHARED);
	for (uint64_t i = 0; i < PAGES; i++)
		p[i].data[0] = i + 1; /* stays open */
	p->data[8] = 7;
	if (strcmp(argv[1], "lost") != 0)
		persist(&p->data[8]);
	p->other[0] = 1;
	persist(&p->other[0]);
	return 0;
}
