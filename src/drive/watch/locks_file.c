/* locks_file.c - see locks_file.h. */
#include "drive/watch/locks_file.h"
#include "event/function.h"
#include "host/libdir.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

static FILE *open_it(const char *path, bool *is_shipped)
{
	char shipped[PATH_MAX];
	char name[300];
	FILE *f = fopen(path, "re");

	*is_shipped = false;
	if (f || strchr(path, '/'))
		return f;
	*is_shipped = true;
	snprintf(name, sizeof(name), "locks/%.200s%s", path,
		 strstr(path, ".locks") ? "" : ".locks");
	return pd_libdir_file(shipped, sizeof(shipped), name) ? fopen(shipped, "re") : NULL;
}

/* Without comments and surrounding blanks. */
static char *bare(char *line)
{
	char *end = line + strcspn(line, "#\n");

	line += strspn(line, " \t");
	while (end > line && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	*end = '\0';
	for (char *p = line; *p; p++)
		*p = *p == '\t' ? ' ' : *p;
	return line;
}

bool pd_locks_file(struct pd_watch_run *r, const char *path, struct pd_error *e)
{
	bool is_shipped;
	FILE *f = open_it(path, &is_shipped);
	char line[400];
	unsigned n = 0;

	if (!f)
		return pd_error_errno(e, errno, "read", path);
	while (fgets(line, sizeof(line), f)) {
		struct pd_function function;
		char *text = bare(line);
		struct pd_lock_line *from;
		const char **to;

		n++;
		if (!*text)
			continue;
		to = pd_function_parse(text, &function) ? pd_vec_push(&r->functions, &r->arena)
							: NULL;
		if (!to) {
			fclose(f);
			return pd_error_set(
				e, PD_EXIT_USAGE,
				"%s:%u: '%s' is not KIND FUNCTION ARGUMENT RESULT, such as "
				"'acquire "
				"spin_lock 1 always'; docs/engines/lockset.md has the words",
				path, n, text);
		}
		*to = pd_arena_strndup(&r->arena, text, strlen(text));
		from = pd_vec_push(&r->lines, &r->arena);
		if (from)
			*from = (struct pd_lock_line){
				path, n, is_shipped,
				pd_arena_strndup(&r->arena, function.name, strlen(function.name))};
	}
	fclose(f);
	return true;
}

/* By name: a function may be in several lines. */
static bool was_called(const struct pd_watch_run *r, const char *name)
{
	for (uint32_t i = 0; i < r->called.n; i++)
		if (r->called.v[i] && strcmp(r->lines.v[i].name, name) == 0)
			return true;
	return false;
}

/* Whether number i is the first line of its name, or of its set. */
static bool is_first(const struct pd_watch_run *r, uint32_t i)
{
	const struct pd_lock_line *l = &r->lines.v[i];

	for (uint32_t k = 0; k < i; k++)
		if (l->shipped ? strcmp(r->lines.v[k].file, l->file) == 0
			       : strcmp(r->lines.v[k].name, l->name) == 0)
			return false;
	return true;
}

static bool any_of_set_called(const struct pd_watch_run *r, const char *file)
{
	for (uint32_t i = 0; i < r->called.n; i++)
		if (r->called.v[i] && strcmp(r->lines.v[i].file, file) == 0)
			return true;
	return false;
}

void pd_locks_report_uncalled(struct pd_watch_run *r)
{
	int64_t n = 0;

	for (uint32_t i = 0; i < r->lines.n && r->lines.n == r->called.n; i++) {
		const struct pd_lock_line *l = &r->lines.v[i];

		if (!is_first(r, i) ||
		    (l->shipped ? any_of_set_called(r, l->file) : was_called(r, l->name)))
			continue;
		n++;
		if (r->options.quiet)
			continue;
		if (l->shipped)
			fprintf(stderr, "perdure: --locks %s: none of its functions was called\n",
				l->file);
		else
			fprintf(stderr, "perdure: %s:%u: no call of '%s' was seen%s\n", l->file,
				l->line, l->name,
				r->instrumented ? "; docs/engines/lockset.md says which names are "
						  "seen in an instrumented program"
						: "");
	}
	if (n)
		pd_result_stat_int(&r->result, "locks_never_called", n);
}
