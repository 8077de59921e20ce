/*
 * file.c - descriptors: open, close, dup, fcntl, flock; see file.h.
 *
 * Open asks three questions in the kernel's order: does the name exist, may this user, is there
 * room. For a real file the permission is found by opening it, without O_CREAT and O_TRUNC, and
 * closing it again: whatever rules the system has, the answer and the errno are its own.
 *
 * With PMEM_IS_PMEM_FORCE=1 a file that is opened for reading and writing becomes a pool
 * immediately: when it is mapped, it would already have been created and sized. For the same reason
 * `check` makes it a side file (pm/pool_side.c) if it is not PM.
 */
#include "runtime/file/file.h"
#include "base/out.h"
#include "base/vec.h"
#include "finding/text.h"
#include "runtime/base/raw.h"
#include "runtime/base/listen.h"
#include <sched.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

uint16_t pd_file_fds[PD_FILE_FDS] PD_TABLE;

static struct {
	struct pd_ofd **v;
	uint32_t n;
	uint32_t cap;
	uint32_t temps; /* names of O_TMPFILE so far */
} ofds;

struct pd_ofd *pd_file_ofd(uint32_t index)
{
	return ofds.v[index];
}

/* ---- the table --------------------------------------------------------------------------------
 */

static uint32_t ofd_new(void)
{
	for (uint32_t i = 0; i < ofds.n; i++)
		if (!ofds.v[i]->refs)
			return i;
	if (ofds.n == ofds.cap) {
		uint32_t cap = ofds.cap ? ofds.cap * 2 : 16;
		struct pd_ofd **v = pd_pool_alloc(cap * sizeof(struct pd_ofd *));

		if (ofds.n)
			memcpy(v, ofds.v, ofds.n * sizeof(*v));
		ofds.v = v;
		ofds.cap = cap;
	}
	ofds.v[ofds.n] = pd_pool_alloc(sizeof(struct pd_ofd));
	return ofds.n++;
}

/* The descriptor was closed or reused elsewhere. */
static void forget(int fd)
{
	struct pd_ofd *o = pd_file_of(fd);

	if (!o)
		return;
	pd_file_fds[fd] = 0;
	if (--o->refs)
		return;
	o->closed = o->lock && o->mapped && pd_pool_map_any(o->pool);
	if (o->closed)
		o->refs = 1;
	else
		o->lock = 0;
}

static long bind_fd(long fd, uint32_t index)
{
	forget((int)fd);
	if (fd >= PD_FILE_FDS || index >= UINT16_MAX) {
		pd_raw_close((int)fd);
		pd_rt_loss(PD_LOSS_CAPPED, 0, "too many descriptors of PM files");
		return -EMFILE;
	}
	pd_file_fds[fd] = (uint16_t)(index + 1);
	ofds.v[index]->refs++;
	return fd;
}

long pd_file_attach(struct pd_pool *p, int flags, enum pd_ofd_kind kind)
{
	int how = O_PATH | (flags & O_CLOEXEC);
	long fd = p && p->real && p->names ? pd_raw_openat(AT_FDCWD, p->real, how, 0) : -ENOENT;
	uint32_t i;

	if (fd < 0)
		fd = pd_raw_openat(AT_FDCWD, "/dev/null", how, 0);
	if (fd < 0)
		return fd;
	i = ofd_new();
	*ofds.v[i] = (struct pd_ofd){.kind = kind, .pool = p};
	ofds.v[i]->flags = (flags & ~(O_CLOEXEC | O_CREAT | O_EXCL | O_TRUNC | O_NOCTTY)) | 0100000;
	fd = bind_fd(fd, i);
	if (fd >= 0 && p)
		pd_pool_emit(PD_EV_POOL_OPEN, p, p->base, p->size);
	return fd;
}

void pd_file_loss_named(const char *fmt, const char *abs)
{
	char text[PD_CHANNEL_WHAT];
	struct pd_outbuf b;

	pd_outbuf_init(&b, text, sizeof(text));
	pd_outf(&b.out, fmt, pd_text_base(abs));
	pd_rt_loss(PD_LOSS_CALL, 0, text);
}

