/* wanted.c - see wanted.h. */
#include "drive/wanted.h"
#include <errno.h>

static const struct pd_finding *find_in(struct pd_wanted *w, struct pd_arena *a, const char *dir,
					struct pd_error *e)
{
	const struct pd_finding *f;

	if (!pd_result_load(&w->result, a, dir, e))
		return NULL;
	f = pd_findings_get(&w->result.findings, w->number);
	if (!f)
		pd_error_set(e, PD_EXIT_USAGE,
			     "there is no finding %s in '%.300s'; 'perdure report %.300s' "
			     "lists them",
			     w->id, dir, dir);
	snprintf(w->dir, sizeof(w->dir), "%s", dir);
	return f;
}

/* Searches all runs of this directory, the newest first. */
static const struct pd_finding *find_anywhere(struct pd_wanted *w, struct pd_arena *a, FILE *say,
					      struct pd_error *e)
{
	const struct pd_finding *f = find_in(w, a, PD_OUT_DEFAULT "/last", e);
	struct pd_error unused;
	char dir[64];

	for (unsigned long n = pd_outdir_newest(ULONG_MAX); !f && n; n = pd_outdir_newest(n)) {
		snprintf(dir, sizeof(dir), PD_OUT_DEFAULT "/%lu", n);
		f = find_in(w, a, dir, &unused);
		if (f)
			fprintf(say, "finding %s is from an earlier run: %s\n", w->id, dir);
	}
	if (!f && e->err == ENOENT && !pd_outdir_newest(ULONG_MAX))
		pd_error_set(e, PD_EXIT_USAGE,
			     "this directory has no '" PD_OUT_DEFAULT "': go to where the "
			     "finding was made, or name its result with --out DIR");
	else if (!f && pd_outdir_newest(ULONG_MAX))
		pd_error_set(e, PD_EXIT_USAGE,
			     "there is no finding %s in any run of '" PD_OUT_DEFAULT "'; "
			     "'perdure report' lists those of the last one",
			     w->id);
	return f;
}

const struct pd_finding *pd_wanted_find(struct pd_wanted *w, struct pd_arena *a, const char *dir,
					FILE *say, struct pd_error *e)
{
	if (!pd_finding_id_parse(w->id, &w->number)) {
		pd_error_set(e, PD_EXIT_USAGE,
			     "'%.40s' is not the id of a finding (ten hex digits); 'perdure "
			     "report' lists "
			     "the findings of the last run",
			     w->id);
		return NULL;
	}
	return dir ? find_in(w, a, dir, e) : find_anywhere(w, a, say, e);
}
