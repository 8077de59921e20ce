/*
 * sarif.c - a result as SARIF 2.1.0, for code-review tools.
 *
 * One run. A kind is a rule (only those that occur), a finding a result: its first site is the
 * location, the others are related locations with their role as message, the id is a fingerprint,
 * the severity the level. Limits and losses are notifications of the invocation, so a viewer shows
 * that the run was not complete. Fixes are texts and not edits, so they end the message. Stacks of
 * all sites are in `stacks`.
 */
#include "report/report.h"
#include <ctype.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

struct builder {
	const struct pd_result *r;
	bool failed;
	int rule_of[PD_KIND_N]; /* -1: does not occur */
};

static json_t *text(const char *s)
{
	char *clean = pd_utf8_clean(s);
	json_t *j = clean ? json_string(clean) : NULL;

	free(clean);
	return j;
}

static void set(struct builder *b, json_t *o, const char *key, json_t *value)
{
	if (json_object_set_new(o, key, value) != 0)
		b->failed = true;
}

static void append(struct builder *b, json_t *a, json_t *value)
{
	if (json_array_append_new(a, value) != 0)
		b->failed = true;
}

static json_t *message(struct builder *b, const char *s)
{
	json_t *o = json_object();

	set(b, o, "text", text(s));
	return o;
}

static const char *level(enum pd_severity s)
{
	static const char *const levels[PD_SEVERITY_N] = {
		[PD_SEVERITY_CORRECTNESS] = "error",
		[PD_SEVERITY_PERFORMANCE] = "warning",
		[PD_SEVERITY_PORTABILITY] = "note",
		[PD_SEVERITY_NOTE] = "note",
	};

	return levels[s];
}

/* ---- places ------------------------------------------------------------------------------------
 */

/* A path as a URI: absolute ones get a scheme, relative ones stay relative. */
static json_t *uri(const char *path)
{
	char *s = malloc(strlen(path) * 3 + 8);
	char *to = s;
	json_t *j;

	if (!s)
		return NULL;
	if (*path == '/')
		to = stpcpy(to, "file://");
	for (; *path; path++) {
		unsigned char c = (unsigned char)*path;

		if (isalnum(c) || strchr("/-_.~", c)) /* in the C locale: nobody calls setlocale */
			*to++ = (char)c;
		else
			to += sprintf(to, "%%%02X", c);
	}
	*to = '\0';
	j = json_string(s);
	free(s);
	return j;
}

static json_t *physical(struct builder *b, const struct pd_frame *at)
{
	json_t *o = json_object();
	json_t *artifact = json_object();

	set(b, artifact, "uri", uri(at->file));
	set(b, o, "artifactLocation", artifact);
	if (at->line) {
		json_t *region = json_object();

		set(b, region, "startLine", json_integer(at->line));
		if (at->column)
			set(b, region, "startColumn", json_integer(at->column));
		set(b, o, "region", region);
	}
	return o;
}

static json_t *location(struct builder *b, const struct pd_frame *at, const char *say)
{
	json_t *o = json_object();

	if (at->file)
		set(b, o, "physicalLocation", physical(b, at));
	if (at->function) {
		json_t *logical = json_array();
		json_t *l = json_object();

		set(b, l, "fullyQualifiedName", text(at->function));
		set(b, l, "kind", text("function"));
		append(b, logical, l);
		set(b, o, "logicalLocations", logical);
	}
	if (say)
		set(b, o, "message", message(b, say));
	return o;
}

static json_t *stack(struct builder *b, const struct pd_finding_site *s)
{
	json_t *o = json_object();
	json_t *frames = json_array();

	set(b, o, "message", message(b, pd_role_info[s->role].name));
	for (uint32_t i = 0; i <= s->nstack; i++) {
		json_t *frame = json_object();

		set(b, frame, "location", location(b, i ? &s->stack[i - 1] : &s->at, NULL));
		append(b, frames, frame);
	}
	set(b, o, "frames", frames);
	return o;
}

/* ---- results -----------------------------------------------------------------------------------
 */

static json_t *full_message(struct builder *b, const struct pd_finding *f)
{
	const char *say = f->message ? f->message : pd_kind_info[f->kind].doc;
	size_t n = strlen(say) + (f->fix ? strlen(f->fix) : 0) + 16;
	char *s = malloc(n);
	json_t *j;

	if (!s) {
		b->failed = true;
		return NULL;
	}
	snprintf(s, n, "%s%s%s", say, f->fix ? ". Fix: " : "", f->fix ? f->fix : "");
	j = message(b, s);
	free(s);
	return j;
}

static void set_sites(struct builder *b, json_t *o, const struct pd_finding *f)
{
	json_t *here = json_array();
	json_t *related = json_array();
	json_t *stacks = json_array();

	for (uint32_t i = 0; i < f->nsites; i++) {
		const struct pd_finding_site *s = &f->sites[i];

		append(b, i ? related : here, location(b, &s->at, pd_role_info[s->role].name));
		if (s->nstack)
			append(b, stacks, stack(b, s));
	}
	set(b, o, "locations", here);
	set(b, o, "relatedLocations", related);
	set(b, o, "stacks", stacks);
}

