/*
 * pmdk.c - see pmdk.h.
 *
 * It relies on these properties of PMDK's makefiles: one folder src/LIBRARY each, in which `make`
 * without DEBUG=1 links src/nondebug/LIBRARY.so*; SRCVERSION, CC and EXTRA_CFLAGS are taken from
 * the command line; src has a target pkg-config. That holds from 1.4 to 2.1. Features that are
 * useless if files stand for PM (ndctl, remote replicas, documentation) are turned off.
 */
#include "drive/pmdk.h"
#include "base/bug.h"
#include "host/libdir.h"
#include "host/outdir.h"
#include "host/host.h"
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { OLDEST = 104, NEWEST = 201, LOG_LINES = 12 };

#define MARK "made-by-perdure"

extern char **environ;

/* In order of dependency. */
static const char *const libraries[] = {"libpmem",    "libpmem2",   "libpmemobj",
					"libpmemlog", "libpmemblk", "libpmempool"};

static const char *const settings[] = {
	"NDCTL_ENABLE=n",
	"PMEMOBJ_IGNORE_DIRTY_SHUTDOWN=y",
	"PMEMOBJ_IGNORE_BAD_BLOCKS=y",
	"BUILD_RPMEM=n",
	"BUILD_EXAMPLES=n",
	"BUILD_BENCHMARKS=n",
	/* Stacks show the function that was called: pmemobj_persist, not what it jumps to. */
	"EXTRA_CFLAGS=-Wno-error -fno-optimize-sibling-calls",
};

/* Copies with AVX-512 take minutes to compile for `explore`, and are never better for it. */
static const char *const settings_symbolic[] = {"AVX512F_AVAILABLE=n"};

static const char symbolic[] = " --symbolic";

/* Not needed for the libraries; the last three are from an earlier build. */
static const char *const left_out[] = {".git", "doc",	   "examples", "benchmarks",
				       "test", "nondebug", "debug",    "rpm"};

static const char *join(struct pd_pmdk *p, const char *a, char between, const char *b)
{
	size_t n = strlen(a) + strlen(b) + 2;
	char *s = pd_new_array(p->arena, char, n);

	PD_CHECK(s, "memory ran out");
	snprintf(s, n, "%s%c%s", a, between, b);
	return s;
}

static const char *path_of(struct pd_pmdk *p, const char *dir, const char *name)
{
	return join(p, dir, '/', name);
}

/* NULL: it does not exist. */
static char *read_file(struct pd_pmdk *p, const char *name)
{
	struct pd_error e;
	size_t n;

	return pd_file_read(path_of(p, p->dir, name), 64 << 20, &n, &e);
}

