/*
 * file_loss.c - calls on PM files that are seen but not modelled: each is counted as a loss.
 *
 * Walking directories inside libc shows the real ones, so it is a loss once the overlay differs
 * from them. Moving bytes by splice or asynchronously is refused for pools, which programs handle:
 * file systems refuse it too.
 */
#include "runtime/file.h"
#include <aio.h>
#include <fcntl.h>
#include <sys/uio.h>
#include <dirent.h>
#include <ftw.h>
#include <fts.h>
#include <glob.h>

static void walk(const char *what)
{
	if (pd_rt.driven && pd_pool_count())
		pd_rt_loss(PD_LOSS_SYSCALL, 0, what);
}

#define WALK(type, name, params, args)                                                             \
	PD_EXPORT type name params                                                                 \
	{                                                                                          \
		walk(#name " lists a directory without what the program changed in it");           \
		return PD_REAL(name) args;                                                         \
	}

WALK(FTS *, fts_open, (char *const *paths, int how, int (*cmp)(const FTSENT **, const FTSENT **)),
     (paths, how, cmp))
WALK(FTS64 *, fts64_open,
     (char *const *paths, int how, int (*cmp)(const FTSENT64 **, const FTSENT64 **)),
     (paths, how, cmp))
WALK(int, ftw, (const char *path, __ftw_func_t fn, int n), (path, fn, n))
WALK(int, ftw64, (const char *path, __ftw64_func_t fn, int n), (path, fn, n))
WALK(int, nftw, (const char *path, __nftw_func_t fn, int n, int flags), (path, fn, n, flags))
WALK(int, nftw64, (const char *path, __nftw64_func_t fn, int n, int flags), (path, fn, n, flags))
WALK(int, scandir,
     (const char *restrict path, struct dirent ***restrict list, int (*want)(const struct dirent *),
      int (*cmp)(const struct dirent **, const struct dirent **)),
     (path, list, want, cmp))
WALK(int, scandir64,
     (const char *restrict path, struct dirent64 ***restrict list,
      int (*want)(const struct dirent64 *),
      int (*cmp)(const struct dirent64 **, const struct dirent64 **)),
     (path, list, want, cmp))
WALK(int, glob,
     (const char *restrict pattern, int flags, int (*fail)(const char *, int),
      glob_t *restrict out),
     (pattern, flags, fail, out))
WALK(int, glob64,
     (const char *restrict pattern, int flags, int (*fail)(const char *, int),
      glob64_t *restrict out),
     (pattern, flags, fail, out))

static bool refused(int a, int b, const void *buf, const char *what)
{
	if (!pd_file_of(a) && !pd_file_of(b) && !(PD_IS_PM(buf) && pd_rt.driven))
		return false;
	pd_rt_loss(PD_LOSS_SYSCALL, 0, what);
	return true;
}

PD_EXPORT ssize_t splice(int in, off64_t *in_off, int out, off64_t *out_off, size_t n,
			 unsigned flags)
{
	if (refused(in, out, NULL, "splice of a PM file"))
		return pd_file_result(-EINVAL);
	return PD_REAL(splice)(in, in_off, out, out_off, n, flags);
}

PD_EXPORT ssize_t vmsplice(int fd, const struct iovec *v, size_t n, unsigned flags)
{
	if (refused(fd, -1, n ? v->iov_base : NULL, "vmsplice of PM"))
		return pd_file_result(-EINVAL);
	return PD_REAL(vmsplice)(fd, v, n, flags);
}

#define AIO(name)                                                                                  \
	PD_EXPORT int name(struct aiocb *cb)                                                       \
	{                                                                                          \
		if (refused(cb->aio_fildes, -1, (const void *)cb->aio_buf, #name " with PM"))      \
			return (int)pd_file_result(-EINVAL);                                       \
		return PD_REAL(name)(cb);                                                          \
	}

AIO(aio_read)
AIO(aio_write)
