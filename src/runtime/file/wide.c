/*
 * file/wide.c - wide characters of a FILE on a pool.
 *
 * glibc kills a program that reads wide characters from a stream of fopencookie, as ours are. So
 * they are read from another FILE, of libc's own: it has a copy of the rest of the pool, all of it
 * in its buffer at the first read, so that executions that are split off share nothing. From then
 * on the first one is at its end, as libc's would give no more bytes either.
 *
 * Bytes of the input lose their labels here: a loss. Writing wide characters to a pool is refused.
 *
 * Thread rule: as in stdio.c.
 */
#include "runtime/base/raw.h"
#include "runtime/file/file.h"
#include "runtime/file/stdio.h"
#include "runtime/symbolic/symbolic.h"
#include <stdarg.h>
#include <sys/mman.h>
#include <unistd.h>
#include <wchar.h>

/* Flags of glibc's FILE. */
enum { SEEN_END = 0x10, SEEN_ERROR = 0x20 };

static void copy_rest(struct pd_ofd *o, int to)
{
	char buf[4096];
	long n;

	while ((n = pd_file_read(o, buf, sizeof(buf), -1)) > 0)
		if (pd_raw(SYS_write, to, (long)buf, n, 0, 0, 0) != n)
			pd_rt_fail(4, "no memory for wide characters");
	pd_raw(SYS_lseek, to, 0, SEEK_SET, 0, 0, 0);
}

static FILE *open_wide(struct pd_stream *s, struct pd_ofd *o)
{
	uint64_t left = o->pool->size > o->off ? o->pool->size - o->off : 0;
	long fd = pd_raw(SYS_memfd_create, (long)"perdure-wide", MFD_CLOEXEC, 0, 0, 0, 0);
	FILE *f;

	if (fd < 0)
		pd_rt_fail(4, "no descriptor for wide characters");
	if (!s->narrow) /* libc reads no wide characters where bytes were read */
		copy_rest(o, (int)fd);
	f = PD_REAL(fdopen)((int)fd, "r");
	if (!f || setvbuf(f, pd_raw_borrow(left + 1), _IOFBF, left + 1))
		pd_rt_fail(4, "no memory for wide characters");
	s->wide = f;
	return f;
}

/* The FILE that wide characters of f are read from. */
static FILE *wide_of(FILE *f, const char *by)
{
	struct pd_stream *s = pd_stream_find(f);
	struct pd_ofd *o = s ? pd_file_of(s->fd) : NULL;

	if (!s || s->wide)
		return s ? s->wide : f;
	if (!o || o->kind != PD_OFD_POOL || (o->flags & O_ACCMODE) == O_WRONLY)
		pd_rt_fail(2, "%s of a PM file that is open for writing is not supported", by);
	if (pd_symbolic.on && pd_symbolic.is_source && pd_symbolic.is_source(f)) {
		pd_symbolic_use();
		if (pd_symbolic.lost)
			pd_symbolic.lost(PD_SYM_WHY_MEMORY, NULL, by);
	}
	return open_wide(s, o);
}

void pd_stream_narrow(struct pd_stream *s)
{
	FILE *f = s->wide;

	s->wide = NULL;
	if (f)
		PD_REAL(fclose)(f);
}

/* What feof and ferror will say of f. */
static void mirror(FILE *f, const FILE *from)
{
	f->_flags |= from->_flags & (SEEN_END | SEEN_ERROR);
}

#define FORWARD(type, name, f, call)                                                               \
	({                                                                                         \
		FILE *from_ = wide_of(f, #name);                                                   \
		type r_ = PD_REAL(name) call;                                                      \
		mirror(f, from_);                                                                  \
		r_;                                                                                \
	})

#define GET(name)                                                                                  \
	PD_EXPORT wint_t name(FILE *f)                                                             \
	{                                                                                          \
		return FORWARD(wint_t, name, f, (from_));                                          \
	}

GET(fgetwc)
GET(getwc)
GET(fgetwc_unlocked)
GET(getwc_unlocked)

PD_EXPORT wint_t getwchar(void)
{
	return FORWARD(wint_t, fgetwc, stdin, (from_));
}

PD_EXPORT wint_t getwchar_unlocked(void)
{
	return FORWARD(wint_t, fgetwc_unlocked, stdin, (from_));
}

PD_EXPORT wint_t ungetwc(wint_t c, FILE *f)
{
	wint_t r = FORWARD(wint_t, ungetwc, f, (c, from_));

	if (r != WEOF)
		f->_flags &= ~SEEN_END;
	return r;
}

PD_EXPORT wchar_t *fgetws(wchar_t *restrict s, int n, FILE *restrict f)
{
	return FORWARD(wchar_t *, fgetws, f, (s, n, from_));
}

PD_EXPORT wchar_t *fgetws_unlocked(wchar_t *restrict s, int n, FILE *restrict f)
{
	return FORWARD(wchar_t *, fgetws_unlocked, f, (s, n, from_));
}

PD_EXPORT int fwide(FILE *f, int mode)
{
	struct pd_stream *s = pd_stream_find(f);

	if (s && (s->wide || mode > 0))
		f = wide_of(f, "fwide");
	return PD_REAL(fwide)(f, mode);
}

/* The names that headers give them, by the standard that a program is compiled for. */
#define SCAN(prefix)                                                                               \
	int prefix##vfwscanf(FILE *restrict f, const wchar_t *restrict format, va_list a);         \
	int prefix##fwscanf(FILE *restrict f, const wchar_t *restrict format, ...);                \
	int prefix##wscanf(const wchar_t *restrict format, ...);                                   \
	int prefix##vwscanf(const wchar_t *restrict format, va_list a);                            \
                                                                                                   \
	PD_EXPORT int prefix##vfwscanf(FILE *restrict f, const wchar_t *restrict format,           \
				       va_list a)                                                  \
	{                                                                                          \
		return FORWARD(int, prefix##vfwscanf, f, (from_, format, a));                      \
	}                                                                                          \
                                                                                                   \
	PD_EXPORT int prefix##vwscanf(const wchar_t *restrict format, va_list a)                   \
	{                                                                                          \
		return prefix##vfwscanf(stdin, format, a);                                         \
	}                                                                                          \
                                                                                                   \
	PD_EXPORT int prefix##fwscanf(FILE *restrict f, const wchar_t *restrict format, ...)       \
	{                                                                                          \
		va_list a;                                                                         \
		int r;                                                                             \
                                                                                                   \
		va_start(a, format);                                                               \
		r = prefix##vfwscanf(f, format, a);                                                \
		va_end(a);                                                                         \
		return r;                                                                          \
	}                                                                                          \
                                                                                                   \
	PD_EXPORT int prefix##wscanf(const wchar_t *restrict format, ...)                          \
	{                                                                                          \
		va_list a;                                                                         \
		int r;                                                                             \
                                                                                                   \
		va_start(a, format);                                                               \
		r = prefix##vfwscanf(stdin, format, a);                                            \
		va_end(a);                                                                         \
		return r;                                                                          \
	}

SCAN(__isoc99_)
SCAN(__isoc23_)