static void set_properties(struct builder *b, json_t *o, const struct pd_finding *f)
{
	json_t *p = json_object();
	char *replay = pd_report_replay(b->r, f);

	set(b, p, "confirmed", json_boolean(f->confirmed));
	if (f->cause != PD_CAUSE_UNKNOWN)
		set(b, p, "cause", text(pd_cause_info[f->cause].name));
	if (f->library)
		set(b, p, "library", text(f->library));
	if (replay)
		set(b, p, "replay", text(replay));
	set(b, o, "properties", p);
	free(replay);
}

static json_t *finding(struct builder *b, const struct pd_finding *f)
{
	enum pd_severity severity = f->library ? PD_SEVERITY_NOTE : pd_kind_info[f->kind].severity;
	json_t *o = json_object();
	json_t *prints = json_object();

	set(b, o, "ruleId", text(pd_kind_info[f->kind].name));
	set(b, o, "ruleIndex", json_integer(b->rule_of[f->kind]));
	set(b, o, "level", text(level(severity)));
	set(b, o, "message", full_message(b, f));
	set_sites(b, o, f);
	set(b, prints, "perdure/v1", json_sprintf("%010llx", (unsigned long long)f->id));
	set(b, o, "partialFingerprints", prints);
	/* SARIF's occurrenceCount starts at 1, as ours does. */
	set(b, o, "occurrenceCount", json_integer((json_int_t)PD_MIN(f->count, INT64_MAX)));
	set_properties(b, o, f);
	return o;
}

/* ---- the tool and its invocation ----------------------------------------------------------------
 */

static json_t *rule(struct builder *b, unsigned kind)
{
	const struct pd_kind_info *k = &pd_kind_info[kind];
	json_t *o = json_object();
	json_t *config = json_object();

	set(b, o, "id", text(k->name));
	set(b, o, "shortDescription", message(b, k->doc));
	set(b, config, "level", text(level(k->severity)));
	set(b, o, "defaultConfiguration", config);
	return o;
}

static json_t *tool(struct builder *b)
{
	const struct pd_findings *fs = &b->r->findings;
	json_t *o = json_object();
	json_t *driver = json_object();
	json_t *rules = json_array();
	int n = 0;

	memset(b->rule_of, -1, sizeof(b->rule_of));
	for (uint32_t i = 0; i < fs->items.n; i++) {
		int *index = &b->rule_of[fs->items.v[i]->kind];

		if (*index >= 0)
			continue;
		*index = n++;
		append(b, rules, rule(b, fs->items.v[i]->kind));
	}
	set(b, driver, "name", text("perdure"));
	set(b, driver, "version", text(b->r->version));
	set(b, driver, "rules", rules);
	set(b, o, "driver", driver);
	return o;
}

static void notify(struct builder *b, json_t *list, const char *lev, const char *what,
		   const char *detail)
{
	json_t *o = json_object();
	size_t n = strlen(what) + strlen(detail) + 8;
	char *s = malloc(n);

	set(b, o, "level", text(lev));
	if (s) {
		snprintf(s, n, "%s: %s", what, detail);
		set(b, o, "message", message(b, s));
	}
	b->failed |= !s;
	free(s);
	append(b, list, o);
}

static json_t *invocation(struct builder *b)
{
	const struct pd_result *r = b->r;
	json_t *o = json_object();
	json_t *notes = json_array();
	json_t *arguments = json_array();

	for (uint32_t i = 0; i < r->command.n; i++)
		append(b, arguments, text(r->command.v[i]));
	if (r->failure)
		notify(b, notes, "error", "failed", r->failure);
	for (uint32_t i = 0; i < r->limits.n; i++)
		notify(b, notes, "warning", "incomplete", r->limits.v[i]);
	if (!r->complete && !r->limits.n)
		notify(b, notes, "warning", "incomplete", "stopped before the end");
	for (uint32_t i = 0; i < r->losses.n; i++)
		if (r->losses.v[i].count)
			notify(b, notes, "warning", "not everything was seen", r->losses.v[i].name);
	set(b, o, "executionSuccessful", json_boolean(!r->failure));
	set(b, o, "exitCode", json_integer(pd_result_status(r)));
	set(b, o, "arguments", arguments);
	set(b, o, "toolExecutionNotifications", notes);
	return o;
}

static json_t *run(struct builder *b)
{
	const struct pd_findings *fs = &b->r->findings;
	json_t *o = json_object();
	json_t *invocations = json_array();
	json_t *results = json_array();

	set(b, o, "tool", tool(b));
	append(b, invocations, invocation(b));
	set(b, o, "invocations", invocations);
	for (uint32_t i = 0; i < fs->items.n; i++)
		append(b, results, finding(b, fs->items.v[i]));
	set(b, o, "results", results);
	return o;
}

bool pd_report_sarif(const struct pd_result *r, FILE *f)
{
	struct builder b = {.r = r};
	json_t *o = json_object();
	json_t *runs = json_array();

	set(&b, o, "$schema", text("https://json.schemastore.org/sarif-2.1.0.json"));
	set(&b, o, "version", text("2.1.0"));
	append(&b, runs, run(&b));
	set(&b, o, "runs", runs);
	if (!b.failed && json_dumpf(o, f, JSON_INDENT(2)) != 0)
		b.failed = !ferror(f);
	fputc('\n', f);
	json_decref(o);
	return !b.failed;
}
