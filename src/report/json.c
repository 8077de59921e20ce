/*
 * json.c - a result as JSON; docs/report-format.md is the specification, json_read.c reads it back.
 *
 * A hundred places allocate memory for JSON; each builder passes NULL on, and json_object_set_new
 * with NULL fails, so one flag in the builder reports it at the end.
 */
#include "report/report.h"
#include "finding/witness.h"
#include "report/json_facts.h"
#include "report/json_result.h"
#include "report/json_story.h"
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

struct builder {
	const struct pd_result *r;
	bool whole;
	bool failed;
};

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

static void set_text(struct builder *b, json_t *o, const char *key, const char *s)
{
	if (s)
		set(b, o, key, pd_json_text(s));
}

static void set_text_or_null(struct builder *b, json_t *o, const char *key, const char *s)
{
	set(b, o, key, s ? pd_json_text(s) : json_null());
}

static json_t *number(uint64_t v)
{
	return v <= INT64_MAX ? json_integer((json_int_t)v) : json_real((double)v);
}

static json_t *texts(struct builder *b, const char *const *v, uint32_t n)
{
	json_t *a = json_array();

	for (uint32_t i = 0; i < n; i++)
		append(b, a, pd_json_text(v[i]));
	return a;
}

/* A text of several lines as a list. */
static json_t *lines(struct builder *b, const char *s)
{
	json_t *a = json_array();

	while (*s) {
		size_t n = strcspn(s, "\n");
		char *line = strndup(s, n);

		append(b, a, line ? pd_json_text(line) : NULL);
		free(line);
		s += n + (s[n] == '\n');
	}
	return a;
}

static void set_frame(struct builder *b, json_t *o, const struct pd_frame *f)
{
	set_text_or_null(b, o, "file", f->file);
	set(b, o, "line", f->line ? json_integer(f->line) : json_null());
	if (f->column)
		set(b, o, "column", json_integer(f->column));
	set_text_or_null(b, o, "function", f->function);
}

static json_t *site(struct builder *b, const struct pd_finding_site *s)
{
	json_t *o = json_object();
	json_t *stack = json_array();

	set(b, o, "role", pd_json_text(pd_role_info[s->role].name));
	set_frame(b, o, &s->at);
	if (s->function_line)
		set(b, o, "function_line", json_integer(s->function_line));
	if (s->inside) {
		set(b, o, "inside", pd_json_text(s->inside));
		set(b, o, "folded", json_integer(s->folded));
	}
	for (uint32_t i = 0; i < s->nstack; i++) {
		json_t *frame = json_object();

		set_frame(b, frame, &s->stack[i]);
		append(b, stack, frame);
	}
	set(b, o, "stack", stack);
	return o;
}

static void write_memory(void *ctx, const char *s, size_t n)
{
	fwrite(s, 1, n, ctx);
}

static json_t *schedule(struct builder *b, const struct pd_schedule *s)
{
	json_t *o = json_object();

	set(b, o, "policy", json_string(pd_policy_name[s->policy]));
	if (s->policy != PD_POLICY_DEFAULT)
		set(b, o, "seed", number(s->seed));
	if (s->policy == PD_POLICY_LATE)
		set(b, o, "nth", number(s->nth));
	if (s->policy == PD_POLICY_PCT) {
		set(b, o, "depth", number(s->depth));
		set(b, o, "steps", number(s->steps));
	}
	return o;
}

static json_t *choice_object(struct builder *b, const struct pd_witness *w, uint32_t i)
{
	const struct pd_chosen *c = w->chosen ? &w->chosen[i] : NULL;
	bool crash = w->choices[i].kind == PD_CHOICE_CRASH;
	json_t *o = json_object();

	set(b, o, crash ? "point" : "value", json_integer(w->choices[i].pick));
	if (!crash)
		set(b, o, "of", json_integer(w->choices[i].n));
	if (!c)
		return o;
	set_text(b, o, "before", c->next);
	if (!crash)
		set(b, o, "seen", json_sprintf("0x%" PRIx64, c->seen));
	set_frame(b, o, &c->at);
	return o;
}

/* The crashes, each with the reads of the recovery after it. */
static json_t *crashes(struct builder *b, const struct pd_witness *w)
{
	json_t *a = json_array(), *reads = NULL;

	for (uint32_t i = 0; i < w->n; i++)
		if (w->choices[i].kind == PD_CHOICE_CRASH) {
			json_t *o = choice_object(b, w, i);

			reads = json_array();
			set(b, o, "reads", reads);
			append(b, a, o);
		} else if (w->choices[i].kind == PD_CHOICE_VALUE && reads) {
			append(b, reads, choice_object(b, w, i));
		}
	return a;
}

