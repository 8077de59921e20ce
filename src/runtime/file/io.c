/*
 * file/io.c - read and write: of pools, and into and out of memory that is PM.
 *
 * Two things have to be seen. A descriptor that is a pool: its bytes are in the window, a read is a
 * load and a write a store, durable when it is synced. A buffer that is PM: the kernel would move
 * the bytes unseen, so it gets a buffer of ours instead, and the bytes go between that and PM as a
 * load or a store. What is neither passes to libc untouched.
 *
 * A vector call with PM in it becomes one call with one buffer, so that a datagram stays whole.
 */
#include "runtime/file/file.h"
#include "runtime/base/env.h"
#include "runtime/base/outside.h"
#include "runtime/base/raw.h"
#include "runtime/thread/sched.h"
#include "runtime/access/mem.h"
#include "runtime/symbolic/symbolic.h"
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#define STEP   (1u << 16)
#define MAX_RW 0x7ffff000ul /* the kernel moves no more in one call */

_Thread_local uint32_t pd_file_site;

void pd_file_to_user(void *dst, const void *src, size_t n)
{
	if (PD_IS_PM(dst) && pd_inside_pm() && n)
		pd_rt_store(dst, src, n, pd_file_site, PD_EV_STORE);
	else
		memcpy(dst, src, n);
}

void pd_file_from_user(void *dst, const void *src, size_t n)
{
	if (PD_IS_PM(src) && pd_inside_pm() && n)
		pd_rt_load(dst, src, n, pd_file_site);
	else
		memcpy(dst, src, n);
}

/* ---- bytes of a pool ---------------------------------------------------------------------------
 */

long pd_file_pool_read(struct pd_pool *p, void *buf, size_t n, uint64_t off)
{
	uint8_t bounce[4096];
	size_t left;

	if (off >= p->size)
		return 0;
	n = PD_MIN(n, p->size - off);
	for (left = n; left;) {
		uint64_t k = PD_MIN(left, PD_IS_PM(buf) ? sizeof(bounce) : STEP);
		uint64_t addr = pd_pool_where(p, off, &k);
		void *to = PD_IS_PM(buf) ? bounce : buf;

		pd_pool_expose(addr, k);
		if (p->side)
			memcpy(to, (void *)addr, k);
		else
			pd_rt_load(to, (void *)addr, k, pd_file_site);
		pd_pool_conceal(addr, k);
		if (PD_IS_PM(buf))
			pd_file_to_user(buf, bounce, k);
		if (pd_symbolic.on)
			pd_labels_move(buf, (void *)addr, k);
		buf = (char *)buf + k;
		off += k;
		left -= k;
	}
	return (long)n;
}

/* `from`: where the program has the bytes, of which src may be a copy; NULL: nowhere. */
static void store_piece(struct pd_pool *p, const void *src, const void *from, uint64_t off,
			uint64_t *n)
{
	uint64_t addr = pd_pool_where(p, off, n);

	pd_pool_expose(addr, *n);
	pd_rt_drain_now();
	pd_rt.writing = true;
	if (p->side)
		memcpy((void *)addr, src, *n);
	else
		pd_rt_store((void *)addr, src, *n, pd_file_site, PD_EV_STORE);
	pd_rt.writing = false;
	pd_pool_conceal(addr, *n);
	if (pd_symbolic.on && from)
		pd_labels_move((void *)addr, from, *n);
	else if (pd_symbolic.on)
		pd_labels_clear((void *)addr, *n);
}

/*
 * How much of it has to be stored: zeros beyond the old end need no store, the file only grows.
 * Bytes of the input need not be zero.
 */
static size_t stored_part(const void *buf, size_t n, uint64_t off, uint64_t size)
{
	const uint8_t *b = buf;
	size_t from = off < size ? size - off : 0;

	if (off + n <= size || PD_IS_PM(buf) || (pd_symbolic.on && pd_labels_any(buf, n)))
		return n;
	for (size_t i = from; i < n; i++)
		if (b[i])
			return n;
	return from;
}

