/*
 * file/name.c - names come and go: unlink, rename, link.
 *
 * Only the table of names changes; a name that the program takes away from a real file leads
 * nowhere from then on, though the file is still there. A pool keeps being one under any name. A
 * file that is not PM and gets a PM name becomes a pool: its bytes are stored into a new one, and
 * the old name goes away for real, as the program asked. Names are durable immediately.
 *
 * Precision lost: a directory that holds pools can be renamed without their names following. A
 * symbolic link with the name of a PM file is not made: it would be a real one.
 */
#include "runtime/file/file.h"
#include "runtime/base/raw.h"
#include "runtime/base/listen.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- unlink -----------------------------------------------------------------------------------
 */

static long remove_name(int dirfd, const char *path)
{
	struct pd_found f;
	struct pd_pool *p = NULL;
	long r = pd_file_find(dirfd, path, false, &f);

	if (r < 0)
		return r;
	if (!f.pool && !f.real)
		return -ENOENT;
	r = pd_file_check_dir(f.abs);
	if (r < 0)
		return r;
	if (!f.link) {
		p = pd_file_adopt(&f, &r);
		if (!p)
			return r;
	}
	pd_rt_files_change();
	pd_pool_name_set(f.abs, NULL);
	if (p)
		pd_pool_emit(PD_EV_POOL_UNLINK, p, p->base, p->size);
	return 0;
}

PD_EXPORT int unlink(const char *path)
{
	long r = remove_name(AT_FDCWD, path);

	return r == PD_FILE_PASS ? PD_REAL(unlink)(path) : (int)pd_file_result(r);
}

PD_EXPORT int unlinkat(int dirfd, const char *path, int flags)
{
	long r = flags & AT_REMOVEDIR ? PD_FILE_PASS : remove_name(dirfd, path);

	return r == PD_FILE_PASS ? PD_REAL(unlinkat)(dirfd, path, flags) : (int)pd_file_result(r);
}

PD_EXPORT int remove(const char *path)
{
	long r = remove_name(AT_FDCWD, path);

	return r == PD_FILE_PASS ? PD_REAL(remove)(path) : (int)pd_file_result(r);
}

/* ---- a file that becomes PM --------------------------------------------------------------------
 */

/* All bytes of a real file, or of a side file. */
static void copy_bytes(struct pd_pool *p, struct pd_pool *side, int fd)
{
	uint64_t off = 0;
	char buf[4096];
	long n;

	for (;; off += (uint64_t)n) {
		n = side ? pd_file_pool_read(side, buf, sizeof(buf), off)
			 : pd_raw_read(fd, buf, sizeof(buf));
		if (n <= 0)
			return;
		pd_file_pool_write(p, buf, (size_t)n, off);
	}
}

/*
 * A new pool with the bytes of a file that is not PM: a real one, or a side file. It has no name
 * yet: a crash in between leaves nothing of it. NULL with *err.
 */
static struct pd_pool *import(const struct pd_found *from, uint32_t glob, long *err)
{
	static const char nameless[] = "/#renamed";
	bool side = glob == PD_POOL_NONE && pd_rt.side_files && !pd_pool_forced();
	struct stat st = {.st_mode = from->pool ? from->pool->mode : 0};
	long fd = from->pool ? -1 : pd_raw_open(from->abs, O_RDONLY);
	struct pd_pool *p;
	int e = 0;

	*err = from->pool ? 0 : fd < 0 ? fd : pd_raw_fstatat((int)fd, "", &st, AT_EMPTY_PATH);
	p = *err < 0 ? NULL : pd_pool_create(nameless, NULL, st.st_mode & 07777, side, &e);
	if (e)
		*err = e;
	if (p) {
		pd_pool_name_set(nameless, NULL);
		copy_bytes(p, from->pool, (int)fd);
	}
	if (fd >= 0)
		pd_raw_close((int)fd);
	if (p && from->pool)
		pd_file_repoint(from->pool, p);
	if (p) {
		p->glob = glob;
		pd_pool_glob_note(glob, false);
		pd_pool_emit(PD_EV_POOL_SIZE, p, p->base, p->size);
		pd_file_sync(p);
	}
	return p;
}

/* ---- rename -----------------------------------------------------------------------------------
 */

