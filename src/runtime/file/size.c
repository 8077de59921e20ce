/*
 * file/size.c - truncate and fallocate, and the calls that copy between two descriptors.
 *
 * A new size is durable immediately. Space is not accounted: only fallocate, which guarantees it,
 * asks the file system of the pool whether there is that much.
 */
#include "runtime/file/file.h"
#include "runtime/base/raw.h"
#include "runtime/symbolic/symbolic.h"
#include <linux/falloc.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/vfs.h>
#include <unistd.h>

static long truncate_fd(struct pd_ofd *o, int64_t size)
{
	if (size < 0 || o->kind != PD_OFD_POOL || (o->flags & O_ACCMODE) == O_RDONLY ||
	    o->pool->device)
		return -EINVAL;
	return (uint64_t)size == o->pool->size ? 0 : pd_pool_resize(o->pool, (uint64_t)size);
}

PD_EXPORT int ftruncate(int fd, off_t size)
{
	struct pd_ofd *o = pd_file_of(fd);

	return o ? (int)pd_file_result(truncate_fd(o, size)) : PD_REAL(ftruncate)(fd, size);
}

PD_EXPORT int ftruncate64(int fd, off64_t size)
{
	return ftruncate(fd, size);
}

static long truncate_path(const char *path, int64_t size)
{
	struct pd_found f;
	struct pd_pool *p;
	long r = pd_file_find(AT_FDCWD, path, true, &f);

	if (r < 0)
		return r;
	if (!f.pool && !f.real)
		return -ENOENT;
	if (size < 0)
		return -EINVAL;
	if (f.real && !(f.pool && f.pool->touched))
		r = pd_raw(SYS_faccessat, AT_FDCWD, (long)f.abs, W_OK, 0, 0, 0);
	else
		r = pd_file_check_mode(f.pool, W_OK);
	if (r < 0)
		return r;
	p = pd_file_adopt(&f, &r);
	if (!p)
		return r;
	return (uint64_t)size == p->size ? 0 : pd_pool_resize(p, (uint64_t)size);
}

PD_EXPORT int truncate(const char *path, off_t size)
{
	long r = truncate_path(path, size);

	return r == PD_FILE_PASS ? PD_REAL(truncate)(path, size) : (int)pd_file_result(r);
}

PD_EXPORT int truncate64(const char *path, off64_t size)
{
	return truncate(path, size);
}

/* ---- fallocate --------------------------------------------------------------------------------
 */

static bool has_room(const struct pd_pool *p, uint64_t more)
{
	char dir[PATH_MAX];
	struct statfs s;
	size_t n = (size_t)(strrchr(p->name, '/') - p->name);

	memcpy(dir, p->name, n);
	dir[n] = 0;
	if (pd_raw(SYS_statfs, (long)(n ? dir : "/"), (long)&s, 0, 0, 0, 0) < 0)
		return true;
	return more / (uint64_t)s.f_bsize <= (uint64_t)s.f_bavail;
}

static long allocate(struct pd_ofd *o, int mode, int64_t off, int64_t n)
{
	struct pd_pool *p = o->pool;
	uint64_t end = (uint64_t)off + (uint64_t)n, to = p ? PD_MIN(end, p->size) : 0;
	bool keep = mode & FALLOC_FL_KEEP_SIZE;
	int what = mode & ~FALLOC_FL_KEEP_SIZE, err = 0;

	if (o->kind != PD_OFD_POOL || p->device)
		return -ENODEV;
	if (off < 0 || n <= 0)
		return -EINVAL;
	if ((o->flags & O_ACCMODE) == O_RDONLY)
		return -EBADF;
	if (end > INT64_MAX)
		return -EFBIG;
	if (what != 0 && what != FALLOC_FL_ZERO_RANGE && !(what == FALLOC_FL_PUNCH_HOLE && keep))
		return -EOPNOTSUPP;
	if (what != FALLOC_FL_PUNCH_HOLE && end > p->size && !has_room(p, end - p->size))
		return -ENOSPC;
	if (what && to > (uint64_t)off) {
		pd_file_pool_zero(p, (uint64_t)off, to - (uint64_t)off);
		pd_file_sync_range(p, (uint64_t)off, to - (uint64_t)off);
	}
	if (!keep && end > p->size)
		err = pd_pool_resize(p, end);
	return err;
}

