/*
 * main.c - perdure-cc and perdure-c++: drop-in replacements for cc and c++.
 *
 * One executable; the name by which it is called selects the language to link for.
 */
#include "cc/driver.h"
#include "cc/proc.h"
#include "host/libdir.h"
#include <limits.h>
#include <stdio.h>
#include <string.h>

static const char help[] =
	"Compiles and links like clang, and adds what the other verbs need: every access to\n"
	"persistent memory becomes an event. Use it as CC= and CXX= of a build (perdure-cc and\n"
	"perdure-c++ are the same as one word). The program also runs on its own.\n\n"
	"Options are clang's; those that only gcc knows are ignored. So are -flto, sanitizers,\n"
	"profiling and coverage; -static links dynamically.\n";

static void print_help(void)
{
	fputs("usage: perdure cc [clang's options] FILE...\n"
	      "       perdure c++ [clang's options] FILE...\n\n",
	      stdout);
	fputs(help, stdout);
	for (const struct pd_mode *const *m = pd_modes(); *m; m++)
		if ((*m)->option)
			printf("\n  %-14s %s\n", (*m)->option, (*m)->help);
}

/* The list for programs: src/cli/list.h. */
static void print_list(void)
{
	fputs("arguments\t[clang's options] FILE...\nabout\t", stdout);
	for (const char *s = help; *s; s++)
		putchar(*s == '\n' && s[1] ? ' ' : *s);
	for (const struct pd_mode *const *m = pd_modes(); *m; m++)
		if ((*m)->option)
			printf("option\t%s\t\t\t\t%s\n", (*m)->option, (*m)->help);
}

int main(int argc, char **argv)
{
	const char *slash = strrchr(argv[0], '/');
	const char *name = slash ? slash + 1 : argv[0];
	char libdir[PATH_MAX];
	struct pd_args args;
	int rc;

	if (argc == 2 && strcmp(argv[1], "--help") == 0) {
		print_help();
		return 0;
	}
	if (argc == 2 && strcmp(argv[1], "--help-list") == 0) {
		print_list();
		return 0;
	}
	if (!pd_libdir(libdir, sizeof(libdir))) {
		fputs("perdure cc: cannot find lib/perdure; is the installation complete?\n",
		      stderr);
		return 4;
	}
	pd_proc_init();
	pd_args_parse(&args, argc, argv, strstr(name, "++") != NULL);
	rc = pd_driver_run(&args, libdir);
	pd_temp_remove();
	return rc;
}
