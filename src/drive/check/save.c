/*
 * check/save.c - what a replay needs beside the witness: the exact settings of the run.
 *
 * They are part of the result, one JSON object (docs/report-format.md): the commands word by word,
 * their working directory, the patterns and everything else on which the model and the verdict
 * depend. A word is a JSON string; one that is not UTF-8 is {"hex": "..."}. Of the environment,
 * they contain the variables that decide which code runs and how (kept_variables), whether set or
 * not; a replay uses its own values of all others, so no secrets get into a result. They also
 * contain standard input, unless it is too large: then it is a separate file, `stdin`.
 *
 * Older results have them in a file `settings.json`, and standard input always in `stdin`.
 */
#include "drive/bytes.h"
#include "drive/check/check.h"
#include "drive/check/hold.h"
#include "host/machine.h"
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define OLD_NAME   "settings.json"
#define STDIN_NAME "stdin"

enum { MAX_FILE = 64 << 20, MAX_STDIN = 16 << 20 };

/* A '*' at the end matches anything. PERDURE_PM is in the patterns already. */
static const char *const kept_variables[] = {"GLIBC_TUNABLES", "HOME",	 "LANG",     "LANGUAGE",
					     "LC_*",	       "LD_*",	 "MALLOC_*", "PATH",
					     "PMEM*",	       "TMPDIR", "TZ"};

static bool is_kept(const char *variable)
{
	size_t n = strcspn(variable, "=");

	for (size_t i = 0; i < PD_LEN(kept_variables); i++) {
		const char *k = kept_variables[i];
		size_t len = strlen(k);

		if (k[len - 1] == '*' ? n >= len - 1 && memcmp(variable, k, len - 1) == 0
				      : n == len && memcmp(variable, k, n) == 0)
			return true;
	}
	return false;
}

/* ---- saving --------------------------------------------------------------------------------- */

static json_t *word(const char *s)
{
	return pd_bytes_json(s, strlen(s));
}

static json_t *words(const char *const *v, size_t n)
{
	json_t *a = json_array();

	for (size_t i = 0; a && i < n; i++)
		if (json_array_append_new(a, word(v[i])) != 0) {
			json_decref(a);
			return NULL;
		}
	return a;
}

static json_t *command(char *const *argv)
{
	size_t n = 0;

	while (argv && argv[n])
		n++;
	return argv ? words((const char *const *)argv, n) : json_null();
}

static json_t *variables(void)
{
	json_t *o = json_object();

	for (char **v = environ; o && *v; v++) {
		char name[128];
		size_t n = strcspn(*v, "=");

		if (!is_kept(*v) || (*v)[n] != '=' || n >= sizeof(name))
			continue;
		memcpy(name, *v, n);
		name[n] = '\0';
		if (json_object_set_new(o, name, word(*v + n + 1)) != 0) {
			json_decref(o);
			return NULL;
		}
	}
	return o;
}

static json_t *statuses(const uint64_t bits[4])
{
	json_t *a = json_array();

	for (int i = 0; a && i < 256; i++)
		if (bits[i / 64] >> i % 64 & 1)
			json_array_append_new(a, json_integer(i));
	return a;
}

/* Its contents; null: none, true: in a file. */
static json_t *stdin_of(const struct pd_check_run *c)
{
	off_t size = c->input < 0 ? 0 : lseek(c->input, 0, SEEK_END);
	char *text;
	json_t *j;

	if (c->given || c->input < 0)
		return json_null();
	if (size > MAX_STDIN)
		return json_true();
	text = malloc((size_t)size + 1);
	j = text && pread(c->input, text, (size_t)size, 0) == size
		    ? pd_bytes_json(text, (size_t)size)
		    : NULL;
	free(text);
	return j;
}

