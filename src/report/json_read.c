/*
 * json_read.c - a result from JSON, for report, merge and replay.
 *
 * The file may come from anywhere, so nothing is trusted: the type of every field in the schema is
 * checked, and an error names the file, the place in it and what was expected there. Unknown fields
 * are skipped: a later version may add some. Unknown kinds, roles and causes are errors, since they
 * could not be shown correctly.
 */
#include "report/report.h"
#include "finding/witness.h"
#include "report/json_facts.h"
#include "report/json_story.h"
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { RESULT_MAX = 1 << 30 };

struct reader {
	struct pd_result *r;
	const char *name;
	struct pd_error *e;
	char where[96]; /* "findings[3].sites[0]" */
};

static bool bad(struct reader *rd, const char *key, const char *expected)
{
	return pd_error_set(rd->e, PD_EXIT_USAGE,
			    "'%.200s' is not a result of perdure: %s%s%s: expected %s", rd->name,
			    rd->where, *rd->where && *key ? "." : "", key, expected);
}

static bool nomem(struct reader *rd)
{
	return pd_error_set(rd->e, PD_EXIT_INTERNAL, "memory ran out while reading '%.300s'",
			    rd->name);
}

static const char *keep(struct reader *rd, const char *s)
{
	return pd_arena_strndup(rd->r->arena, s, strlen(s));
}

/* ---- fields: absent or null leaves *v alone unless `must` --------------------------------------
 */

static bool get(struct reader *rd, json_t *o, const char *key, bool must, json_t **v)
{
	*v = json_object_get(o, key);
	if (json_is_null(*v))
		*v = NULL;
	return *v || !must || bad(rd, key, "a value");
}

static bool get_text(struct reader *rd, json_t *o, const char *key, bool must, const char **s)
{
	json_t *v;

	if (!get(rd, o, key, must, &v))
		return false;
	if (!v)
		return true;
	if (!json_is_string(v))
		return bad(rd, key, "a string");
	*s = keep(rd, json_string_value(v));
	return *s || nomem(rd);
}

static bool get_number(struct reader *rd, json_t *o, const char *key, uint64_t max, uint64_t *n)
{
	json_t *v;

	if (!get(rd, o, key, false, &v))
		return false;
	if (!v)
		return true;
	if (!json_is_integer(v) || json_integer_value(v) < 0 ||
	    (uint64_t)json_integer_value(v) > max)
		return bad(rd, key, "a whole number, not negative");
	*n = (uint64_t)json_integer_value(v);
	return true;
}

static bool get_u32(struct reader *rd, json_t *o, const char *key, uint32_t *n)
{
	uint64_t v = *n;

	if (!get_number(rd, o, key, UINT32_MAX, &v))
		return false;
	*n = (uint32_t)v;
	return true;
}

static bool get_bool(struct reader *rd, json_t *o, const char *key, bool must, bool *b)
{
	json_t *v;

	if (!get(rd, o, key, must, &v))
		return false;
	if (!v) {
		*b = false;
		return true;
	}
	if (!json_is_boolean(v))
		return bad(rd, key, "true or false");
	*b = json_is_true(v);
	return true;
}

static bool get_array(struct reader *rd, json_t *o, const char *key, bool must, json_t **a)
{
	if (!get(rd, o, key, must, a))
		return false;
	return !*a || json_is_array(*a) || bad(rd, key, "a list");
}

/* A list of strings as one text, one line each; NULL if it is missing. */
static bool get_lines(struct reader *rd, json_t *o, const char *key, const char **text)
{
	size_t n = 0, size = 1;
	json_t *a;
	char *to;

	if (!get_array(rd, o, key, false, &a) || !a)
		return !a;
	for (size_t i = 0; i < json_array_size(a); i++) {
		if (!json_is_string(json_array_get(a, i)))
			return bad(rd, key, "a list of strings");
		size += json_string_length(json_array_get(a, i)) + 1;
	}
	to = pd_arena_alloc(rd->r->arena, size);
	if (!to)
		return nomem(rd);
	for (size_t i = 0; i < json_array_size(a); i++)
		n += (size_t)snprintf(to + n, size - n, "%s\n",
				      json_string_value(json_array_get(a, i)));
	*text = to;
	return true;
}