static bool is_directory(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static bool has_library(struct pd_pmdk *p, const char *name)
{
	return is_directory(path_of(p, p->from, path_of(p, "src", name)));
}

/* ---- the tree ------------------------------------------------------------------------------- */

/* "2.1.0" from a release's VERSION, or from the first "* Version 2.1.0" in the change log. */
static bool read_version(struct pd_pmdk *p)
{
	static const char *const files[] = {"VERSION", "ChangeLog"};
	char *line = NULL;
	size_t cap = 0;

	for (size_t i = 0; i < PD_LEN(files) && !p->version[0]; i++) {
		FILE *f = fopen(path_of(p, p->from, files[i]), "re");
		const char *before = i ? "* Version" : "";

		while (f && !p->version[0] && getline(&line, &cap, f) > 0) {
			char *at = strstr(line, before);

			if (at &&
			    sscanf(at + strlen(before), " %63[0-9a-zA-Z.+~-]", p->version) == 1 &&
			    !isdigit((unsigned char)p->version[0]))
				p->version[0] = '\0';
		}
		if (f)
			fclose(f);
	}
	free(line);
	return p->version[0];
}

static bool look_at_tree(struct pd_pmdk *p, struct pd_error *e)
{
	int major = 0, minor = 0;

	if (!realpath(p->source, p->from))
		return pd_error_errno(e, errno, "read", p->source);
	if (!has_library(p, "libpmem") || !has_library(p, "libpmemobj"))
		return pd_error_set(e, PD_EXIT_USAGE,
				    "'%.300s' is no source tree of PMDK: it has no src/libpmem and "
				    "src/libpmemobj",
				    p->source);
	if (!read_version(p))
		return pd_error_set(e, PD_EXIT_USAGE,
				    "'%.300s' does not say which version of PMDK it is; write it "
				    "into a file VERSION there",
				    p->source);
	sscanf(p->version, "%d.%d", &major, &minor);
	if (major * 100 + minor < OLDEST)
		return pd_error_set(e, PD_EXIT_USAGE,
				    "'%.300s' is PMDK %s; perdure builds 1.4 and later", p->source,
				    p->version);
	if (p->progress && major * 100 + minor > NEWEST)
		fprintf(p->progress,
			"PMDK %s is newer than 2.1, the newest that perdure knows; trying the same "
			"steps\n",
			p->version);
	return true;
}

/* ---- running -------------------------------------------------------------------------------- */

/* Runs argv and appends its output to the log; returns the status, or -1 with an error. */
static int run(struct pd_pmdk *p, const char *const *argv, struct pd_error *e)
{
	posix_spawn_file_actions_t to;
	int st = 0, r;
	pid_t pid;

	posix_spawn_file_actions_init(&to);
	posix_spawn_file_actions_addopen(&to, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&to, STDOUT_FILENO, path_of(p, p->dir, "log"),
					 O_WRONLY | O_APPEND | O_CREAT, 0666);
	posix_spawn_file_actions_adddup2(&to, STDOUT_FILENO, STDERR_FILENO);
	r = posix_spawnp(&pid, argv[0], &to, NULL, (char *const *)argv, environ);
	posix_spawn_file_actions_destroy(&to);
	if (r) {
		pd_error_set(e, PD_EXIT_USAGE, "cannot run %s: %s; perdure pmdk needs it", argv[0],
			     strerror(r));
		return -1;
	}
	while (waitpid(pid, &st, 0) < 0)
		if (errno != EINTR) {
			pd_error_errno(e, errno, "wait for", argv[0]);
			return -1;
		}
	return WIFEXITED(st) ? WEXITSTATUS(st) : 128 + WTERMSIG(st);
}

/* Prints the end of the log, so that nobody needs to open it for an obvious error. */
static void show_log(struct pd_pmdk *p)
{
	char *text = read_file(p, "log");
	const char *s = text ? text + strlen(text) : NULL;

	for (int lines = 0; s && s > text && lines <= LOG_LINES; s--)
		lines += s[-1] == '\n';
	if (s && p->progress)
		fprintf(p->progress, "%s", s == text ? s : s + 2);
	free(text);
}

static bool done(struct pd_pmdk *p, int status, const char *what, struct pd_error *e)
{
	if (status == 0)
		return true;
	if (status < 0)
		return false;
	show_log(p);
	return pd_error_set(
		e, PD_EXIT_USAGE,
		"%s failed (status %d); '%.300s/log' has all that was printed. Settings "
		"for make go behind the tree, as in 'perdure pmdk TREE VAR=VALUE'",
		what, status, p->dir);
}

/* ---- the copy ------------------------------------------------------------------------------- */

/* Describes how the objects of the copy were made: another compiler makes other objects. */
static bool describe(struct pd_pmdk *p, char *to, size_t size, struct pd_error *e)
{
	char cc[PATH_MAX];
	struct stat st;
	int n;

	if (!pd_libdir_file(cc, sizeof(cc), "perdure-cc") || stat(cc, &st) != 0)
		return pd_error_set(e, PD_EXIT_INTERNAL,
				    "cannot find lib/perdure beside or above the executable");
	n = snprintf(to, size, "PMDK %s from %s, compiled by perdure-cc%s of %lld.%09ld\n",
		     p->version, p->from, p->symbolic ? " --symbolic" : "",
		     (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
	for (int i = 0; i < p->nset && n < (int)size; i++)
		n += snprintf(to + n, size - (size_t)n, "%s\n", p->set[i]);
	return true;
}

static bool is_empty(const char *path)
{
	DIR *d = opendir(path);
	int n = 0;

	while (d && readdir(d))
		n++;
	if (d)
		closedir(d);
	return d && n == 2;
}

/* Makes our directory, with an empty log, and without objects that are no longer valid. */
static bool prepare(struct pd_pmdk *p, struct pd_error *e)
{
	char want[2 * PATH_MAX];
	char *have;
	bool same;

	if (mkdir(p->to, 0777) != 0 && errno != EEXIST)
		return pd_error_errno(e, errno, "make", p->to);
	if (!realpath(p->to, p->dir))
		return pd_error_errno(e, errno, "make", p->to);
	if (strpbrk(p->dir, " \t:$#"))
		return pd_error_set(e, PD_EXIT_USAGE,
				    "make cannot build in '%.300s': choose a directory without "
				    "blanks, ':', '$' and '#' in its name (-o)",
				    p->dir);
	have = read_file(p, MARK);
	if (!have && !is_empty(p->dir))
		return pd_error_set(e, PD_EXIT_USAGE,
				    "'%.300s' holds something else; choose another directory (-o)",
				    p->to);
	if (!describe(p, want, sizeof(want), e))
		return false;
	same = have && strcmp(have, want) == 0;
	free(have);
	unlink(path_of(p, p->dir, "log"));
	if (!same) {
		struct pd_filewriter w;
		const char *const argv[] = {"rm", "-rf", "--", path_of(p, p->dir, "tree"), NULL};

		if (!done(p, run(p, argv, e), "rm", e) ||
		    !pd_file_begin(&w, path_of(p, p->dir, MARK), e))
			return false;
		fputs(want, w.f);
		return pd_file_commit(&w, e);
	}
	return true;
}

static bool is_left_out(const char *name)
{
	for (size_t i = 0; i < PD_LEN(left_out); i++)
		if (strcmp(name, left_out[i]) == 0)
			return true;
	return false;
}

/* Copies what is newer than in the copy, with its time, so that make knows what to compile
 * again. */
static bool copy_entries(struct pd_pmdk *p, const char *from, const char *to, const char *but,
			 struct pd_error *e)
{
	DIR *d = opendir(from);
	struct dirent *x;
	bool ok = true;

	if (!d)
		return pd_error_errno(e, errno, "read", from);
	if (mkdir(to, 0777) != 0 && errno != EEXIST) {
		closedir(d);
		return pd_error_errno(e, errno, "make", to);
	}
	while (ok && (x = readdir(d))) {
		const char *const argv[] = {
			"cp", "-au", "-t", to, "--", path_of(p, from, x->d_name), NULL};

		if (strcmp(x->d_name, ".") == 0 || strcmp(x->d_name, "..") == 0 ||
		    is_left_out(x->d_name) || (but && strcmp(x->d_name, but) == 0))
			continue;
		/* Our own directory may be inside the tree. */
		if (strncmp(p->dir, argv[5], strlen(argv[5])) == 0 && is_directory(argv[5]))
			continue;
		ok = done(p, run(p, argv, e), "copying the tree", e);
	}
	closedir(d);
	return ok;
}

static bool copy(struct pd_pmdk *p, struct pd_error *e)
{
	const char *to = path_of(p, p->dir, "tree");

	return copy_entries(p, p->from, to, "src", e) &&
	       copy_entries(p, path_of(p, p->from, "src"), path_of(p, to, "src"), NULL, e);
}

/* ---- make ----------------------------------------------------------------------------------- */

static const char *set(struct pd_pmdk *p, const char *name, const char *value)
{
	return join(p, name, '=', value);
}

/* The user's settings come last, and win. */
static int make(struct pd_pmdk *p, const char *dir, const char *target, struct pd_error *e)
{
	const char **argv =
		pd_new_array(p->arena, const char *,
			     PD_LEN(settings) + PD_LEN(settings_symbolic) + 12 + (size_t)p->nset);
	char cc[PATH_MAX], jobs[16];
	size_t n = 0;

	PD_CHECK(argv, "memory ran out");
	pd_libdir_file(cc, sizeof(cc) - strlen(symbolic), "perdure-cc");
	if (p->symbolic)
		strcat(cc, symbolic);
	snprintf(jobs, sizeof(jobs), "-j%u", p->jobs);
	argv[n++] = "make";
	argv[n++] = "-C";
	argv[n++] = path_of(p, path_of(p, p->dir, "tree/src"), dir);
	argv[n++] = jobs;
	argv[n++] = target;
	argv[n++] = set(p, "CC", cc);
	argv[n++] = set(p, "SRCVERSION", p->version);
	argv[n++] = set(p, "prefix", p->dir);
	argv[n++] = set(p, "libdir", path_of(p, p->dir, "lib"));
	for (size_t i = 0; i < PD_LEN(settings); i++)
		argv[n++] = settings[i];
	for (size_t i = 0; p->symbolic && i < PD_LEN(settings_symbolic); i++)
		argv[n++] = settings_symbolic[i];
	for (int i = 0; i < p->nset; i++)
		argv[n++] = p->set[i];
	argv[n] = NULL;
	return run(p, argv, e);
}

static bool make_library(struct pd_pmdk *p, const char *name, struct pd_error *e)
{
	double began = pd_host_now();
	char what[64];

	if (!has_library(p, name))
		return true;
	if (p->progress) {
		fprintf(p->progress, "  %-12s", name);
		fflush(p->progress);
	}
	snprintf(what, sizeof(what), "building %s", name);
	if (!done(p, make(p, name, "all", e), what, e))
		return false;
	if (p->progress)
		fprintf(p->progress, "%4.0f s\n", pd_host_now() - began);
	return true;
}

/* Copies the files of the tree that match a pattern to our directory. */
static bool install(struct pd_pmdk *p, const char *pattern, const char *to, struct pd_error *e)
{
	const char *dir = path_of(p, p->dir, to);
	glob_t found;
	bool ok = true;

	if (mkdir(dir, 0777) != 0 && errno != EEXIST)
		return pd_error_errno(e, errno, "make", dir);
	if (glob(path_of(p, p->dir, pattern), 0, NULL, &found) != 0)
		return pd_error_set(
			e, PD_EXIT_USAGE,
			"make has succeeded without making '%.200s/%s'; is this PMDK's own "
			"tree?",
			p->dir, pattern);
	for (size_t i = 0; ok && i < found.gl_pathc; i++) {
		const char *const argv[] = {"cp", "-a", "-t", dir, "--", found.gl_pathv[i], NULL};

		ok = done(p, run(p, argv, e), "copying the libraries", e);
	}
	globfree(&found);
	return ok;
}

bool pd_pmdk_build(struct pd_pmdk *p, struct pd_error *e)
{
	if (!look_at_tree(p, e) || !prepare(p, e))
		return false;
	if (p->progress)
		fprintf(p->progress, "PMDK %s, from %s into %s\n", p->version, p->from, p->dir);
	if (!copy(p, e))
		return false;
	pd_host_leave_make();
	for (size_t i = 0; i < PD_LEN(libraries); i++)
		if (!make_library(p, libraries[i], e))
			return false;
	return done(p, make(p, ".", "pkg-config", e), "making the files of pkg-config", e) &&
	       install(p, "tree/src/nondebug/*.so*", "lib", e) &&
	       install(p, "tree/src/*.pc", "lib/pkgconfig", e) &&
	       install(p, "tree/src/include/*", "include", e);
}
