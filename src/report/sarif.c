/*
 * sarif.c - a result as SARIF 2.1.0, for code-review tools.
 *
 * One run. A kind is a rule (only those that occur) with its explanation as help. A finding is a
 * result: its first site is the location, the others are related locations with their role as
 * message, the path from the store over the crash to the read is a code flow, the id is a
 * fingerprint, the severity is the level. Files below the current directory are relative to it
 * (SRCROOT). Compared with a baseline, each result says whether it is new, and those that are gone
 * are absent. Limits and losses are notifications of the invocation, so a viewer shows that the run
 * was not complete. Fixes are texts and not edits, so they end the message. Stacks of all sites are
 * in `stacks`.
 */
#include "report/flow.h"
#include "report/report.h"
#include "report/words/words.h"
#include <ctype.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct builder {
	const struct pd_result *r;
	bool failed;
	const char *here;	/* the current directory; NULL: unknown */
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

		if (isalnum(c) ||
		    strchr("/-_.~", c)) /* in the C locale: setlocale is never called */
			*to++ = (char)c;
		else
			to += sprintf(to, "%%%02X", c);
	}
	*to = '\0';
	j = json_string(s);
	free(s);
	return j;
}

/* The part below the current directory; NULL: the path is not in it. */
static const char *below(const struct builder *b, const char *path)
{
	size_t n = b->here ? strlen(b->here) : 0;

	return n > 1 && strncmp(path, b->here, n) == 0 && path[n] == '/' ? path + n + 1 : NULL;
}