static json_t *witness(struct builder *b, const struct pd_witness *w)
{
	char *s = NULL;
	size_t n;
	FILE *f = open_memstream(&s, &n);
	struct pd_out out = {write_memory, f};
	json_t *o = json_object();

	if (f) {
		pd_witness_print(&out, w);
		b->failed |= ferror(f) != 0;
		b->failed |= fclose(f) != 0;
	}
	set(b, o, "execution", number(pd_schedule_number(&w->schedule)));
	if (w->settings < b->r->settings.n)
		set(b, o, "settings", json_integer(w->settings));
	set(b, o, "schedule", schedule(b, &w->schedule));
	set(b, o, "choices", s ? json_string(s) : NULL);
	set(b, o, "crashes", crashes(b, w));
	free(s);
	return o;
}

static json_t *finding(struct builder *b, const struct pd_finding *f)
{
	json_t *o = json_object();
	json_t *sites = json_array();
	char *replay = pd_report_replay(b->r, f), *patch = pd_report_patch(b->r, f);

	set(b, o, "id", json_sprintf("%010llx", (unsigned long long)f->id));
	set(b, o, "kind", pd_json_text(pd_kind_info[f->kind].name));
	set(b, o, "severity", pd_json_text(pd_severity_name(pd_kind_info[f->kind].severity)));
	set(b, o, "message", pd_json_text(f->message ? f->message : pd_kind_info[f->kind].doc));
	if (f->facts.n)
		set(b, o, "facts", pd_json_facts(&f->facts));
	set(b, o, "confirmed", json_boolean(f->confirmed));
	if (f->known)
		set(b, o, "known", json_true());
	set(b, o, "count", number(f->count));
	if (f->cause != PD_CAUSE_UNKNOWN)
		set(b, o, "cause", pd_json_text(pd_cause_info[f->cause].name));
	set_text(b, o, "field", f->field);
	set_text(b, o, "library", f->library);
	for (uint32_t i = 0; i < f->nsites; i++)
		append(b, sites, site(b, &f->sites[i]));
	set(b, o, "sites", sites);
	set_text(b, o, "fix", f->fix);
	set_text(b, o, "patch", patch);
	set_text(b, o, "replay", replay);
	if (f->witness.given)
		set(b, o, "witness", witness(b, &f->witness));
	set_text(b, o, "output", f->output);
	if (f->explain)
		set(b, o, "explain", lines(b, f->explain));
	if (f->story.n)
		set(b, o, "story", pd_json_story(&f->story));
	free(replay);
	free(patch);
	return o;
}

static json_t *stats(struct builder *b)
{
	json_t *o = json_object();

	for (uint32_t i = 0; i < b->r->stats.n; i++) {
		const struct pd_stat *s = &b->r->stats.v[i];

		if (s->type == PD_STAT_INT)
			set(b, o, s->name, json_integer(s->i));
		else if (s->type == PD_STAT_REAL)
			set(b, o, s->name, json_real(s->real));
		else if (*s->text)
			set(b, o, s->name, pd_json_text(s->text));
	}
	return o;
}

static json_t *losses(struct builder *b)
{
	json_t *o = json_object();

	for (uint32_t i = 0; i < b->r->losses.n; i++) {
		const struct pd_loss_count *l = &b->r->losses.v[i];
		json_t *loss = json_object();

		set(b, loss, "count", number(l->count));
		set(b, loss, "examples", texts(b, l->examples, l->nexamples));
		set(b, o, l->name, loss);
	}
	return o;
}

static json_t *suppressions(struct builder *b)
{
	const struct pd_suppressions *list = b->r->suppressions;
	json_t *a = json_array();

	for (uint32_t i = 0; list && i < list->items.n; i++) {
		const struct pd_suppression *s = &list->items.v[i];
		json_t *o = json_object();

		set(b, o, "name", pd_json_text(s->name));
		set(b, o, "file", pd_json_text(s->source));
		set(b, o, "line", json_integer(s->line));
		set(b, o, "count", number(s->uses));
		append(b, a, o);
	}
	return a;
}

static void set_counts(struct builder *b, json_t *o, struct pd_coverage_count n)
{
	set(b, o, "stores", json_integer(n.stores));
	set(b, o, "at_stake", json_integer(n.at_stake));
	set(b, o, "read", json_integer(n.read));
	set(b, o, "read_at_stake", json_integer(n.read_at_stake));
}

static json_t *covered_object(struct builder *b, const struct pd_covered *c)
{
	json_t *o = json_object();

	set_frame(b, o, &c->at);
	set(b, o, "pm", pd_json_text(c->pm));
	set(b, o, "execution", pd_json_text(c->recovery ? "recovery" : "program"));
	set(b, o, "at_stake", json_boolean(c->at_stake));
	set(b, o, "read", json_boolean(c->read));
	set(b, o, "read_at_stake", json_boolean(c->read_at_stake));
	return o;
}