/* Like pd_file_find, but makes a path that is not PM absolute, too, and looks it up. */
static long find_any(int dirfd, const char *path, struct pd_found *f, bool *pm)
{
	long r = pd_file_find(dirfd, path, false, f);

	*pm = r != PD_FILE_PASS;
	if (*pm)
		return r;
	f->pool = NULL;
	f->glob = PD_POOL_NONE;
	r = pd_pool_path(dirfd, path, f->abs);
	if (r >= 0)
		r = pd_pool_path_resolve(f->abs);
	f->real = r >= 0 && pd_raw_fstatat(AT_FDCWD, f->abs, &f->st, AT_SYMLINK_NOFOLLOW) >= 0;
	return r < 0 ? r : 0;
}

static long exchange_names(struct pd_found *a, struct pd_found *b)
{
	struct pd_pool *p, *q;
	long r;

	p = pd_file_adopt(a, &r);
	if (!p)
		return r;
	q = pd_file_adopt(b, &r);
	if (!q)
		return r;
	pd_rt_files_change();
	pd_pool_name_set(a->abs, q);
	pd_pool_name_set(b->abs, p);
	pd_pool_emit(PD_EV_POOL_RENAME, p, p->base, p->size);
	pd_pool_emit(PD_EV_POOL_RENAME, q, q->base, q->size);
	return 0;
}

static long rename_checks(const struct pd_found *from, const struct pd_found *to, unsigned flags)
{
	bool there = to->pool || to->real;
	long r;

	if (!from->pool && !from->real)
		return -ENOENT;
	r = pd_file_check_dir(from->abs);
	if (r >= 0)
		r = pd_file_check_dir(to->abs);
	if (r < 0)
		return r;
	if ((flags & RENAME_NOREPLACE) && there)
		return -EEXIST;
	if ((flags & RENAME_EXCHANGE) && !there)
		return -ENOENT;
	if (to->real && !to->pool && S_ISDIR(to->st.st_mode))
		return -EISDIR;
	return 0;
}

/* Whether a side file gets the name of a PM file. */
static bool becomes_pm(const struct pd_found *from, const struct pd_found *to)
{
	return from->pool && from->pool->side && to->glob != PD_POOL_NONE &&
	       !(to->pool && to->pool->side);
}

/* A PM file gets another name; or a file that is not PM gets the name of one. */
static long rename_pool(struct pd_found *from, struct pd_found *to, bool from_pm)
{
	struct pd_pool *old = to->pool, *p;
	long r = 0;

	if (from->link)
		return -EOPNOTSUPP;
	if (becomes_pm(from, to))
		from_pm = false;
	p = from_pm ? pd_file_adopt(from, &r) : import(from, to->glob, &r);
	if (!p)
		return r;
	if (from_pm && p == old)
		return 0; /* two names of one file: rename does nothing */
	pd_rt_files_change();
	if (from->pool)
		pd_pool_name_set(from->abs, NULL);
	else
		pd_raw(SYS_unlink, (long)from->abs, 0, 0, 0, 0, 0);
	pd_pool_name_set(to->abs, p);
	pd_pool_emit(PD_EV_POOL_RENAME, p, p->base, p->size);
	return 0;
}

static long rename_path(int fromfd, const char *a, int tofd, const char *b, unsigned flags)
{
	struct pd_found from, to;
	bool from_pm, to_pm;
	long r, s;

	if (!pd_file_driven() || !a || !b)
		return PD_FILE_PASS;
	r = find_any(fromfd, a, &from, &from_pm);
	s = find_any(tofd, b, &to, &to_pm);
	if (!from_pm && !to_pm)
		return PD_FILE_PASS;
	if (r < 0 || s < 0)
		return r < 0 ? r : s;
	if (!from_pm && from.real && !S_ISREG(from.st.st_mode) && !to.pool && !to.real)
		return PD_FILE_PASS; /* a directory or a link is not PM under any name */
	r = rename_checks(&from, &to, flags);
	if (r < 0)
		return r;
	if (!from_pm && !S_ISREG(from.st.st_mode))
		return S_ISDIR(from.st.st_mode) ? -ENOTDIR : -EOPNOTSUPP;
	if (flags & RENAME_EXCHANGE)
		return from_pm && to_pm ? exchange_names(&from, &to) : -EOPNOTSUPP;
	return rename_pool(&from, &to, from_pm);
}

