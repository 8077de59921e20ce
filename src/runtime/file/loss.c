/*
 * file/loss.c - calls on PM files that are seen but not modelled: each is counted as a loss.
 *
 * Walking directories by ftw and fts, inside libc, shows the real ones, so it is a loss where the
 * overlay differs from them: a name that is new or gone, another size. A walk that follows links
 * may get everywhere; one that does not stays under its paths. Moving bytes by splice or
 * asynchronously is refused for pools, which programs handle: file systems refuse it too.
 */
#include "runtime/file/file.h"
#include "runtime/base/raw.h"
#include "runtime/symbolic/symbolic.h"
#include <aio.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <ftw.h>
#include <fts.h>

/* Whether the program created, deleted or resized the file of this name. */
static bool has_changed(const char *abs, const struct pd_pool *p)
{
	struct stat st;
	bool real = pd_raw_fstatat(AT_FDCWD, abs, &st, AT_SYMLINK_NOFOLLOW) >= 0;

	return real != (p != NULL) || (p && !p->device && (uint64_t)st.st_size != p->size);
}

static bool is_under(const char *abs, const char *path)
{
	char top[PATH_MAX + 2];
	size_t n;

	if (pd_pool_path(AT_FDCWD, path, top) < 0)
		return true;
	memcpy(top + strlen(top), "/.", 3); /* links are resolved in the directory part */
	if (strlen(top) >= PATH_MAX || pd_pool_path_resolve(top) < 0)
		return false; /* not there: nothing is listed */
	n = top[1] ? strlen(top) : 0;
	return !strncmp(abs, top, n) && abs[n] == '/';
}

/* The roots of a walk: it stays below them, unless it follows links; those of sysfs stay there. */
static char *const *tops(char *const *paths, bool physical)
{
	for (char *const *at = paths; !physical && *at; at++)
		if (strncmp(*at, "/sys/", 5) != 0)
			return NULL;
	return paths;
}

/* paths: the roots of the walk, NULL-terminated; NULL: it may get everywhere. */
static void walk(char *const *paths, const char *what)
{
	const char *abs;
	struct pd_pool *p;

	if (!pd_file_driven())
		return;
	for (uint32_t i = 0; pd_pool_name_at(i, &abs, &p); i++) {
		char *const *at = paths;

		if (!has_changed(abs, p))
			continue;
		while (at && *at && !is_under(abs, *at))
			at++;
		if (at && !*at)
			continue;
		pd_rt_loss(PD_LOSS_CALL, 0, what);
		return;
	}
}

#define WALK(type, name, params, args, paths)                                                      \
	PD_EXPORT type name params                                                                 \
	{                                                                                          \
		walk(paths, #name " lists a directory without what the program changed in it");    \
		return PD_REAL(name) args;                                                         \
	}

#define ONE(path) ((char *const[]){(char *)(path), NULL})

WALK(FTS *, fts_open, (char *const *paths, int how, int (*cmp)(const FTSENT **, const FTSENT **)),
     (paths, how, cmp), tops(paths, how &FTS_PHYSICAL))
WALK(FTS64 *, fts64_open,
     (char *const *paths, int how, int (*cmp)(const FTSENT64 **, const FTSENT64 **)),
     (paths, how, cmp), tops(paths, how &FTS_PHYSICAL))
WALK(int, ftw, (const char *path, __ftw_func_t fn, int n), (path, fn, n), NULL)
WALK(int, ftw64, (const char *path, __ftw64_func_t fn, int n), (path, fn, n), NULL)
WALK(int, nftw, (const char *path, __nftw_func_t fn, int n, int flags), (path, fn, n, flags),
     flags &FTW_PHYS ? ONE(path) : NULL)
WALK(int, nftw64, (const char *path, __nftw64_func_t fn, int n, int flags), (path, fn, n, flags),
     flags &FTW_PHYS ? ONE(path) : NULL)
static bool is_refused(int a, int b, const void *buf, const char *what)
{
	if (!pd_file_of(a) && !pd_file_of(b) && !(PD_IS_PM(buf) && pd_inside_pm()))
		return false;
	pd_rt_loss(PD_LOSS_SYSCALL, 0, what);
	return true;
}

PD_EXPORT ssize_t splice(int in, off64_t *in_off, int out, off64_t *out_off, size_t n,
			 unsigned flags)
{
	if (is_refused(in, out, NULL, "splice of a PM file"))
		return pd_file_result(-EINVAL);
	pd_outside_passes(in, out, "splice");
	return PD_REAL(splice)(in, in_off, out, out_off, n, flags);
}

PD_EXPORT ssize_t vmsplice(int fd, const struct iovec *v, size_t n, unsigned flags)
{
	if (is_refused(fd, -1, n ? v->iov_base : NULL, "vmsplice of PM"))
		return pd_file_result(-EINVAL);
	return PD_REAL(vmsplice)(fd, v, n, flags);
}

#define AIO(name)                                                                                  \
	PD_EXPORT int name(struct aiocb *cb)                                                       \
	{                                                                                          \
		if (is_refused(cb->aio_fildes, -1, (const void *)cb->aio_buf, #name " with PM"))   \
			return (int)pd_file_result(-EINVAL);                                       \
		return PD_REAL(name)(cb);                                                          \
	}

AIO(aio_read)
AIO(aio_write)
