/* result.c - see result.h. */
#include "report/result.h"
#include "base/names.h"
#include "report/words/words.h"
#include "finding/text.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void pd_result_init(struct pd_result *r, struct pd_arena *a, const char *verb)
{
	memset(r, 0, sizeof(*r));
	r->arena = a;
	r->version = PD_VERSION;
	r->verb = verb;
	pd_findings_init(&r->findings, a);
}

static const char *keep(struct pd_result *r, const char *s)
{
	const char *copy = pd_arena_strndup(r->arena, s, strlen(s));

	if (!copy)
		r->nomem = true;
	return copy;
}

void pd_result_command(struct pd_result *r, int argc, char *const *argv)
{
	r->command.n = 0;
	for (int i = 0; i < argc; i++) {
		const char *copy = keep(r, argv[i]);
		const char **p = copy ? pd_vec_push(&r->command, r->arena) : NULL;

		if (p)
			*p = copy;
		else
			r->nomem = true;
	}
}

void pd_result_arguments(struct pd_result *r, uint32_t n, const char *const *words)
{
	char directory[PATH_MAX];

	r->directory = getcwd(directory, sizeof(directory)) ? keep(r, directory) : NULL;
	r->arguments.n = 0;
	for (uint32_t i = 0; i < n; i++) {
		const char **p = pd_vec_push(&r->arguments, r->arena);

		r->nomem |= !p;
		if (p)
			*p = keep(r, words[i]);
	}
}

static const char *vformat(struct pd_result *r, const char *fmt, va_list ap)
{
	char text[600];

	vsnprintf(text, sizeof(text), fmt, ap);
	pd_line_clean(text);
	return keep(r, text);
}

static void add_limit(struct pd_result *r, const char *text)
{
	const char **p;

	r->complete = false;
	for (uint32_t i = 0; text && i < r->limits.n; i++)
		if (strcmp(r->limits.v[i], text) == 0)
			return;
	p = text ? pd_vec_push(&r->limits, r->arena) : NULL;
	if (p)
		*p = text;
	else
		r->nomem = true;
}

void pd_result_limit(struct pd_result *r, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add_limit(r, vformat(r, fmt, ap));
	va_end(ap);
}

void pd_result_fail(struct pd_result *r, const char *fmt, ...)
{
	const char *text;
	va_list ap;

	va_start(ap, fmt);
	text = vformat(r, fmt, ap);
	va_end(ap);
	r->complete = false;
	if (!r->failure)
		r->failure = text;
}

/* ---- stats ------------------------------------------------------------------------------------
 */

const struct pd_stat *pd_result_stat(const struct pd_result *r, const char *name)
{
	for (uint32_t i = 0; i < r->stats.n; i++)
		if (strcmp(r->stats.v[i].name, name) == 0)
			return &r->stats.v[i];
	return NULL;
}

static struct pd_stat *stat_place(struct pd_result *r, const char *name)
{
	struct pd_stat *s = (struct pd_stat *)pd_result_stat(r, name);
	const char *copy;

	if (s)
		return s;
	copy = keep(r, name);
	s = copy ? pd_vec_push(&r->stats, r->arena) : NULL;
	if (!s) {
		r->nomem = true;
		return NULL;
	}
	*s = (struct pd_stat){.name = copy};
	return s;
}

void pd_result_stat_int(struct pd_result *r, const char *name, int64_t v)
{
	struct pd_stat *s = stat_place(r, name);

	if (s)
		*s = (struct pd_stat){.name = s->name, .type = PD_STAT_INT, .i = v};
}

void pd_result_stat_text(struct pd_result *r, const char *name, const char *v)
{
	struct pd_stat *s = stat_place(r, name);
	const char *copy = keep(r, v);

	if (s && copy)
		*s = (struct pd_stat){.name = s->name, .type = PD_STAT_TEXT, .text = copy};
}

void pd_result_stat_real(struct pd_result *r, const char *name, double v)
{
	struct pd_stat *s;

	/* JSON cannot represent these. */
	if (!isfinite(v)) {
		pd_result_stat_text(r, name, isnan(v) ? "nan" : v > 0 ? "inf" : "-inf");
		return;
	}
	s = stat_place(r, name);
	if (s)
		*s = (struct pd_stat){.name = s->name, .type = PD_STAT_REAL, .real = v};
}

/* ---- losses -----------------------------------------------------------------------------------
 */

static struct pd_loss_count *loss_place(struct pd_result *r, const char *name)
{
	struct pd_loss_count *l;
	const char *copy;

	for (uint32_t i = 0; i < r->losses.n; i++)
		if (strcmp(r->losses.v[i].name, name) == 0)
			return &r->losses.v[i];
	copy = keep(r, name);
	l = copy ? pd_vec_push(&r->losses, r->arena) : NULL;
	if (!l) {
		r->nomem = true;
		return NULL;
	}
	*l = (struct pd_loss_count){.name = copy};
	return l;
}