void pd_file_repoint(struct pd_pool *side, struct pd_pool *p)
{
	if (pd_pool_map_any(side))
		pd_file_loss_named(
			"'%s' is mapped and got a name of PM, so its stores are not seen: "
			"name it with --pm, too",
			side->name);
	for (uint32_t i = 0; i < ofds.n; i++)
		if (ofds.v[i]->refs && ofds.v[i]->pool == side)
			ofds.v[i]->pool = p;
}

/* ---- open -------------------------------------------------------------------------------------
 */

static int wanted_access(int flags)
{
	int acc = flags & O_ACCMODE;

	return acc == O_RDONLY ? R_OK : acc == O_WRONLY ? W_OK : R_OK | W_OK;
}

static unsigned current_umask(void)
{
	unsigned m = (unsigned)pd_raw(SYS_umask, 0, 0, 0, 0, 0, 0);

	pd_raw(SYS_umask, m, 0, 0, 0, 0, 0);
	return m;
}

static long open_existing(struct pd_found *f, int flags)
{
	struct pd_pool *p;
	long r;

	if ((flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL))
		return -EEXIST;
	if (f->link)
		return -ELOOP;
	if (flags & O_DIRECTORY)
		return -ENOTDIR;
	if (f->real && !(f->pool && f->pool->touched)) {
		r = pd_raw_openat(AT_FDCWD, f->abs,
				  (flags & (O_ACCMODE | O_NOATIME)) | O_CLOEXEC | O_NONBLOCK, 0);
		if (r >= 0)
			pd_raw_close((int)r);
	} else {
		r = pd_file_check_mode(f->pool, wanted_access(flags));
	}
	if (r < 0)
		return r;
	p = pd_file_adopt(f, &r);
	if (!p)
		return r;
	if ((flags & O_TRUNC) && p->size && !p->device)
		pd_pool_resize(p, 0);
	return pd_file_attach(p, flags, PD_OFD_POOL);
}

static long open_new(struct pd_found *f, int flags, unsigned mode)
{
	long r = pd_file_check_dir(f->abs);
	struct pd_pool *p;
	int err;

	if (r < 0)
		return r;
	if (!f->side)
		pd_rt_files_change();
	p = pd_pool_create(f->abs, NULL, mode & 07777 & ~current_umask(), f->side, &err);
	if (!p)
		return err;
	p->glob = f->glob;
	pd_pool_glob_note(f->glob, false);
	pd_pool_emit(PD_EV_POOL_SIZE, p, p->base, 0);
	return pd_file_attach(p, flags, PD_OFD_POOL);
}

/* Whether files that no glob matches become PM or side files. */
static bool takes_others(void)
{
	return pd_pool_forced() || pd_rt.side_files;
}

/* A file without a name in a directory; PM if a file with a name there would be. */
static long open_temp(int dirfd, const char *path, int flags, unsigned mode)
{
	struct pd_found f = {.glob = PD_POOL_NONE};
	struct pd_outbuf b;
	char name[PATH_MAX];
	struct stat st;
	long fd;

	if (pd_pool_path(dirfd, path, f.abs) < 0)
		return PD_FILE_PASS;
	pd_outbuf_init(&b, name, sizeof(name));
	pd_outf(&b.out, "%s/#%u", f.abs, ofds.temps);
	f.glob = pd_pool_match(NULL, name);
	if ((f.glob == PD_POOL_NONE && !takes_others()) || b.lost ||
	    pd_raw_fstatat(AT_FDCWD, f.abs, &st, 0) < 0 || !S_ISDIR(st.st_mode) ||
	    (flags & O_ACCMODE) == O_RDONLY)
		return PD_FILE_PASS;
	ofds.temps++;
	memcpy(f.abs, name, sizeof(name));
	f.side = f.glob == PD_POOL_NONE && !pd_pool_forced();
	fd = open_new(&f, flags & ~O_TMPFILE, mode);
	if (fd >= 0)
		pd_pool_name_set(f.abs, NULL);
	return fd;
}