static json_t *physical(struct builder *b, const struct pd_frame *at)
{
	json_t *o = json_object();
	json_t *artifact = json_object();
	const char *relative = below(b, at->file);

	set(b, artifact, "uri", uri(relative ? relative : at->file));
	if (relative)
		set(b, artifact, "uriBaseId", text("SRCROOT"));
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

/* Unless the list contains an equal one. */
static void append_new(struct builder *b, json_t *list, json_t *value)
{
	for (size_t i = 0; i < json_array_size(list); i++)
		if (json_equal(json_array_get(list, i), value)) {
			json_decref(value);
			return;
		}
	append(b, list, value);
}

static json_t *flow_step(struct builder *b, const struct pd_finding *f,
			 const struct pd_flow_step *s, uint32_t order)
{
	json_t *o = json_object(), *kinds = json_array();
	char *say = NULL;
	size_t n;
	FILE *m = open_memstream(&say, &n);

	if (m)
		pd_words_flow(m, f, s);
	b->failed |= !m || fclose(m) != 0;
	set(b, o, "location", location(b, s->at, say ? say : ""));
	append(b, kinds, text(pd_role_info[s->role].name));
	set(b, o, "kinds", kinds);
	set(b, o, "executionOrder", json_integer(order));
	set(b, o, "importance", text("essential"));
	free(say);
	return o;
}

static void set_flow(struct builder *b, json_t *o, const struct pd_finding *f)
{
	json_t *flow = json_object(), *threads = json_array(), *flows = json_array();
	json_t *thread = json_object(), *steps = json_array();
	struct pd_flow way;

	pd_flow_make(&way, f);
	for (uint32_t i = 0; i < way.n; i++)
		append(b, steps, flow_step(b, f, &way.steps[i], i + 1));
	set(b, thread, "locations", steps);
	append(b, threads, thread);
	set(b, flow, "threadFlows", threads);
	append(b, flows, flow);
	if (way.n > 1)
		set(b, o, "codeFlows", flows);
	else
		json_decref(flows);
}

static void set_sites(struct builder *b, json_t *o, const struct pd_finding *f)
{
	json_t *here = json_array();
	json_t *related = json_array();
	json_t *stacks = json_array();

	for (uint32_t i = 0; i < f->nsites; i++) {
		const struct pd_finding_site *s = &f->sites[i];
		json_t *l = location(b, &s->at, pd_role_info[s->role].name);

		if (i) /* makes it unique, as the schema demands */
			set(b, l, "id", json_integer(i));
		append(b, i ? related : here, l);
		if (s->nstack)
			append_new(b, stacks, stack(b, s));
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
	set_flow(b, o, f);
	if (b->r->baseline)
		set(b, o, "baselineState", text(f->known ? "unchanged" : "new"));
	set(b, prints, "perdure/v1", json_sprintf("%010llx", (unsigned long long)f->id));
	set(b, o, "partialFingerprints", prints);
	/* SARIF's occurrenceCount starts at 1, as ours does. */
	set(b, o, "occurrenceCount", json_integer((json_int_t)PD_MIN(f->count, INT64_MAX)));
	set_properties(b, o, f);
	return o;
}

static json_t *gone(struct builder *b, const struct pd_gone *g)
{
	json_t *o = json_object(), *prints = json_object();

	set(b, o, "ruleId", text(pd_kind_info[g->kind].name));
	set(b, o, "ruleIndex", json_integer(b->rule_of[g->kind]));
	set(b, o, "level", text("none"));
	set(b, o, "message", message(b, g->message));
	set(b, prints, "perdure/v1", json_sprintf("%010llx", (unsigned long long)g->id));
	set(b, o, "partialFingerprints", prints);
	set(b, o, "baselineState", text("absent"));
	return o;
}

/* ---- the tool and its invocation ----------------------------------------------------------------
 */

/* The explanation, as text and as Markdown. */
static json_t *rule_help(struct builder *b, const struct pd_explanation *x)
{
	json_t *o = json_object();

	set(b, o, "text",
	    json_sprintf("%s\n\nExample:\n%s\nWhy it matters: %s\n\nFix: %s", x->means, x->example,
			 x->matters, x->fix));
	set(b, o, "markdown",
	    json_sprintf("%s\n\n```c\n%s```\n\n**Why it matters:** %s\n\n**Fix:** %s", x->means,
			 x->example, x->matters, x->fix));
	return o;
}

static json_t *rule(struct builder *b, unsigned kind)
{
	const struct pd_kind_info *k = &pd_kind_info[kind];
	json_t *o = json_object();
	json_t *config = json_object();

	set(b, o, "id", text(k->name));
	set(b, o, "shortDescription", message(b, k->doc));
	set(b, o, "fullDescription", message(b, pd_explanations[kind].means));
	set(b, o, "help", rule_help(b, &pd_explanations[kind]));
	set(b, config, "level", text(level(k->severity)));
	set(b, o, "defaultConfiguration", config);
	return o;
}

static void add_rule(struct builder *b, json_t *rules, enum pd_kind kind)
{
	if (b->rule_of[kind] >= 0)
		return;
	b->rule_of[kind] = (int)json_array_size(rules);
	append(b, rules, rule(b, kind));
}

static json_t *tool(struct builder *b)
{
	const struct pd_findings *fs = &b->r->findings;
	json_t *o = json_object();
	json_t *driver = json_object();
	json_t *rules = json_array();

	memset(b->rule_of, -1, sizeof(b->rule_of));
	for (uint32_t i = 0; i < fs->items.n; i++)
		add_rule(b, rules, fs->items.v[i]->kind);
	for (uint32_t i = 0; i < b->r->gone.n; i++)
		add_rule(b, rules, b->r->gone.v[i].kind);
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
	if (!r->complete && !r->limits.n && !pd_result_losses(r))
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

/* With the slash at the end that a base needs. */
static json_t *bases(struct builder *b)
{
	json_t *o = json_object(), *root = json_object();
	char *path = NULL;

	if (asprintf(&path, "%s/", b->here) < 0)
		path = NULL;
	set(b, root, "uri", path ? uri(path) : NULL);
	set(b, o, "SRCROOT", root);
	free(path);
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
	for (uint32_t i = 0; i < b->r->gone.n; i++)
		append(b, results, gone(b, &b->r->gone.v[i]));
	if (b->here)
		set(b, o, "originalUriBaseIds", bases(b));
	set(b, o, "results", results);
	return o;
}

bool pd_report_sarif(const struct pd_result *r, FILE *f)
{
	char *here = getcwd(NULL, 0);
	struct builder b = {.r = r, .here = here};
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
	free(here);
	return !b.failed;
}