void pd_result_loss(struct pd_result *r, const char *name, uint64_t count, const char *example)
{
	struct pd_loss_count *l = loss_place(r, name);

	if (!l)
		return;
	l->count += count;
	if (!example || l->nexamples == PD_LOSS_EXAMPLES)
		return;
	for (uint32_t i = 0; i < l->nexamples; i++)
		if (strcmp(l->examples[i], example) == 0)
			return;
	example = keep(r, example);
	if (example)
		l->examples[l->nexamples++] = example;
}

uint64_t pd_result_losses(const struct pd_result *r)
{
	uint64_t n = r->findings.dropped;

	for (uint32_t i = 0; i < r->losses.n; i++)
		n += r->losses.v[i].count;
	return n;
}

void pd_result_covered(struct pd_result *r, const struct pd_covered *c)
{
	struct pd_covered *to = pd_vec_push(&r->coverage.items, r->arena);

	r->coverage.known = true;
	if (!to) {
		r->nomem = true;
		return;
	}
	*to = *c;
	to->pm = keep(r, c->pm);
	to->at.file = c->at.file ? keep(r, c->at.file) : NULL;
	to->at.function = c->at.function ? keep(r, c->at.function) : NULL;
	if (!to->pm)
		r->coverage.items.n--;
}

void pd_result_finish(struct pd_result *r)
{
	uint64_t dropped = r->findings.dropped;

	r->findings.dropped = 0;
	if (dropped)
		pd_result_loss(r, "finding-dropped", dropped, "memory ran out");
	if (pd_result_losses(r))
		r->complete = false;
	pd_findings_sort(&r->findings);
	for (uint32_t i = 0; i < r->findings.items.n; i++)
		pd_words_make(r->arena, r->findings.items.v[i]);
	pd_coverage_finish(&r->coverage);
}

/* ---- joining ----------------------------------------------------------------------------------
 */

enum join { JOIN_ADD, JOIN_LOG10, JOIN_MAX, JOIN_MIN, JOIN_SAME, JOIN_DROP };

static bool ends_in(const char *s, const char *tail)
{
	size_t n = strlen(s), k = strlen(tail);

	return n >= k && strcmp(s + n - k, tail) == 0;
}

static enum join join_of(const struct pd_stat *a, const struct pd_stat *b)
{
	if (a->type == PD_STAT_TEXT || b->type == PD_STAT_TEXT || strcmp(a->name, "jobs") == 0 ||
	    strcmp(a->name, "seed") == 0)
		return JOIN_SAME;
	if (ends_in(a->name, "_log10"))
		return JOIN_LOG10;
	if (ends_in(a->name, "_max"))
		return JOIN_MAX;
	if (ends_in(a->name, "_min"))
		return JOIN_MIN;
	return strstr(a->name, "_per_") ? JOIN_DROP : JOIN_ADD;
}

static double value_of(const struct pd_stat *s)
{
	return s->type == PD_STAT_INT ? (double)s->i : s->real;
}

static bool same_stat(const struct pd_stat *a, const struct pd_stat *b)
{
	if (a->type == PD_STAT_TEXT || b->type == PD_STAT_TEXT)
		return a->type == b->type && strcmp(a->text, b->text) == 0;
	return value_of(a) == value_of(b);
}

static void add_stat(struct pd_result *r, struct pd_stat *a, const struct pd_stat *b)
{
	int64_t sum;

	if (a->type == PD_STAT_INT && b->type == PD_STAT_INT &&
	    !__builtin_add_overflow(a->i, b->i, &sum))
		a->i = sum;
	else
		pd_result_stat_real(r, a->name, value_of(a) + value_of(b));
}

static double log10_of_sum(double a, double b)
{
	double high = fmax(a, b), low = fmin(a, b);

	return high + log10(1 + pow(10, low - high));
}

/* False: the two cannot be joined into one value. */
static bool join_stat(struct pd_result *r, struct pd_stat *a, const struct pd_stat *b)
{
	switch (join_of(a, b)) {
	case JOIN_ADD:
		add_stat(r, a, b);
		return true;
	case JOIN_LOG10:
		pd_result_stat_real(r, a->name, log10_of_sum(value_of(a), value_of(b)));
		return true;
	case JOIN_MAX:
	case JOIN_MIN:
		if ((value_of(a) < value_of(b)) == (join_of(a, b) == JOIN_MAX))
			*a = (struct pd_stat){a->name, b->type, b->i, b->real, b->text};
		return true;
	case JOIN_SAME:
		return same_stat(a, b);
	case JOIN_DROP:
		break;
	}
	return false;
}

