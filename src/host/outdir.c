/* outdir.c - the directory of a run; see outdir.h. */
#include "host/outdir.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MARK ".perdure"

static bool too_long(struct pd_error *e, const char *path)
{
	return pd_error_errno(e, ENAMETOOLONG, "use", path);
}

bool pd_outdir_path(const struct pd_outdir *d, const char *name, char path[PATH_MAX])
{
	return snprintf(path, PATH_MAX, "%s/%s", d->path, name) < PATH_MAX;
}

/* ---- removing ---------------------------------------------------------------------------------
 */

/* Removes everything below an open directory; never follows a link. Leaves what it cannot
 * remove. */
static void remove_below(int dirfd)
{
	int fd = dup(dirfd);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *ent;

	if (!dir) {
		if (fd >= 0)
			close(fd);
		return;
	}
	while ((ent = readdir(dir))) {
		int sub;

		if (strcmp(ent->d_name, ".") == 0 || strcmp(ent->d_name, "..") == 0)
			continue;
		if (unlinkat(dirfd, ent->d_name, 0) == 0)
			continue;
		sub = openat(dirfd, ent->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (sub < 0)
			continue;
		remove_below(sub);
		close(sub);
		unlinkat(dirfd, ent->d_name, AT_REMOVEDIR);
	}
	closedir(dir);
}

void pd_outdir_abandon(struct pd_outdir *d)
{
	int fd;

	if (!d->made)
		return;
	fd = open(d->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0) {
		remove_below(fd);
		close(fd);
	}
	rmdir(d->path);
	if (d->made_base)
		rmdir(PD_OUT_DEFAULT); /* fails if it contains another run, as it should */
	d->made = d->made_base = false;
}

/* ---- opening ----------------------------------------------------------------------------------
 */

/* Also proves that the directory is writable. */
static bool put_mark(struct pd_outdir *d, struct pd_error *e)
{
	char path[PATH_MAX];
	int err = 0;
	int fd;

	if (!pd_outdir_path(d, MARK, path))
		return too_long(e, d->path);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd < 0 && errno == EEXIST && access(d->path, W_OK | X_OK) == 0)
		return true;
	if (fd < 0)
		return pd_error_errno(e, errno, "write into", d->path);
	if (write(fd, "1\n", 2) != 2)
		err = errno;
	if (close(fd) != 0 && !err)
		err = errno;
	if (!err)
		return true;
	unlink(path);
	return pd_error_errno(e, err, "write into", d->path);
}

enum content { EMPTY, OURS, FOREIGN, UNREADABLE };

static enum content look_into(const char *path)
{
	DIR *dir = opendir(path);
	enum content c = EMPTY;
	struct dirent *ent;

	if (!dir)
		return UNREADABLE;
	while (c != OURS && (ent = readdir(dir))) {
		if (strcmp(ent->d_name, MARK) == 0)
			c = OURS;
		else if (strcmp(ent->d_name, ".") != 0 && strcmp(ent->d_name, "..") != 0)
			c = FOREIGN;
	}
	closedir(dir);
	return c;
}

static bool reuse(struct pd_outdir *d, struct pd_error *e)
{
	char old[PATH_MAX];
	struct stat st;

	if (stat(d->path, &st) != 0)
		return pd_error_errno(e, errno, "use", d->path);
	if (!S_ISDIR(st.st_mode))
		return pd_error_set(e, PD_EXIT_USAGE,
				    "--out '%.300s' is a file; name a directory, new or empty",
				    d->path);
	switch (look_into(d->path)) {
	case UNREADABLE:
		return pd_error_errno(e, errno, "read the directory", d->path);
	case FOREIGN:
		return pd_error_set(
			e, PD_EXIT_USAGE,
			"--out '%.300s' holds other files; name a directory that is new, "
			"empty or of an earlier run",
			d->path);
	case EMPTY:
	case OURS:
		break;
	}
	if (!pd_outdir_path(d, PD_OUT_RESULT, old))
		return too_long(e, d->path);
	if (unlink(old) != 0 && errno != ENOENT)
		return pd_error_errno(e, errno, "replace", old);
	return true;
}