PD_EXPORT int fallocate(int fd, int mode, off_t off, off_t n)
{
	struct pd_ofd *o = pd_file_of(fd);

	return o ? (int)pd_file_result(allocate(o, mode, off, n))
		 : PD_REAL(fallocate)(fd, mode, off, n);
}

PD_EXPORT int fallocate64(int fd, int mode, off64_t off, off64_t n)
{
	return fallocate(fd, mode, off, n);
}

PD_EXPORT int posix_fallocate(int fd, off_t off, off_t n)
{
	struct pd_ofd *o = pd_file_of(fd);

	return o ? (int)-allocate(o, 0, off, n) : PD_REAL(posix_fallocate)(fd, off, n);
}

PD_EXPORT int posix_fallocate64(int fd, off64_t off, off64_t n)
{
	return posix_fallocate(fd, off, n);
}

PD_EXPORT int posix_fadvise(int fd, off_t off, off_t n, int advice)
{
	return pd_file_of(fd) ? 0 : PD_REAL(posix_fadvise)(fd, off, n, advice);
}

PD_EXPORT int posix_fadvise64(int fd, off64_t off, off64_t n, int advice)
{
	return posix_fadvise(fd, off, n, advice);
}

PD_EXPORT ssize_t readahead(int fd, off64_t off, size_t n)
{
	return pd_file_of(fd) ? 0 : PD_REAL(readahead)(fd, off, n);
}

/* ---- copies between descriptors ----------------------------------------------------------------
 */

static long get(int fd, void *buf, size_t n, const off64_t *off)
{
	long r = off ? pread(fd, buf, n, *off) : read(fd, buf, n);

	return r < 0 ? -errno : r;
}

static long put(int fd, const void *buf, size_t n, const off64_t *off)
{
	long r = off ? pwrite(fd, buf, n, *off) : write(fd, buf, n);

	return r < 0 ? -errno : r;
}

/* Copies through a buffer; if less can be written than was read, the rest is put back. */
static long copy_fds(int in, off64_t *in_off, int out, off64_t *out_off, size_t n)
{
	char buf[4096];
	long sum = 0, got, done;

	while (n) {
		got = get(in, buf, PD_MIN(n, sizeof(buf)), in_off);
		if (got <= 0)
			return sum || !got ? sum : got;
		done = put(out, buf, (size_t)got, out_off);
		if (!in_off && done < got)
			lseek(in, PD_MAX(done, 0) - got, SEEK_CUR);
		if (done < 0)
			return sum ? sum : done;
		if (in_off)
			*in_off += done;
		if (out_off)
			*out_off += done;
		sum += done;
		n -= (size_t)done;
		if (done < got)
			break;
	}
	return sum;
}

PD_EXPORT ssize_t copy_file_range(int in, off64_t *in_off, int out, off64_t *out_off, size_t n,
				  unsigned flags)
{
	struct pd_ofd *o = pd_file_of(out);

	pd_outside_passes(in, out, "copy_file_range");
	if (!o && !pd_file_of(in))
		return PD_REAL(copy_file_range)(in, in_off, out, out_off, n, flags);
	if (flags)
		return pd_file_result(-EINVAL);
	if (o && (o->flags & O_APPEND))
		return pd_file_result(-EBADF);
	return pd_file_result(copy_fds(in, in_off, out, out_off, n));
}

PD_EXPORT ssize_t sendfile(int out, int in, off_t *off, size_t n)
{
	pd_outside_passes(in, out, "sendfile");
	if (!pd_file_of(out) && !pd_file_of(in))
		return PD_REAL(sendfile)(out, in, off, n);
	return pd_file_result(copy_fds(in, off, out, NULL, n));
}

PD_EXPORT ssize_t sendfile64(int out, int in, off64_t *off, size_t n)
{
	return sendfile(out, in, off, n);
}