static void join_stats(struct pd_result *r, const struct pd_result *from)
{
	for (uint32_t i = 0; i < from->stats.n; i++) {
		const struct pd_stat *b = &from->stats.v[i];
		struct pd_stat *a = (struct pd_stat *)pd_result_stat(r, b->name);

		if (!a) {
			a = stat_place(r, b->name);
			if (a)
				*a = (struct pd_stat){a->name, b->type, b->i, b->real, NULL};
			if (a && b->text)
				a->text = keep(r, b->text);
			if (a && b->text && !a->text)
				r->stats.n--;
		} else if (!join_stat(r, a, b)) {
			/* Keep the name: a third run must not bring the value back. */
			pd_result_stat_text(r, b->name, "");
		}
	}
}

uint32_t pd_result_settings(struct pd_result *r, const char *json)
{
	const char **p;

	for (uint32_t i = 0; i < r->settings.n; i++)
		if (strcmp(r->settings.v[i], json) == 0)
			return i;
	p = pd_vec_push(&r->settings, r->arena);
	if (!p || !(*p = keep(r, json))) {
		r->settings.n -= p != NULL;
		r->nomem = true;
		return 0;
	}
	return r->settings.n - 1;
}

static void join_findings(struct pd_result *r, struct pd_result *from)
{
	for (uint32_t i = 0; i < from->findings.items.n; i++) {
		struct pd_witness *w = &from->findings.items.v[i]->witness;

		w->settings = w->settings < from->settings.n
				      ? pd_result_settings(r, from->settings.v[w->settings])
				      : PD_NO_SETTINGS;
	}
	pd_findings_join(&r->findings, &from->findings);
}

static void join_command(struct pd_result *r, const struct pd_result *from)
{
	bool same = r->command.n == from->command.n;

	for (uint32_t i = 0; same && i < r->command.n; i++)
		same = strcmp(r->command.v[i], from->command.v[i]) == 0;
	if (!same)
		r->command.n = 0;
	r->arguments.n = 0; /* they are those of one part only */
	r->directory = NULL;
	if (strcmp(r->verb, from->verb) != 0)
		r->verb = "merge";
}

/* Each part may have a scope of its own. */
static const char *join_phrases(struct pd_result *r, const char *a, const char *b)
{
	char both[400];

	if (!a || !b)
		return a ? a : b ? keep(r, b) : NULL;
	snprintf(both, sizeof(both), "%s", a);
	pd_names_add(both, sizeof(both), b);
	return keep(r, both);
}

/* The whole has not judged what neither part has judged; but a run with recoveries (it has
 * coverage) judges what one without them leaves out. */
static void join_not_judged(struct pd_result *r, const struct pd_result *from)
{
	if (from->coverage.known && !r->coverage.known)
		r->not_judged = NULL;
	if (!r->not_judged && from->not_judged && (from->coverage.known || !r->coverage.known))
		r->not_judged = keep(r, from->not_judged);
}

/* Another run may have exercised it: keep what is missing in all. */
static void join_not_exercised(struct pd_result *r, const struct pd_result *from)
{
	if (r->not_exercised &&
	    (!from->not_exercised || strcmp(r->not_exercised, from->not_exercised) != 0))
		r->not_exercised = NULL;
}

void pd_result_join(struct pd_result *r, struct pd_result *from)
{
	bool complete = r->complete && from->complete;

	pd_result_uncompare(r);
	pd_result_uncompare(from);
	join_command(r, from);
	r->only = join_phrases(r, r->only, from->only);
	r->scope = join_phrases(r, r->scope, from->scope);
	join_not_judged(r, from);
	join_not_exercised(r, from);
	for (uint32_t i = 0; i < from->limits.n; i++)
		add_limit(r, keep(r, from->limits.v[i]));
	if (from->failure)
		pd_result_fail(r, "%s", from->failure);
	join_findings(r, from);
	join_stats(r, from);
	for (uint32_t i = 0; i < from->losses.n; i++) {
		const struct pd_loss_count *l = &from->losses.v[i];

		pd_result_loss(r, l->name, l->count, NULL);
		for (uint32_t k = 0; k < l->nexamples; k++)
			pd_result_loss(r, l->name, 0, l->examples[k]);
	}
	r->coverage.known |= from->coverage.known;
	for (uint32_t i = 0; i < from->coverage.items.n; i++)
		pd_result_covered(r, &from->coverage.items.v[i]);
	r->nomem |= from->nomem;
	r->strict |= from->strict;
	r->complete = complete;
}

/* ---- what it comes to --------------------------------------------------------------------------
 */

uint32_t pd_result_deciding(const struct pd_result *r)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < r->findings.items.n; i++)
		n += pd_finding_decides(r->findings.items.v[i], r->strict);
	return n;
}

enum pd_exit pd_result_status(const struct pd_result *r)
{
	if (r->failure || r->nomem)
		return PD_EXIT_INTERNAL;
	if (pd_result_deciding(r))
		return PD_EXIT_FINDINGS;
	if (!r->complete || pd_result_losses(r))
		return PD_EXIT_INCOMPLETE;
	return PD_EXIT_CLEAN;
}