long pd_file_pool_write(struct pd_pool *p, const void *buf, size_t n, uint64_t off)
{
	uint8_t bounce[4096];
	size_t left = stored_part(buf, n, off, p->size);

	if (n && off + n > p->size) {
		int err = pd_pool_resize(p, off + n);

		if (err)
			return err;
	}
	while (left) {
		/* In pieces that end with a page: what goes to one page stays together. */
		uint64_t k = PD_MIN(left, (PD_IS_PM(buf) ? sizeof(bounce) : STEP) - off % PD_PAGE);

		if (PD_IS_PM(buf))
			pd_file_from_user(bounce, buf, k);
		store_piece(p, PD_IS_PM(buf) ? bounce : buf, buf, off, &k);
		buf = (const char *)buf + k;
		off += k;
		left -= k;
	}
	p->mtime = pd_env_now();
	return (long)n;
}

void pd_file_pool_zero(struct pd_pool *p, uint64_t off, uint64_t n)
{
	static const uint8_t zeros[4096];

	while (n) {
		uint64_t k = PD_MIN(n, sizeof(zeros));

		store_piece(p, zeros, NULL, off, &k);
		off += k;
		n -= k;
	}
}

void pd_file_sync(struct pd_pool *p)
{
	if (p->size || p->side)
		pd_file_sync_range(p, 0, p->size);
}

void pd_file_sync_range(struct pd_pool *p, uint64_t off, uint64_t n)
{
	struct pd_event e = {.kind = PD_EV_MSYNC,
			     .order = PD_ORDER_NONE,
			     .addr = p->base + off - PD_PM_BASE,
			     .size = n,
			     .site = pd_file_site,
			     .aux = p->id};

	if (!p->side) {
		pd_rt_emit(&e);
		return;
	}
	pd_side_sync(p, off, n);
	if (pd_rt.side_synced && !pd_pool_is_made_up(p->name))
		pd_channel_sync_other(pd_rt.channel, p->name);
}

/* ---- through a description ---------------------------------------------------------------------
 */

long pd_file_read(struct pd_ofd *o, void *buf, size_t n, int64_t at)
{
	uint8_t bounce[256];
	long r;

	if ((o->flags & O_ACCMODE) == O_WRONLY || (o->flags & O_PATH))
		return -EBADF;
	n = PD_MIN(n, MAX_RW);
	if (o->kind == PD_OFD_RANDOM) {
		for (size_t k = 0; k < n; k += sizeof(bounce)) {
			pd_env_random(bounce, sizeof(bounce));
			pd_file_to_user((char *)buf + k, bounce, PD_MIN(n - k, sizeof(bounce)));
		}
		return (long)n;
	}
	r = pd_file_pool_read(o->pool, buf, n, at < 0 ? o->off : (uint64_t)at);
	if (pd_unlikely(pd_symbolic.on) && r > 0)
		pd_outside_reads_pool(o->pool, "read");
	if (r > 0 && at < 0)
		o->off += (uint64_t)r;
	return r;
}

static long file_write(struct pd_ofd *o, const void *buf, size_t n, int64_t at)
{
	uint64_t off = at < 0 ? o->off : (uint64_t)at;
	long r;

	if ((o->flags & O_ACCMODE) == O_RDONLY || (o->flags & O_PATH))
		return -EBADF;
	n = PD_MIN(n, MAX_RW);
	if (o->kind == PD_OFD_RANDOM)
		return (long)n;
	if (o->flags & O_APPEND)
		off = o->pool->size;
	r = pd_file_pool_write(o->pool, buf, n, off);
	if (r > 0 && at < 0)
		o->off = off + (uint64_t)r;
	if (r > 0 && (o->flags & O_DSYNC))
		pd_file_sync_range(o->pool, off, (uint64_t)r);
	return r;
}

static long file_seek(struct pd_ofd *o, int64_t off, int whence)
{
	int64_t size = o->pool ? (int64_t)o->pool->size : 0;

	switch (whence) {
	case SEEK_SET:
		break;
	case SEEK_CUR:
		off += (int64_t)o->off;
		break;
	case SEEK_END:
		off += size;
		break;
	case SEEK_DATA: /* a file system may call everything data */
	case SEEK_HOLE:
		if (off < 0 || off >= size)
			return -ENXIO;
		off = whence == SEEK_HOLE ? size : off;
		pd_rt_loss(PD_LOSS_CALL, 0,
			   "lseek for holes (SEEK_DATA, SEEK_HOLE): everything counts as data");
		break;
	default:
		return -EINVAL;
	}
	if (off < 0)
		return -EINVAL;
	o->off = (uint64_t)off;
	return off;
}

/* ---- vectors, of pools and with PM in them -----------------------------------------------------
 */