/* A memory file without a name. If it can be sealed, it is meant for other processes, and is the
 * real one. */
static long open_memory(unsigned flags)
{
	struct pd_outbuf b;
	struct pd_pool *p;
	char name[32];
	int err;

	if (!pd_file_driven() || !pd_rt.side_files || (flags & ~MFD_CLOEXEC))
		return PD_FILE_PASS;
	pd_outbuf_init(&b, name, sizeof(name));
	pd_outf(&b.out, "/memfd/#%u", ofds.temps++);
	p = pd_pool_create(name, NULL, 0777, true, &err);
	if (!p)
		return err == -ENOSPC ? PD_FILE_PASS : err; /* a loss, which is counted */
	pd_pool_name_set(name, NULL);
	return pd_file_attach(p, O_RDWR | (flags ? O_CLOEXEC : 0), PD_OFD_POOL);
}

/*
 * Whether a file that no glob matches becomes PM, or a side file. One that is only written to
 * cannot be mapped shared, so it is not PM; but an execution that writes to it must not change what
 * others find there.
 */
static bool is_taken(const struct pd_found *f, int flags)
{
	int acc = flags & O_ACCMODE;
	struct stat st;
	long r;

	if (!takes_others() || pd_pool_is_made_up(f->abs) || acc == O_RDONLY ||
	    (acc == O_WRONLY && pd_pool_forced()) || (flags & (O_PATH | O_DIRECTORY)))
		return false;
	r = pd_raw_fstatat(AT_FDCWD, f->abs, &st, 0);
	return r < 0 ? r == -ENOENT && (flags & O_CREAT) : S_ISREG(st.st_mode);
}

/* The second lookup for is_taken: follows links to the end. */
static long find_taken(struct pd_found *f)
{
	long r = pd_raw_fstatat(AT_FDCWD, f->abs, &f->st, 0);

	f->side = !pd_pool_forced();
	f->real = r >= 0;
	if (f->real)
		f->pool = pd_pool_find_by_inode(f->st.st_dev, f->st.st_ino);
	return 0;
}

static bool is_random(const char *abs)
{
	return !strcmp(abs, "/dev/urandom") || !strcmp(abs, "/dev/random");
}

long pd_file_open(int dirfd, const char *path, int flags, unsigned mode)
{
	bool follow = !(flags & O_NOFOLLOW) && (flags & (O_CREAT | O_EXCL)) != (O_CREAT | O_EXCL);
	struct pd_found f;
	long r;

	if (!path || !pd_file_driven())
		return PD_FILE_PASS;
	if ((flags & O_TMPFILE) == O_TMPFILE)
		return open_temp(dirfd, path, flags, mode);
	r = pd_file_find(dirfd, path, follow, &f);
	if (r == PD_FILE_PASS) {
		if (pd_pool_path(dirfd, path, f.abs) < 0)
			return r;
		if (is_random(f.abs) && !(flags & O_PATH))
			return pd_file_attach(NULL, flags, PD_OFD_RANDOM);
		if (!is_taken(&f, flags) || pd_pool_path_resolve(f.abs) < 0)
			return r;
		r = find_taken(&f);
	}
	if (r < 0)
		return r;
	if (f.pool || f.real)
		r = open_existing(&f, flags);
	else
		r = flags & O_CREAT ? open_new(&f, flags, mode) : -ENOENT;
	return f.side && r == -ENOSPC ? PD_FILE_PASS : r; /* a loss, which is counted */
}