/* ---- findings
 * ------------------------------------------------------------------------------------ */

static bool read_frame(struct reader *rd, json_t *o, struct pd_frame *f)
{
	if (!json_is_object(o))
		return bad(rd, "", "an object");
	return get_text(rd, o, "file", false, &f->file) &&
	       get_text(rd, o, "function", false, &f->function) &&
	       get_u32(rd, o, "line", &f->line) && get_u32(rd, o, "column", &f->column);
}

static bool read_site(struct reader *rd, json_t *o, struct pd_finding_site *s)
{
	const char *role = NULL;
	struct pd_frame *frames;
	json_t *stack;
	size_t n;

	if (!read_frame(rd, o, &s->at) || !get_text(rd, o, "role", true, &role) ||
	    !get_u32(rd, o, "function_line", &s->function_line) ||
	    !get_text(rd, o, "inside", false, &s->inside) ||
	    !get_u32(rd, o, "folded", &s->folded) || !get_array(rd, o, "stack", false, &stack))
		return false;
	s->role = pd_role_find(role);
	if (s->role == PD_ROLE_N)
		return bad(rd, "role", "a role that this version knows");
	n = json_array_size(stack);
	if (!n)
		return true;
	frames = pd_new_array(rd->r->arena, struct pd_frame, n);
	if (!frames)
		return nomem(rd);
	for (size_t i = 0; i < n; i++)
		if (!read_frame(rd, json_array_get(stack, i), &frames[i]))
			return false;
	s->stack = frames;
	s->nstack = (uint32_t)n;
	return true;
}

static bool read_sites(struct reader *rd, json_t *o, size_t at, struct pd_finding *f)
{
	struct pd_finding_site *sites;
	json_t *a;
	size_t n;

	if (!get_array(rd, o, "sites", true, &a))
		return false;
	n = json_array_size(a);
	if (!n)
		return true;
	sites = pd_new_array(rd->r->arena, struct pd_finding_site, n);
	if (!sites)
		return nomem(rd);
	for (size_t i = 0; i < n; i++) {
		snprintf(rd->where, sizeof(rd->where), "findings[%zu].sites[%zu]", at, i);
		if (!read_site(rd, json_array_get(a, i), &sites[i]))
			return false;
	}
	snprintf(rd->where, sizeof(rd->where), "findings[%zu]", at);
	f->sites = sites;
	f->nsites = (uint32_t)n;
	return true;
}

/* By its name; older results have its number, as `execution`. */
static bool read_schedule(struct reader *rd, json_t *w, struct pd_schedule *s)
{
	struct pd_schedule known;
	const char *policy = NULL;
	uint64_t number = 0;
	json_t *o;

	if (!get(rd, w, "schedule", false, &o) ||
	    !get_number(rd, w, "execution", INT64_MAX, &number))
		return false;
	*s = pd_schedule_of(number);
	if (!o)
		return true;
	*s = (struct pd_schedule){.policy = PD_POLICIES};
	if (!json_is_object(o))
		return bad(rd, "witness.schedule", "an object");
	if (!get_text(rd, o, "policy", true, &policy) ||
	    !get_number(rd, o, "seed", INT64_MAX, &s->seed) ||
	    !get_number(rd, o, "nth", INT64_MAX, &s->nth) ||
	    !get_number(rd, o, "depth", INT64_MAX, &s->depth) ||
	    !get_number(rd, o, "steps", INT64_MAX, &s->steps))
		return false;
	for (uint32_t i = 0; i < PD_POLICIES; i++)
		if (strcmp(policy, pd_policy_name[i]) == 0)
			s->policy = (enum pd_policy)i;
	known = pd_schedule_of(pd_schedule_number(s));
	return pd_schedule_same(s, &known) ||
	       bad(rd, "witness.schedule", "a schedule that this version knows");
}

/* What a choice was about; its number is the alternative that was picked. */
static bool read_chosen(struct reader *rd, json_t *o, const struct pd_choice *choice,
			struct pd_chosen *to)
{
	bool crash = choice->kind == PD_CHOICE_CRASH;
	const json_t *pick = json_object_get(o, crash ? "point" : "value");
	const char *seen = NULL;