static bool pm_in(const struct iovec *v, int n)
{
	if (!pd_inside())
		return false;
	for (int i = 0; i < n; i++)
		if (PD_IS_PM(v[i].iov_base))
			return true;
	return false;
}

static size_t total(const struct iovec *v, int n)
{
	size_t sum = 0;

	for (int i = 0; i < n; i++)
		sum += v[i].iov_len;
	return PD_MIN(sum, MAX_RW);
}

static void scatter(const struct iovec *v, int n, const char *from, size_t left)
{
	for (int i = 0; i < n && left; i++) {
		size_t k = PD_MIN(left, v[i].iov_len);

		pd_file_to_user(v[i].iov_base, from, k);
		from += k;
		left -= k;
	}
}

static void gather(const struct iovec *v, int n, char *to, size_t left)
{
	for (int i = 0; i < n && left; i++) {
		size_t k = PD_MIN(left, v[i].iov_len);

		pd_file_from_user(to, v[i].iov_base, k);
		to += k;
		left -= k;
	}
}

static long vec_read(struct pd_ofd *o, const struct iovec *v, int n, int64_t at)
{
	long sum = 0;

	if (n < 0 || n > IOV_MAX)
		return -EINVAL;
	for (int i = 0; i < n; i++) {
		long r = pd_file_read(o, v[i].iov_base, v[i].iov_len, at < 0 ? at : at + sum);

		if (r < 0)
			return sum ? sum : r;
		sum += r;
		if ((size_t)r < v[i].iov_len)
			break;
	}
	return sum;
}

static long vec_write(struct pd_ofd *o, const struct iovec *v, int n, int64_t at)
{
	long sum = 0;

	if (n < 0 || n > IOV_MAX)
		return -EINVAL;
	for (int i = 0; i < n; i++) {
		long r = file_write(o, v[i].iov_base, v[i].iov_len, at < 0 ? at : at + sum);

		if (r < 0)
			return sum ? sum : r;
		sum += r;
	}
	return sum;
}

/*
 * System calls with a buffer of ours. `call` uses buf and len; the bytes go to, or come from, the
 * vector v of n. The result is the value of the enclosing function.
 */
#define BOUNCE_IN(v, n, call)                                                                      \
	do {                                                                                       \
		size_t len = total(v, n);                                                          \
		char *buf_ = pd_raw_borrow(len + 1);                                               \
		ssize_t r_;                                                                        \
                                                                                                   \
		if (!buf_)                                                                         \
			return pd_file_result(-ENOMEM);                                            \
		r_ = (call);                                                                       \
		if (r_ > 0)                                                                        \
			scatter(v, n, buf_, PD_MIN((size_t)r_, len));                              \
		pd_raw_give_back(buf_, len + 1);                                                   \
		return came(fd, v, n, r_, 0);                                                      \
	} while (0)

#define BOUNCE_OUT(v, n, call)                                                                     \
	do {                                                                                       \
		size_t len = total(v, n);                                                          \
		char *buf_ = pd_raw_borrow(len + 1);                                               \
		ssize_t r_;                                                                        \
                                                                                                   \
		if (!buf_)                                                                         \
			return pd_file_result(-ENOMEM);                                            \
		gather(v, n, buf_, len);                                                           \
		r_ = (call);                                                                       \
		pd_raw_give_back(buf_, len + 1);                                                   \
		return r_;                                                                         \
	} while (0)

#define ONE(buf, n) (&(struct iovec){(void *)(buf), (n)})

/* A call that may block in the kernel must not stop the other threads of the program. */
static void may_wait(int fd, short events)
{
	if (pd_inside())
		pd_sched_wait_fd(fd, events);
}

/* Bytes were received through a kernel descriptor; returns what read() and its like return. */
static ssize_t came(int fd, const struct iovec *v, int n, ssize_t r, int flags)
{
	if (pd_unlikely(pd_symbolic.on) && r > 0)
		pd_outside_reads(fd, NULL, "read");
	if (pd_unlikely(pd_outside.received != NULL) && r > 0)
		pd_outside.received(fd, v, n, (size_t)r, flags & MSG_PEEK);
	return r;
}

/* Bytes are about to go to a kernel descriptor. */
static void goes(int fd, const struct iovec *v, size_t n, const char *by)
{
	if (pd_unlikely(pd_symbolic.on))
		pd_outside_writes(fd, v, n, by);
}