/* A new reference to all of it; NULL: out of memory. */
static json_t *settings(const struct pd_check_run *c, char *const *argv, const char *cwd)
{
	return json_pack(
		"{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:s, s:I, s:I, s:b, s:b, s:o, s:s?, s:s?}",
		"program", command(argv), "recover", command(c->recover), "directory", word(cwd),
		"environment", variables(), "pm", words(c->options.pm.v, c->options.pm.n),
		"checksum", words(c->checksum, c->nchecksum), "ok_exit", statuses(c->ok_exit),
		"model", c->model, "seed", (json_int_t)c->options.seed, "hang_ms",
		(json_int_t)c->hang_ms, "eager", c->eager, "by_value", c->by_value, "stdin",
		stdin_of(c), "spec", c->spec, "condition", c->condition);
}

static bool save_stdin(const struct pd_check_run *c, const struct pd_outdir *d, struct pd_error *e)
{
	struct pd_filewriter w;
	char path[PATH_MAX], buf[1 << 14];
	off_t at = 0;
	ssize_t n;

	if (!pd_outdir_path(d, STDIN_NAME, path))
		return pd_error_errno(e, ENAMETOOLONG, "write", d->path);
	if (!pd_file_begin(&w, path, e))
		return false;
	while ((n = pread(c->input, buf, sizeof(buf), at)) > 0) {
		fwrite(buf, 1, (size_t)n, w.f);
		at += n;
	}
	return pd_file_commit(&w, e);
}

/* The whole input, if it is a folder: from --input, or made by explore. */
static bool put_given(const struct pd_check_run *c, json_t *j, struct pd_error *e)
{
	json_t *given = c->given ? pd_input_json(c->given->dir, e) : NULL;

	return !c->given || (given && json_object_set_new(j, "input", given) == 0);
}

static bool put_settings(struct pd_check_run *c, json_t *j, struct pd_result *r, uint32_t *number,
			 struct pd_error *e)
{
	char *text;

	pd_error_set(e, PD_EXIT_INTERNAL, "memory ran out");
	if (!j || !put_given(c, j, e) || !pd_hold_put(&c->hold, j))
		return false;
	text = json_dumps(j, JSON_COMPACT);
	if (text)
		*number = pd_result_settings(r, text);
	free(text);
	return text;
}

bool pd_check_settings(struct pd_check_run *c, struct pd_result *r, uint32_t *number,
		       struct pd_error *e)
{
	char *cwd = getcwd(NULL, 0);
	json_t *j = cwd ? settings(c, c->options.argv, cwd) : NULL;
	bool ok = cwd ? put_settings(c, j, r, number, e)
		      : pd_error_errno(e, errno, "find", "the current directory");

	free(cwd);
	json_decref(j);
	return ok;
}

bool pd_check_save(struct pd_check_run *c, const struct pd_outdir *d, struct pd_error *e)
{
	json_t *standard = stdin_of(c);
	bool in_file = json_is_true(standard);
	uint32_t number;

	json_decref(standard);
	return pd_check_settings(c, &c->result, &number, e) && (!in_file || save_stdin(c, d, e));
}

uint32_t pd_check_settings_with(struct pd_check_run *c, uint32_t work)
{
	char *cwd = work ? getcwd(NULL, 0) : NULL;
	json_t *j = cwd ? settings(c, pd_check_work_command(c, work), cwd) : NULL;
	uint32_t number = work ? PD_NO_SETTINGS : 0;
	struct pd_error e;

	if (j && !put_settings(c, j, &c->result, &number, &e))
		number = PD_NO_SETTINGS;
	json_decref(j);
	free(cwd);
	return number;
}

/* ---- loading -------------------------------------------------------------------------------- */

static char *word_of(struct pd_arena *a, const json_t *j)
{
	size_t n;

	return pd_bytes_of(a, j, &n);
}

/* Ends with NULL; NULL: not a list of words. */
static char **words_of(struct pd_arena *a, const json_t *j, size_t *n)
{
	char **v = json_is_array(j) ? pd_new_array(a, char *, json_array_size(j) + 1) : NULL;

	*n = json_array_size(j);
	for (size_t i = 0; v && i < *n; i++) {
		v[i] = word_of(a, json_array_get(j, i));
		if (!v[i])
			return NULL;
	}
	return v;
}