	if (!json_is_integer(pick) || json_integer_value(pick) != choice->pick)
		return bad(rd, "witness.crashes", "what `choices` says");
	if (!read_frame(rd, o, &to->at) || !get_text(rd, o, "before", false, &to->next) ||
	    !get_text(rd, o, "seen", false, &seen))
		return false;
	to->seen = seen ? strtoull(seen, NULL, 16) : 0;
	return true;
}

/* `crashes`, for readers, beside `choices`; missing in older results. */
static bool read_crashes(struct reader *rd, json_t *o, struct pd_witness *w)
{
	size_t ncrash = 0, nread = 0;
	struct pd_chosen *to;
	json_t *crashes, *crash = NULL;

	if (!get_array(rd, o, "crashes", false, &crashes))
		return false;
	if (!json_object_get(json_array_get(crashes, 0), "before"))
		return true; /* only their numbers are known */
	to = pd_new_array(rd->r->arena, struct pd_chosen, w->n + 1);
	if (!to)
		return nomem(rd);
	for (uint32_t i = 0; i < w->n; i++) {
		json_t *at;

		if (w->choices[i].kind == PD_CHOICE_CRASH) {
			at = crash = json_array_get(crashes, ncrash++);
			nread = 0;
		} else {
			at = json_array_get(json_object_get(crash, "reads"), nread++);
		}
		if (!read_chosen(rd, at, &w->choices[i], &to[i]))
			return false;
	}
	w->chosen = to;
	return ncrash == json_array_size(crashes) ||
	       bad(rd, "witness.crashes", "what `choices` says");
}

static bool read_witness(struct reader *rd, json_t *o, struct pd_finding *f)
{
	const char *choices = NULL;
	struct pd_text_error err;
	json_t *w;

	f->witness.settings = PD_NO_SETTINGS;
	if (!get(rd, o, "witness", false, &w))
		return false;
	if (!w)
		return true;
	if (!json_is_object(w))
		return bad(rd, "witness", "an object");
	if (!read_schedule(rd, w, &f->witness.schedule) ||
	    !get_u32(rd, w, "settings", &f->witness.settings) ||
	    !get_text(rd, w, "choices", true, &choices))
		return false;
	if (json_object_get(w, "settings") && f->witness.settings >= rd->r->settings.n)
		return bad(rd, "witness.settings", "the number of settings that are there");
	if (pd_witness_parse(rd->r->arena, choices, strlen(choices), &f->witness, &err))
		return read_crashes(rd, w, &f->witness);
	return err.nomem ? nomem(rd) : bad(rd, "witness.choices", err.expected);
}

static bool read_names(struct reader *rd, json_t *o, struct pd_finding *f)
{
	const char *kind = NULL, *cause = NULL, *id = NULL;

	if (!get_text(rd, o, "kind", true, &kind) || !get_text(rd, o, "id", true, &id) ||
	    !get_text(rd, o, "cause", false, &cause))
		return false;
	f->kind = pd_kind_find(kind);
	if (f->kind == PD_KIND_N)
		return bad(rd, "kind", "a kind that this version knows");
	if (!pd_finding_id_parse(id, &f->id))
		return bad(rd, "id", "ten hex digits");
	f->cause = cause ? pd_cause_find(cause) : PD_CAUSE_UNKNOWN;
	return f->cause != PD_CAUSE_N || bad(rd, "cause", "a cause that this version knows");
}

static bool read_facts(struct reader *rd, json_t *o, struct pd_finding *f)
{
	const char *expected = NULL;
	json_t *facts;

	if (!get(rd, o, "facts", false, &facts))
		return false;
	if (!facts || pd_json_read_facts(facts, rd->r->arena, &f->facts, &expected))
		return true;
	return expected ? bad(rd, "facts", expected) : nomem(rd);
}

static bool read_story(struct reader *rd, json_t *o, struct pd_finding *f)
{
	const char *expected = NULL;
	json_t *story;

	if (!get(rd, o, "story", false, &story))
		return false;
	if (!story || pd_json_read_story(story, rd->r->arena, &f->story, &expected))
		return true;
	return expected ? bad(rd, "story", expected) : nomem(rd);
}