PD_EXPORT ssize_t read(int fd, void *buf, size_t n)
{
	struct pd_ofd *o = pd_file_of(fd);

	if (o)
		return pd_file_result(pd_file_read(o, buf, n, -1));
	may_wait(fd, POLLIN);
	if (PD_IS_PM(buf) && pd_inside_pm())
		BOUNCE_IN(ONE(buf, n), 1, PD_REAL(read)(fd, buf_, len));
	return came(fd, ONE(buf, n), 1, PD_REAL(read)(fd, buf, n), 0);
}

PD_EXPORT ssize_t write(int fd, const void *buf, size_t n)
{
	struct pd_ofd *o = pd_file_of(fd);

	if (o)
		return pd_file_result(file_write(o, buf, n, -1));
	may_wait(fd, POLLOUT);
	if (PD_IS_PM(buf) && pd_inside_pm())
		BOUNCE_OUT(ONE(buf, n), 1, PD_REAL(write)(fd, buf_, len));
	return PD_REAL(write)(fd, buf, n);
}

#define PREAD(name, off_type)                                                                      \
	PD_EXPORT ssize_t name(int fd, void *buf, size_t n, off_type off)                          \
	{                                                                                          \
		struct pd_ofd *o = pd_file_of(fd);                                                 \
                                                                                                   \
		if (o)                                                                             \
			return pd_file_result(off < 0 ? -EINVAL : pd_file_read(o, buf, n, off));   \
		if (PD_IS_PM(buf) && pd_inside_pm())                                               \
			BOUNCE_IN(ONE(buf, n), 1, PD_REAL(name)(fd, buf_, len, off));              \
		return came(fd, ONE(buf, n), 1, PD_REAL(name)(fd, buf, n, off), 0);                \
	}

#define PWRITE(name, off_type)                                                                     \
	PD_EXPORT ssize_t name(int fd, const void *buf, size_t n, off_type off)                    \
	{                                                                                          \
		struct pd_ofd *o = pd_file_of(fd);                                                 \
                                                                                                   \
		if (o)                                                                             \
			return pd_file_result(off < 0 ? -EINVAL : file_write(o, buf, n, off));     \
		if (PD_IS_PM(buf) && pd_inside_pm())                                               \
			BOUNCE_OUT(ONE(buf, n), 1, PD_REAL(name)(fd, buf_, len, off));             \
		return PD_REAL(name)(fd, buf, n, off);                                             \
	}

PREAD(pread, off_t)
PREAD(pread64, off64_t)
PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

PD_EXPORT ssize_t readv(int fd, const struct iovec *v, int n)
{
	struct pd_ofd *o = pd_file_of(fd);

	if (o)
		return pd_file_result(vec_read(o, v, n, -1));
	may_wait(fd, POLLIN);
	if (pm_in(v, n))
		BOUNCE_IN(v, n, PD_REAL(read)(fd, buf_, len));
	return came(fd, v, n, PD_REAL(readv)(fd, v, n), 0);
}

PD_EXPORT ssize_t writev(int fd, const struct iovec *v, int n)
{
	struct pd_ofd *o = pd_file_of(fd);

	if (o)
		return pd_file_result(vec_write(o, v, n, -1));
	goes(fd, v, (size_t)n, "writev");
	may_wait(fd, POLLOUT);
	if (pm_in(v, n))
		BOUNCE_OUT(v, n, PD_REAL(write)(fd, buf_, len));
	return PD_REAL(writev)(fd, v, n);
}

static void comes(int fd, const struct iovec *v, size_t n, const char *by)
{
	(void)v, (void)n;
	if (pd_unlikely(pd_symbolic.on))
		pd_outside_reads(fd, NULL, by);
}

