/*
 * file/list.c - scandir and glob: the same lists as libc's, made of directories as the program sees
 * them (file/dir.c).
 *
 * scandir is readdir, the caller's filter and order, and qsort. glob stays libc's, which lets its
 * caller read directories (GLOB_ALTDIRFUNC).
 *
 * Thread rule: as file/dir.c; the caller's functions run under the baton.
 */
#include "runtime/file/file.h"
#include <dirent.h>
#include <fcntl.h>
#include <glob.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef int compare_fn(const struct dirent **, const struct dirent **);

struct names {
	struct dirent **v;
	size_t n, room;
};

/* False: memory ran out. */
static bool add(struct names *to, const struct dirent *e)
{
	size_t size = offsetof(struct dirent, d_name) + strlen(e->d_name) + 1;
	struct dirent **v = to->v, *copy;

	if (to->n == to->room) {
		v = realloc(v, (to->room + 32) * sizeof(*v));
		if (!v)
			return false;
		to->v = v;
		to->room += 32;
	}
	copy = malloc(size);
	if (!copy)
		return false;
	memcpy(copy, e, size);
	v[to->n++] = copy;
	return true;
}

static void drop(struct names *all)
{
	while (all->n)
		free(all->v[--all->n]);
	free(all->v);
	all->v = NULL;
}

/* Closes the directory. */
static int scan(DIR *dir, struct dirent ***list, int (*want)(const struct dirent *),
		compare_fn *compare)
{
	struct names all = {.v = malloc(sizeof(*all.v)), .room = 1};
	const struct dirent *e;
	bool good = dir && all.v;
	int saved;

	errno = dir ? 0 : errno;
	while (good && (e = readdir(dir)))
		good = (want && !want(e)) || add(&all, e);
	saved = good ? errno : dir ? ENOMEM : errno;
	if (!good || saved)
		drop(&all);
	if (dir)
		closedir(dir);
	errno = saved;
	if (!all.v)
		return -1;
	if (compare)
		qsort(all.v, all.n, sizeof(*all.v), (int (*)(const void *, const void *))compare);
	*list = all.v;
	return (int)all.n;
}

static int scan_at(int dirfd, const char *path, struct dirent ***list,
		   int (*want)(const struct dirent *), compare_fn *compare)
{
	int fd = openat(dirfd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);

	return scan(dir, list, want, compare);
}

PD_EXPORT int scandir(const char *restrict path, struct dirent ***restrict list,
		      int (*want)(const struct dirent *), compare_fn *compare)
{
	return pd_file_driven() ? scan(opendir(path), list, want, compare)
				: PD_REAL(scandir)(path, list, want, compare);
}

PD_EXPORT int scandirat(int dirfd, const char *restrict path, struct dirent ***restrict list,
			int (*want)(const struct dirent *), compare_fn *compare)
{
	return pd_file_driven() ? scan_at(dirfd, path, list, want, compare)
				: PD_REAL(scandirat)(dirfd, path, list, want, compare);
}

static void *glob_open(const char *path)
{
	return opendir(path);
}

static struct dirent *glob_read(void *dir)
{
	return readdir(dir);
}

static void glob_close(void *dir)
{
	closedir(dir);
}

PD_EXPORT int glob(const char *restrict pattern, int flags, int (*fail)(const char *, int),
		   glob_t *restrict out)
{
	int r;

	if (!pd_file_driven() || flags & GLOB_ALTDIRFUNC)
		return PD_REAL(glob)(pattern, flags, fail, out);
	out->gl_opendir = glob_open;
	out->gl_readdir = glob_read;
	out->gl_closedir = glob_close;
	out->gl_stat = stat;
	out->gl_lstat = lstat;
	r = PD_REAL(glob)(pattern, flags | GLOB_ALTDIRFUNC, fail, out);
	out->gl_flags &= ~GLOB_ALTDIRFUNC;
	return r;
}

/* struct dirent64 and glob64_t are the same on this machine. */
_Static_assert(sizeof(struct dirent) == sizeof(struct dirent64), "one layout");
_Static_assert(sizeof(glob_t) == sizeof(glob64_t), "one layout");

#define SAME(name) __attribute__((alias(#name)))

PD_EXPORT int scandir64(const char *restrict path, struct dirent64 ***restrict list,
			int (*want)(const struct dirent64 *),
			int (*compare)(const struct dirent64 **, const struct dirent64 **))
	SAME(scandir);
PD_EXPORT int scandirat64(int dirfd, const char *restrict path, struct dirent64 ***restrict list,
			  int (*want)(const struct dirent64 *),
			  int (*compare)(const struct dirent64 **, const struct dirent64 **))
	SAME(scandirat);
PD_EXPORT int glob64(const char *restrict pattern, int flags, int (*fail)(const char *, int),
		     glob64_t *restrict out) SAME(glob);
