/*
 * file/find.c - what a path leads to: a pool, a file that has to become one, nothing, or a file
 * outside the overlay.
 *
 * The name is made absolute and the links of its directory are resolved, so that one file has one
 * name. The table of names is searched first: what the program created, deleted or renamed is only
 * there. Then the real file system is. A symbolic link is followed by text, one step at a time,
 * because it may lead to a file that exists in the overlay only; a glob that matches any step makes
 * the end PM.
 */
#include "runtime/file/file.h"
#include "runtime/base/raw.h"
#include <string.h>
#include <unistd.h>

#define MAX_LINKS 40

bool pd_file_driven(void)
{
	pd_rt_init();
	if (!pd_inside())
		return false;
	pd_pool_init();
	return true;
}

static bool is_dax(const char *abs)
{
	return !strncmp(abs, "/dev/dax", 8);
}

/* Replaces f->abs by what the link there says; 0 or -errno. */
static long follow_link(struct pd_found *f)
{
	char target[PATH_MAX], base[PATH_MAX];
	long n = pd_raw_readlink(f->abs, target, sizeof(target) - 1);
	size_t dir = (size_t)(strrchr(f->abs, '/') - f->abs);

	if (n < 0)
		return n;
	target[n] = 0;
	if (target[0] == '/')
		return pd_pool_path(AT_FDCWD, target, f->abs);
	if (dir + (size_t)n + 2 > sizeof(base))
		return -ENAMETOOLONG;
	memcpy(base, f->abs, dir);
	base[dir] = '/';
	memcpy(base + dir + 1, target, (size_t)n + 1);
	return pd_pool_path(AT_FDCWD, base, f->abs);
}

/* One step: 0 done, 1 once more (a link was followed), -errno or PD_FILE_PASS. */
static long step(struct pd_found *f, const char *given, bool follow)
{
	long r = pd_pool_path_resolve(f->abs);

	f->real = f->link = false;
	if (f->glob == PD_POOL_NONE)
		f->glob = pd_pool_match(given, f->abs);
	if (r < 0)
		return f->glob == PD_POOL_NONE ? PD_FILE_PASS : r;
	if (pd_pool_name_find(f->abs, &f->pool))
		return 0;
	r = pd_raw_fstatat(AT_FDCWD, f->abs, &f->st, AT_SYMLINK_NOFOLLOW);
	f->real = r >= 0;
	if (r == -ENOENT)
		return f->glob == PD_POOL_NONE ? PD_FILE_PASS : 0;
	if (r < 0)
		return PD_FILE_PASS;
	f->link = S_ISLNK(f->st.st_mode);
	if (f->link && follow)
		return (r = follow_link(f)) < 0 ? r : 1;
	if (S_ISREG(f->st.st_mode)) {
		f->pool = pd_pool_find_by_inode(f->st.st_dev, f->st.st_ino);
		return f->pool || f->glob != PD_POOL_NONE ? 0 : PD_FILE_PASS;
	}
	if (S_ISCHR(f->st.st_mode) && is_dax(f->abs)) {
		f->pool = pd_pool_find_by_inode(f->st.st_dev, f->st.st_ino);
		return 0;
	}
	return f->link && f->glob != PD_POOL_NONE ? 0 : PD_FILE_PASS;
}

long pd_file_find(int dirfd, const char *path, bool follow, struct pd_found *f)
{
	long r;

	if (!pd_file_driven() || !path)
		return PD_FILE_PASS;
	f->pool = NULL;
	f->glob = PD_POOL_NONE;
	f->side = false;
	r = pd_pool_path(dirfd, path, f->abs);
	if (r < 0 || (!pd_pool_any() && !pd_pool_count() && !is_dax(f->abs)))
		return PD_FILE_PASS;
	f->glob = pd_pool_match(path, f->abs);
	for (int i = 0; i < MAX_LINKS; i++) {
		r = step(f, path, follow);
		if (r != 1)
			return r;
		path = NULL;
	}
	return -ELOOP;
}

struct pd_pool *pd_file_adopt(struct pd_found *f, long *err)
{
	int e = 0;

	*err = 0;
	if (f->pool)
		return f->pool;
	f->pool = pd_pool_create(f->abs, &f->st, 0, f->side, &e);
	*err = e;
	if (!f->pool)
		return NULL;
	f->pool->glob = f->glob;
	pd_pool_glob_note(f->glob, false);
	return f->pool;
}

long pd_file_check_dir(const char *abs)
{
	char dir[PATH_MAX];
	const char *slash = strrchr(abs, '/');
	size_t n = slash == abs ? 1 : (size_t)(slash - abs);

	memcpy(dir, abs, n);
	dir[n] = 0;
	return pd_raw(SYS_faccessat, AT_FDCWD, (long)dir, W_OK | X_OK, 0, 0, 0);
}

long pd_file_check_mode(const struct pd_pool *p, int how)
{
	uint32_t uid = (uint32_t)pd_raw(SYS_geteuid, 0, 0, 0, 0, 0, 0), bits = p->mode & 7;

	if (uid == 0)
		return (how & X_OK) && !(p->mode & 0111) ? -EACCES : 0;
	if (uid == p->uid)
		bits = p->mode >> 6 & 7;
	else if ((uint32_t)pd_raw(SYS_getegid, 0, 0, 0, 0, 0, 0) == p->gid)
		bits = p->mode >> 3 & 7;
	return ((uint32_t)how & ~bits) ? -EACCES : 0;
}
