/* file.c - files that are complete or absent; see outdir.h. */
#include "host/outdir.h"
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Keeps links: replaces the file that a link leads to. */
static bool resolve(struct pd_filewriter *w, const char *path, struct pd_error *e)
{
	if (realpath(path, w->path))
		return true;
	if (errno != ENOENT)
		return pd_error_errno(e, errno, "write", path);
	if (snprintf(w->path, sizeof(w->path), "%s", path) >= (int)sizeof(w->path) - 64)
		return pd_error_errno(e, ENAMETOOLONG, "write", path);
	return true;
}

static bool open_temp(struct pd_filewriter *w, struct pd_error *e)
{
	mode_t mask = umask(0);
	int fd;

	umask(mask);
	snprintf(w->temp, sizeof(w->temp), "%.*s.XXXXXX", PATH_MAX - 16, w->path);
	fd = mkostemp(w->temp, O_CLOEXEC);
	if (fd < 0) {
		w->temp[0] = '\0';
		return pd_error_errno(e, errno, "write", w->path);
	}
	fchmod(fd, 0666 & ~mask);
	w->f = fdopen(fd, "w");
	if (w->f)
		return true;
	pd_error_errno(e, errno, "write", w->path);
	close(fd);
	unlink(w->temp);
	return false;
}

static bool begin(struct pd_filewriter *w, const char *path, struct pd_error *e)
{
	struct stat st;

	if (strcmp(path, "-") == 0) {
		strcpy(w->path, "standard output");
		w->is_stdout = true;
		w->f = stdout;
		return true;
	}
	if (!*path)
		return pd_error_set(e, PD_EXIT_USAGE, "cannot write a file without a name");
	if (!resolve(w, path, e))
		return false;
	if (stat(w->path, &st) != 0 || S_ISREG(st.st_mode))
		return open_temp(w, e);
	w->f = fopen(w->path, "we");
	return w->f ? true : pd_error_errno(e, errno, "write", path);
}

bool pd_file_begin(struct pd_filewriter *w, const char *path, struct pd_error *e)
{
	memset(w, 0, sizeof(*w));
	sigaction(SIGXFSZ, &(struct sigaction){.sa_handler = SIG_IGN}, &w->xfsz);
	if (begin(w, path, e))
		return true;
	sigaction(SIGXFSZ, &w->xfsz, NULL);
	return false;
}

/* A stream remembers that a write failed, not why; writing another byte shows the reason. */
static int stream_error(FILE *f)
{
	if (fflush(f) != 0)
		return errno;
	if (!ferror(f))
		return 0;
	return write(fileno(f), " ", 1) < 0 ? errno : EIO;
}

/* The error of the stream, 0 if everything is written. */
static int finish_stream(struct pd_filewriter *w)
{
	int err = stream_error(w->f);

	if (w->is_stdout)
		clearerr(w->f);
	else if (fclose(w->f) != 0 && !err)
		err = errno;
	w->f = NULL;
	sigaction(SIGXFSZ, &w->xfsz, NULL);
	return err;
}

bool pd_file_commit(struct pd_filewriter *w, struct pd_error *e)
{
	int err = finish_stream(w);

	if (!err && w->temp[0] && rename(w->temp, w->path) != 0)
		err = errno;
	if (!err)
		return true;
	if (w->temp[0])
		unlink(w->temp);
	return pd_error_errno(e, err, "write", w->path);
}

void pd_file_abandon(struct pd_filewriter *w)
{
	if (!w->f)
		return;
	finish_stream(w);
	if (w->temp[0])
		unlink(w->temp);
}

bool pd_file_try(const char *path, struct pd_error *e)
{
	struct pd_filewriter w = {0};
	struct stat st;

	if (strcmp(path, "-") != 0 && stat(path, &st) == 0 && !S_ISREG(st.st_mode)) {
		/* Do not open it: a reader at the other end may react. */
		if (!S_ISDIR(st.st_mode) && access(path, W_OK) == 0)
			return true;
		return pd_error_errno(e, S_ISDIR(st.st_mode) ? EISDIR : errno, "write", path);
	}
	if (!pd_file_begin(&w, path, e))
		return false;
	pd_file_abandon(&w);
	return true;
}

static char *read_all(FILE *f, size_t size, size_t *n)
{
	char *text = malloc(size + 1);

	if (!text)
		return NULL;
	*n = fread(text, 1, size, f);
	text[*n] = '\0';
	return text;
}

char *pd_file_read(const char *path, size_t max, size_t *n, struct pd_error *e)
{
	/* Do not wait for the other end of a pipe. */
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "r");
	char *text = NULL;
	struct stat st;

	if (!f) {
		pd_error_errno(e, errno, "read", path);
		if (fd >= 0)
			close(fd);
		return NULL;
	}
	if (fstat(fd, &st) != 0)
		pd_error_errno(e, errno, "read", path);
	else if (S_ISDIR(st.st_mode))
		pd_error_errno(e, EISDIR, "read", path);
	else if (!S_ISREG(st.st_mode))
		pd_error_set(e, PD_EXIT_USAGE, "cannot read '%.300s': it is not a regular file",
			     path);
	else if ((uint64_t)st.st_size > max)
		pd_error_set(e, PD_EXIT_USAGE, "cannot read '%.300s': it is larger than %zu bytes",
			     path, max);
	else if (!(text = read_all(f, (size_t)st.st_size, n)))
		pd_error_errno(e, ENOMEM, "read", path);
	else if (ferror(f)) {
		pd_error_errno(e, EIO, "read", path);
		free(text);
		text = NULL;
	}
	fclose(f);
	return text;
}
