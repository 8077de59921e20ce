/*
 * wraps.c - every wrapper against the function that it wraps.
 *
 *	wraps FILE
 *
 * The same calls run on ordinary memory with libc's functions and on FILE, mapped as PM, with the
 *wrappers; results, output and the bytes left behind must be equal. Prints TAP.
 */
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdint.h>
#include <sys/mman.h>
#include "runtime/libc/wrap.h"
#include "lib/tap.h"

#define ROOM 8192
#define SIZE (11 * ROOM)

static char *base;
static struct {
	char text[1 << 16];
	size_t n;
} logs[2], *current;

__attribute__((format(printf, 1, 2))) static void note(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	current->n += (size_t)vsnprintf(current->text + current->n,
					sizeof(current->text) - current->n, fmt, ap);
	va_end(ap);
}

static void note_pointer(const char *what, const void *p)
{
	if (!p)
		note("%s: null\n", what);
	else
		note("%s: +%ld\n", what, (long)((const char *)p - base));
}

#define P(e) note_pointer(#e, e)
#define I(e) note("%s: %ld\n", #e, (long)(e))
#define D(e) note("%s: %a\n", #e, (double)(e))
#define S(e) note("%s: %s\n", #e, (e))

/* A function that this libc may not have. */
#define NEWER(f, other) (f ? f : other)

static size_t ref_strlcpy(char *d, const char *s, size_t n)
{
	if (n)
		*(char *)mempcpy(d, s, strnlen(s, n - 1)) = 0;
	return strlen(s);
}

static size_t ref_strlcat(char *d, const char *s, size_t n)
{
	size_t have = strnlen(d, n);

	return have + ref_strlcpy(d + have, s, n - have);
}

static size_t ref_strlcpy_chk(char *d, const char *s, size_t n, size_t room)
{
	return ref_strlcpy(d, s, n);
}

static size_t ref_strlcat_chk(char *d, const char *s, size_t n, size_t room)
{
	return ref_strlcat(d, s, n);
}

#pragma GCC diagnostic ignored "-Wall"
#pragma GCC diagnostic ignored "-Wextra"
#pragma GCC diagnostic ignored "-Wformat"
#pragma GCC diagnostic ignored "-Wformat-security"

#define F(x)	x
#define BODY(x) libc_##x
#include "wraps_body.h"
#undef F
#undef BODY

#define F(x)	__pd_w_##x
#define BODY(x) pm_##x
#include "wraps_body.h"

static int differ(void)
{
	char *a = logs[0].text, *b = logs[1].text;
	int bad = 0;

	while (*a || *b) {
		size_t n = strcspn(a, "\n"), k = strcspn(b, "\n");

		/* The text of a call differs in the name only, which note() has as it was written.
		 */
		if (n != k || memcmp(a, b, n)) {
			printf("# libc:    %.*s\n# wrapper: %.*s\n", (int)n, a, (int)k, b);
			bad++;
		}
		a += n + (a[n] != 0);
		b += k + (b[k] != 0);
	}
	return bad;
}

int main(int argc, char **argv)
{
	char *plain = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
	     *pm;
	int fd = open(argv[argc - 1], O_RDWR | O_CREAT, 0600), bad = 0;

	ftruncate(fd, SIZE);
	pm = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	tap_ok((uint64_t)pm >> 44 == 1, "the file is in the window");
	current = &logs[0], base = plain;
	libc_all(plain);
	current = &logs[1], base = pm;
	pm_all(pm);
	tap_ok(!differ(), "equal results of %zu bytes", logs[0].n);
	for (int i = 0; i < SIZE && bad < 10; i++)
		if (plain[i] != pm[i]) {
			printf("# byte %d of part %d: libc %d, wrapper %d\n", i % ROOM, i / ROOM,
			       plain[i], pm[i]);
			bad++;
		}
	tap_ok(!bad, "equal bytes");
	return tap_finish();
}
