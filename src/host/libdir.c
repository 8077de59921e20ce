/* libdir.c - see libdir.h. */
#include "host/libdir.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

/* Without /proc, use the name by which it was started. */
static bool exe_path(char *buf, size_t size)
{
	ssize_t n = readlink("/proc/self/exe", buf, size - 1);
	const char *name = (const char *)getauxval(AT_EXECFN);
	char real[PATH_MAX];

	if (n > 0 && (size_t)n < size - 1) {
		buf[n] = '\0';
		return true;
	}
	if (n > 0 || !name || !realpath(name, real) || strlen(real) >= size)
		return false;
	strcpy(buf, real);
	return true;
}

static bool exe_dir(char *buf, size_t size)
{
	char *slash;

	if (!exe_path(buf, size))
		return false;
	slash = strrchr(buf, '/');
	if (!slash)
		return false;
	*slash = '\0';
	return true;
}

/* dir + tail, normalised, if that is a directory. */
static bool try_dir(char *buf, size_t size, const char *dir, const char *tail)
{
	char path[PATH_MAX], real[PATH_MAX];
	struct stat st;
	int n = snprintf(path, sizeof(path), "%s%s", dir, tail);

	if (n < 0 || (size_t)n >= sizeof(path) || !realpath(path, real) || stat(real, &st) != 0 ||
	    !S_ISDIR(st.st_mode) || strlen(real) >= size)
		return false;
	strcpy(buf, real);
	return true;
}

static bool is_libdir(const char *dir)
{
	size_t n = strlen(dir), k = strlen("/lib/perdure");

	return n >= k && strcmp(dir + n - k, "/lib/perdure") == 0;
}

bool pd_libdir(char *buf, size_t size)
{
	char dir[PATH_MAX];

	if (!exe_dir(dir, sizeof(dir)))
		return false;
	if (is_libdir(dir) && try_dir(buf, size, dir, ""))
		return true;
	return try_dir(buf, size, dir, "/lib/perdure") ||
	       try_dir(buf, size, dir, "/../lib/perdure");
}

bool pd_libdir_file(char *buf, size_t size, const char *name)
{
	char dir[PATH_MAX];
	int n;

	if (!pd_libdir(dir, sizeof(dir)))
		return false;
	n = snprintf(buf, size, "%s/%s", dir, name);
	return n >= 0 && (size_t)n < size;
}
