/*
 * file/stat.c - the attributes of a pool: stat, access, chmod, chown, utime, extended attributes.
 *
 * Of a real PM file that the program has not used yet the real attributes are shown. From then on
 * everything comes from the pool. Its inode number is the real file's or, for one that exists in
 * the overlay only, made from its id; blocks are as if it had no holes.
 */
#include "runtime/file/file.h"
#include "runtime/base/env.h"
#include "runtime/base/raw.h"
#include <string.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <sys/time.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>
#include <utime.h>

#define MADE_UP_INODES (1ULL << 40)

static void dir_of(const struct pd_pool *p, char *dir)
{
	size_t n = (size_t)(strrchr(p->name, '/') - p->name);

	memcpy(dir, n ? p->name : "/", n ? n : 1);
	dir[n ? n : 1] = 0;
}

static struct timespec as_time(int64_t ns)
{
	return (struct timespec){ns / 1000000000, ns % 1000000000};
}

static void fill(const struct pd_pool *p, struct stat *st)
{
	char dir[PATH_MAX];
	struct stat d;

	memset(st, 0, sizeof(*st));
	st->st_dev = p->dev;
	st->st_ino = p->ino ? p->ino : MADE_UP_INODES + p->id;
	if (!p->ino) {
		dir_of(p, dir);
		if (pd_raw_fstatat(AT_FDCWD, dir, &d, 0) >= 0)
			st->st_dev = d.st_dev;
	}
	if (p->device && pd_raw_fstatat(AT_FDCWD, p->real, &d, 0) >= 0)
		st->st_rdev = d.st_rdev;
	st->st_mode = p->mode;
	st->st_nlink = p->names;
	st->st_uid = p->uid;
	st->st_gid = p->gid;
	st->st_size = p->device ? 0 : (off_t)p->size;
	st->st_blksize = 4096;
	st->st_blocks = p->device ? 0 : (blkcnt_t)(PD_PAGE_UP(p->size) / 512);
	st->st_atim = as_time(p->atime);
	st->st_mtim = st->st_ctim = as_time(p->mtime);
}

/* Looks a path, or an open file, up. True: *r is the result, and *p its pool; else *f is what was
 * found. */
static bool is_found(int dirfd, const char *path, int flags, struct pd_found *f, struct pd_pool **p,
		     long *r)
{
	if (path && !*path && (flags & AT_EMPTY_PATH)) {
		*p = pd_file_pool(dirfd);
		*r = *p ? 0 : PD_FILE_PASS;
		return true;
	}
	*r = pd_file_find(dirfd, path, !(flags & AT_SYMLINK_NOFOLLOW), f);
	return *r < 0;
}

/* 0, -errno, or PD_FILE_PASS also for a real file that is not a pool yet. */
static long find_pool(int dirfd, const char *path, int flags, struct pd_pool **p)
{
	struct pd_found f;
	long r;

	if (is_found(dirfd, path, flags, &f, p, &r))
		return r;
	*p = f.pool;
	return f.pool ? 0 : f.real ? PD_FILE_PASS : -ENOENT;
}

static long stat_path(int dirfd, const char *path, struct stat *st, int flags)
{
	struct pd_pool *p;
	long r = find_pool(dirfd, path, flags, &p);

	if (!r)
		fill(p, st);
	return r;
}

static long stat_fd(int fd, struct stat *st)
{
	struct pd_ofd *o = pd_file_of(fd);

	if (!o)
		return PD_FILE_PASS;
	if (!o->pool)
		return pd_raw_fstatat(AT_FDCWD, "/dev/urandom", st, 0);
	fill(o->pool, st);
	return 0;
}

/* struct stat64 is struct stat on this machine; both families, and what old binaries call. */
_Static_assert(sizeof(struct stat) == sizeof(struct stat64), "one layout");

#define STAT(name, type, params, args, ours)                                                       \
	PD_EXPORT int name params                                                                  \
	{                                                                                          \
		long r = ours;                                                                     \
                                                                                                   \
		return r == PD_FILE_PASS ? PD_REAL(name) args : (int)pd_file_result(r);            \
	}

