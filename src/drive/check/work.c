/*
 * check/work.c - operations that replace those of a driver's command line: fewer, so that a finding
 * is easier to follow, or more, to reach more of its code. See check.h.
 *
 * They are text on the board (runtime/linear/given.h). A replay gets them as an argument, --do.
 */
#include "drive/check/check.h"
#include <string.h>

void pd_check_work_use(struct pd_check_run *c, uint32_t number)
{
	struct pd_board_tests *t = &c->board->tests;
	const struct pd_check_work *w =
		number && number <= c->works.n ? &c->works.v[number - 1] : NULL;

	t->work = w ? w->text : NULL;
	t->nwork = w ? w->n : 0;
	t->work_number = w ? number : 0;
}

uint32_t pd_check_work_add(struct pd_check_run *c, const char *text, uint32_t n)
{
	char *copy = pd_board_alloc(NULL, n + 1);
	struct pd_check_work *w = copy ? pd_vec_push(&c->works, &c->arena) : NULL;

	if (!w)
		return 0;
	*w = (struct pd_check_work){.text = memcpy(copy, text, n), .n = n};
	return c->works.n;
}

/* The pool is the last argument. */
char **pd_check_work_command(struct pd_check_run *c, uint32_t number)
{
	uint32_t n = (uint32_t)c->options.argc;
	char **argv = pd_new_array(&c->arena, char *, n + 3);

	if (!number || number > c->works.n || !n || !argv)
		return c->options.argv;
	memcpy(argv, c->options.argv, (n - 1) * sizeof(*argv));
	argv[n - 1] = "--do";
	argv[n] = (char *)c->works.v[number - 1].text;
	argv[n + 1] = c->options.argv[n - 1];
	return argv;
}
