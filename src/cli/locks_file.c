/* locks_file.c - see locks_file.h. */
#include "cli/locks_file.h"
#include "event/function.h"
#include "host/libdir.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

static FILE *open_it(const char *path)
{
	char shipped[PATH_MAX];
	char name[300];
	FILE *f = fopen(path, "re");

	if (f || strchr(path, '/'))
		return f;
	snprintf(name, sizeof(name), "locks/%.200s%s", path, strstr(path, ".locks") ? "" : ".locks");
	return pd_libdir_file(shipped, sizeof(shipped), name) ? fopen(shipped, "re") : NULL;
}

/* Without the comment and the blanks around. */
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
	FILE *f = open_it(path);
	char line[400];
	unsigned n = 0;

	if (!f)
		return pd_error_errno(e, errno, "read", path);
	while (fgets(line, sizeof(line), f)) {
		struct pd_function function;
		char *text = bare(line);
		const char **to;

		n++;
		if (!*text)
			continue;
		to = pd_function_parse(text, &function) ? pd_vec_push(&r->functions, &r->arena) : NULL;
		if (!to) {
			fclose(f);
			return pd_error_set(e, PD_EXIT_USAGE,
					    "%s:%u: '%s' is not KIND FUNCTION ARGUMENT RESULT, such as 'acquire "
					    "spin_lock 1 always'; docs/engines/lockset.md has the words", path, n,
					    text);
		}
		*to = pd_arena_strndup(&r->arena, text, strlen(text));
	}
	fclose(f);
	return true;
}
