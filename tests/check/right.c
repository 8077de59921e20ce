/*
 * right.c - programs with nothing wrong in them, but for `input`, that are harder to get right for a
 * checker than for their author: right MODE
 */
#include <fcntl.h>
#include <emmintrin.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* In one piece: a program that is right does not rely on a plain store to be that. */
static void set(uint64_t *p, uint64_t v)
{
	__atomic_store_n(p, v, __ATOMIC_RELEASE);
}

static void persist(const void *p, size_t n)
{
	for (uintptr_t a = (uintptr_t)p & ~(uintptr_t)63; a < (uintptr_t)p + n; a += 64)
		__asm__ volatile("clwb (%0)" : : "r"(a) : "memory");
	_mm_sfence();
}

static uint64_t *map(const char *name, size_t n)
{
	int fd = open(name, O_RDWR | O_CREAT, 0600);
	void *p;

	if (fd < 0 || ftruncate(fd, (off_t)n) != 0)
		exit(9);
	p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (p == MAP_FAILED)
		exit(9);
	return p;
}

static void put(const char *name, uint64_t v)
{
	uint64_t *p = map(name, 4096);

	if (*p > 2)
		exit(9);
	set(p, v);
	persist(p, 8);
}

static int two(void)
{
	uint64_t *a = map("a.pm", 4096), *b = map("b.pm", 4096), x = *a, y = *b;

	if (y > x)
		return 1;
	set(a, x + 1);
	persist(a, 8);
	set(b, y + 1);
	persist(b, 8);
	return 0;
}

static int big(void)
{
	enum { SIZE = 4 << 20 };
	uint64_t *p = map("big.pm", SIZE);

	if (*p == 1)
		return 0;
	memset((char *)p + 4096, 7, SIZE - 4096);
	persist((char *)p + 4096, SIZE - 4096);
	set(p, 1);
	persist(p, 8);
	return 0;
}

/* Not right: the first store is lost when the second is not. Only an execution with input gets there. */
static int input(void)
{
	uint64_t *p = map("in.pm", 4096);
	char line[64];

	if (p[8] && !p[0])
		return 1;
	if (!fgets(line, sizeof(line), stdin))
		return 0;
	set(&p[0], 1);
	set(&p[8], 1);
	persist(p + 8, 8);
	return 0;
}

/* A million states that recovery can tell apart. */
static int wide(void)
{
	uint64_t *p = map("wide.pm", 4096), sum = 0;

	for (int i = 0; i < 20; i++)
		sum += p[8 * i];
	printf("%lu\n", (unsigned long)sum);
	if (sum && getenv("CUT"))
		kill(atoi(getenv("CUT")), SIGINT);
	for (int i = 0; i < 20; i++)
		set(&p[8 * i], 1);
	persist(p, 20 * 64);
	return 0;
}

/* Ordinary memory is at the same addresses in all executions, however much perdure needs itself. */
static int addresses(void)
{
	uint64_t *p = map("addresses.pm", 1 << 20);

	for (int i = 0; i < 40; i++) {
		uint64_t at = (uint64_t)mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE,
					     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) +
			      (uint64_t)malloc(300000);

		if (p[8 * i] && p[8 * i] != at)
			return 1;
		memset(p + 2000 + 2000 * i, i, 16000); /* a growing state */
		set(&p[8 * i], at);
		persist(p + 8 * i, 8);
	}
	return 0;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";

	if (!strcmp(mode, "unlink")) {
		put("n.pm", 1);
		unlink("n.pm");
		put("n.pm", 2);
		return 0;
	}
	if (!strcmp(mode, "rename")) {
		for (uint64_t v = 1; v < 3; v++) {
			put("n.pm", v);
			if (rename("n.pm", "c.pm") != 0)
				return 1;
		}
		return 0;
	}
	return !strcmp(mode, "two")     ? two()
	       : !strcmp(mode, "big")   ? big()
	       : !strcmp(mode, "input") ? input()
	       : !strcmp(mode, "wide")  ? wide()
	       : !strcmp(mode, "addresses") ? addresses()
					: 2;
}