static unsigned mode_of(int flags, va_list ap)
{
	return (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(ap, unsigned) : 0;
}

static int finish_open(long r)
{
	if (r >= 0)
		forget((int)r);
	return (int)r;
}

#define OPEN_BODY(dirfd, path, flags, real)                                                        \
	do {                                                                                       \
		va_list ap;                                                                        \
		unsigned mode;                                                                     \
		long r;                                                                            \
                                                                                                   \
		va_start(ap, flags);                                                               \
		mode = mode_of(flags, ap);                                                         \
		va_end(ap);                                                                        \
		r = pd_file_open(dirfd, path, flags, mode);                                        \
		return r == PD_FILE_PASS ? finish_open(real) : (int)pd_file_result(r);             \
	} while (0)

PD_EXPORT int open(const char *path, int flags, ...)
{
	OPEN_BODY(AT_FDCWD, path, flags, PD_REAL(open)(path, flags, mode));
}

PD_EXPORT int open64(const char *path, int flags, ...)
{
	OPEN_BODY(AT_FDCWD, path, flags, PD_REAL(open64)(path, flags, mode));
}

PD_EXPORT int openat(int dirfd, const char *path, int flags, ...)
{
	OPEN_BODY(dirfd, path, flags, PD_REAL(openat)(dirfd, path, flags, mode));
}

PD_EXPORT int openat64(int dirfd, const char *path, int flags, ...)
{
	OPEN_BODY(dirfd, path, flags, PD_REAL(openat64)(dirfd, path, flags, mode));
}

PD_EXPORT int memfd_create(const char *name, unsigned flags)
{
	long r = open_memory(flags);

	return r == PD_FILE_PASS ? finish_open(PD_REAL(memfd_create)(name, flags))
				 : (int)pd_file_result(r);
}

PD_EXPORT int creat(const char *path, mode_t mode)
{
	return open(path, O_CREAT | O_WRONLY | O_TRUNC, mode);
}

PD_EXPORT int creat64(const char *path, mode_t mode)
{
	return open(path, O_CREAT | O_WRONLY | O_TRUNC, mode);
}

/* What _FORTIFY_SOURCE turns open without a mode into. */
int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int dirfd, const char *path, int flags);
int __openat64_2(int dirfd, const char *path, int flags);

PD_EXPORT int __open_2(const char *path, int flags)
{
	return flags & O_CREAT ? PD_REAL(__open_2)(path, flags) : open(path, flags);
}

PD_EXPORT int __open64_2(const char *path, int flags)
{
	return flags & O_CREAT ? PD_REAL(__open64_2)(path, flags) : open64(path, flags);
}

PD_EXPORT int __openat_2(int dirfd, const char *path, int flags)
{
	return flags & O_CREAT ? PD_REAL(__openat_2)(dirfd, path, flags)
			       : openat(dirfd, path, flags);
}

PD_EXPORT int __openat64_2(int dirfd, const char *path, int flags)
{
	return flags & O_CREAT ? PD_REAL(__openat64_2)(dirfd, path, flags)
			       : openat64(dirfd, path, flags);
}

/* POSIX shared memory is files in /dev/shm. PD_FILE_PASS where the name is not PM. */
static long shm_path(const char *name, char *path)
{
	struct pd_outbuf b;

	pd_outbuf_init(&b, path, PATH_MAX);
	pd_outf(&b.out, "/dev/shm/%s", name + strspn(name, "/"));
	return b.lost ? -ENAMETOOLONG : 0;
}

PD_EXPORT int shm_open(const char *name, int flags, mode_t mode)
{
	char path[PATH_MAX];
	long r = shm_path(name, path);

	if (r >= 0)
		r = pd_file_open(AT_FDCWD, path, flags | O_CLOEXEC | O_NOFOLLOW, mode);
	return r == PD_FILE_PASS ? finish_open(PD_REAL(shm_open)(name, flags, mode))
				 : (int)pd_file_result(r);
}

PD_EXPORT int shm_unlink(const char *name)
{
	struct pd_found f;
	char path[PATH_MAX];
	long r = shm_path(name, path);

	if (r >= 0)
		r = pd_file_find(AT_FDCWD, path, false, &f);
	return r == PD_FILE_PASS ? PD_REAL(shm_unlink)(name) : unlink(path);
}

/* ---- mkstemp ----------------------------------------------------------------------------------
 */

