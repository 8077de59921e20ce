/*
 * file.h - descriptors of pools, and what the interposed file functions share.
 *
 * An open pool is an open file description of ours (struct pd_ofd): offset, flags and locks are in
 * private memory, so that a snapshot keeps them (the kernel's would be shared by every process of
 * the exploration). Its number is a real descriptor, opened O_PATH: it is the number that the
 * program would get natively, dup and close-on-exec are the kernel's, and a system call that we do
 * not interpose fails with EBADF instead of touching anything.
 *
 *	file/find.c   a path: is it PM, which pool, does it exist
 *	file.c        open, close, dup, fcntl, flock
 *	file/io.c     read, write, seek, sync; buffers that are in PM
 *	file/size.c   truncate, fallocate, copies between descriptors
 *	file/map.c    mmap and its family
 *	file/stat.c   stat, access, chmod, ...
 *	file/name.c   unlink, rename, link
 *	file/dir.c    readdir, realpath, readlink
 *	file/list.c   scandir, glob
 *	file/stdio.c  FILE
 *	file/syscall.c, file/loss.c   syscall(); what is seen but not modelled
 *
 * Internal functions return a result or -errno; PD_FILE_PASS means "not PM: ask libc".
 *
 * Thread rule: driven, the thread that holds the baton. Alone, the tables stay empty and every
 * function passes to libc.
 */
#ifndef PD_RUNTIME_FILE_FILE_H
#define PD_RUNTIME_FILE_FILE_H

#include "runtime/base/real.h"
#include "runtime/pm/pool.h"
#include "runtime/thread/door.h"
#include <errno.h>
#include <limits.h>

#define PD_FILE_PASS LONG_MIN
#define PD_FILE_FDS  65536

enum pd_ofd_kind {
	PD_OFD_POOL,
	PD_OFD_RANDOM, /* /dev/random, /dev/urandom */
};

struct pd_ofd {
	enum pd_ofd_kind kind;
	uint32_t refs;
	int flags;   /* as F_GETFL shows them */
	int lock;    /* LOCK_SH, LOCK_EX or 0 */
	bool mapped; /* shared, at least once */
	bool closed; /* no descriptor is left, only a mapping, which keeps the lock */
	uint64_t off;
	struct pd_pool *pool;
};

extern uint16_t pd_file_fds[PD_FILE_FDS];
struct pd_ofd *pd_file_ofd(uint32_t index);

/* Our description behind a descriptor, or NULL. */
static inline struct pd_ofd *pd_file_of(int fd)
{
	if (pd_likely((unsigned)fd >= PD_FILE_FDS || !pd_file_fds[fd]) || !pd_inside())
		return NULL;
	return pd_file_ofd(pd_file_fds[fd] - 1u);
}

static inline struct pd_pool *pd_file_pool(int fd)
{
	struct pd_ofd *o = pd_file_of(fd);

	return o && o->kind == PD_OFD_POOL ? o->pool : NULL;
}

/* The end of every interposed function. */
static inline long pd_file_result(long r)
{
	if (r >= 0)
		return r;
	errno = (int)-r;
	return -1;
}

/* Whether files are ours at all; every function that takes a path asks this first. */
bool pd_file_driven(void);

/* What a path leads to. */
struct pd_found {
	char abs[PATH_MAX];
	struct pd_pool *pool; /* NULL: no such file, or a real one that is not a pool yet */
	uint32_t glob;
	bool real; /* a real file is visible under this name; st describes it */
	bool side; /* not PM, but kept as well (pm/pool_side.c) */
	bool link; /* a real symbolic link that was not followed */
	struct stat st;
};

/* 0: PM, f is filled in. PD_FILE_PASS: not PM. -errno: the path cannot be looked up. */
long pd_file_find(int dirfd, const char *path, bool follow, struct pd_found *f);

/* The pool, created from the real file if need be; NULL with *err: that failed. */
struct pd_pool *pd_file_adopt(struct pd_found *f, long *err);

/* Whether names can be added to and removed from the directory of a path; 0 or -errno. */
long pd_file_check_dir(const char *abs);
/* Whether the pool's permissions allow these (R_OK...); 0 or -EACCES. */
long pd_file_check_mode(const struct pd_pool *p, int how);

long pd_file_open(int dirfd, const char *path, int flags, unsigned mode);
/* A new descriptor of an existing pool, e.g. for O_TMPFILE. */
long pd_file_attach(struct pd_pool *p, int flags, enum pd_ofd_kind kind);
/* A loss by a file that --pm does not name: fmt takes its name. */
void pd_file_loss_named(const char *fmt, const char *abs);
/* A side file has become PM: redirects its descriptors. A mapping of it is a loss. */
void pd_file_repoint(struct pd_pool *side, struct pd_pool *p);

/* Bytes of a pool at an offset, as the program reads and writes files; buf may be in PM itself. */
long pd_file_pool_read(struct pd_pool *p, void *buf, size_t n, uint64_t off);
long pd_file_pool_write(struct pd_pool *p, const void *buf, size_t n, uint64_t off);
void pd_file_pool_zero(struct pd_pool *p, uint64_t off, uint64_t n);
/* The same through a description: with its mode, its offset and O_APPEND. at < 0: at the offset. */
long pd_file_read(struct pd_ofd *o, void *buf, size_t n, int64_t at);
/* Makes all of it, or a range, durable. */
void pd_file_sync(struct pd_pool *p);
void pd_file_sync_range(struct pd_pool *p, uint64_t off, uint64_t n);

/* Copies bytes between the program's memory, which may be PM, and ours. */
void pd_file_to_user(void *dst, const void *src, size_t n);
void pd_file_from_user(void *dst, const void *src, size_t n);

/*
 * A system call that the program makes by syscall(): true if it concerns files, clocks or process
 * ids, and was served here; *r is what syscall() returns, and errno is set.
 */
bool pd_file_syscall(long n, const long a[6], long *r);

/* The place in the source that the wrapper of a libc function is called from; 0: unknown. */
extern _Thread_local uint32_t pd_file_site;

#endif
