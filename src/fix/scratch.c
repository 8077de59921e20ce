/* scratch.c - see scratch.h. */
#include "fix/scratch.h"
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- one file -------------------------------------------------------------------------------- */

bool pd_scratch_path(const struct pd_scratch *s, const char *path, char to[PATH_MAX])
{
	size_t n = strlen(s->root);
	bool below = strncmp(path, s->root, n) == 0 && (path[n] == '/' || !path[n]);

	return snprintf(to, PATH_MAX, "%s%s", below ? s->tree : "", path + (below ? n : 0)) <
	       PATH_MAX;
}

static bool make_folders(char *path, struct pd_error *e)
{
	for (char *p = strchr(path + 1, '/'); p; p = strchr(p + 1, '/')) {
		*p = '\0';
		if (mkdir(path, 0777) != 0 && errno != EEXIST)
			return pd_error_errno(e, errno, "make", path);
		*p = '/';
	}
	return true;
}

static bool copy_link(const struct pd_scratch *s, const char *from, const char *to,
		      struct pd_error *e)
{
	char target[PATH_MAX], there[PATH_MAX];
	ssize_t n = readlink(from, target, sizeof(target) - 1);

	if (n < 0)
		return pd_error_errno(e, errno, "read", from);
	target[n] = '\0';
	if (!pd_scratch_path(s, target, there) || (symlink(there, to) != 0 && errno != EEXIST))
		return pd_error_errno(e, errno, "write", to);
	return true;
}

static bool copy_bytes(int in, int out)
{
	char buf[1 << 16];
	ssize_t n;

	while ((n = copy_file_range(in, NULL, out, NULL, 1 << 30, 0)) > 0)
		;
	if (n == 0)
		return true;
	while ((n = read(in, buf, sizeof(buf))) > 0)
		for (ssize_t done = 0, k; done < n; done += k)
			if ((k = write(out, buf + done, (size_t)(n - done))) < 0)
				return false;
	return n == 0;
}

static bool copy_regular(const char *from, const char *to, const struct stat *st,
			 struct pd_error *e)
{
	struct timespec times[2] = {st->st_atim, st->st_mtim};
	int in = open(from, O_RDONLY | O_CLOEXEC);
	int out = in < 0 ? -1
			 : open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
				(st->st_mode & 0777) | 0200);
	bool ok = out >= 0 && copy_bytes(in, out) && futimens(out, times) == 0;
	int err = errno;

	if (in >= 0)
		close(in);
	if (out >= 0)
		ok &= close(out) == 0;
	return ok || pd_error_errno(e, err, in < 0 ? "read" : "write", in < 0 ? from : to);
}

static bool copy_one(struct pd_scratch *s, const char *from, struct pd_error *e)
{
	char to[PATH_MAX];
	struct stat st;

	if (lstat(from, &st) != 0)
		return errno == ENOENT || pd_error_errno(e, errno, "read", from);
	s->files++;
	s->bytes += (uint64_t)st.st_size;
	if (s->files > PD_SCRATCH_FILES || s->bytes > PD_SCRATCH_BYTES)
		return pd_error_set(
			e, PD_EXIT_USAGE,
			"'%.200s' is too large to be copied (more than %d files or 4 GiB); "
			"keep the sources in a folder of their own, or in git",
			s->root, PD_SCRATCH_FILES);
	if (!pd_scratch_path(s, from, to) || !make_folders(to, e))
		return false;
	if (S_ISLNK(st.st_mode))
		return copy_link(s, from, to, e);
	if (S_ISDIR(st.st_mode)) /* a submodule that is not checked out, or an empty folder */
		return mkdir(to, 0777) == 0 || errno == EEXIST ||
		       pd_error_errno(e, errno, "make", to);
	return !S_ISREG(st.st_mode) || copy_regular(from, to, &st, e);
}

bool pd_scratch_add(struct pd_scratch *s, const char *path, struct pd_error *e)
{
	return copy_one(s, path, e);
}

/* ---- all of them ----------------------------------------------------------------------------- */

/* Starts git -C DIR WORDS; returns its output, for close_git to close. */
static FILE *open_git(const char *dir, char *const *words, pid_t *pid)
{
	char *argv[16] = {"git", "-C", (char *)dir};
	int pipes[2];

	for (int i = 0; words[i] && i < 12; i++)
		argv[3 + i] = words[i];
	if (pipe2(pipes, O_CLOEXEC) != 0)
		return NULL;
	*pid = fork();
	if (*pid == 0) {
		dup2(pipes[1], 1);
		dup2(open("/dev/null", O_RDWR), 2);
		execvp("git", argv);
		_exit(127);
	}
	close(pipes[1]);
	return fdopen(pipes[0], "r");
}

static bool close_git(FILE *f, pid_t pid)
{
	int status;

	if (f)
		fclose(f);
	return waitpid(pid, &status, 0) == pid && status == 0;
}

