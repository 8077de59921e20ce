/*
 * repeat.c - long rep stos and rep movs, each on PM and on ordinary memory with the same bytes: the
 * registers and the bytes must be the same afterwards. Ends with the number of the first that differs.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096, SIZE = 16 * PAGE };

static sigjmp_buf back;

struct registers {
	char *to;
	char *from;
	uint64_t n;
};

static void at_fault(int s)
{
	(void)s;
	siglongjmp(back, 1);
}

#define DO(insn, r, value)                                                                         \
	__asm__ volatile(insn : "+D"((r)->to), "+S"((r)->from), "+c"((r)->n) : "a"(value) : "memory", "cc")

/* Offsets; `from` in the same memory. */
static struct registers run(int what, char *m, long to, long from, uint64_t n)
{
	struct registers r = {m + to, m + from, n};
	uint64_t v = 0x8877665544332211;

	switch (what) {
	case 0: DO("rep stosb", &r, v); break; //@ stosb
	case 1: DO("rep stosw", &r, v); break;
	case 2: DO("rep stosl", &r, v); break;
	case 3: DO("rep stosq", &r, v); break;
	case 4: DO("rep movsb", &r, v); break;
	case 5: DO("rep movsw", &r, v); break;
	case 6: DO("rep movsq", &r, v); break;
	case 7: DO("std; rep movsb; cld", &r, v); break;
	case 8: DO("std; rep stosl; cld", &r, v); break;
	}
	r.to -= (intptr_t)m;
	r.from -= (intptr_t)m;
	return r;
}

static const struct {
	int what;
	long to, from;
	uint64_t n;
} cases[] = {
	{0, 0, 0, SIZE},	{0, 3, 0, 5000},       {1, 7, 0, 2500},	    {2, 8, 0, 3000},
	{3, 0, 0, 4000},	{3, 5, 0, 1000},       {4, 9000, 0, 8000},  {4, 9000, 3000, 6000},
	{4, 1, 0, 5000},	{4, 0, 1, 5000},       {5, 20001, 3, 4000}, {6, 30000, 0, 3000},
	{6, 8, 0, 3000},	{7, 20000, 9000, 5000}, {8, 40000, 0, 2000}, {0, 77, 0, 1},
	{4, 100, 5000, 300},	{0, 0, 0, 0},
};

/* Runs over the end of the file: what is before it is stored. */
static int over_the_end(char *m)
{
	volatile int faulted = 0;

	signal(SIGBUS, at_fault);
	if (sigsetjmp(back, 1) == 0)
		run(0, m, SIZE - PAGE, 0, 2 * PAGE);
	else
		faulted = 1;
	signal(SIGBUS, SIG_DFL);
	return faulted && m[SIZE - PAGE] == 0x11 && m[SIZE - 1] == 0x11;
}

int main(int argc, char **argv)
{
	int fd = open(argv[argc - 1], O_RDWR | O_CREAT, 0600);
	char *plain = malloc(SIZE), *pm;

	if (fd < 0 || ftruncate(fd, SIZE) != 0)
		return 100;
	pm = mmap(NULL, SIZE + PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	for (int i = 0; i < SIZE; i++)
		plain[i] = (char)(i * 7 + i / 256);
	memcpy(pm, plain, SIZE);
	for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct registers a = run(cases[i].what, pm, cases[i].to, cases[i].from, cases[i].n);
		struct registers b = run(cases[i].what, plain, cases[i].to, cases[i].from, cases[i].n);

		if (memcmp(pm, plain, SIZE) || a.to != b.to || a.from != b.from || a.n != b.n)
			return 1 + (int)i;
	}
	if (!over_the_end(pm))
		return 99;
	return 0;
}
