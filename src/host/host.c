/* host.c - see host.h. */
#include "host/host.h"
#include "base/bug.h"
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

static void *grow(void *ctx, size_t n)
{
	void *p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)ctx;
	if (p == MAP_FAILED)
		return NULL;
	/* The model accesses its memory at random: with small pages, TLB misses dominate. */
	if (n >= 2 << 20)
		madvise(p, n, MADV_HUGEPAGE);
	return p;
}

static void release(void *ctx, void *p, size_t n)
{
	(void)ctx;
	munmap(p, n);
}

struct pd_host pd_host_memory(void)
{
	return (struct pd_host){grow, release, NULL};
}

static void write_file(void *ctx, const char *s, size_t n)
{
	fwrite(s, 1, n, ctx);
}

struct pd_out pd_host_out(FILE *f)
{
	return (struct pd_out){write_file, f};
}

_Noreturn void pd_bug_report(const char *file, int line, const char *what)
{
	fflush(stdout);
	fprintf(stderr,
		"perdure: defect in perdure itself (%s:%d): %s\n"
		"perdure: this is not a finding about your program; please report it with the "
		"command line\n",
		file, line, what);
	exit(4);
}

double pd_host_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void pd_host_leave_make(void)
{
	unsetenv("MAKEFLAGS");
	unsetenv("MFLAGS");
	unsetenv("MAKELEVEL");
}
