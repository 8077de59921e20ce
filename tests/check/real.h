/*
 * real.h - a file that all executions share: opened by libc's own function, past the one that check puts in front of it.
 */
#ifndef CHECK_REAL_H
#define CHECK_REAL_H

#include <dlfcn.h>
#include <fcntl.h>

static int open_real(const char *path, int flags, int mode)
{
	void *libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
	int (*open_it)(const char *, int, ...) = libc ? (int (*)(const char *, int, ...))dlsym(libc, "open") : 0;

	return open_it ? open_it(path, flags, mode) : -1;
}

#endif