#define STAT_FAMILY(suffix, type)                                                                  \
	STAT(stat##suffix, type, (const char *restrict path, struct type *restrict st),            \
	     (path, st), stat_path(AT_FDCWD, path, (struct stat *)st, 0))                          \
	STAT(lstat##suffix, type, (const char *restrict path, struct type *restrict st),           \
	     (path, st), stat_path(AT_FDCWD, path, (struct stat *)st, AT_SYMLINK_NOFOLLOW))        \
	STAT(fstat##suffix, type, (int fd, struct type *st), (fd, st),                             \
	     stat_fd(fd, (struct stat *)st))                                                       \
	STAT(fstatat##suffix, type,                                                                \
	     (int dirfd, const char *restrict path, struct type *restrict st, int flags),          \
	     (dirfd, path, st, flags), stat_path(dirfd, path, (struct stat *)st, flags))

STAT_FAMILY(, stat)
STAT_FAMILY(64, stat64)

#define OLD_STAT(suffix, type)                                                                     \
	int __xstat##suffix(int v, const char *path, struct type *st);                             \
	int __lxstat##suffix(int v, const char *path, struct type *st);                            \
	int __fxstat##suffix(int v, int fd, struct type *st);                                      \
	int __fxstatat##suffix(int v, int dirfd, const char *path, struct type *st, int flags);    \
	PD_EXPORT int __xstat##suffix(int v, const char *path, struct type *st)                    \
	{                                                                                          \
		(void)v;                                                                           \
		return stat##suffix(path, st);                                                     \
	}                                                                                          \
	PD_EXPORT int __lxstat##suffix(int v, const char *path, struct type *st)                   \
	{                                                                                          \
		(void)v;                                                                           \
		return lstat##suffix(path, st);                                                    \
	}                                                                                          \
	PD_EXPORT int __fxstat##suffix(int v, int fd, struct type *st)                             \
	{                                                                                          \
		(void)v;                                                                           \
		return fstat##suffix(fd, st);                                                      \
	}                                                                                          \
	PD_EXPORT int __fxstatat##suffix(int v, int dirfd, const char *path, struct type *st,      \
					 int flags)                                                \
	{                                                                                          \
		(void)v;                                                                           \
		return fstatat##suffix(dirfd, path, st, flags);                                    \
	}

OLD_STAT(, stat)
OLD_STAT(64, stat64)

static struct statx_timestamp as_stamp(struct timespec t)
{
	return (struct statx_timestamp){.tv_sec = t.tv_sec, .tv_nsec = (uint32_t)t.tv_nsec};
}

static void fill_statx(const struct pd_pool *p, struct statx *x)
{
	struct stat st;

	fill(p, &st);
	memset(x, 0, sizeof(*x));
	x->stx_mask = STATX_BASIC_STATS;
	x->stx_blksize = (uint32_t)st.st_blksize;
	x->stx_nlink = (uint32_t)st.st_nlink;
	x->stx_uid = st.st_uid;
	x->stx_gid = st.st_gid;
	x->stx_mode = (uint16_t)st.st_mode;
	x->stx_ino = st.st_ino;
	x->stx_size = (uint64_t)st.st_size;
	x->stx_blocks = (uint64_t)st.st_blocks;
	x->stx_atime = as_stamp(st.st_atim);
	x->stx_mtime = x->stx_ctime = as_stamp(st.st_mtim);
	x->stx_dev_major = major(st.st_dev);
	x->stx_dev_minor = minor(st.st_dev);
	x->stx_rdev_major = major(st.st_rdev);
	x->stx_rdev_minor = minor(st.st_rdev);
}

PD_EXPORT int statx(int dirfd, const char *restrict path, int flags, unsigned mask,
		    struct statx *restrict x)
{
	struct pd_pool *p;
	long r = find_pool(dirfd, path, flags, &p);

	if (r == PD_FILE_PASS)
		return PD_REAL(statx)(dirfd, path, flags, mask, x);
	if (!r)
		fill_statx(p, x);
	return (int)pd_file_result(r);
}

/*
 * The file system of a pool is that of its directory: a new file is nowhere else. Only statvfs
 * takes its arguments restrict.
 */