static bool read_finding(struct reader *rd, json_t *o, size_t at)
{
	struct pd_finding f = {.count = 1};

	snprintf(rd->where, sizeof(rd->where), "findings[%zu]", at);
	if (!json_is_object(o))
		return bad(rd, "", "an object");
	if (!read_names(rd, o, &f) || !get_text(rd, o, "message", true, &f.message) ||
	    !get_bool(rd, o, "confirmed", true, &f.confirmed) ||
	    !get_bool(rd, o, "known", false, &f.known) ||
	    !get_number(rd, o, "count", INT64_MAX, &f.count) ||
	    !get_text(rd, o, "field", false, &f.field) ||
	    !get_text(rd, o, "library", false, &f.library) ||
	    !get_text(rd, o, "fix", false, &f.fix) || !get_text(rd, o, "patch", false, &f.patch) ||
	    !get_text(rd, o, "replay", false, &f.replay) ||
	    !get_text(rd, o, "output", false, &f.output) ||
	    !get_lines(rd, o, "explain", &f.explain) || !read_sites(rd, o, at, &f) ||
	    !read_facts(rd, o, &f) || !read_witness(rd, o, &f) || !read_story(rd, o, &f))
		return false;
	return pd_findings_add(&rd->r->findings, &f) || nomem(rd);
}

/* ---- the rest
 * -------------------------------------------------------------------------------------- */

static bool read_command(struct reader *rd, json_t *o)
{
	struct pd_result *r = rd->r;
	json_t *a;

	for (int i = 0; i < 2; i++) {
		const char *field = i ? "arguments" : "command";

		if (!get_array(rd, o, field, !i, &a))
			return false;
		for (size_t k = 0; k < json_array_size(a); k++) {
			json_t *v = json_array_get(a, k);
			const char **p;

			if (!json_is_string(v))
				return bad(rd, field, "a list of strings");
			p = i ? pd_vec_push(&r->arguments, r->arena)
			      : pd_vec_push(&r->command, r->arena);
			if (!p || !(*p = keep(rd, json_string_value(v))))
				return nomem(rd);
		}
	}
	return get_text(rd, o, "directory", false, &r->directory);
}

static bool read_settings(struct reader *rd, json_t *o)
{
	json_t *a;

	if (!get_array(rd, o, "settings", false, &a))
		return false;
	for (size_t i = 0; i < json_array_size(a); i++) {
		json_t *v = json_array_get(a, i);
		const char **p = pd_vec_push(&rd->r->settings, rd->r->arena);
		char *text = json_dumps(v, JSON_COMPACT);

		if (p && text)
			*p = keep(rd, text);
		free(text);
		if (!json_is_object(v))
			return bad(rd, "settings", "a list of objects");
		if (!p || !*p)
			return nomem(rd);
	}
	return true;
}

static bool read_limits(struct reader *rd, json_t *o)
{
	json_t *a;

	if (!get_array(rd, o, "limits", false, &a))
		return false;
	for (size_t i = 0; i < json_array_size(a); i++) {
		json_t *v = json_array_get(a, i);

		if (!json_is_string(v))
			return bad(rd, "limits", "a list of strings");
		pd_result_limit(rd->r, "%s", json_string_value(v));
	}
	return true;
}

static bool read_stats(struct reader *rd, json_t *o)
{
	const char *name;
	json_t *stats, *v;

	if (!get(rd, o, "stats", true, &stats))
		return false;
	if (!json_is_object(stats))
		return bad(rd, "stats", "an object");
	json_object_foreach(stats, name, v)
	{
		if (json_is_integer(v))
			pd_result_stat_int(rd->r, name, json_integer_value(v));
		else if (json_is_real(v))
			pd_result_stat_real(rd->r, name, json_real_value(v));
		else if (json_is_string(v))
			pd_result_stat_text(rd->r, name, json_string_value(v));
		else
			return bad(rd, "stats", "numbers or strings");
	}
	return true;
}

static bool read_loss(struct reader *rd, const char *name, json_t *o)
{
	uint64_t count = 0;
	json_t *examples;

	if (!json_is_object(o))
		return bad(rd, "", "an object");
	if (!get_number(rd, o, "count", INT64_MAX, &count) ||
	    !get_array(rd, o, "examples", false, &examples))
		return false;
	pd_result_loss(rd->r, name, count, NULL);
	for (size_t i = 0; i < json_array_size(examples); i++) {
		json_t *v = json_array_get(examples, i);

		if (!json_is_string(v))
			return bad(rd, "examples", "a list of strings");
		pd_result_loss(rd->r, name, 0, json_string_value(v));
	}
	return true;
}