static bool open_given(struct pd_outdir *d, const char *given, struct pd_error *e)
{
	size_t n = strlen(given);

	if (n == 0)
		return pd_error_set(e, PD_EXIT_USAGE, "--out needs the name of a directory");
	if (n >= sizeof(d->path) - 64)
		return too_long(e, given);
	memcpy(d->path, given, n + 1);
	while (n > 1 && d->path[n - 1] == '/')
		d->path[--n] = '\0';
	if (mkdir(d->path, 0777) == 0) {
		d->made = true;
		return true;
	}
	if (errno == EEXIST)
		return reuse(d, e);
	return pd_error_errno(e, errno, "make the directory", d->path);
}

unsigned long pd_outdir_newest(unsigned long limit)
{
	DIR *dir = opendir(PD_OUT_DEFAULT);
	unsigned long newest = 0;
	struct dirent *ent;

	while (dir && (ent = readdir(dir))) {
		char *end;
		unsigned long v = strtoul(ent->d_name, &end, 10);

		if (ent->d_name[0] >= '0' && ent->d_name[0] <= '9' && !*end && v > newest &&
		    v < limit)
			newest = v;
	}
	if (dir)
		closedir(dir);
	return newest;
}

/* If the current directory cannot be written: a new one in TMPDIR. */
static bool open_elsewhere(struct pd_outdir *d, int why, struct pd_error *e)
{
	const char *tmp = getenv("TMPDIR");

	snprintf(d->path, sizeof(d->path) - 64, "%s/perdure-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	if (!mkdtemp(d->path))
		return pd_error_set(
			e, PD_EXIT_USAGE,
			"no place for the result: neither this directory nor '%.200s' can be "
			"written (%s); use --out DIR",
			tmp && *tmp ? tmp : "/tmp", strerror(why));
	d->made = true;
	fprintf(stderr,
		"perdure: cannot write to this directory (%s): the result goes to %s; --out names "
		"another place\n",
		strerror(why), d->path);
	return true;
}

static bool is_not_writable(int err)
{
	return err == EROFS || err == EACCES || err == EPERM;
}

static bool open_numbered(struct pd_outdir *d, struct pd_error *e)
{
	unsigned long n;

	if (mkdir(PD_OUT_DEFAULT, 0777) == 0)
		d->made_base = true;
	else if (is_not_writable(errno))
		return open_elsewhere(d, errno, e);
	else if (errno != EEXIST)
		return pd_error_errno(e, errno, "make the directory", PD_OUT_DEFAULT);
	d->numbered = true;
	/* Numbers are not reused while later ones exist. */
	for (n = pd_outdir_newest(ULONG_MAX) + 1;; n++) {
		snprintf(d->path, sizeof(d->path), PD_OUT_DEFAULT "/%lu", n);
		if (mkdir(d->path, 0777) == 0) {
			d->made = true;
			return true;
		}
		if (errno == EEXIST && n < ULONG_MAX)
			continue;
		break;
	}
	if (is_not_writable(errno) && !d->made_base) {
		d->numbered = false;
		return open_elsewhere(d, errno, e);
	}
	if (errno == ENOTDIR)
		return pd_error_set(e, PD_EXIT_USAGE,
				    "'" PD_OUT_DEFAULT "' is a file; remove it or use --out DIR");
	pd_error_errno(e, errno, "make the directory", d->path);
	if (d->made_base)
		rmdir(PD_OUT_DEFAULT);
	return false;
}

bool pd_outdir_open(struct pd_outdir *d, const char *given, struct pd_error *e)
{
	memset(d, 0, sizeof(*d));
	if (!(given ? open_given(d, given, e) : open_numbered(d, e)))
		return false;
	if (put_mark(d, e))
		return true;
	pd_outdir_abandon(d);
	return false;
}

bool pd_outdir_done(struct pd_outdir *d, struct pd_error *e)
{
	char temp[64];

	if (!d->numbered)
		return true;
	snprintf(temp, sizeof(temp), PD_OUT_DEFAULT "/.last.%ld", (long)getpid());
	unlink(temp);
	if (symlink(strrchr(d->path, '/') + 1, temp) == 0 &&
	    rename(temp, PD_OUT_DEFAULT "/last") == 0)
		return true;
	pd_error_errno(e, errno, "set the link", PD_OUT_DEFAULT "/last");
	unlink(temp);
	return false;
}
