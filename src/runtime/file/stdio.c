/*
 * file/stdio.c - FILE on a pool.
 *
 * libc's FILE calls the kernel by itself, past every interposed function. A FILE on a pool is
 * therefore made by fopencookie from our own read, write and seek; fileno knows its descriptor from
 * a list here. Wide characters: wide.c.
 *
 * Thread rule: the list is touched driven only, under the baton.
 */
#include "runtime/base/outside.h"
#include "runtime/file/file.h"
#include "runtime/file/stdio.h"
#include "runtime/base/raw.h"
#include "runtime/symbolic/symbolic.h"
#include <stdio.h>
#include <stdio_ext.h>
#include <string.h>
#include <unistd.h>

static struct pd_stream *streams, *spare;

struct pd_stream *pd_stream_find(const void *f)
{
	struct pd_stream *s = streams;

	while (s && s->f != f)
		s = s->next;
	return s;
}

static ssize_t cookie_read(void *cookie, char *buf, size_t n)
{
	struct pd_stream *s = cookie;
	ssize_t r;

	s->narrow = true;
	r = read(s->fd, buf, n);
	/* Labels end here, but for streams that read a source (symbolic/stream.c) */
	if (pd_unlikely(pd_symbolic.on) && r > 0 && pd_labels_any(buf, (size_t)r)) {
		if (pd_symbolic.lost && !(pd_symbolic.is_source && pd_symbolic.is_source(s->f)))
			pd_symbolic.lost(PD_SYM_WHY_OUTSIDE, NULL, "a stream");
		pd_labels_clear(buf, (size_t)r);
	}
	return r;
}

static ssize_t cookie_write(void *cookie, const char *buf, size_t n)
{
	ssize_t r = write(((struct pd_stream *)cookie)->fd, buf, n);

	return r < 0 ? 0 : r; /* fopencookie(3): an error is 0 here */
}

static int cookie_seek(void *cookie, off64_t *off, int whence)
{
	off64_t r;

	pd_stream_narrow(cookie);
	r = lseek(((struct pd_stream *)cookie)->fd, *off, whence);

	if (r < 0)
		return -1;
	*off = r;
	return 0;
}

static int cookie_close(void *cookie)
{
	struct pd_stream *s = cookie, **at = &streams;

	while (*at && *at != s)
		at = &(*at)->next;
	if (*at)
		*at = s->next;
	pd_stream_narrow(s);
	s->next = spare;
	spare = s;
	return close(s->fd);
}

/* The flags of open for a mode of fopen; -1: not a mode. */
static int flags_of(const char *mode)
{
	int flags;

	switch (*mode++) {
	case 'r':
		flags = O_RDONLY;
		break;
	case 'w':
		flags = O_WRONLY | O_CREAT | O_TRUNC;
		break;
	case 'a':
		flags = O_WRONLY | O_CREAT | O_APPEND;
		break;
	default:
		return -1;
	}
	for (; *mode && *mode != ','; mode++) {
		if (*mode == '+')
			flags = (flags & ~O_ACCMODE) | O_RDWR;
		else if (*mode == 'x')
			flags |= O_EXCL;
		else if (*mode == 'e')
			flags |= O_CLOEXEC;
	}
	return flags;
}

/* A FILE on a descriptor of ours. */
static FILE *wrap(int fd, const char *mode)
{
	static const cookie_io_functions_t io = {cookie_read, cookie_write, cookie_seek,
						 cookie_close};
	struct pd_stream *s = spare;
	char plain[8] = "";
	size_t n = 0;

	for (; *mode && *mode != ',' && n < sizeof(plain) - 1; mode++)
		if (strchr("rwab+", *mode))
			plain[n++] = *mode;
	if (s)
		spare = s->next;
	else
		s = pd_pool_alloc(sizeof(*s));
	s->fd = fd;
	s->wide = NULL;
	s->narrow = false;
	s->f = fopencookie(s, plain, io);
	s->next = streams;
	streams = s;
	if (!s->f)
		cookie_close(s);
	return s->f;
}

/* A FILE, or NULL with errno; *pass: the path is not PM. */
static FILE *open_stream(const char *path, const char *mode, bool *pass)
{
	int flags = flags_of(mode);
	long fd;

	*pass = flags < 0;
	if (*pass)
		return NULL;
	fd = pd_file_open(AT_FDCWD, path, flags, 0666);
	*pass = fd == PD_FILE_PASS;
	if (*pass)
		return NULL;
	if (fd < 0) {
		errno = (int)-fd;
		return NULL;
	}
	return wrap((int)fd, mode);
}

#define FOPEN(name)                                                                                \
	PD_EXPORT FILE *name(const char *restrict path, const char *restrict mode)                 \
	{                                                                                          \
		bool pass;                                                                         \
		FILE *f = open_stream(path, mode, &pass);                                          \
                                                                                                   \
		return pass ? PD_REAL(name)(path, mode) : f;                                       \
	}

FOPEN(fopen)
FOPEN(fopen64)

PD_EXPORT FILE *fdopen(int fd, const char *mode)
{
	int flags = flags_of(mode);
	struct pd_ofd *o = pd_file_of(fd);

	if (pd_outside.is_ours && pd_outside.is_ours(fd)) /* libc would wait by itself */
		pd_rt_fail(2, "a stream over a connection of a script is not supported (fdopen)");
	if (!o)
		return PD_REAL(fdopen)(fd, mode);
	if (flags < 0 ||
	    ((o->flags & O_ACCMODE) != O_RDWR && (flags & O_ACCMODE) != (o->flags & O_ACCMODE))) {
		errno = EINVAL;
		return NULL;
	}
	o->flags |= flags & O_APPEND;
	return wrap(fd, mode);
}

/*
 * libc never frees its standard streams: reading from a closed one gives an error. The same holds
 * for one of ours in its place.
 */
PD_EXPORT int fclose(FILE *f)
{
	struct pd_stream *s = f == stdin ? pd_stream_find(f) : NULL;
	int fd;

	if (!s)
		return PD_REAL(fclose)(f);
	fd = s->fd;
	s->fd = -1;
	__fpurge(f);
	return close(fd);
}

/* The FILE itself must stay; a pool cannot be put behind one of libc's, nor the other way round. */
static FILE *reopen(FILE *f)
{
	pd_rt_loss(PD_LOSS_SYSCALL, 0, "freopen of a PM file");
	fclose(f);
	errno = ENOTSUP;
	return NULL;
}

#define FREOPEN(name)                                                                              \
	PD_EXPORT FILE *name(const char *restrict path, const char *restrict mode,                 \
			     FILE *restrict f)                                                     \
	{                                                                                          \
		struct pd_found at;                                                                \
                                                                                                   \
		if (pd_stream_find(f) ||                                                           \
		    (path && pd_file_find(AT_FDCWD, path, true, &at) != PD_FILE_PASS))             \
			return reopen(f);                                                          \
		return PD_REAL(name)(path, mode, f);                                               \
	}

FREOPEN(freopen)
FREOPEN(freopen64)

PD_EXPORT int fileno(FILE *f)
{
	struct pd_stream *s = pd_stream_find(f);

	return s ? s->fd : PD_REAL(fileno)(f);
}

PD_EXPORT int fileno_unlocked(FILE *f)
{
	struct pd_stream *s = pd_stream_find(f);

	return s ? s->fd : PD_REAL(fileno_unlocked)(f);
}