/* Restores the kept variables: sets or unsets them. Changes nothing if they were left out. */
static bool restore_variables(struct pd_arena *a, json_t *o)
{
	const char *name;
	json_t *value;

	if (!json_is_object(o))
		return !o;
	for (char **v = environ; *v;) {
		char *was = is_kept(*v) ? pd_arena_strndup(a, *v, strcspn(*v, "=")) : NULL;

		v++;
		if (was && !json_object_get(o, was)) {
			unsetenv(was);
			v = environ; /* unsetenv has moved entries */
		}
	}
	json_object_foreach(o, name, value)
	{
		const char *s = is_kept(name) ? word_of(a, value) : NULL;

		if (!s || setenv(name, s, 1) != 0)
			return false;
	}
	return true;
}

static bool take_statuses(struct pd_check_run *c, const json_t *j)
{
	for (size_t i = 0; i < json_array_size(j); i++) {
		json_int_t v = json_integer_value(json_array_get(j, i));

		if (v < 0 || v > 255)
			return false;
		c->ok_exit[v / 64] |= 1ULL << v % 64;
	}
	return json_is_array(j);
}

static bool take_checksums(struct pd_check_run *c, const json_t *j)
{
	size_t n;
	char **v = words_of(&c->arena, j, &n);

	if (!v || n > PD_CHECKSUM_NAMES)
		return false;
	memcpy(c->checksum, v, n * sizeof(*v));
	c->nchecksum = (uint32_t)n;
	return true;
}

static bool take_patterns(struct pd_check_run *c, const json_t *j)
{
	size_t n;
	char **v = words_of(&c->arena, j, &n);

	for (size_t i = 0; v && i < n; i++) {
		const char **glob = pd_vec_push(&c->options.pm, &c->arena);

		if (!glob)
			return false;
		*glob = v[i];
	}
	return v;
}

static bool take_commands(struct pd_check_run *c, const json_t *j)
{
	const json_t *recover = json_object_get(j, "recover");
	size_t n;

	c->recover = json_is_null(recover) ? NULL : words_of(&c->arena, recover, &n);
	if (!json_is_null(recover) && (!c->recover || !n))
		return false;
	c->options.argv = words_of(&c->arena, json_object_get(j, "program"), &n);
	c->options.argc = (int)n;
	return c->options.argv && n;
}

/* A name that may be missing. */
static const char *name_of(struct pd_arena *a, const json_t *j)
{
	const char *s = json_string_value(j);

	return s ? pd_arena_strndup(a, s, strlen(s)) : NULL;
}

static bool take_all(struct pd_check_run *c, json_t *j)
{
	const json_t *seed = json_object_get(j, "seed"), *hang = json_object_get(j, "hang_ms");

	c->directory = word_of(&c->arena, json_object_get(j, "directory"));
	c->model = word_of(&c->arena, json_object_get(j, "model"));
	c->options.seed = (uint64_t)json_integer_value(seed);
	c->hang_ms = (uint64_t)json_integer_value(hang);
	c->eager = json_is_true(json_object_get(j, "eager"));
	c->by_value = json_is_true(json_object_get(j, "by_value"));
	c->spec = name_of(&c->arena, json_object_get(j, "spec"));
	c->condition = name_of(&c->arena, json_object_get(j, "condition"));
	return pd_hold_take(&c->hold, j) && c->directory && c->model && json_is_integer(seed) &&
	       json_is_integer(hang) && take_commands(c, j) &&
	       take_patterns(c, json_object_get(j, "pm")) &&
	       take_checksums(c, json_object_get(j, "checksum")) &&
	       take_statuses(c, json_object_get(j, "ok_exit")) &&
	       restore_variables(&c->arena, json_object_get(j, "environment"));
}

