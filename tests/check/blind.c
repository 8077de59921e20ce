/*
 * blind.c - a program and code that was compiled by somebody else (-DLIBRARY): it reads PM.
 *
 *	blind HOW FILE
 *
 * A record is valid where its flag is set; it is stored before the flag and, with HOW "lost-...", not flushed before it.
 * Recovery looks at the record by a function that perdure cannot see into, or by one of libc.
 */
#define _GNU_SOURCE
#include <stddef.h>
#include <stdint.h>

uint64_t foreign_get(const uint64_t *from);
void foreign_keep(const uint64_t *from);
uint64_t foreign_kept(void);
long foreign_write(int fd, const void *from, size_t n);
uint64_t foreign_sum(const void *from, size_t n);

#ifdef LIBRARY
#include <sys/syscall.h>

static const uint64_t *kept;

uint64_t foreign_get(const uint64_t *from)
{
	return *(const volatile uint64_t *)from;
}

void foreign_keep(const uint64_t *from)
{
	kept = from;
}

uint64_t foreign_kept(void)
{
	return *(const volatile uint64_t *)kept;
}

long foreign_write(int fd, const void *from, size_t n)
{
	long r;

	__asm__ volatile("syscall" : "=a"(r) : "a"(SYS_write), "D"(fd), "S"(from), "d"(n) : "rcx", "r11", "memory");
	return r;
}

uint64_t foreign_sum(const void *from, size_t n)
{
	const volatile unsigned char *p = from;
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += p[i];
	return sum;
}
#else
#include <arpa/inet.h>
#include <assert.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <emmintrin.h>
#include <inttypes.h>
#include <search.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

static const char *how;

static void persist(const volatile void *p)
{
	_mm_clflush((const void *)p);
	_mm_sfence();
}

static int is(const char *what)
{
	return strcmp(strncmp(how, "lost-", 5) == 0 ? how + 5 : how, what) == 0;
}

/* ---- looking at the record, which is a 7, by code that was not instrumented ------------------------ */

static int by_write(const void *from)
{
	uint64_t v = 0;
	int ends[2];

	return pipe(ends) == 0 && foreign_write(ends[1], from, sizeof(v)) == sizeof(v) &&
	       read(ends[0], &v, sizeof(v)) == sizeof(v) && v == 7;
}

static void own_handler(int sig)
{
	(void)sig;
	_exit(7);
}

/* With a handler of the program's own for the signal that shows it, and with that signal blocked. */
static int by_blocked(const void *from)
{
	sigset_t all;

	signal(SIGSEGV, own_handler);
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	return foreign_get(from) == 7;
}

static int by_library(const void *from)
{
	return foreign_get(from) == 7;
}

/* No address is given. */
static int by_kept(const void *from)
{
	(void)from;
	return foreign_kept() == 7;
}

/* All of a page, byte by byte. */
static int by_sum(const void *from)
{
	return foreign_sum(from, 4096) >= 7;
}

/* What it reads does not matter. */
static int by_nothing(const void *from)
{
	return foreign_get(from) != 1;
}

/* A function of libc that is not wrapped. */
static int by_fnmatch(const void *s)
{
	return fnmatch("[6-8]*", s, 0) == 0;
}

/* ---- by libc: the record is a string ----------------------------------------------------------------- */

static int by_strtol(const void *s)
{
	return strtol(s, NULL, 0) == 7;
}

static int by_sscanf(const void *s)
{
	int v;

	return sscanf(s, "%d", &v) == 1 && v == 7;
}

static int by_strtoumax(const void *s)
{
	return strtoumax(s, NULL, 10) == 7;
}

static int by_strtold(const void *s)
{
	return strtold(s, NULL) == 7;
}

static int by_strverscmp(const void *s)
{
	return strverscmp(s, "7.1") == 0;
}

static int by_strxfrm(const void *s)
{
	char to[64];

	return strxfrm(to, s, sizeof(to)) == 3;
}

static int by_wcscmp(const void *s)
{
	return wcsncmp(s, L"7", 2) == 0 && wcstol(s, NULL, 0) == 7 && wcschr(s, L'7') == s;
}

static int by_inet(const void *s)
{
	return inet_addr(s) == inet_addr("7.7.7.7");
}

static int by_gmtime(const void *s)
{
	struct tm *tm = gmtime(s);

	return tm && tm->tm_sec == 7;
}

static int by_lsearch(const void *s)
{
	uint64_t v[2] = {0, 0};
	size_t n = 0;

	return lsearch(s, v, &n, sizeof(*v), (int (*)(const void *, const void *))strcmp) == v && v[0];
}

struct way {
	const char *name;
	int (*is_there)(const void *from);
	const char *record;
	size_t n;
};

#define NUMBER "\7\0\0\0\0\0\0", 8

static const struct way ways[] = {
	{"library", by_library, NUMBER},
	{"kept", by_kept, NUMBER},
	{"sum", by_sum, NUMBER},
	{"nothing", by_nothing, NUMBER},
	{"write", by_write, NUMBER},
	{"signal", by_blocked, NUMBER},
	{"fnmatch", by_fnmatch, "7", 2},
	{"strtol", by_strtol, "7", 2},
	{"sscanf", by_sscanf, "7", 2},
	{"strtoumax", by_strtoumax, "7", 2},
	{"strtold", by_strtold, "7.0", 4},
	{"strverscmp", by_strverscmp, "7.1", 4},
	{"strxfrm", by_strxfrm, "abc", 4},
	{"wcs", by_wcscmp, "7\0\0\0\0\0\0", 8},
	{"inet", by_inet, "7.7.7.7", 8},
	{"gmtime", by_gmtime, NUMBER},
	{"lsearch", by_lsearch, "7", 2},
};

static const struct way *find_way(void)
{
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++)
		if (is(ways[i].name))
			return &ways[i];
	return &ways[0];
}

int main(int argc, char **argv)
{
	int fd = open(argc > 2 ? argv[2] : "", O_RDWR | O_CREAT, 0600);
	const struct way *way;
	volatile uint64_t *valid;
	char *pm;

	if (fd < 0 || ftruncate(fd, 8192) != 0)
		return 1;
	how = argv[1];
	way = find_way();
	pm = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	valid = (uint64_t *)(pm + 4096);
	foreign_keep((const uint64_t *)pm);
	if (*valid) {
		assert(way->is_there(pm));
		return 0;
	}
	memcpy(pm, way->record, way->n);
	if (strncmp(how, "lost-", 5) != 0)
		persist(pm);
	*valid = 1;
	persist(valid);
	return 0;
}
#endif