static json_t *coverage(struct builder *b)
{
	const struct pd_coverage *c = &b->r->coverage;
	json_t *o = json_object(), *files = json_array(), *sites = json_array();

	set_counts(b, o, pd_coverage_of(c, NULL));
	for (const char *pm = NULL; (pm = pd_coverage_next_file(c, pm));) {
		json_t *file = json_object();

		set(b, file, "pm", pd_json_text(pm));
		set_counts(b, file, pd_coverage_of(c, pm));
		append(b, files, file);
	}
	for (uint32_t i = 0; i < c->items.n; i++)
		append(b, sites, covered_object(b, &c->items.v[i]));
	set(b, o, "files", files);
	set(b, o, "sites", sites);
	return o;
}

static json_t *baseline(struct builder *b)
{
	json_t *o = json_object(), *gone = json_array();

	set(b, o, "name", pd_json_text(b->r->baseline));
	for (uint32_t i = 0; i < b->r->gone.n; i++) {
		const struct pd_gone *g = &b->r->gone.v[i];
		json_t *x = json_object();

		set(b, x, "id", json_sprintf("%010llx", (unsigned long long)g->id));
		set(b, x, "kind", pd_json_text(pd_kind_info[g->kind].name));
		set(b, x, "message", pd_json_text(g->message));
		append(b, gone, x);
	}
	set(b, o, "gone", gone);
	return o;
}

static json_t *settings(struct builder *b)
{
	json_t *a = json_array();

	for (uint32_t i = 0; i < b->r->settings.n; i++) {
		json_t *o = json_loads(b->r->settings.v[i], 0, NULL);

		if (!b->whole) {
			json_object_del(o, "environment");
			if (!json_is_null(json_object_get(o, "stdin")))
				set(b, o, "stdin", json_true());
		}
		append(b, a, o);
	}
	return a;
}

static json_t *result(struct builder *b)
{
	const struct pd_result *r = b->r;
	json_t *o = json_object();
	json_t *findings = json_array();

	set(b, o, "schema", json_integer(PD_SCHEMA));
	set(b, o, "tool", pd_json_text("perdure"));
	set(b, o, "version", pd_json_text(r->version));
	set(b, o, "verb", pd_json_text(r->verb));
	set(b, o, "command", texts(b, r->command.v, r->command.n));
	if (r->directory) {
		set(b, o, "arguments", texts(b, r->arguments.v, r->arguments.n));
		set_text(b, o, "directory", r->directory);
	}
	set(b, o, "complete", json_boolean(r->complete));
	if (r->strict)
		set(b, o, "strict", json_boolean(true));
	set_text(b, o, "scope", r->scope);
	set_text(b, o, "only", r->only);
	set_text(b, o, "not_judged", r->not_judged);
	set_text(b, o, "not_exercised", r->not_exercised);
	set(b, o, "limits", texts(b, r->limits.v, r->limits.n));
	set_text(b, o, "failure", r->failure);
	for (uint32_t i = 0; i < r->findings.items.n; i++)
		append(b, findings, finding(b, r->findings.items.v[i]));
	set(b, o, "findings", findings);
	if (r->baseline)
		set(b, o, "baseline", baseline(b));
	set(b, o, "suppressed", number(r->findings.suppressed));
	if (r->suppressions && r->suppressions->items.n)
		set(b, o, "suppressions", suppressions(b));
	set(b, o, "stats", stats(b));
	set(b, o, "losses", losses(b));
	if (r->coverage.known)
		set(b, o, "coverage", coverage(b));
	if (r->settings.n)
		set(b, o, "settings", settings(b));
	return o;
}

json_t *pd_json_result(const struct pd_result *r)
{
	struct builder b = {.r = r};
	json_t *j = result(&b);

	if (!b.failed)
		return j;
	json_decref(j);
	return NULL;
}

static bool write_json(const struct pd_result *r, bool whole, FILE *f)
{
	struct builder b = {.r = r, .whole = whole};
	json_t *j = result(&b);

	/* Writing needs memory, too; errors of the stream are the caller's. */
	if (!b.failed && json_dumpf(j, f, JSON_INDENT(2) | JSON_REAL_PRECISION(15)) != 0)
		b.failed = !ferror(f);
	fputc('\n', f);
	json_decref(j);
	return !b.failed;
}

bool pd_report_json(const struct pd_result *r, FILE *f)
{
	return write_json(r, false, f);
}

bool pd_report_json_whole(const struct pd_result *r, FILE *f)
{
	return write_json(r, true, f);
}

bool pd_report_file(const struct pd_result *r, pd_report_writer *write, const char *path,
		    struct pd_error *e)
{
	struct pd_filewriter w;

	if (!pd_file_begin(&w, path, e))
		return false;
	if (write(r, w.f))
		return pd_file_commit(&w, e);
	pd_file_abandon(&w);
	return pd_error_set(e, PD_EXIT_INTERNAL, "memory ran out while writing '%.300s'", path);
}
