/* verify.c - see verify.h. */
#include "drive/verify.h"
#include "drive/rerun.h"
#include "host/host.h"
#include "host/outdir.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- the run, in the copy -------------------------------------------------------------------- */

static bool is_path_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       strchr("_.-/", c);
}

/* A word in which each path below the root is mapped to the copy. */
static const char *moved(const struct pd_verify *v, const char *word)
{
	const char *root = v->scratch.root, *p = word;
	size_t n = strlen(root);

	while ((p = strstr(p, root))) {
		if ((p[n] == '/' || !p[n]) && (p == word || !is_path_char(p[-1]))) {
			word = pd_fix_print(v->arena, "%.*s%s%s", (int)(p - word), word,
					    v->scratch.tree, p + n);
			return word ? word : "";
		}
		p++;
	}
	return word;
}

/* perdure VERB OPTIONS --out DIR -- PROGRAM ARGS */
static char **command(const struct pd_verify *v, const char *out)
{
	const struct pd_result *r = v->before;
	struct pd_rerun w = {.arena = v->arena};
	bool options = true, value;

	pd_rerun_push(&w, "/proc/self/exe");
	pd_rerun_push(&w, r->verb);
	for (uint32_t i = 0; i < r->arguments.n; i++) {
		const char *word = r->arguments.v[i];

		if (options && strcmp(word, "--") == 0) {
			pd_rerun_push(&w, "--out");
			pd_rerun_push(&w, out);
			options = false;
		}
		if (options && pd_rerun_drops(word, NULL, &value))
			i += !value;
		else
			pd_rerun_push(&w, moved(v, word));
	}
	pd_rerun_push(&w, NULL);
	return w.words.v;
}

/* Runs a command in a folder, with its output in a file; returns the wait status. ^C only reaches
 * the command, as with system(): we have to clean up. One that builds has no input. */
static int run_in(const char *dir, const char *log, bool builds, char *const *argv)
{
	void (*before)(int) = signal(SIGINT, SIG_IGN);
	int status = 0;
	pid_t pid = fork();

	if (pid == 0) {
		signal(SIGINT, before);
		int out = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666),
		    null = open("/dev/null", O_RDONLY | O_CLOEXEC);

		if (chdir(dir) != 0 || out < 0 || null < 0)
			_exit(126);
		if (builds) {
			dup2(null, 0);
			pd_host_leave_make();
		}
		dup2(out, 1);
		dup2(out, 2);
		unsetenv("PERDURE_OPTIONS"); /* the words already contain them */
		unsetenv("PERDURE_PM");
		execv(argv[0], argv);
		_exit(127);
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	signal(SIGINT, before);
	return pid > 0 ? status : -1;
}

/* Prints the end of its output, which shows why it failed. */
static void show_log(const char *log)
{
	struct pd_error unused;
	size_t n;
	char *text = pd_file_read(log, 1 << 26, &n, &unused), *from;
	int lines = 0;

	if (!text)
		return;
	for (from = text + n; from > text && lines <= 20; from--)
		lines += from[-1] == '\n';
	fputs(from == text ? text : from + 1, stderr);
	free(text);
}

/* ---- before and after ------------------------------------------------------------------------ */

/* Maps a path of the run, which may be relative to its directory, to the copy. False: it does not
 * exist there. */
static bool in_copy(const struct pd_verify *v, const char *name, char to[PATH_MAX])
{
	char joined[PATH_MAX];

	if (snprintf(joined, sizeof(joined), "%s%s%s", name[0] == '/' ? "" : v->before->directory,
		     name[0] == '/' ? "" : "/", name) >= (int)sizeof(joined) ||
	    !pd_scratch_path(&v->scratch, joined, to))
		return false;
	return strncmp(to, v->scratch.tree, strlen(v->scratch.tree)) == 0;
}

static bool is_below(const char *path, const char *root)
{
	size_t n = strlen(root);

	return strncmp(path, root, n) == 0 && (path[n] == '/' || !path[n]);
}

/* Files named in the command may be untracked: a PM file, an input. */
static bool add_arguments(struct pd_verify *v, struct pd_error *e)
{
	const struct pd_result *r = v->before;

	for (uint32_t i = 1; i < r->command.n; i++) {
		char joined[PATH_MAX], real[PATH_MAX];
		struct stat st;

		snprintf(joined, sizeof(joined), "%s/%.1000s", r->directory, r->command.v[i]);
		if (realpath(r->command.v[i][0] == '/' ? r->command.v[i] : joined, real) &&
		    is_below(real, v->scratch.root) && stat(real, &st) == 0 &&
		    S_ISREG(st.st_mode) && !pd_scratch_add(&v->scratch, real, e))
			return false;
	}
	return true;
}

bool pd_verify_start(struct pd_verify *v, struct pd_error *e)
{
	const struct pd_result *r = v->before;
	char path[PATH_MAX];

	if (!r->directory || !r->command.n || !r->arguments.n)
		return pd_error_set(
			e, PD_EXIT_USAGE,
			"this result does not say how it was made (it was merged, or an earlier "
			"version made it): run 'perdure %.40s' again",
			r->verb);
	if (!pd_scratch_make(&v->scratch, v->root, e) || !add_arguments(v, e))
		return false;
	if (!strchr(r->command.v[0], '/') || !in_copy(v, r->command.v[0], path))
		return pd_error_set(
			e, PD_EXIT_USAGE,
			"'%.200s' is outside '%.200s', the directory that --build copies",
			r->command.v[0], v->scratch.root);
	/* Its working directory may contain nothing that is tracked. */
	if (!pd_scratch_path(&v->scratch, r->directory, path) ||
	    !pd_scratch_add(&v->scratch, r->directory, e))
		return false;
	return true;
}