/* Standard input as a file of ours; -1: none. */
static int open_stdin(struct pd_check_run *c, const json_t *j, const char *dir)
{
	char path[PATH_MAX];
	size_t n;
	const char *text = pd_bytes_of(&c->arena, j, &n);
	int fd;

	if (!text)
		return snprintf(path, sizeof(path), "%s/" STDIN_NAME, dir) < (int)sizeof(path)
			       ? open(path, O_RDONLY | O_CLOEXEC)
			       : -1;
	fd = memfd_create("perdure-stdin", MFD_CLOEXEC);
	return fd < 0 || write(fd, text, n) == (ssize_t)n ? fd : -1;
}

static bool load_stdin(struct pd_check_run *c, const json_t *j, const char *dir, struct pd_error *e)
{
	int fd = open_stdin(c, j, dir);

	if (fd < 0)
		return pd_error_set(e, PD_EXIT_USAGE,
				    "what the program read from standard input is not in "
				    "'%.300s'; replay it in the directory of its own run",
				    dir);
	c->input = fcntl(fd, F_DUPFD, pd_machine()->first_fd);
	close(fd);
	return c->input >= 0 ||
	       pd_error_set(e, PD_EXIT_INTERNAL, "no descriptor is free (ulimit -n)");
}

static bool load_given(struct pd_check_run *c, json_t *j, struct pd_error *e)
{
	c->given = pd_new(&c->arena, struct pd_input);
	return c->given && pd_input_from_json(c->given, &c->arena, j, e);
}

/* The settings in a result, or in the file beside it; malloc'ed. */
static char *read_text(const struct pd_result *r, uint32_t number, const char *dir,
		       struct pd_error *e)
{
	char path[PATH_MAX];
	size_t n;

	if (number < r->settings.n)
		return strdup(r->settings.v[number]);
	if (snprintf(path, sizeof(path), "%s/" OLD_NAME, dir) < (int)sizeof(path) &&
	    access(path, R_OK) == 0)
		return pd_file_read(path, MAX_FILE, &n, e);
	pd_error_set(e, PD_EXIT_USAGE,
		     "'%.300s' does not say what was run; run perdure check again", dir);
	return NULL;
}

bool pd_check_load(struct pd_check_run *c, const struct pd_result *r, uint32_t number,
		   const char *dir, struct pd_error *e)
{
	char *text = read_text(r, number, dir, e);
	json_t *j = text ? json_loads(text, 0, NULL) : NULL, *input;
	bool ok = j && take_all(c, j);

	input = json_object_get(j, "stdin");
	if (text && !ok)
		pd_error_set(e, PD_EXIT_USAGE,
			     "the settings in '%.300s' are not complete; run perdure check again",
			     dir);
	if (ok && input && !json_is_null(input) && !json_is_false(input))
		ok = load_stdin(c, input, dir, e);
	if (ok && json_object_get(j, "input"))
		ok = load_given(c, json_object_get(j, "input"), e);
	free(text);
	json_decref(j);
	return ok;
}

bool pd_check_load_given(struct pd_check_run *c, const struct pd_result *r, const char *dir,
			 struct pd_error *e)
{
	char *text = read_text(r, 0, dir, e);
	json_t *j = text ? json_loads(text, 0, NULL) : NULL, *input = json_object_get(j, "stdin");
	bool ok = j && restore_variables(&c->arena, json_object_get(j, "environment"));

	if (text && !ok)
		pd_error_set(e, PD_EXIT_USAGE, "the settings in '%.300s' are not complete", dir);
	if (ok && input && !json_is_null(input) && !json_is_false(input))
		ok = load_stdin(c, input, dir, e);
	free(text);
	json_decref(j);
	return ok;
}

bool pd_check_enter(const struct pd_check_run *c, struct pd_error *e)
{
	return chdir(c->directory) == 0 || pd_error_errno(e, errno, "go to", c->directory);
}