/* Names by number instead of at random. PD_FILE_PASS: such a file would not be PM. */
static long make_temp(char *template, int suffix, int flags)
{
	size_t n = strlen(template);
	char *x = template + n - (size_t)suffix - 6;
	char abs[PATH_MAX];

	if (!pd_file_driven() || suffix < 0 || n < (size_t)suffix + 6 || memcmp(x, "XXXXXX", 6) ||
	    pd_pool_path(AT_FDCWD, template, abs) < 0 ||
	    (pd_pool_match(template, abs) == PD_POOL_NONE && !takes_others()))
		return PD_FILE_PASS;
	for (uint32_t i = 0; i < 1000000; i++) {
		uint32_t k = i;
		long r;

		for (int d = 5; d >= 0; d--, k /= 10)
			x[d] = (char)('0' + k % 10);
		r = pd_file_open(AT_FDCWD, template, flags | O_CREAT | O_EXCL | O_RDWR, 0600);
		if (r != -EEXIST)
			return r;
	}
	return -EEXIST;
}

#define MAKE_TEMP(name, params, call, suffix, flags)                                               \
	PD_EXPORT int name params                                                                  \
	{                                                                                          \
		long r = make_temp(t, suffix, flags);                                              \
                                                                                                   \
		return r == PD_FILE_PASS ? finish_open(PD_REAL(name) call)                         \
					 : (int)pd_file_result(r);                                 \
	}

MAKE_TEMP(mkstemp, (char *t), (t), 0, 0)
MAKE_TEMP(mkstemp64, (char *t), (t), 0, 0)
MAKE_TEMP(mkostemp, (char *t, int flags), (t, flags), 0, flags)
MAKE_TEMP(mkostemp64, (char *t, int flags), (t, flags), 0, flags)
MAKE_TEMP(mkstemps, (char *t, int suffix), (t, suffix), suffix, 0)
MAKE_TEMP(mkstemps64, (char *t, int suffix), (t, suffix), suffix, 0)
MAKE_TEMP(mkostemps, (char *t, int suffix, int flags), (t, suffix, flags), suffix, flags)
MAKE_TEMP(mkostemps64, (char *t, int suffix, int flags), (t, suffix, flags), suffix, flags)

/* ---- close and dup ----------------------------------------------------------------------------
 */

PD_EXPORT int close(int fd)
{
	if (pd_file_of(fd)) {
		forget(fd);
		return (int)pd_file_result(pd_raw_close(fd));
	}
	return PD_REAL(close)(fd);
}

int close_range(unsigned from, unsigned to, int flags);
void closefrom(int from);

PD_EXPORT int close_range(unsigned from, unsigned to, int flags)
{
	if (!(flags & 4)) /* CLOSE_RANGE_CLOEXEC */
		for (unsigned fd = from; fd <= to && fd < PD_FILE_FDS; fd++)
			forget((int)fd);
	return PD_REAL(close_range)(from, to, flags);
}

PD_EXPORT void closefrom(int from)
{
	for (int fd = PD_MAX(from, 0); fd < PD_FILE_FDS; fd++)
		forget(fd);
	PD_REAL(closefrom)(from);
}

/* The kernel has made `fd` a copy of `from`. */
static int finish_dup(int from, int fd)
{
	uint16_t i = pd_file_of(from) ? pd_file_fds[from] : 0;

	if (fd < 0 || fd == from)
		return fd;
	forget(fd);
	return i ? (int)pd_file_result(bind_fd(fd, i - 1u)) : fd;
}

PD_EXPORT int dup(int fd)
{
	return finish_dup(fd, PD_REAL(dup)(fd));
}

PD_EXPORT int dup2(int fd, int to)
{
	return finish_dup(fd, PD_REAL(dup2)(fd, to));
}

PD_EXPORT int dup3(int fd, int to, int flags)
{
	return finish_dup(fd, PD_REAL(dup3)(fd, to, flags));
}

/* ---- locks and fcntl --------------------------------------------------------------------------
 */

/* Mappings are not counted per description: a lock stays until its file is not mapped at all. */
static bool lock_conflicts(const struct pd_ofd *o, int how)
{
	for (uint32_t i = 0; i < ofds.n; i++) {
		struct pd_ofd *q = ofds.v[i];

		if (q->refs && q->closed && !pd_pool_map_any(q->pool))
			*q = (struct pd_ofd){0};
		if (q != o && q->refs && q->pool == o->pool && q->lock &&
		    (how == LOCK_EX || q->lock == LOCK_EX))
			return true;
	}
	return false;
}

