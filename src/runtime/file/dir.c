/*
 * file/dir.c - directories as the program sees them, and the names behind names: readdir, realpath,
 * readlink.
 *
 * libc lists a directory; names that the program deleted are left out, and names that exist in the
 * overlay only follow at the end. Precision lost: ftw and fts read directories inside libc and
 * see the real ones (file/loss.c counts them); seekdir does not reach the names at
 * the end. Descriptors of ours are not in /proc/self/fd.
 *
 * Thread rule: the list of open directories is touched driven only, under the baton.
 */
#include "runtime/file/file.h"
#include "runtime/base/raw.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct listing {
	DIR *dir;
	struct listing *next;
	uint32_t at; /* entry of the table of names that comes next, once the real ones are through
		      */
	struct dirent entry;
	bool descriptors; /* it is /proc/self/fd */
	char abs[PATH_MAX];
};

static struct listing *listings, *spare;

/* Whether the path, without links, is the list of this process's descriptors. */
static bool lists_descriptors(const char *abs)
{
	char own[40];
	struct pd_outbuf b;

	pd_outbuf_init(&b, own, sizeof(own));
	pd_outf(&b.out, "/proc/%u/fd", (uint32_t)pd_raw(SYS_getpid, 0, 0, 0, 0, 0, 0));
	return strcmp(abs, own) == 0;
}

/* Descriptors that the tool and the processes of an exploration share. */
static bool is_own_descriptor(const char *name)
{
	static const char *const ours[] = {"/memfd:perdure-", "pipe:", "socket:"};
	char link[40], path[PATH_MAX];
	struct pd_outbuf b;
	long n;

	if (pd_rt.own_fds <= 0 || atoi(name) < pd_rt.own_fds)
		return false;
	pd_outbuf_init(&b, path, sizeof(path));
	pd_outf(&b.out, "/proc/self/fd/%s", name);
	n = pd_raw_readlink(path, link, sizeof(link) - 1);
	if (n < 0)
		return false;
	link[n] = '\0';
	for (uint32_t i = 0; i < PD_LEN(ours); i++)
		if (strncmp(link, ours[i], strlen(ours[i])) == 0)
			return true;
	return false;
}

static void start(DIR *dir, int dirfd, const char *path)
{
	struct listing *l = spare;
	char abs[PATH_MAX + 2];

	if (!dir || !pd_file_driven() || pd_pool_path(dirfd, path, abs) < 0)
		return;
	memcpy(abs + strlen(abs), "/.", 3); /* links are resolved in the directory part */
	if (strlen(abs) >= PATH_MAX || pd_pool_path_resolve(abs) < 0 ||
	    (!pd_pool_any() && !lists_descriptors(abs)))
		return;
	if (l)
		spare = l->next;
	else
		l = pd_pool_alloc(sizeof(*l));
	l->dir = dir;
	l->at = 0;
	l->descriptors = lists_descriptors(abs);
	memcpy(l->abs, abs, PATH_MAX);
	l->next = listings;
	listings = l;
}

static struct listing *find(DIR *dir)
{
	struct listing *l = listings;

	while (l && l->dir != dir)
		l = l->next;
	return l;
}

static bool is_hidden(const struct listing *l, const char *name)
{
	char abs[PATH_MAX + NAME_MAX + 2];
	struct pd_outbuf b;
	struct pd_pool *p;

	if (l->descriptors)
		return is_own_descriptor(name);
	pd_outbuf_init(&b, abs, sizeof(abs));
	pd_outf(&b.out, "%s/%s", l->abs[1] ? l->abs : "", name);
	return pd_pool_name_find(abs, &p) && !p;
}

/* The next name that is in the overlay only, or NULL. */
static struct dirent *extra(struct listing *l)
{
	size_t n = l->abs[1] ? strlen(l->abs) : 0;
	const char *abs;
	struct pd_pool *p;
	struct stat st;

	while (pd_pool_name_at(l->at++, &abs, &p)) {
		if (!p || strncmp(abs, l->abs, n) || abs[n] != '/' || strchr(abs + n + 1, '/') ||
		    strlen(abs + n + 1) >= sizeof(l->entry.d_name) ||
		    pd_raw_fstatat(AT_FDCWD, abs, &st, AT_SYMLINK_NOFOLLOW) >= 0)
			continue;
		memset(&l->entry, 0, sizeof(l->entry));
		l->entry.d_ino = p->id + 1;
		l->entry.d_reclen = sizeof(l->entry);
		l->entry.d_type = DT_REG;
		strcpy(l->entry.d_name, abs + n + 1);
		return &l->entry;
	}
	l->at--;
	return NULL;
}