static bool write_sources(const struct pd_verify *v, const struct pd_patch *p, struct pd_error *e)
{
	for (uint32_t i = 0; i < p->nfile; i++) {
		struct pd_filewriter w;
		char path[PATH_MAX];
		size_t n;
		char *text;
		bool ok;

		if (!p->file[i]->edits.v.n)
			continue;
		if (!pd_scratch_path(&v->scratch, p->file[i]->k.source[0].path, path))
			return pd_error_set(e, PD_EXIT_USAGE, "a path is too long");
		text = pd_edit_text(&p->file[i]->edits, true, &n);
		if (!text)
			return pd_error_set(e, PD_EXIT_INTERNAL, "memory ran out");
		ok = pd_file_begin(&w, path, e);
		if (ok) {
			fwrite(text, 1, n, w.f);
			ok = pd_file_commit(&w, e);
		}
		free(text);
		if (!ok)
			return false;
	}
	return true;
}

static bool does_not_build(const struct pd_verify *v, const char *cwd, struct pd_error *e)
{
	const char *left_out = v->scratch.left_out;

	if (*left_out)
		return pd_error_set(e, PD_EXIT_INCOMPLETE,
				    "the patched copy does not build: '%.300s' fails in the copy "
				    "of '%.300s', which has "
				    "no '%.200s': that is configured for its place; let the "
				    "command configure it again, "
				    "as in 'cmake -B build && cmake --build build'",
				    v->build, cwd, left_out);
	return pd_error_set(e, PD_EXIT_INCOMPLETE,
			    "the patched copy does not build: '%.300s' fails in the copy of "
			    "'%.300s'; only what is below '%.200s' was copied",
			    v->build, cwd, v->scratch.root);
}

static bool build(struct pd_verify *v, struct pd_error *e)
{
	char *argv[] = {"/bin/sh", "-c", (char *)v->build, NULL};
	char cwd[PATH_MAX], here[PATH_MAX], program[PATH_MAX], log[PATH_MAX + 16];
	struct stat before = {0}, after;

	if (!getcwd(cwd, sizeof(cwd)) || !pd_scratch_path(&v->scratch, cwd, here) ||
	    !in_copy(v, v->before->command.v[0], program))
		return pd_error_errno(e, errno, "find", "the current directory");
	snprintf(log, sizeof(log), "%s/build.log", v->scratch.dir);
	stat(program, &before);
	if (run_in(here, log, true, argv) != 0) {
		show_log(log);
		return does_not_build(v, cwd, e);
	}
	if (stat(program, &after) != 0)
		return pd_error_set(e, PD_EXIT_USAGE, "'%.200s' did not build '%.200s'", v->build,
				    v->before->command.v[0]);
	v->rebuilt |= before.st_ino != after.st_ino || before.st_size != after.st_size ||
		      before.st_mtim.tv_sec != after.st_mtim.tv_sec ||
		      before.st_mtim.tv_nsec != after.st_mtim.tv_nsec;
	return true;
}

bool pd_verify_try(struct pd_verify *v, const struct pd_patch *p, struct pd_error *e)
{
	char out[PATH_MAX + 16], log[PATH_MAX + 16], dir[PATH_MAX];
	char **argv;
	int status;

	snprintf(out, sizeof(out), "%s/out", v->scratch.dir);
	snprintf(log, sizeof(log), "%s/run.log", v->scratch.dir);
	if (!write_sources(v, p, e) || !build(v, e))
		return false;
	argv = command(v, out);
	if (!argv || !pd_scratch_path(&v->scratch, v->before->directory, dir))
		return pd_error_set(e, PD_EXIT_INTERNAL, "memory ran out");
	status = run_in(dir, log, false, argv);
	if (!WIFEXITED(status) ||
	    (WEXITSTATUS(status) != PD_EXIT_CLEAN && WEXITSTATUS(status) != PD_EXIT_FINDINGS &&
	     WEXITSTATUS(status) != PD_EXIT_INCOMPLETE)) {
		show_log(log);
		return pd_error_set(e, PD_EXIT_INCOMPLETE,
				    "'perdure %.40s' could not be run on the patched copy",
				    v->before->verb);
	}
	return pd_result_load(&v->after, v->arena, out, e);
}

const struct pd_finding *pd_verify_new(const struct pd_verify *v, bool deciding, uint32_t nth)
{
	for (uint32_t i = 0; i < v->after.findings.items.n; i++) {
		const struct pd_finding *f = v->after.findings.items.v[i];

		if (pd_findings_get(&v->before->findings, f->id) ||
		    pd_finding_decides(f, v->before->strict) != deciding)
			continue;
		if (!nth--)
			return f;
	}
	return NULL;
}

void pd_verify_finish(struct pd_verify *v)
{
	pd_scratch_remove(&v->scratch);
}