static long lock(struct pd_ofd *o, int op)
{
	int how = op & ~LOCK_NB;

	if (how != LOCK_SH && how != LOCK_EX && how != LOCK_UN)
		return -EINVAL;
	if (how == LOCK_UN) {
		o->lock = 0;
		return 0;
	}
	while (lock_conflicts(o, how)) {
		if (op & LOCK_NB)
			return -EWOULDBLOCK;
		sched_yield(); /* our scheduler's: another thread may release it */
	}
	o->lock = how;
	return 0;
}

PD_EXPORT int flock(int fd, int op)
{
	struct pd_ofd *o = pd_file_of(fd);

	return o ? (int)pd_file_result(lock(o, op)) : PD_REAL(flock)(fd, op);
}

/* Record locks are between processes, and an overlay has one. */
static long record_lock(struct pd_ofd *o, int cmd, struct flock *l)
{
	int acc = o->flags & O_ACCMODE;

	if (cmd == F_GETLK || cmd == F_OFD_GETLK) {
		l->l_type = F_UNLCK;
		return 0;
	}
	if (cmd == F_OFD_SETLK || cmd == F_OFD_SETLKW)
		pd_rt_loss(PD_LOSS_SYSCALL, 0, "open file description locks are always granted");
	if ((l->l_type == F_RDLCK && acc == O_WRONLY) || (l->l_type == F_WRLCK && acc == O_RDONLY))
		return -EBADF;
	return 0;
}

static int control(int fd, struct pd_ofd *o, int cmd, long arg)
{
	const int settable = O_APPEND | O_NONBLOCK | O_DIRECT | O_NOATIME | O_ASYNC;

	switch (cmd) {
	case F_GETFL:
		return o->flags;
	case F_SETFL:
		o->flags = (o->flags & ~settable) | ((int)arg & settable);
		return 0;
	case F_SETLK:
	case F_SETLKW:
	case F_GETLK:
	case F_OFD_SETLK:
	case F_OFD_SETLKW:
	case F_OFD_GETLK:
		return (int)pd_file_result(record_lock(o, cmd, (struct flock *)arg));
	case F_DUPFD:
	case F_DUPFD_CLOEXEC:
		return finish_dup(fd,
				  (int)pd_file_result(pd_raw(SYS_fcntl, fd, cmd, arg, 0, 0, 0)));
	default:
		return (int)pd_file_result(pd_raw(SYS_fcntl, fd, cmd, arg, 0, 0, 0));
	}
}

#define FCNTL_BODY(name)                                                                           \
	do {                                                                                       \
		struct pd_ofd *o = pd_file_of(fd);                                                 \
		va_list ap;                                                                        \
		long arg;                                                                          \
		int r;                                                                             \
                                                                                                   \
		va_start(ap, cmd);                                                                 \
		arg = va_arg(ap, long);                                                            \
		va_end(ap);                                                                        \
		if (o)                                                                             \
			return control(fd, o, cmd, arg);                                           \
		r = PD_REAL(name)(fd, cmd, arg);                                                   \
		if ((cmd == F_DUPFD || cmd == F_DUPFD_CLOEXEC) && r >= 0)                          \
			forget(r);                                                                 \
		return r;                                                                          \
	} while (0)

PD_EXPORT int fcntl(int fd, int cmd, ...)
{
	FCNTL_BODY(fcntl);
}

PD_EXPORT int fcntl64(int fd, int cmd, ...)
{
	FCNTL_BODY(fcntl64);
}

PD_EXPORT int lockf(int fd, int cmd, off_t len)
{
	if (!pd_file_of(fd))
		return PD_REAL(lockf)(fd, cmd, len);
	return cmd >= F_ULOCK && cmd <= F_TEST ? 0 : (int)pd_file_result(-EINVAL);
}