#define STATFS(path_name, fd_name, type, restricted)                                               \
	PD_EXPORT int path_name(const char *restricted path, struct type *restricted s)            \
	{                                                                                          \
		struct pd_pool *p;                                                                 \
		char dir[PATH_MAX];                                                                \
		long r = find_pool(AT_FDCWD, path, 0, &p);                                         \
                                                                                                   \
		if (r == PD_FILE_PASS)                                                             \
			return PD_REAL(path_name)(path, s);                                        \
		if (r < 0)                                                                         \
			return (int)pd_file_result(r);                                             \
		dir_of(p, dir);                                                                    \
		return PD_REAL(path_name)(dir, s);                                                 \
	}                                                                                          \
	PD_EXPORT int fd_name(int fd, struct type *s)                                              \
	{                                                                                          \
		struct pd_pool *p = pd_file_pool(fd);                                              \
		char dir[PATH_MAX];                                                                \
                                                                                                   \
		if (!p)                                                                            \
			return PD_REAL(fd_name)(fd, s);                                            \
		dir_of(p, dir);                                                                    \
		return PD_REAL(path_name)(dir, s);                                                 \
	}

STATFS(statfs, fstatfs, statfs, )
STATFS(statfs64, fstatfs64, statfs64, )
STATFS(statvfs, fstatvfs, statvfs, restrict)
STATFS(statvfs64, fstatvfs64, statvfs64, restrict)

/* ---- access -----------------------------------------------------------------------------------
 */

static long may(int dirfd, const char *path, int how, int flags)
{
	struct pd_pool *p;
	long r = find_pool(dirfd, path, flags, &p);

	if (r)
		return r;
	if (how & ~(R_OK | W_OK | X_OK))
		return -EINVAL;
	return pd_file_check_mode(p, how);
}

PD_EXPORT int access(const char *path, int how)
{
	long r = may(AT_FDCWD, path, how, 0);

	return r == PD_FILE_PASS ? PD_REAL(access)(path, how) : (int)pd_file_result(r);
}

PD_EXPORT int faccessat(int dirfd, const char *path, int how, int flags)
{
	long r = may(dirfd, path, how, flags);

	return r == PD_FILE_PASS ? PD_REAL(faccessat)(dirfd, path, how, flags)
				 : (int)pd_file_result(r);
}

PD_EXPORT int eaccess(const char *path, int how)
{
	long r = may(AT_FDCWD, path, how, 0);

	return r == PD_FILE_PASS ? PD_REAL(eaccess)(path, how) : (int)pd_file_result(r);
}

PD_EXPORT int euidaccess(const char *path, int how)
{
	return eaccess(path, how);
}

/* ---- chmod, chown, utime -----------------------------------------------------------------------
 */

/* The pool of a path that is about to be changed; created from the real file if need be. */
static long find_to_change(int dirfd, const char *path, int flags, struct pd_pool **p)
{
	struct pd_found f;
	long r;

	if (is_found(dirfd, path, flags, &f, p, &r))
		return r;
	if (!f.pool && !f.real)
		return -ENOENT;
	if (f.link)
		return -EOPNOTSUPP;
	*p = pd_file_adopt(&f, &r);
	return r;
}

static bool owns(const struct pd_pool *p)
{
	uint32_t uid = (uint32_t)pd_raw(SYS_geteuid, 0, 0, 0, 0, 0, 0);

	return uid == 0 || uid == p->uid;
}

static long change_mode(struct pd_pool *p, mode_t mode)
{
	if (!owns(p))
		return -EPERM;
	p->mode = (p->mode & S_IFMT) | (mode & 07777);
	p->touched = true;
	return 0;
}

static long change_owner(struct pd_pool *p, uid_t uid, gid_t gid)
{
	bool root = pd_raw(SYS_geteuid, 0, 0, 0, 0, 0, 0) == 0;

	if (!root && ((uid != (uid_t)-1 && uid != p->uid) || !owns(p)))
		return -EPERM;
	p->uid = uid == (uid_t)-1 ? p->uid : uid;
	p->gid = gid == (gid_t)-1 ? p->gid : gid;
	p->touched = true;
	return 0;
}

static int64_t new_time(int64_t old, const struct timespec *t)
{
	if (!t || t->tv_nsec == UTIME_NOW)
		return pd_env_now();
	return t->tv_nsec == UTIME_OMIT ? old : t->tv_sec * 1000000000LL + t->tv_nsec;
}

static long change_times(struct pd_pool *p, const struct timespec *t)
{
	if (!owns(p))
		return -EPERM;
	p->atime = new_time(p->atime, t);
	p->mtime = new_time(p->mtime, t ? t + 1 : NULL);
	return 0;
}

static long change_timevals(struct pd_pool *p, const struct timeval *t)
{
	struct timespec s[2];

	for (int i = 0; t && i < 2; i++)
		s[i] = (struct timespec){t[i].tv_sec, t[i].tv_usec * 1000};
	return change_times(p, t ? s : NULL);
}

