/* explain.c - adds stories to findings that were made without: each is repeated. See check.h. */
#include "drive/check/check.h"
#include "host/host.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static uint32_t most_crashes(const struct pd_result *r)
{
	uint32_t most = 1;

	for (uint32_t i = 0; i < r->findings.items.n; i++)
		most = PD_MAX(most, pd_check_crashes(&r->findings.items.v[i]->witness));
	return most;
}

/* A finding that does not fail again stays as it is. */
static void explain(struct pd_check_run *c, struct pd_result *r, struct pd_finding *f)
{
	const struct pd_crash_run *failed;
	const char *text;
	struct pd_error e;

	if (f->explain || !f->witness.given || !pd_check_again(c, &f->witness, &failed, &e) ||
	    !failed)
		return;
	text = pd_check_explain(c, failed);
	f->explain = text ? pd_arena_strndup(r->arena, text, strlen(text)) : NULL;
}

bool pd_check_explain_all(struct pd_result *r, const char *dir, struct pd_error *e)
{
	struct pd_check_run c = {.capture = -1, .input = -1, .jobs = 1};
	int here;
	bool ok;

	if (strcmp(r->verb, "check") != 0)
		return pd_error_set(e, PD_EXIT_USAGE,
				    "only results of 'perdure check' can be explained, and this "
				    "one is of '%s'",
				    r->verb);
	if (r->settings.n > 1)
		return pd_error_set(
			e, PD_EXIT_USAGE,
			"this merges results of several runs; 'perdure replay --explain "
			"ID' explains one finding");
	pd_arena_init(&c.arena, pd_host_memory());
	here = open(".", O_PATH | O_CLOEXEC);
	ok = pd_check_load(&c, r, 0, dir, e);
	c.crashes = most_crashes(r);
	ok = ok && pd_check_enter(&c, e) && pd_check_board(&c, e) && pd_check_execute(&c, e);
	for (uint32_t i = 0; ok && i < r->findings.items.n; i++)
		explain(&c, r, r->findings.items.v[i]);
	pd_check_finish(&c);
	if (here >= 0 && fchdir(here) != 0)
		ok = pd_error_errno(e, errno, "go back to", "the current directory");
	if (here >= 0)
		close(here);
	return ok;
}