static bool read_losses(struct reader *rd, json_t *o)
{
	const char *name;
	json_t *losses, *v;

	if (!get(rd, o, "losses", true, &losses))
		return false;
	if (!json_is_object(losses))
		return bad(rd, "losses", "an object");
	json_object_foreach(losses, name, v)
	{
		snprintf(rd->where, sizeof(rd->where), "losses.%s", name);
		if (!read_loss(rd, name, v))
			return false;
	}
	rd->where[0] = '\0';
	return true;
}

static bool read_covered(struct reader *rd, json_t *o)
{
	const char *execution = NULL;
	struct pd_covered c = {0};

	if (!read_frame(rd, o, &c.at) || !get_text(rd, o, "pm", true, &c.pm) ||
	    !get_text(rd, o, "execution", true, &execution) ||
	    !get_bool(rd, o, "at_stake", true, &c.at_stake) ||
	    !get_bool(rd, o, "read", true, &c.read) ||
	    !get_bool(rd, o, "read_at_stake", true, &c.read_at_stake))
		return false;
	c.recovery = strcmp(execution, "recovery") == 0;
	if (!c.recovery && strcmp(execution, "program") != 0)
		return bad(rd, "execution", "\"program\" or \"recovery\"");
	pd_result_covered(rd->r, &c);
	return true;
}

/* The sites; all figures follow from them. */
static bool read_coverage(struct reader *rd, json_t *o)
{
	json_t *coverage, *sites;

	if (!get(rd, o, "coverage", false, &coverage) || !coverage)
		return !coverage;
	if (!json_is_object(coverage))
		return bad(rd, "coverage", "an object");
	rd->r->coverage.known = true;
	snprintf(rd->where, sizeof(rd->where), "coverage");
	if (!get_array(rd, coverage, "sites", true, &sites))
		return false;
	for (size_t i = 0; i < json_array_size(sites); i++) {
		snprintf(rd->where, sizeof(rd->where), "coverage.sites[%zu]", i);
		if (!read_covered(rd, json_array_get(sites, i)))
			return false;
	}
	rd->where[0] = '\0';
	return true;
}

static bool read_gone(struct reader *rd, json_t *o)
{
	struct pd_gone *g = pd_vec_push(&rd->r->gone, rd->r->arena);
	const char *id = NULL, *kind = NULL;

	if (!g)
		return nomem(rd);
	if (!get_text(rd, o, "id", true, &id) || !get_text(rd, o, "kind", true, &kind) ||
	    !get_text(rd, o, "message", true, &g->message))
		return false;
	g->kind = pd_kind_find(kind);
	if (g->kind == PD_KIND_N)
		return bad(rd, "kind", "a kind of finding");
	return pd_finding_id_parse(id, &g->id) || bad(rd, "id", "ten hex digits");
}

static bool read_baseline(struct reader *rd, json_t *o)
{
	json_t *baseline, *gone;

	if (!get(rd, o, "baseline", false, &baseline) || !baseline)
		return !baseline;
	if (!json_is_object(baseline))
		return bad(rd, "baseline", "an object");
	snprintf(rd->where, sizeof(rd->where), "baseline");
	if (!get_text(rd, baseline, "name", true, &rd->r->baseline) ||
	    !get_array(rd, baseline, "gone", true, &gone))
		return false;
	for (size_t i = 0; i < json_array_size(gone); i++) {
		snprintf(rd->where, sizeof(rd->where), "baseline.gone[%zu]", i);
		if (!read_gone(rd, json_array_get(gone, i)))
			return false;
	}
	rd->where[0] = '\0';
	return true;
}

static bool check_schema(struct reader *rd, json_t *o)
{
	const char *tool = NULL;
	uint64_t schema = 0;

	if (!json_is_object(o))
		return bad(rd, "the file", "an object");
	if (!get_text(rd, o, "tool", true, &tool) || !get_number(rd, o, "schema", 1 << 30, &schema))
		return false;
	if (strcmp(tool, "perdure") != 0)
		return bad(rd, "tool", "\"perdure\"");
	if (schema != PD_SCHEMA)
		return bad(rd, "schema", "1; it was made by another version, use that one");
	return true;
}

