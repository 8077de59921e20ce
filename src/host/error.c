/* error.c - see error.h. */
#include "host/error.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void pd_line_clean(char *s)
{
	for (; *s; s++)
		if ((unsigned char)*s < ' ' || *s == 0x7f)
			*s = '?';
}

static void set(struct pd_error *e, enum pd_exit status, const char *fmt, va_list ap)
{
	int n = vsnprintf(e->text, sizeof(e->text), fmt, ap);

	if (n >= (int)sizeof(e->text))
		memcpy(e->text + sizeof(e->text) - 4, "...", 4);
	e->status = status;
	e->err = 0;
	pd_line_clean(e->text);
}

bool pd_error_set(struct pd_error *e, enum pd_exit status, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	set(e, status, fmt, ap);
	va_end(ap);
	return false;
}

struct way_out {
	int err;
	enum pd_exit status;
	const char *text;
};

static const struct way_out ways_out[] = {
	{EACCES, PD_EXIT_USAGE, "check its permissions or name another place"},
	{EPERM, PD_EXIT_USAGE, "check its permissions or name another place"},
	{EROFS, PD_EXIT_USAGE, "name a place that can be written"},
	{ENOENT, PD_EXIT_USAGE, "check the name, and that its directory exists"},
	{ENOTDIR, PD_EXIT_USAGE, "a part of the path is a file; name another place"},
	{EISDIR, PD_EXIT_USAGE, "name a file"},
	{EEXIST, PD_EXIT_USAGE, "remove it or name another place"},
	{ELOOP, PD_EXIT_USAGE, "its symbolic links go in a circle"},
	{ENAMETOOLONG, PD_EXIT_USAGE, "use a shorter name"},
	{EINVAL, PD_EXIT_USAGE, "check the name"},
	{ENOSPC, PD_EXIT_INTERNAL, "free some space or name another place"},
	{EDQUOT, PD_EXIT_INTERNAL, "free some space or name another place"},
	{EFBIG, PD_EXIT_INTERNAL, "raise the limit on file sizes (ulimit -f)"},
	{EMFILE, PD_EXIT_INTERNAL, "raise the limit on open files (ulimit -n)"},
	{EAGAIN, PD_EXIT_INTERNAL, "no more processes are allowed; raise the limit (ulimit -u)"},
	{ENOMEM, PD_EXIT_INTERNAL, "free some memory"},
};

bool pd_error_errno(struct pd_error *e, int err, const char *doing, const char *path)
{
	const struct way_out *w = NULL;

	for (size_t i = 0; i < sizeof(ways_out) / sizeof(ways_out[0]); i++)
		if (ways_out[i].err == err)
			w = &ways_out[i];
	pd_error_set(e, w ? w->status : PD_EXIT_INTERNAL, "cannot %s '%.300s': %s%s%s", doing, path,
		     strerror(err), w ? "; " : "", w ? w->text : "");
	e->err = err;
	return false;
}

int pd_error_print(const struct pd_error *e)
{
	fflush(stdout);
	fprintf(stderr, "perdure: %s\n", e->text);
	return e->status;
}

int pd_user_error(const char *fmt, ...)
{
	struct pd_error e;
	va_list ap;

	va_start(ap, fmt);
	set(&e, PD_EXIT_USAGE, fmt, ap);
	va_end(ap);
	return pd_error_print(&e);
}