PD_EXPORT DIR *opendir(const char *path)
{
	DIR *dir = PD_REAL(opendir)(path);

	start(dir, AT_FDCWD, path);
	return dir;
}

PD_EXPORT DIR *fdopendir(int fd)
{
	DIR *dir = PD_REAL(fdopendir)(fd);

	start(dir, fd, ".");
	return dir;
}

PD_EXPORT int closedir(DIR *dir)
{
	struct listing **at = &listings, *l;

	while (*at && (*at)->dir != dir)
		at = &(*at)->next;
	l = *at;
	if (l) {
		*at = l->next;
		l->next = spare;
		spare = l;
	}
	return PD_REAL(closedir)(dir);
}

PD_EXPORT void rewinddir(DIR *dir)
{
	struct listing *l = find(dir);

	if (l)
		l->at = 0;
	PD_REAL(rewinddir)(dir);
}

/* struct dirent64 is struct dirent on this machine. */
_Static_assert(sizeof(struct dirent) == sizeof(struct dirent64), "one layout");

#define READDIR(name, type)                                                                        \
	PD_EXPORT struct type *name(DIR *dir)                                                      \
	{                                                                                          \
		struct listing *l = find(dir);                                                     \
		struct type *e;                                                                    \
                                                                                                   \
		do                                                                                 \
			e = PD_REAL(name)(dir);                                                    \
		while (e && l && is_hidden(l, e->d_name));                                         \
		return e || !l ? e : (struct type *)extra(l);                                      \
	}

READDIR(readdir, dirent)
READDIR(readdir64, dirent64)

/* ---- names behind names ------------------------------------------------------------------------
 */

char *__realpath_chk(const char *path, char *out, size_t room);
ssize_t __readlink_chk(const char *path, char *out, size_t n, size_t room);

static char *give(const char *s, char *out)
{
	return out ? memcpy(out, s, strlen(s) + 1) : strdup(s);
}

PD_EXPORT char *realpath(const char *restrict path, char *restrict out)
{
	struct pd_found f;
	long r = pd_file_find(AT_FDCWD, path, true, &f);

	if (r == PD_FILE_PASS || (!r && !f.pool && f.real))
		return PD_REAL(realpath)(path, out);
	if (!r && f.pool)
		return give(f.abs, out);
	errno = r ? (int)-r : ENOENT;
	return NULL;
}

PD_EXPORT char *__realpath_chk(const char *path, char *out, size_t room)
{
	return room < PATH_MAX ? PD_REAL(__realpath_chk)(path, out, room) : realpath(path, out);
}

PD_EXPORT char *canonicalize_file_name(const char *path)
{
	return realpath(path, NULL);
}

/* /proc/self/fd/N of a pool shows its name; a link whose name was deleted is gone. */
static long read_link(int dirfd, const char *path, char *out, size_t n)
{
	const char *proc = "/proc/self/fd/", *name;
	struct pd_pool *p = NULL;
	struct pd_found f;
	long r;

	if (!pd_file_driven())
		return PD_FILE_PASS;
	if (!strncmp(path, proc, strlen(proc)))
		p = pd_file_pool(atoi(path + strlen(proc)));
	if (p) {
		name = p->name;
		n = PD_MIN(n, strlen(name));
		memcpy(out, name, n);
		return (long)n;
	}
	r = pd_file_find(dirfd, path, false, &f);
	if (r < 0 || f.link)
		return f.link && r >= 0 ? PD_FILE_PASS : r;
	return f.pool || f.real ? -EINVAL : -ENOENT;
}

PD_EXPORT ssize_t readlink(const char *restrict path, char *restrict out, size_t n)
{
	long r = read_link(AT_FDCWD, path, out, n);

	return r == PD_FILE_PASS ? PD_REAL(readlink)(path, out, n) : pd_file_result(r);
}

PD_EXPORT ssize_t readlinkat(int dirfd, const char *restrict path, char *restrict out, size_t n)
{
	long r = read_link(dirfd, path, out, n);

	return r == PD_FILE_PASS ? PD_REAL(readlinkat)(dirfd, path, out, n) : pd_file_result(r);
}

PD_EXPORT ssize_t __readlink_chk(const char *path, char *out, size_t n, size_t room)
{
	return n > room ? PD_REAL(__readlink_chk)(path, out, n, room) : readlink(path, out, n);
}