PD_EXPORT int rename(const char *a, const char *b)
{
	long r = rename_path(AT_FDCWD, a, AT_FDCWD, b, 0);

	return r == PD_FILE_PASS ? PD_REAL(rename)(a, b) : (int)pd_file_result(r);
}

PD_EXPORT int renameat(int fromfd, const char *a, int tofd, const char *b)
{
	long r = rename_path(fromfd, a, tofd, b, 0);

	return r == PD_FILE_PASS ? PD_REAL(renameat)(fromfd, a, tofd, b) : (int)pd_file_result(r);
}

PD_EXPORT int renameat2(int fromfd, const char *a, int tofd, const char *b, unsigned flags)
{
	long r = rename_path(fromfd, a, tofd, b, flags);

	return r == PD_FILE_PASS ? PD_REAL(renameat2)(fromfd, a, tofd, b, flags)
				 : (int)pd_file_result(r);
}

/* ---- link -------------------------------------------------------------------------------------
 */

/* The pool of a descriptor: linkat's two ways to name an O_TMPFILE. */
static struct pd_pool *pool_by_fd(int dirfd, const char *path, int flags)
{
	const char *proc = "/proc/self/fd/";

	if (!*path && (flags & AT_EMPTY_PATH))
		return pd_file_pool(dirfd);
	if ((flags & AT_SYMLINK_FOLLOW) && !strncmp(path, proc, strlen(proc)))
		return pd_file_pool(atoi(path + strlen(proc)));
	return NULL;
}

static long link_path(int fromfd, const char *a, int tofd, const char *b, int flags)
{
	struct pd_found from = {0}, to;
	bool from_pm, to_pm;
	long r, s;

	if (!pd_file_driven() || !a || !b)
		return PD_FILE_PASS;
	from.pool = pool_by_fd(fromfd, a, flags);
	from_pm = from.pool;
	r = from_pm ? 0 : find_any(fromfd, a, &from, &from_pm);
	s = find_any(tofd, b, &to, &to_pm);
	if (!from_pm && !to_pm)
		return PD_FILE_PASS;
	if (r < 0 || s < 0)
		return r < 0 ? r : s;
	if (!from.pool && !from.real)
		return -ENOENT;
	if (to.pool || to.real)
		return -EEXIST;
	r = pd_file_check_dir(to.abs);
	if (r < 0)
		return r;
	if (becomes_pm(&from, &to))
		from_pm = false;
	if (!from_pm)
		pd_file_loss_named("a link to '%s', which is not PM, became a copy: name it with "
				   "--pm, too",
				   from.abs);
	from.pool = from_pm ? pd_file_adopt(&from, &r) : import(&from, to.glob, &r);
	if (!from.pool)
		return r;
	pd_rt_files_change();
	pd_pool_name_set(to.abs, from.pool);
	pd_pool_emit(PD_EV_POOL_RENAME, from.pool, from.pool->base, from.pool->size);
	return 0;
}

PD_EXPORT int link(const char *a, const char *b)
{
	long r = link_path(AT_FDCWD, a, AT_FDCWD, b, 0);

	return r == PD_FILE_PASS ? PD_REAL(link)(a, b) : (int)pd_file_result(r);
}

PD_EXPORT int linkat(int fromfd, const char *a, int tofd, const char *b, int flags)
{
	long r = link_path(fromfd, a, tofd, b, flags);

	return r == PD_FILE_PASS ? PD_REAL(linkat)(fromfd, a, tofd, b, flags)
				 : (int)pd_file_result(r);
}

/* ---- symlink ----------------------------------------------------------------------------------
 */

static long make_link(int dirfd, const char *path)
{
	struct pd_found f;
	long r = pd_file_find(dirfd, path, false, &f);

	if (r < 0)
		return r;
	if (f.pool || f.real)
		return -EEXIST;
	pd_rt_loss(PD_LOSS_SYSCALL, 0, "a symbolic link with the name of a PM file");
	return -EPERM;
}

PD_EXPORT int symlink(const char *to, const char *path)
{
	long r = make_link(AT_FDCWD, path);

	return r == PD_FILE_PASS ? PD_REAL(symlink)(to, path) : (int)pd_file_result(r);
}

PD_EXPORT int symlinkat(const char *to, int dirfd, const char *path)
{
	long r = make_link(dirfd, path);

	return r == PD_FILE_PASS ? PD_REAL(symlinkat)(to, dirfd, path) : (int)pd_file_result(r);
}