/* The root of the work tree that contains a folder. */
static bool find_work_tree(const char *dir, char root[PATH_MAX])
{
	char *const words[] = {"rev-parse", "--show-toplevel", NULL};
	char line[PATH_MAX] = "";
	pid_t pid;
	FILE *f = open_git(dir, words, &pid);
	bool read = f && fgets(line, sizeof(line), f);

	line[strcspn(line, "\n")] = '\0';
	return close_git(f, pid) && read && realpath(line, root);
}

bool pd_scratch_work_tree(const char *file, char root[PATH_MAX])
{
	char *const words[] = {"check-ignore", "-q", "--", (char *)file, NULL};
	const char *slash = strrchr(file, '/');
	char dir[PATH_MAX];
	pid_t pid;
	FILE *f;

	snprintf(dir, sizeof(dir), "%.*s", slash ? (int)(slash - file) : 0, file);
	if (!find_work_tree(dir, root))
		return false;
	f = open_git(root, words, &pid);
	return !close_git(f, pid);
}

static bool copy_listed(struct pd_scratch *s, char *const *words, struct pd_error *e)
{
	char *name = NULL, path[PATH_MAX];
	size_t size = 0;
	bool ok = true;
	pid_t pid;
	FILE *f = open_git(s->root, words, &pid);

	while (ok && f && getdelim(&name, &size, '\0', f) > 0)
		ok = snprintf(path, sizeof(path), "%s/%s", s->root, name) < (int)sizeof(path) &&
		     copy_one(s, path, e);
	free(name);
	return (close_git(f, pid) || !ok ||
		pd_error_set(e, PD_EXIT_USAGE, "git cannot list the files of '%.300s'", s->root)) &&
	       ok;
}

/* Passes arguments to the callback of nftw. */
static struct walk {
	struct pd_scratch *s;
	struct pd_error *e;
} walk;

static bool has(const char *dir, const char *name)
{
	char path[PATH_MAX];

	return snprintf(path, sizeof(path), "%s/%s", dir, name) < (int)sizeof(path) &&
	       access(path, F_OK) == 0;
}

/* CMake and Meson write absolute paths of the place where they were run: built in the copy, such a
 * folder would build the original. */
static bool is_configured(const char *dir)
{
	return (has(dir, "CMakeCache.txt") && !has(dir, "CMakeLists.txt")) ||
	       (has(dir, "meson-private") && !has(dir, "meson.build"));
}

static int copy_walked(const char *path, const struct stat *st, int what, struct FTW *at)
{
	const char *name = path + at->base;

	(void)st;
	if (what == FTW_D) {
		if (strcmp(name, ".git") == 0 || strcmp(name, "perdure.out") == 0 ||
		    strcmp(path, walk.s->dir) == 0)
			return FTW_SKIP_SUBTREE;
		if (!is_configured(path))
			return FTW_CONTINUE;
		if (!walk.s->left_out[0])
			snprintf(walk.s->left_out, sizeof(walk.s->left_out), "%s", path);
		return FTW_SKIP_SUBTREE;
	}
	return what == FTW_DNR || copy_one(walk.s, path, walk.e) ? FTW_CONTINUE : FTW_STOP;
}

static bool copy_all(struct pd_scratch *s, struct pd_error *e)
{
	char *const tracked[] = {"ls-files", "-z", "--recurse-submodules", NULL};
	char *const others[] = {"ls-files", "-z", "--others", "--exclude-standard", NULL};
	char work[PATH_MAX];

	if (find_work_tree(s->root, work) && strcmp(work, s->root) == 0)
		return copy_listed(s, tracked, e) && copy_listed(s, others, e);
	walk = (struct walk){s, e};
	return nftw(s->root, copy_walked, 32, FTW_PHYS | FTW_ACTIONRETVAL) == 0;
}

bool pd_scratch_make(struct pd_scratch *s, const char *root, struct pd_error *e)
{
	const char *tmp = getenv("TMPDIR");
	char dir[PATH_MAX];

	*s = (struct pd_scratch){0};
	if (!realpath(root, s->root))
		return pd_error_errno(e, errno, "read", root);
	if (!s->root[1])
		return pd_error_set(
			e, PD_EXIT_USAGE,
			"the sources and the current directory have no folder in common "
			"that could be copied");
	snprintf(dir, sizeof(dir), "%.3000s/perdure-fix-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	if (!mkdtemp(dir) || !realpath(dir, s->dir))
		return pd_error_errno(e, errno, "make", dir);
	if (snprintf(s->tree, sizeof(s->tree), "%s/tree", s->dir) >= (int)sizeof(s->tree) ||
	    mkdir(s->tree, 0777) != 0)
		return pd_error_errno(e, errno, "make", s->tree);
	return copy_all(s, e);
}

static int remove_one(const char *path, const struct stat *st, int what, struct FTW *at)
{
	(void)st;
	(void)what;
	(void)at;
	remove(path); /* if this fails, it stays in TMPDIR */
	return 0;
}

void pd_scratch_remove(struct pd_scratch *s)
{
	if (s->dir[0])
		nftw(s->dir, remove_one, 32, FTW_PHYS | FTW_DEPTH);
	s->dir[0] = '\0';
}
