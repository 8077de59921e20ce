/*
 * libc/io.c - files, sockets and what the system answers; see wrap.h.
 *
 * read, write and their like are interposed for the whole process (file/io.c) and see to PM by
 * themselves; here they only learn whose call it is. What libc does inside (FILE, time zones) works
 * on copies.
 */
#include "runtime/libc/wrap.h"
#include "runtime/libc/fault.h"

/* The interposed function, with the site of this call. */
#define KNOWN_BY_SITE(type, call)                                                                  \
	do {                                                                                       \
		type r_;                                                                           \
                                                                                                   \
		pd_wrap_talk();                                                                    \
		r_ = call;                                                                         \
		pd_file_site = 0;                                                                  \
		return r_;                                                                         \
	} while (0)

#define W(type, name, params, args)                                                                \
	type __pd_w_##name params                                                                  \
	{                                                                                          \
		KNOWN_BY_SITE(type, name args);                                                    \
	}

/* The same of one that may fail, or move fewer bytes than n. */
#define WN(name, params, args)                                                                     \
	ssize_t __pd_w_##name params                                                               \
	{                                                                                          \
		if (pd_fault_moves(PD_FAULTY_##name, &n))                                          \
			return -1;                                                                 \
		KNOWN_BY_SITE(ssize_t, name args);                                                 \
	}

WN(read, (int fd, void *buf, size_t n), (fd, buf, n))
WN(pread, (int fd, void *buf, size_t n, off_t off), (fd, buf, n, off))
WN(pread64, (int fd, void *buf, size_t n, off64_t off), (fd, buf, n, off))
WN(write, (int fd, const void *buf, size_t n), (fd, buf, n))
WN(pwrite, (int fd, const void *buf, size_t n, off_t off), (fd, buf, n, off))
WN(pwrite64, (int fd, const void *buf, size_t n, off64_t off), (fd, buf, n, off))
WN(__read_chk, (int fd, void *buf, size_t n, size_t room), (fd, buf, n, room))
WN(__pread_chk, (int fd, void *buf, size_t n, off_t off, size_t room), (fd, buf, n, off, room))
WN(__pread64_chk, (int fd, void *buf, size_t n, off64_t off, size_t room), (fd, buf, n, off, room))
WN(recv, (int fd, void *buf, size_t n, int flags), (fd, buf, n, flags))
WN(send, (int fd, const void *buf, size_t n, int flags), (fd, buf, n, flags))

/* The same of one that does all or nothing. */
#define WA(name, params, args)                                                                     \
	int __pd_w_##name params                                                                   \
	{                                                                                          \
		if (pd_fault_call(PD_FAULTY_##name))                                               \
			return -1;                                                                 \
		KNOWN_BY_SITE(int, name args);                                                     \
	}

WA(msync, (void *addr, size_t n, int flags), (addr, n, flags))
WA(fsync, (int fd), (fd))
WA(fdatasync, (int fd), (fd))
WA(ftruncate, (int fd, off_t size), (fd, size))
WA(ftruncate64, (int fd, off64_t size), (fd, size))
WA(fallocate, (int fd, int mode, off_t off, off_t n), (fd, mode, off, n))
WA(fallocate64, (int fd, int mode, off64_t off, off64_t n), (fd, mode, off, n))

int __pd_w_posix_fallocate(int fd, off_t off, off_t n)
{
	int err = pd_fault_error(PD_FAULTY_posix_fallocate);

	if (err)
		return err;
	KNOWN_BY_SITE(int, posix_fallocate(fd, off, n));
}

int __pd_w_posix_fallocate64(int fd, off64_t off, off64_t n)
{
	int err = pd_fault_error(PD_FAULTY_posix_fallocate64);

	if (err)
		return err;
	KNOWN_BY_SITE(int, posix_fallocate64(fd, off, n));
}

void *__pd_w_mmap(void *at, size_t n, int prot, int flags, int fd, off_t off)
{
	if (pd_fault_call(PD_FAULTY_mmap))
		return MAP_FAILED;
	KNOWN_BY_SITE(void *, mmap(at, n, prot, flags, fd, off));
}

void *__pd_w_mmap64(void *at, size_t n, int prot, int flags, int fd, off64_t off)
{
	if (pd_fault_call(PD_FAULTY_mmap64))
		return MAP_FAILED;
	KNOWN_BY_SITE(void *, mmap64(at, n, prot, flags, fd, off));
}

W(int, sync_file_range, (int fd, off64_t off, off64_t n, unsigned flags), (fd, off, n, flags))
W(time_t, time, (time_t *t), (t))
W(int, gettimeofday, (struct timeval *restrict t, void *restrict zone), (t, zone))
W(int, clock_gettime, (clockid_t clock, struct timespec *t), (clock, t))
W(ssize_t, getrandom, (void *buf, size_t n, unsigned flags), (buf, n, flags))
W(int, getentropy, (void *buf, size_t n), (buf, n))

/* ---- vectors: the vector itself may be PM -------------------------------------------------------
 */

#define WV(name, params, off_args)                                                                 \
	ssize_t __pd_w_##name params                                                               \
	{                                                                                          \
		struct pd_copy x;                                                                  \
		ssize_t r;                                                                         \
                                                                                                   \
		if (pd_fault_pieces(PD_FAULTY_##name, &n))                                         \
			return -1;                                                                 \
		if (n < 0 || n > IOV_MAX || !PM(v))                                                \
			KNOWN_BY_SITE(ssize_t, name off_args(v));                                  \
		pd_wrap_talk();                                                                    \
		pd_copy_block(&x, v, (size_t)n * sizeof(*v));                                      \
		r = name off_args((struct iovec *)x.p);                                            \
		pd_copy_drop(&x);                                                                  \
		pd_file_site = 0;                                                                  \
		return r;                                                                          \
	}

#define V3(v) (fd, v, n)
#define V4(v) (fd, v, n, off)
WV(readv, (int fd, const struct iovec *v, int n), V3)
WV(writev, (int fd, const struct iovec *v, int n), V3)
WV(preadv, (int fd, const struct iovec *v, int n, off_t off), V4)
WV(preadv64, (int fd, const struct iovec *v, int n, off64_t off), V4)
WV(pwritev, (int fd, const struct iovec *v, int n, off_t off), V4)
WV(pwritev64, (int fd, const struct iovec *v, int n, off64_t off), V4)

/* ---- sockets ----------------------------------------------------------------------------------
 */

ssize_t __pd_w_recvfrom(int fd, void *restrict buf, size_t n, int flags,
			struct sockaddr *restrict from, socklen_t *restrict fromlen)
{
	struct sockaddr_storage who;
	socklen_t len = sizeof(who), room = 0;
	ssize_t r;

	if (!PM(from) && !PM(fromlen))
		KNOWN_BY_SITE(ssize_t, recvfrom(fd, buf, n, flags, from, fromlen));
	pd_wrap_talk();
	pd_file_from_user(&room, fromlen, sizeof(room));
	len = PD_MIN(room, len);
	r = recvfrom(fd, buf, n, flags, (struct sockaddr *)&who, &len);
	if (r >= 0) {
		pd_wrap_put(from, &who, PD_MIN(room, len));
		pd_wrap_put(fromlen, &len, sizeof(len));
	}
	pd_file_site = 0;
	return r;
}

ssize_t __pd_w_sendto(int fd, const void *buf, size_t n, int flags, const struct sockaddr *to,
		      socklen_t tolen)
{
	struct pd_copy x;
	ssize_t r;

	pd_wrap_talk();
	pd_copy_block(&x, to, to ? tolen : 0);
	r = sendto(fd, buf, n, flags, (struct sockaddr *)x.p, tolen);
	pd_copy_drop(&x);
	pd_file_site = 0;
	return r;
}

/* A header or vector in PM is copied; names and control data in PM are not looked into. */
static void copy_header(struct msghdr *to, const struct msghdr *m, struct pd_copy *v)
{
	pd_file_from_user(to, m, sizeof(*to));
	pd_copy_block(v, to->msg_iov, to->msg_iovlen * sizeof(struct iovec));
	to->msg_iov = (struct iovec *)v->p;
	if (PM(to->msg_name) || PM(to->msg_control))
		pd_rt_loss(PD_LOSS_SYSCALL, pd_file_site, "an address or control data in PM");
}

ssize_t __pd_w_recvmsg(int fd, struct msghdr *m, int flags)
{
	struct msghdr h;
	struct pd_copy v;
	struct iovec *orig;
	ssize_t r;

	pd_wrap_talk();
	copy_header(&h, m, &v);
	pd_file_from_user(&orig, &m->msg_iov, sizeof(orig));
	r = recvmsg(fd, &h, flags);
	h.msg_iov = orig;
	if (r >= 0)
		pd_wrap_put(m, &h, sizeof(h));
	pd_copy_drop(&v);
	pd_file_site = 0;
	return r;
}

ssize_t __pd_w_sendmsg(int fd, const struct msghdr *m, int flags)
{
	struct msghdr h;
	struct pd_copy v;
	ssize_t r;

	pd_wrap_talk();
	copy_header(&h, m, &v);
	r = sendmsg(fd, &h, flags);
	pd_copy_drop(&v);
	pd_file_site = 0;
	return r;
}

ssize_t __pd_w___recv_chk(int fd, void *buf, size_t n, size_t room, int flags)
{
	if (n > room)
		__chk_fail();
	return __pd_w_recv(fd, buf, n, flags);
}

ssize_t __pd_w___recvfrom_chk(int fd, void *buf, size_t n, size_t room, int flags,
			      struct sockaddr *from, socklen_t *fromlen)
{
	if (n > room)
		__chk_fail();
	return __pd_w_recvfrom(fd, buf, n, flags, from, fromlen);
}

/* ---- FILE -------------------------------------------------------------------------------------
 */

size_t __pd_w_fread(void *restrict buf, size_t size, size_t n, FILE *restrict f)
{
	struct pd_copy x;
	size_t r;

	pd_wrap_talk();
	if (!PM(buf))
		return fread(buf, size, n, f);
	pd_copy_room(&x, size * n);
	r = fread(x.p, 1, size * n, f);
	pd_wrap_put(buf, x.p, r);
	pd_copy_drop(&x);
	return size ? r / size : 0;
}

size_t __pd_w_fwrite(const void *restrict buf, size_t size, size_t n, FILE *restrict f)
{
	struct pd_copy x;
	size_t r;

	pd_wrap_talk();
	if (!PM(buf))
		return fwrite(buf, size, n, f);
	pd_copy_block(&x, buf, size * n);
	r = fwrite(x.p, size, n, f);
	pd_copy_drop(&x);
	return r;
}

/* The text may hold NULs: its end is the last NUL that fgets wrote over a buffer without any. */
char *__pd_w_fgets(char *restrict buf, int n, FILE *restrict f)
{
	struct pd_copy x;
	size_t k;
	char *r;

	pd_wrap_talk();
	if (!PM(buf) || n <= 0)
		return fgets(buf, n, f);
	pd_copy_room(&x, (size_t)n);
	memset(x.p, 0xff, (size_t)n);
	r = fgets(x.p, n, f);
	for (k = (size_t)n; r && x.p[k - 1]; k--)
		;
	if (r)
		pd_wrap_put(buf, x.p, k);
	pd_copy_drop(&x);
	return r ? buf : NULL;
}

size_t __pd_w_fread_unlocked(void *restrict buf, size_t size, size_t n, FILE *restrict f)
{
	return __pd_w_fread(buf, size, n, f);
}

size_t __pd_w_fwrite_unlocked(const void *restrict buf, size_t size, size_t n, FILE *restrict f)
{
	return __pd_w_fwrite(buf, size, n, f);
}

char *__pd_w_fgets_unlocked(char *restrict buf, int n, FILE *restrict f)
{
	return __pd_w_fgets(buf, n, f);
}

int __pd_w_fputs_unlocked(const char *restrict s, FILE *restrict f)
{
	return __pd_w_fputs(s, f);
}

size_t __pd_w___fread_chk(void *buf, size_t room, size_t size, size_t n, FILE *f)
{
	if (size && (n > SIZE_MAX / size || size * n > room))
		__chk_fail();
	return __pd_w_fread(buf, size, n, f);
}

char *__pd_w___fgets_chk(char *buf, size_t room, int n, FILE *f)
{
	if (n > 0 && (size_t)n > room)
		__chk_fail();
	return __pd_w_fgets(buf, n, f);
}

size_t __pd_w___fread_unlocked_chk(void *buf, size_t room, size_t size, size_t n, FILE *f)
{
	return __pd_w___fread_chk(buf, room, size, n, f);
}

char *__pd_w___fgets_unlocked_chk(char *buf, size_t room, int n, FILE *f)
{
	return __pd_w___fgets_chk(buf, room, n, f);
}

/* The line is malloc's; where the program keeps its pointer and size may be PM. */
ssize_t __pd_w_getdelim(char **restrict line, size_t *restrict n, int end, FILE *restrict f)
{
	char *p;
	size_t k;
	ssize_t r;

	pd_wrap_talk();
	if (!PM(line) && !PM(n))
		return getdelim(line, n, end, f);
	pd_file_from_user(&p, line, sizeof(p));
	pd_file_from_user(&k, n, sizeof(k));
	r = getdelim(&p, &k, end, f);
	pd_wrap_put(line, &p, sizeof(p));
	pd_wrap_put(n, &k, sizeof(k));
	return r;
}

ssize_t __pd_w___getdelim(char **restrict line, size_t *restrict n, int end, FILE *restrict f)
{
	return __pd_w_getdelim(line, n, end, f);
}

ssize_t __pd_w_getline(char **restrict line, size_t *restrict n, FILE *restrict f)
{
	return __pd_w_getdelim(line, n, '\n', f);
}

/* ---- the system's answers ----------------------------------------------------------------------
 */

char *__pd_w_getcwd(char *d, size_t n)
{
	char buf[PATH_MAX];

	pd_wrap_talk();
	if (!PM(d))
		return getcwd(d, n);
	if (!getcwd(buf, PD_MIN(n, sizeof(buf))))
		return NULL;
	pd_wrap_put(d, buf, strlen(buf) + 1);
	return d;
}

char *__pd_w___getcwd_chk(char *d, size_t n, size_t room)
{
	if (n > room)
		__chk_fail();
	return __pd_w_getcwd(d, n);
}

int __pd_w_gethostname(char *d, size_t n)
{
	char buf[256];
	int r;

	pd_wrap_talk();
	if (!PM(d))
		return gethostname(d, n);
	r = gethostname(buf, PD_MIN(n, sizeof(buf)));
	if (!r)
		pd_wrap_put(d, buf, PD_MIN(n, strnlen(buf, sizeof(buf) - 1) + 1));
	return r;
}

ssize_t __pd_w_readlink(const char *restrict path, char *restrict d, size_t n)
{
	struct pd_copy x;
	char buf[PATH_MAX];
	ssize_t r;

	pd_wrap_talk();
	if (!PM(path) && !PM(d))
		return readlink(path, d, n);
	pd_copy_string(&x, path, SIZE_MAX);
	r = readlink(x.p, buf, PD_MIN(n, sizeof(buf)));
	if (r > 0)
		pd_wrap_put(d, buf, (size_t)r);
	pd_copy_drop(&x);
	return r;
}

char *__pd_w_realpath(const char *restrict path, char *restrict d)
{
	struct pd_copy x;
	char buf[PATH_MAX], *r;

	pd_wrap_talk();
	if (!PM(path) && !PM(d))
		return realpath(path, d);
	pd_copy_string(&x, path, SIZE_MAX);
	r = realpath(x.p, d ? buf : NULL);
	pd_copy_drop(&x);
	if (!r || !d)
		return r;
	pd_wrap_put(d, buf, strlen(buf) + 1);
	return d;
}

#define STAT_PATH(name, type)                                                                      \
	int __pd_w_##name(const char *restrict path, struct type *restrict st)                     \
	{                                                                                          \
		struct type out;                                                                   \
		struct pd_copy x;                                                                  \
		int r;                                                                             \
                                                                                                   \
		pd_wrap_talk();                                                                    \
		if (!PM(path) && !PM(st))                                                          \
			return name(path, st);                                                     \
		pd_copy_string(&x, path, SIZE_MAX);                                                \
		r = name(x.p, &out);                                                               \
		pd_copy_drop(&x);                                                                  \
		if (!r)                                                                            \
			pd_wrap_put(st, &out, sizeof(out));                                        \
		return r;                                                                          \
	}

#define STAT_FD(name, type)                                                                        \
	int __pd_w_##name(int fd, struct type *st)                                                 \
	{                                                                                          \
		struct type out;                                                                   \
		int r;                                                                             \
                                                                                                   \
		pd_wrap_talk();                                                                    \
		if (!PM(st))                                                                       \
			return name(fd, st);                                                       \
		r = name(fd, &out);                                                                \
		if (!r)                                                                            \
			pd_wrap_put(st, &out, sizeof(out));                                        \
		return r;                                                                          \
	}

STAT_PATH(stat, stat)
STAT_PATH(lstat, stat)
STAT_FD(fstat, stat)
STAT_PATH(stat64, stat64)
STAT_PATH(lstat64, stat64)
STAT_FD(fstat64, stat64)
