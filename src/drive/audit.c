/* audit.c - see audit.h. */
#include "drive/audit.h"
#include "host/host.h"
#include "report/report.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { REPLAYED = 32 }; /* per result, at most: of more, some spread over all are replayed */

#define FALSE(e, ...) pd_error_set((e), PD_EXIT_INTERNAL, "audit: " __VA_ARGS__)

/* ---- statements about the whole ------------------------------------------------------------- */

static bool audit_whole(const struct pd_result *r, enum pd_exit status, struct pd_error *e)
{
	if (pd_result_status(r) != status)
		return FALSE(e, "the exit status is %d, the JSON says %d", status,
			     pd_result_status(r));
	if (r->complete && r->limits.n)
		return FALSE(e, "complete, and limited by '%.200s'", r->limits.v[0]);
	if (r->complete && pd_result_losses(r))
		return FALSE(e, "complete, and not everything was seen");
	if (!r->complete && !r->limits.n && !r->failure && !pd_result_losses(r))
		return FALSE(e, "not complete, and nothing says why");
	return true;
}

/* ---- statements about a finding ------------------------------------------------------------- */

/* A store was lost, and recovery read the same value instead. */
static bool lost_nothing(const struct pd_facts *f)
{
	for (uint32_t i = 0; i < pd_fact_count(f, PD_FACT_GROUP_LOST); i++) {
		const struct pd_fact *seen = pd_fact_get(f, PD_FACT_LOST_SEEN, i);
		const struct pd_fact *expected = pd_fact_get(f, PD_FACT_LOST_EXPECTED, i);

		if (seen && expected && seen->number == expected->number)
			return true;
	}
	return false;
}

/* Each site that a fact names exists. */
static bool has_its_sites(const struct pd_finding *f)
{
	for (uint32_t i = 0; i < f->facts.n; i++)
		if (pd_fact_info[f->facts.v[i].key].type == PD_FACT_IS_SITE &&
		    f->facts.v[i].number >= f->nsites)
			return false;
	return true;
}

static bool audit_finding(const struct pd_finding *f, struct pd_error *e)
{
	if (!f->message || !*f->message)
		return FALSE(e, "%010" PRIx64 " has no message", f->id);
	if (!has_its_sites(f))
		return FALSE(e, "%010" PRIx64 ": a fact names a site that is not there", f->id);
	if (lost_nothing(&f->facts))
		return FALSE(e, "%010" PRIx64 ": a value is read instead of itself: %.200s", f->id,
			     f->message);
	if (f->confirmed && !f->witness.given)
		return FALSE(e, "%010" PRIx64 " is confirmed, and has no witness", f->id);
	return true;
}

/* ---- replaying it --------------------------------------------------------------------------- */

static bool spawn(char *const *argv, int output, int *status)
{
	posix_spawn_file_actions_t to;
	pid_t pid;
	int r;

	posix_spawn_file_actions_init(&to);
	posix_spawn_file_actions_addopen(&to, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&to, output, STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&to, output, STDERR_FILENO);
	posix_spawn_file_actions_addclosefrom_np(&to, STDERR_FILENO + 1);
	r = posix_spawn(&pid, (const char *)getauxval(AT_EXECFN), &to, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&to);
	return r == 0 && waitpid(pid, status, 0) == pid;
}

static bool replay(const char *dir, const struct pd_finding *f, struct pd_error *e)
{
	char id[PD_FINDING_ID_DIGITS + 1], text[600] = "";
	char *argv[] = {"perdure", "replay", "--out", (char *)dir, id, NULL};
	int output = memfd_create("perdure-audit", MFD_CLOEXEC), status = 0;
	bool ran;

	snprintf(id, sizeof(id), "%010" PRIx64, f->id);
	unsetenv("PERDURE_AUDIT");
	ran = output >= 0 && spawn(argv, output, &status);
	if (output >= 0) {
		if (pread(output, text, sizeof(text) - 1, 0) < 0)
			*text = '\0';
		close(output);
	}
	if (!ran)
		return pd_error_errno(e, errno, "replay", id);
	if (!WIFEXITED(status) || WEXITSTATUS(status) != PD_EXIT_FINDINGS)
		return FALSE(e, "%s is confirmed, and its replay ends with %d: %.500s", id,
			     WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), text);
	return true;
}

bool pd_audit(const char *dir, enum pd_exit status, struct pd_error *e)
{
	struct pd_arena arena;
	struct pd_result r;
	uint32_t each;
	bool ok;

	pd_arena_init(&arena, pd_host_memory());
	ok = pd_result_load(&r, &arena, dir, e);
	ok = ok && audit_whole(&r, status, e);
	each = ok ? r.findings.items.n / REPLAYED + 1 : 1;
	for (uint32_t i = 0; ok && i < r.findings.items.n; i++) {
		const struct pd_finding *f = r.findings.items.v[i];

		ok = audit_finding(f, e) &&
		     (i % each || !f->confirmed || !f->witness.given || replay(dir, f, e));
	}
	pd_arena_finish(&arena);
	return ok;
}
