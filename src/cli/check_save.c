/*
 * check_save.c - what a replay needs beside the result: the settings of the run.
 *
 * A text file, one `KEY VALUE` a line; words of commands are lines of their own, in order.
 */
#include "cli/check.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_NAME "check.settings"

enum { MAX_FILE = 1 << 20 };

static void put_words(FILE *f, const char *key, char *const *argv)
{
	for (; argv && *argv; argv++)
		fprintf(f, "%s %s\n", key, *argv);
}

bool pd_check_save(const struct pd_check_run *c, const struct pd_outdir *d, struct pd_error *e)
{
	struct pd_filewriter w;
	char path[PATH_MAX];

	if (!pd_outdir_path(d, FILE_NAME, path) || !pd_file_begin(&w, path, e))
		return false;
	put_words(w.f, "program", c->options.argv);
	put_words(w.f, "recover", c->recover);
	for (uint32_t i = 0; i < c->options.pm.n; i++)
		fprintf(w.f, "pm %s\n", c->options.pm.v[i]);
	fprintf(w.f, "model %s\nseed %lu\nhang %lu\n", c->model, (unsigned long)c->options.seed,
		(unsigned long)c->hang_ms);
	for (uint32_t i = 0; i < c->nchecksum; i++)
		fprintf(w.f, "checksum %s\n", c->checksum[i]);
	for (int i = 0; i < 4; i++)
		fprintf(w.f, "ok-exit %lx\n", (unsigned long)c->ok_exit[i]);
	return pd_file_commit(&w, e);
}

struct words {
	PD_VEC(char *) list;
};

static void add_word(struct words *w, struct pd_arena *a, const char *s)
{
	char **slot = pd_vec_push(&w->list, a);

	if (slot)
		*slot = pd_arena_strndup(a, s, strlen(s));
}

/* A NULL-terminated vector; NULL where there was no word. */
static char **words_of(struct words *w, struct pd_arena *a)
{
	char **slot = w->list.n ? pd_vec_push(&w->list, a) : NULL;

	if (!slot)
		return NULL;
	*slot = NULL;
	return w->list.v;
}

struct loading {
	struct words program;
	struct words recover;
	uint32_t ok_exit;
};

static void take_line(struct pd_check_run *c, struct loading *l, const char *key, const char *value)
{
	const char **glob;

	if (strcmp(key, "program") == 0)
		add_word(&l->program, &c->arena, value);
	else if (strcmp(key, "recover") == 0)
		add_word(&l->recover, &c->arena, value);
	else if (strcmp(key, "pm") == 0 && (glob = pd_vec_push(&c->options.pm, &c->arena)))
		*glob = pd_arena_strndup(&c->arena, value, strlen(value));
	else if (strcmp(key, "model") == 0)
		c->model = pd_arena_strndup(&c->arena, value, strlen(value));
	else if (strcmp(key, "seed") == 0)
		c->options.seed = strtoull(value, NULL, 10);
	else if (strcmp(key, "hang") == 0)
		c->hang_ms = strtoull(value, NULL, 10);
	else if (strcmp(key, "checksum") == 0 && c->nchecksum < PD_BOARD_CHECKSUMS)
		c->checksum[c->nchecksum++] = pd_arena_strndup(&c->arena, value, strlen(value));
	else if (strcmp(key, "ok-exit") == 0 && l->ok_exit < 4)
		c->ok_exit[l->ok_exit++] = strtoull(value, NULL, 16);
}

bool pd_check_load(struct pd_check_run *c, const char *dir, struct pd_error *e)
{
	struct loading l = {0};
	char path[PATH_MAX], *text, *line, *rest;
	size_t n;

	if (snprintf(path, sizeof(path), "%s/%s", dir, FILE_NAME) >= (int)sizeof(path))
		return pd_error_set(e, PD_EXIT_USAGE, "the name '%.300s' is too long", dir);
	text = pd_file_read(path, MAX_FILE, &n, e);
	if (!text)
		return false;
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		char *value = strchr(line, ' ');

		if (!value)
			continue;
		*value = '\0';
		take_line(c, &l, line, value + 1);
	}
	free(text);
	c->options.argv = words_of(&l.program, &c->arena);
	c->recover = words_of(&l.recover, &c->arena);
	if (!c->options.argv || !c->model || l.ok_exit != 4)
		return pd_error_set(e, PD_EXIT_USAGE, "'%.300s' is not complete; run perdure check again",
				    path);
	c->options.argc = (int)l.program.list.n - 1;
	return true;
}
