/*
 * pm/pool_path.c - which names are PM: paths, globs, the environment.
 *
 * Everything is text: nothing here knows whether a file exists. A path is made absolute by the
 * working directory (or the directory of a descriptor), then "." and ".." are taken out by text;
 * pd_pool_path_resolve lets the kernel follow the symbolic links of the directory part.
 *
 * Thread rule: see pool.h. The globs are read once.
 */
#include "runtime/pm/pool.h"
#include "base/glob.h"
#include "runtime/base/raw.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static struct {
	struct pd_pool_glob *globs;
	uint32_t n;
	bool forced;
} env;

static uint32_t count_globs(const char *s)
{
	uint32_t n = 0;

	for (; *s; s++)
		n += *s == ':';
	return n + 1;
}

void pd_pool_path_init(void)
{
	const char *s = getenv("PERDURE_PM"), *force = getenv("PMEM_IS_PMEM_FORCE");

	env.forced = force && !strcmp(force, "1");
	if (!s || !*s)
		return;
	env.globs = pd_pool_alloc(count_globs(s) * sizeof(*env.globs));
	while (*s) {
		size_t n = strcspn(s, ":");
		char *text = pd_pool_alloc(n + 1);

		memcpy(text, s, n);
		if (n)
			env.globs[env.n++].text = text;
		s += n + (s[n] == ':');
	}
}

uint32_t pd_pool_globs(const struct pd_pool_glob **globs)
{
	*globs = env.globs;
	return env.n;
}

void pd_pool_glob_note(uint32_t glob, bool mapped)
{
	if (glob >= env.n)
		return;
	if (mapped)
		env.globs[glob].mapped++;
	else
		env.globs[glob].opened++;
}

bool pd_pool_forced(void)
{
	return env.forced;
}

bool pd_pool_is_made_up(const char *abs)
{
	return !strncmp(abs, "/proc/", 6) || !strncmp(abs, "/sys/", 5) ||
	       !strncmp(abs, "/memfd:", 7) || !strncmp(abs, "/memfd/#", 8) ||
	       (!strncmp(abs, "/dev/", 5) && strncmp(abs, "/dev/shm/", 9));
}

uint32_t pd_pool_match(const char *given, const char *abs)
{
	if (pd_pool_is_made_up(abs))
		return PD_POOL_NONE;
	for (uint32_t i = 0; i < env.n; i++)
		if (pd_glob_path(env.globs[i].text, given, abs))
			return i;
	return PD_POOL_NONE;
}

/* Appends the parts of `path` to buf, which holds an absolute path without a slash at the end. */
static int append(char *buf, size_t n, const char *path)
{
	while (*path) {
		size_t k = strcspn(path, "/");

		if (k == 2 && path[0] == '.' && path[1] == '.') {
			while (n && buf[--n] != '/')
				;
		} else if (k && !(k == 1 && path[0] == '.')) {
			if (n + k + 2 > PATH_MAX)
				return -ENAMETOOLONG;
			buf[n++] = '/';
			memcpy(buf + n, path, k);
			n += k;
		}
		path += k + (path[k] == '/');
	}
	if (!n)
		buf[n++] = '/';
	buf[n] = 0;
	return 0;
}

/* Without /proc: changes to the directory, and back. */
static long path_of_directory(int fd, char *buf)
{
	long here = pd_raw_open(".", O_PATH | O_DIRECTORY), n;

	if (here < 0)
		return here;
	n = pd_raw(SYS_fchdir, fd, 0, 0, 0, 0, 0);
	if (n == 0) {
		n = pd_raw_getcwd(buf, PATH_MAX);
		if (pd_raw(SYS_fchdir, here, 0, 0, 0, 0, 0) < 0)
			pd_rt_fail(4, "cannot return to the current directory; mount /proc");
	}
	pd_raw_close((int)here);
	if (n <= 0)
		return n ? n : -ENOENT;
	return buf[0] == '/' ? n - 1 : -ENOENT;
}

long pd_pool_path_of_fd(int fd, char *buf)
{
	char link[32];
	struct pd_outbuf b;
	long n;

	pd_outbuf_init(&b, link, sizeof(link));
	pd_outf(&b.out, "/proc/self/fd/%d", fd);
	n = pd_raw_readlink(link, buf, PATH_MAX - 1);
	if (n == -ENOENT)
		return path_of_directory(fd, buf);
	if (n < 0)
		return n;
	buf[n] = 0;
	return buf[0] == '/' ? n : -ENOTDIR;
}

int pd_pool_path(int dirfd, const char *path, char *buf)
{
	long n = 0;

	if (!*path)
		return -ENOENT;
	if (path[0] != '/') {
		n = dirfd == AT_FDCWD ? pd_raw_getcwd(buf, PATH_MAX) - 1
				      : pd_pool_path_of_fd(dirfd, buf);
		if (n < 0)
			return dirfd == AT_FDCWD ? (int)n + 1 : (int)n;
		if (n == 1)
			n = 0;
	}
	return append(buf, (size_t)n, path);
}

/* The path of a directory without symbolic links; returns its length. */
static long resolve_directory(const char *path, char *buf)
{
	long fd, n = pd_raw_getcwd(buf, PATH_MAX);

	if (n > 0 && strcmp(buf, path) == 0) /* mostly, and the kernel says so faster */
		return n - 1;
	fd = pd_raw_open(path, O_PATH | O_DIRECTORY);
	if (fd < 0)
		return fd;
	n = pd_pool_path_of_fd((int)fd, buf);
	pd_raw_close((int)fd);
	return n;
}

int pd_pool_path_resolve(char *abs)
{
	char *slash = strrchr(abs, '/');
	char dir[PATH_MAX], name[NAME_MAX + 1];
	size_t k = strlen(slash + 1);
	long n;

	if (!k)
		return 0;
	if (k > NAME_MAX)
		return -ENAMETOOLONG;
	memcpy(name, slash + 1, k + 1);
	*slash = 0;
	n = resolve_directory(slash == abs ? "/" : abs, dir);
	*slash = '/';
	if (n < 0)
		return (int)n;
	memcpy(abs, dir, (size_t)n);
	return append(abs, n == 1 ? 0 : (size_t)n, name);
}

bool pd_pool_any(void)
{
	return env.n || env.forced;
}