/* By path and by descriptor: makes the change, or calls libc's function. */
#define CHANGE_PATH(name, params, args, dirfd, flags, change)                                      \
	PD_EXPORT int name params                                                                  \
	{                                                                                          \
		struct pd_pool *p;                                                                 \
		long r = find_to_change(dirfd, path, flags, &p);                                   \
                                                                                                   \
		if (r == PD_FILE_PASS)                                                             \
			return PD_REAL(name) args;                                                 \
		return (int)pd_file_result(r ? r : change);                                        \
	}

#define CHANGE_FD(name, params, args, change)                                                      \
	PD_EXPORT int name params                                                                  \
	{                                                                                          \
		struct pd_pool *p = pd_file_pool(fd);                                              \
                                                                                                   \
		return p ? (int)pd_file_result(change) : PD_REAL(name) args;                       \
	}

CHANGE_PATH(chmod, (const char *path, mode_t mode), (path, mode), AT_FDCWD, 0, change_mode(p, mode))
CHANGE_PATH(fchmodat, (int dirfd, const char *path, mode_t mode, int flags),
	    (dirfd, path, mode, flags), dirfd, flags, change_mode(p, mode))
CHANGE_FD(fchmod, (int fd, mode_t mode), (fd, mode), change_mode(p, mode))
CHANGE_PATH(chown, (const char *path, uid_t u, gid_t g), (path, u, g), AT_FDCWD, 0,
	    change_owner(p, u, g))
CHANGE_PATH(lchown, (const char *path, uid_t u, gid_t g), (path, u, g), AT_FDCWD,
	    AT_SYMLINK_NOFOLLOW, change_owner(p, u, g))
CHANGE_PATH(fchownat, (int dirfd, const char *path, uid_t u, gid_t g, int flags),
	    (dirfd, path, u, g, flags), dirfd, flags, change_owner(p, u, g))
CHANGE_FD(fchown, (int fd, uid_t u, gid_t g), (fd, u, g), change_owner(p, u, g))
CHANGE_PATH(utimensat, (int dirfd, const char *path, const struct timespec t[2], int flags),
	    (dirfd, path, t, flags), dirfd, flags, change_times(p, t))
CHANGE_FD(futimens, (int fd, const struct timespec t[2]), (fd, t), change_times(p, t))
CHANGE_PATH(utimes, (const char *path, const struct timeval t[2]), (path, t), AT_FDCWD, 0,
	    change_timevals(p, t))
CHANGE_PATH(lutimes, (const char *path, const struct timeval t[2]), (path, t), AT_FDCWD,
	    AT_SYMLINK_NOFOLLOW, change_timevals(p, t))
CHANGE_FD(futimes, (int fd, const struct timeval t[2]), (fd, t), change_timevals(p, t))

PD_EXPORT int utime(const char *path, const struct utimbuf *t)
{
	struct timeval v[2];

	if (t)
		v[0] = (struct timeval){t->actime, 0}, v[1] = (struct timeval){t->modtime, 0};
	return utimes(path, t ? v : NULL);
}

/* ---- extended attributes: an overlay has none --------------------------------------------------
 */

static long no_attributes(void)
{
	pd_rt_loss(PD_LOSS_SYSCALL, 0, "extended attributes of a PM file");
	return -ENOTSUP;
}

CHANGE_PATH(setxattr, (const char *path, const char *name, const void *v, size_t n, int flags),
	    (path, name, v, n, flags), AT_FDCWD, 0, no_attributes())
CHANGE_PATH(lsetxattr, (const char *path, const char *name, const void *v, size_t n, int flags),
	    (path, name, v, n, flags), AT_FDCWD, AT_SYMLINK_NOFOLLOW, no_attributes())
CHANGE_FD(fsetxattr, (int fd, const char *name, const void *v, size_t n, int flags),
	  (fd, name, v, n, flags), no_attributes())
CHANGE_PATH(removexattr, (const char *path, const char *name), (path, name), AT_FDCWD, 0,
	    no_attributes())
CHANGE_PATH(lremovexattr, (const char *path, const char *name), (path, name), AT_FDCWD,
	    AT_SYMLINK_NOFOLLOW, no_attributes())
CHANGE_FD(fremovexattr, (int fd, const char *name), (fd, name), no_attributes())