static bool read_result(struct reader *rd, json_t *o)
{
	struct pd_result *r = rd->r;
	json_t *findings;
	bool complete;

	if (!check_schema(rd, o) || !get_text(rd, o, "version", true, &r->version) ||
	    !get_text(rd, o, "verb", true, &r->verb) ||
	    !get_bool(rd, o, "complete", true, &complete) ||
	    !get_bool(rd, o, "strict", false, &r->strict) ||
	    !get_text(rd, o, "scope", false, &r->scope) ||
	    !get_text(rd, o, "only", false, &r->only) ||
	    !get_text(rd, o, "not_judged", false, &r->not_judged) ||
	    !get_text(rd, o, "not_exercised", false, &r->not_exercised) ||
	    !get_text(rd, o, "failure", false, &r->failure) || !read_command(rd, o) ||
	    !read_settings(rd, o) || !read_limits(rd, o) || !read_stats(rd, o) ||
	    !read_losses(rd, o) || !read_coverage(rd, o) || !read_baseline(rd, o) ||
	    !get_number(rd, o, "suppressed", INT64_MAX, &r->findings.suppressed) ||
	    !get_array(rd, o, "findings", true, &findings))
		return false;
	if (complete && (r->limits.n || r->failure))
		return bad(rd, "complete", "false where a limit or a failure is named");
	r->complete = complete;
	for (size_t i = 0; i < json_array_size(findings); i++)
		if (!read_finding(rd, json_array_get(findings, i), i))
			return false;
	return !r->nomem || nomem(rd);
}

bool pd_result_parse(struct pd_result *r, struct pd_arena *a, const char *text, size_t n,
		     const char *name, struct pd_error *e)
{
	struct reader rd = {.r = r, .name = name, .e = e};
	json_error_t err;
	json_t *j = json_loadb(text, n, JSON_REJECT_DUPLICATES, &err);
	bool ok;

	pd_result_init(r, a, "");
	/* jansson sets no message if some of its allocations fail. */
	if (!j && (!err.text[0] || json_error_code(&err) == json_error_out_of_memory))
		return nomem(&rd);
	if (!j)
		return pd_error_set(e, PD_EXIT_USAGE, "'%.200s' is not JSON: line %d: %s", name,
				    err.line, err.text);
	ok = read_result(&rd, j);
	json_decref(j);
	return ok;
}

/* A directory that is none of a run; with several runs in it, one has to be named. */
static bool no_result_in(const char *path, struct pd_error *e)
{
	char last[PATH_MAX];
	size_t n = strlen(path);

	while (n > 1 && path[n - 1] == '/')
		n--;
	snprintf(last, sizeof(last), "%.*s/last/" PD_OUT_RESULT, (int)n, path);
	if (access(last, F_OK) == 0)
		return pd_error_set(
			e, PD_EXIT_USAGE,
			"'%.300s' holds the results of several runs; name one of them, as in "
			"'%.*s/last'",
			path, (int)PD_MIN(n, 300u), path);
	return pd_error_set(e, PD_EXIT_USAGE,
			    "'%.300s' holds no result (" PD_OUT_RESULT "); the run did not end, or "
			    "this is not its directory",
			    path);
}

bool pd_result_load(struct pd_result *r, struct pd_arena *a, const char *path, struct pd_error *e)
{
	char inside[PATH_MAX];
	const char *file = path;
	struct stat st;
	size_t n;
	char *text;
	bool ok;

	if (stat(path, &st) == 0 && S_ISDIR(st.st_mode)) {
		if (snprintf(inside, sizeof(inside), "%s/" PD_OUT_RESULT, path) >= PATH_MAX)
			return pd_error_set(e, PD_EXIT_USAGE, "the name '%.300s' is too long",
					    path);
		file = inside;
		if (stat(file, &st) != 0)
			return no_result_in(path, e);
	}
	text = pd_file_read(file, RESULT_MAX, &n, e);
	if (!text)
		return false;
	ok = pd_result_parse(r, a, text, n, file, e);
	free(text);
	return ok;
}