#define PVEC(name, off_type, ours, BOUNCE, real, PASSES)                                           \
	PD_EXPORT ssize_t name(int fd, const struct iovec *v, int n, off_type off)                 \
	{                                                                                          \
		struct pd_ofd *o = pd_file_of(fd);                                                 \
                                                                                                   \
		if (o)                                                                             \
			return pd_file_result(off < 0 ? -EINVAL : ours(o, v, n, off));             \
		PASSES(fd, v, (size_t)n, #name);                                                   \
		if (pm_in(v, n))                                                                   \
			BOUNCE(v, n, PD_REAL(real)(fd, buf_, len, off));                           \
		return PD_REAL(name)(fd, v, n, off);                                               \
	}

PVEC(preadv, off_t, vec_read, BOUNCE_IN, pread, comes)
PVEC(preadv64, off64_t, vec_read, BOUNCE_IN, pread, comes)
PVEC(pwritev, off_t, vec_write, BOUNCE_OUT, pwrite, goes)
PVEC(pwritev64, off64_t, vec_write, BOUNCE_OUT, pwrite, goes)

/* The flags of the v2 calls are hints, except RWF_APPEND and the two that sync. */
static long vec_write2(struct pd_ofd *o, const struct iovec *v, int n, int64_t at, int flags)
{
	int keep = o->flags;
	long r;

	o->flags |= flags & RWF_APPEND ? O_APPEND : 0;
	o->flags |= flags & (RWF_DSYNC | RWF_SYNC) ? O_DSYNC : 0;
	r = vec_write(o, v, n, at);
	o->flags = keep;
	return r;
}

#define PVEC2(name, off_type, expr, BOUNCE, PASSES)                                                \
	PD_EXPORT ssize_t name(int fd, const struct iovec *v, int n, off_type off, int flags)      \
	{                                                                                          \
		struct pd_ofd *o = pd_file_of(fd);                                                 \
                                                                                                   \
		if (o)                                                                             \
			return pd_file_result(off < -1 ? -EINVAL : expr);                          \
		PASSES(fd, v, (size_t)n, #name);                                                   \
		if (pm_in(v, n))                                                                   \
			BOUNCE(v, n, PD_REAL(name)(fd, ONE(buf_, len), 1, off, flags));            \
		return PD_REAL(name)(fd, v, n, off, flags);                                        \
	}

PVEC2(preadv2, off_t, vec_read(o, v, n, off), BOUNCE_IN, comes)
PVEC2(preadv64v2, off64_t, vec_read(o, v, n, off), BOUNCE_IN, comes)
PVEC2(pwritev2, off_t, vec_write2(o, v, n, off, flags), BOUNCE_OUT, goes)
PVEC2(pwritev64v2, off64_t, vec_write2(o, v, n, off, flags), BOUNCE_OUT, goes)

/* What _FORTIFY_SOURCE makes of reads. */
ssize_t __read_chk(int fd, void *buf, size_t n, size_t size);
ssize_t __pread_chk(int fd, void *buf, size_t n, off_t off, size_t size);
ssize_t __pread64_chk(int fd, void *buf, size_t n, off64_t off, size_t size);

PD_EXPORT ssize_t __read_chk(int fd, void *buf, size_t n, size_t size)
{
	return n > size ? PD_REAL(__read_chk)(fd, buf, n, size) : read(fd, buf, n);
}

PD_EXPORT ssize_t __pread_chk(int fd, void *buf, size_t n, off_t off, size_t size)
{
	return n > size ? PD_REAL(__pread_chk)(fd, buf, n, off, size) : pread(fd, buf, n, off);
}

PD_EXPORT ssize_t __pread64_chk(int fd, void *buf, size_t n, off64_t off, size_t size)
{
	return n > size ? PD_REAL(__pread64_chk)(fd, buf, n, off, size) : pread(fd, buf, n, off);
}

/* ---- sockets ----------------------------------------------------------------------------------
 */

PD_EXPORT ssize_t recv(int fd, void *buf, size_t n, int flags)
{
	may_wait(fd, POLLIN);
	if (PD_IS_PM(buf) && pd_inside_pm())
		BOUNCE_IN(ONE(buf, n), 1, PD_REAL(recv)(fd, buf_, len, flags));
	return came(fd, ONE(buf, n), 1, PD_REAL(recv)(fd, buf, n, flags), flags);
}

PD_EXPORT ssize_t recvfrom(int fd, void *restrict buf, size_t n, int flags,
			   struct sockaddr *restrict from, socklen_t *restrict fromlen)
{
	may_wait(fd, POLLIN);
	if (PD_IS_PM(buf) && pd_inside_pm())
		BOUNCE_IN(ONE(buf, n), 1, PD_REAL(recvfrom)(fd, buf_, len, flags, from, fromlen));
	return came(fd, ONE(buf, n), 1, PD_REAL(recvfrom)(fd, buf, n, flags, from, fromlen), flags);
}

PD_EXPORT ssize_t recvmsg(int fd, struct msghdr *m, int flags)
{
	struct msghdr ours;
	struct iovec *v = m->msg_iov;
	int k = (int)m->msg_iovlen;

	may_wait(fd, POLLIN);
	if (!pm_in(v, k))
		return came(fd, v, k, PD_REAL(recvmsg)(fd, m, flags), flags);
	ours = *m;
	ours.msg_iovlen = 1;
	BOUNCE_IN(v, k, ({
			  ssize_t got_n_;

			  ours.msg_iov = ONE(buf_, len);
			  got_n_ = PD_REAL(recvmsg)(fd, &ours, flags);
			  ours.msg_iov = v;
			  ours.msg_iovlen = m->msg_iovlen;
			  *m = ours;
			  got_n_;
		  }));
}

/* Whether it is a simulated connection: TCP to the program, but a local one to the kernel. */
static bool is_played(int fd)
{
	return pd_outside.is_ours && pd_outside.is_ours(fd);
}

PD_EXPORT ssize_t send(int fd, const void *buf, size_t n, int flags)
{
	may_wait(fd, POLLOUT);
	if (PD_IS_PM(buf) && pd_inside_pm())
		BOUNCE_OUT(ONE(buf, n), 1, PD_REAL(send)(fd, buf_, len, flags));
	return PD_REAL(send)(fd, buf, n, flags);
}

PD_EXPORT ssize_t sendto(int fd, const void *buf, size_t n, int flags, const struct sockaddr *to,
			 socklen_t tolen)
{
	may_wait(fd, POLLOUT);
	goes(fd, ONE(buf, n), 1, "sendto");
	if (is_played(fd))
		to = NULL, tolen = 0;
	if (PD_IS_PM(buf) && pd_inside_pm())
		BOUNCE_OUT(ONE(buf, n), 1, PD_REAL(sendto)(fd, buf_, len, flags, to, tolen));
	return PD_REAL(sendto)(fd, buf, n, flags, to, tolen);
}

PD_EXPORT ssize_t sendmsg(int fd, const struct msghdr *m, int flags)
{
	struct msghdr ours = *m;

	may_wait(fd, POLLOUT);
	goes(fd, m->msg_iov, m->msg_iovlen, "sendmsg");
	if (is_played(fd))
		ours.msg_name = NULL, ours.msg_namelen = 0;
	if (!pm_in(m->msg_iov, (int)m->msg_iovlen))
		return PD_REAL(sendmsg)(fd, &ours, flags);
	ours.msg_iovlen = 1;
	BOUNCE_OUT(m->msg_iov, (int)m->msg_iovlen,
		   (ours.msg_iov = ONE(buf_, len), PD_REAL(sendmsg)(fd, &ours, flags)));
}

/* ---- seek and sync ----------------------------------------------------------------------------
 */

PD_EXPORT off_t lseek(int fd, off_t off, int whence)
{
	struct pd_ofd *o = pd_file_of(fd);

	return o ? pd_file_result(file_seek(o, off, whence)) : PD_REAL(lseek)(fd, off, whence);
}

PD_EXPORT off64_t lseek64(int fd, off64_t off, int whence)
{
	return lseek(fd, off, whence);
}

static int sync_fd(struct pd_ofd *o)
{
	if (o->pool)
		pd_file_sync(o->pool);
	return 0;
}

PD_EXPORT int fsync(int fd)
{
	struct pd_ofd *o = pd_file_of(fd);

	return o ? sync_fd(o) : PD_REAL(fsync)(fd);
}

PD_EXPORT int fdatasync(int fd)
{
	struct pd_ofd *o = pd_file_of(fd);

	return o ? sync_fd(o) : PD_REAL(fdatasync)(fd);
}

/* It makes nothing durable that one may rely on: no metadata, and nothing in the device's cache. */
PD_EXPORT int sync_file_range(int fd, off64_t off, off64_t n, unsigned flags)
{
	if (!pd_file_pool(fd))
		return PD_REAL(sync_file_range)(fd, off, n, flags);
	return (int)pd_file_result(off < 0 || n < 0 ? -EINVAL : 0);
}

static void sync_all(void)
{
	for (uint32_t i = 0; i < pd_pool_count(); i++)
		pd_file_sync(pd_pool_get(i));
}

PD_EXPORT void sync(void)
{
	sync_all();
	PD_REAL(sync)();
}

PD_EXPORT int syncfs(int fd)
{
	sync_all();
	return pd_file_of(fd) ? 0 : PD_REAL(syncfs)(fd);
}
