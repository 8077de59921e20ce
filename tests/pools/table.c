/*
 * table.c - the table of pools as the session uses it: enumerate, find, save, load, bytes in and
 *out.
 *
 *	table MODE       in a directory with old.pm; prints TAP
 *
 * Linked with the parts under test, not against the library: it calls what the library hides.
 */
#include "runtime/file/file.h"
#include "runtime/base/raw.h"
#include "lib/tap.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define ok(yes, what) tap_ok((yes) != 0, "%s", what)

static struct pd_pool *pool_named(const char *name)
{
	for (uint32_t i = 0; i < pd_pool_count(); i++)
		if (!strcmp(strrchr(pd_pool_get(i)->name, '/') + 1, name))
			return pd_pool_get(i);
	return NULL;
}

static uint64_t mapped(const char *name, int flags, size_t n)
{
	int fd = open(name, flags, 0600);
	void *p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	close(fd);
	return p == MAP_FAILED ? 0 : (uint64_t)p;
}

/* What the crashed execution did: two files, one cut, one new, one deleted, one renamed. */
static void live(void)
{
	int fd = open("new.pm", O_RDWR | O_CREAT, 0600);

	ftruncate(fd, 100000);
	pwrite(fd, "new", 3, 50000);
	close(fd);
	truncate("old.pm", 5000);
	truncate("old.pm", 20000);
	fd = open("gone.pm", O_RDWR | O_CREAT, 0600);
	close(fd);
	unlink("gone.pm");
	fd = open("was.pm", O_RDWR | O_CREAT, 0600);
	close(fd);
	rename("was.pm", "is.pm");
}

static void test_questions(void)
{
	uint64_t off, addr = mapped("new.pm", O_RDWR, 100000), n = 1;
	struct pd_pool *p = pool_named("new.pm");
	const struct pd_pool_glob *g;
	uint32_t globs = pd_pool_globs(&g);

	ok(pd_pool_count() == 4, "four pools were touched");
	ok(p && p->base == addr && p->size == 100000, "a pool has its base and size");
	ok(pd_pool_of_address(addr + 7000, &off) == p && off == 7000, "it is found by an address");
	ok(!pd_pool_of_address(addr + 200000, &off), "but not beyond its end");
	ok(pd_pool_where(p, 50000, &n) == addr + 50000, "a byte is where it is mapped");
	ok(pd_pool_canonical(addr + 5) == addr + 5, "which is its home");
	ok(globs == 2 && g[0].opened == 4 && g[0].mapped == 1, "a glob counts what it led to");
	ok(g[1].opened == 0 && g[1].mapped == 0, "and another that it led to nothing");
	munmap((void *)addr, 100000);
}

static void test_bytes(void)
{
	struct pd_pool *p = pool_named("new.pm");
	char buf[8] = "";
	int fd;

	pd_pool_poke(p->base + 4094, "poke", 5);
	pd_pool_peek(buf, p->base + 4094, 5);
	ok(!strcmp(buf, "poke"), "bytes go in and out of a pool that is not mapped");
	fd = (int)pd_raw_openat(AT_FDCWD, "../image", O_RDWR | O_CREAT | O_TRUNC, 0600);
	ok(pd_pool_write_image(p, fd) == 0, "its image is written");
	pd_raw(SYS_pread64, fd, (long)buf, 3, 50000, 0, 0);
	ok(!memcmp(buf, "new", 3), "with its bytes");
	ok(pd_raw(SYS_lseek, fd, 0, SEEK_END, 0, 0, 0) == 100000, "and its size");
	pd_raw_close(fd);
}

/* While a mapping holds the pages elsewhere. */
static void test_guest(void)
{
	struct pd_pool *p = pool_named("new.pm");
	char *r = mmap(NULL, 1 << 20, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *a;
	uint64_t off, n = 1;
	int fd = open("new.pm", O_RDWR);
	char buf[8] = "";

	a = mmap(r + 8192, 65536, PROT_READ, MAP_SHARED | MAP_FIXED, fd, 0);
	ok(a == r + 8192 && pd_pool_canonical((uint64_t)a + 9) == p->base + 9,
	   "a guest has a home");
	ok(pd_pool_of_address((uint64_t)a + 50000, &off) == p && off == 50000, "and a pool");
	ok(!pd_pool_of_address((uint64_t)r, &off), "the reservation around it is not PM");
	ok(pd_pool_where(p, 4094, &n) == (uint64_t)a + 4094, "its bytes are where it is");
	pd_pool_peek(buf, p->base + 4094, 5);
	ok(!strcmp(buf, "poke"), "and are reached by the home address");
	pd_pool_poke(p->base + 65534, "edge", 5);
	munmap(r, 1 << 20);
	pd_pool_peek(buf, p->base + 65534, 5);
	ok(!strcmp(buf, "edge") && !pd_pool_away, "after it everything is home");
	close(fd);
}

static void test_load(const void *saved, size_t n)
{
	const char *why = "";
	struct pd_pool *p;
	uint64_t addr;
	char buf[10] = "";

	ok(pd_pool_count() == 0, "another process knows nothing");
	ok(!pd_pool_table_load("nonsense, but long enough to be a table of pools", 40, &why) && why,
	   "nonsense is not a table");
	ok(pd_pool_table_load(saved, n, &why), "a saved table is loaded");
	p = pool_named("new.pm");
	ok(p && p->size == 100000 && p->names == 1, "the new file exists");
	addr = mapped("new.pm", O_RDWR, 100000);
	ok(addr == p->base && *(char *)(addr + 50000) == 0, "at the same address, without bytes");
	ok(access("gone.pm", F_OK) == -1 && access("was.pm", F_OK) == -1,
	   "names that went are gone");
	ok(access("is.pm", F_OK) == 0, "the other name is there");
	addr = mapped("old.pm", O_RDWR, 20000);
	memcpy(buf, (char *)addr + 4996, 8);
	ok((unsigned char)buf[0] == 4996 % 251 && (unsigned char)buf[3] == 4999 % 251 && !buf[4] &&
		   !buf[5],
	   "the real file shines through up to where it was cut");
	ok(*(char *)(addr + 8192) == 0, "and not after");
	open("extra.pm", O_RDWR | O_CREAT, 0600);
	ok(pool_named("extra.pm")->base > p->base, "a new pool gets a new place");
}

int main(void)
{
	size_t n;
	void *saved;
	int p[2], status;

	setvbuf(stdout, NULL, _IOLBF, 0);
	pipe(p);
	if (fork() == 0) {
		live();
		n = pd_pool_table_save(NULL, 0);
		saved = malloc(n);
		pd_pool_table_save(saved, n);
		write(p[1], &n, sizeof(n));
		write(p[1], saved, n);
		test_questions();
		test_bytes();
		test_guest();
		fflush(stdout);
		_exit(tap_n);
	}
	read(p[0], &n, sizeof(n));
	saved = malloc(n);
	read(p[0], saved, n);
	wait(&status);
	tap_n = WEXITSTATUS(status);
	if (!WIFEXITED(status))
		tap_ok(0, "the crashed execution comes to its end");
	pd_file_driven();
	test_load(saved, n);
	return tap_finish();
}
