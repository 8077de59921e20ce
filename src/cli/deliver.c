/* deliver.c - from a result to files, text and an exit status; see options.h. */
#include "cli/options.h"
#include "drive/audit.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { SUPPRESS_MAX = 16 * 1024 * 1024 };

static bool read_suppressions(struct pd_suppressions *s, const char *path, struct pd_error *e)
{
	struct pd_text_error err;
	size_t n;
	char *text = pd_file_read(path, SUPPRESS_MAX, &n, e);
	bool ok;

	if (!text)
		return false;
	ok = pd_suppress_parse(s, path, text, n, &err);
	if (!ok && err.nomem)
		pd_error_set(e, PD_EXIT_INTERNAL, "memory ran out while reading '%.300s'", path);
	else if (!ok)
		pd_error_set(e, PD_EXIT_USAGE, "%.200s:%" PRIu32 ": at '%.*s': expected %s", path,
			     err.line, (int)PD_MIN(err.ngot, 60), err.got, err.expected);
	free(text);
	return ok;
}

/* Parts of a joined result may be of different verbs. */
static bool is_comparable(const char *a, const char *b)
{
	return strcmp(a, b) == 0 || strcmp(a, "merge") == 0 || strcmp(b, "merge") == 0;
}

static bool read_baseline(struct pd_options *o, const char *verb, struct pd_error *e)
{
	struct pd_result *old;

	if (!o->baseline || o->before)
		return true;
	old = pd_new(o->arena, struct pd_result);
	if (!old)
		return pd_error_set(e, PD_EXIT_INTERNAL, "memory ran out");
	if (!pd_result_load(old, o->arena, o->baseline, e))
		return false;
	if (!is_comparable(verb, old->verb))
		return pd_error_set(e, PD_EXIT_USAGE,
				    "--baseline '%.200s' is a result of 'perdure %.40s', not of "
				    "'perdure %.40s'",
				    o->baseline, old->verb, verb);
	o->before = old;
	return true;
}

bool pd_options_files(struct pd_options *o, struct pd_suppressions *s, struct pd_error *e)
{
	for (uint32_t i = 0; i < o->suppress.n; i++)
		if (!read_suppressions(s, o->suppress.v[i], e))
			return false;
	return read_baseline(o, o->verb, e) && (!o->json || pd_file_try(o->json, e)) &&
	       (!o->gen_suppressions || pd_file_try(o->gen_suppressions, e));
}

/* Findings left out by --only are not gone. */
static void forget_unwanted(const struct pd_only *only, struct pd_result *r)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < r->gone.n; i++)
		if (pd_only_wants(only, r->gone.v[i].kind))
			r->gone.v[kept++] = r->gone.v[i];
	r->gone.n = kept;
}

bool pd_options_compare(struct pd_options *o, struct pd_result *r, struct pd_error *e)
{
	if (!o->baseline)
		return true;
	if (!read_baseline(o, r->verb, e))
		return false;
	pd_result_compare(r, o->before, o->baseline);
	forget_unwanted(&o->only, r);
	return true;
}

/* On stderr: an unused entry concerns the suppression file, not the program. */
static void name_unused(const struct pd_suppressions *s, bool quiet)
{
	const struct pd_suppression *e;
	uint32_t at = 0;

	while (!quiet && (e = pd_suppress_unused(s, &at)))
		fprintf(stderr, "perdure: %s:%" PRIu32 ": '%s' matches no finding\n", e->source,
			e->line, e->name);
}

static void to_file(void *ctx, const char *s, size_t n)
{
	fwrite(s, 1, n, ctx);
}

/* For the user to review, name and keep. */
static bool write_suppressions(const struct pd_result *r, const char *path, struct pd_error *e)
{
	struct pd_filewriter w = {.f = stderr};
	struct pd_out o = {to_file, NULL};
	bool file = strcmp(path, "-") != 0;

	if (file && !pd_file_begin(&w, path, e))
		return false;
	o.ctx = w.f;
	for (uint32_t i = 0; i < r->findings.items.n; i++)
		pd_suppress_print(&o, r->findings.items.v[i]);
	return !file || pd_file_commit(&w, e);
}

/* If it cannot be saved, findings cannot be replayed from it. */
static bool keep(struct pd_result *r, struct pd_outdir *d, struct pd_error *e)
{
	char path[PATH_MAX];
	bool ok;

	if (!pd_outdir_path(d, PD_OUT_RESULT, path))
		return pd_error_set(e, PD_EXIT_USAGE, "the name '%.300s' is too long", d->path);
	r->out = d->path;
	ok = pd_report_file(r, pd_report_json_whole, path, e) && pd_outdir_done(d, e);
	if (!ok) {
		pd_outdir_abandon(d);
		r->out = NULL;
	}
	return ok;
}

/* Writes everything that can be written; reports the first error. */
static bool write_files(struct pd_result *r, const struct pd_options *o, struct pd_outdir *d,
			struct pd_error *e)
{
	struct pd_error later;
	bool ok = !d || keep(r, d, e);

	if (o->gen_suppressions && !write_suppressions(r, o->gen_suppressions, ok ? e : &later))
		ok = false;
	if (o->json && !pd_report_file(r, pd_report_json, o->json, ok ? e : &later))
		ok = false;
	return ok;
}

/* Show the text even if a file could not be written: findings must not be lost. */
static bool write_text(const struct pd_result *r, const struct pd_options *o, struct pd_error *e)
{
	struct pd_text_style style = pd_text_style_for(stdout, o->color);
	struct pd_filewriter w;

	style.brief = o->quiet;
	style.coverage = o->coverage;
	style.stats = o->stats;
	if (o->json && strcmp(o->json, "-") == 0)
		return true;
	if (!pd_file_begin(&w, "-", e))
		return false;
	pd_report_text(r, &style, w.f);
	return pd_file_commit(&w, e);
}

int pd_deliver(struct pd_result *r, struct pd_options *o, struct pd_suppressions *s,
	       struct pd_outdir *d)
{
	struct pd_error file_error, text_error;
	bool files, text;

	/* Before anything is removed: suppressed findings are not gone. Engine verbs have read the
	 * baseline already. */
	if (!pd_options_compare(o, r, &file_error))
		return pd_error_print(&file_error);
	pd_only_filter(&o->only, &r->findings);
	if (s)
		pd_findings_suppress(&r->findings, s);
	pd_result_finish(r);
	if (o->words.n)
		pd_result_arguments(r, o->words.n, o->words.v);
	r->strict |= o->strict;
	r->suppressions = s;
	files = write_files(r, o, d, &file_error);
	text = write_text(r, o, &text_error);
	if (s)
		name_unused(s, o->quiet);
	if (!files)
		return pd_error_print(&file_error);
	if (d && pd_audit_wanted() && !pd_audit(d->path, pd_result_status(r), &file_error))
		return pd_error_print(&file_error);
	return text ? (int)pd_result_status(r) : pd_error_print(&text_error);
}
