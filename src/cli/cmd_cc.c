/*
 * cmd_cc.c - perdure cc ..., perdure c++ ...
 *
 * The compiler is a separate executable, so that the other verbs do not load LLVM.
 */
#include "cli/cli.h"
#include "host/libdir.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int run_compiler(char **argv, const char *name)
{
	char path[PATH_MAX];

	if (!pd_libdir_file(path, sizeof(path), "perdure-cc")) {
		fputs("perdure: cannot find lib/perdure beside or above the executable; is the "
		      "installation complete?\n",
		      stderr);
		return PD_EXIT_INTERNAL;
	}
	argv[0] = (char *)name;
	execv(path, argv);
	fprintf(stderr, "perdure: %s: %s\n", path, strerror(errno));
	return PD_EXIT_INTERNAL;
}

int pd_cmd_cc(int argc, char **argv)
{
	(void)argc;
	return run_compiler(argv, "perdure-cc");
}

int pd_cmd_cxx(int argc, char **argv)
{
	(void)argc;
	return run_compiler(argv, "perdure-c++");
}
