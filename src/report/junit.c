/*
 * junit.c - a result as JUnit XML, for CI systems that count tests.
 *
 * One suite. Its first test case is the run itself: an error if it failed, was incomplete or did
 * not see everything, so that an incomplete run is never taken for a clean one. Then there is a
 * case for each finding, named by its kind and id, which are stable across runs: failed if it
 * decides the exit status, skipped if a baseline knows it, else passed, with its text as output.
 *
 * Texts of tested programs are made safe: XML cannot represent most control characters, or invalid
 * UTF-8.
 */
#include "report/report.h"
#include "report/words/words.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct writer {
	const struct pd_result *r;
	FILE *f;
	bool failed;
};

/* U+FFFE and U+FFFF are not allowed in XML; s is UTF-8. */
static bool is_noncharacter(const char *s)
{
	return (s[0] & 0xff) == 0xef && (s[1] & 0xff) == 0xbf && (s[2] & 0xff) >= 0xbe;
}

static void put_char(FILE *f, char c)
{
	switch (c) {
	case '<':
		fputs("&lt;", f);
		break;
	case '>':
		fputs("&gt;", f);
		break;
	case '&':
		fputs("&amp;", f);
		break;
	case '"':
		fputs("&quot;", f);
		break;
	case '\n':
		fputs("&#10;", f);
		break;
	case '\t':
		fputs("&#9;", f);
		break;
	default:
		fputc((c & 0xff) < ' ' || c == 0x7f ? '?' : c, f);
	}
}

static void put(struct writer *w, const char *s)
{
	char *clean = pd_utf8_clean(s);

	w->failed |= !clean;
	for (const char *p = clean; p && *p; p++) {
		if (is_noncharacter(p)) {
			fputc('?', w->f);
			p += 2;
			continue;
		}
		put_char(w->f, *p);
	}
	free(clean);
}

static void put_attribute(struct writer *w, const char *name, const char *value)
{
	fprintf(w->f, " %s=\"", name);
	put(w, value);
	fputc('"', w->f);
}

static void put_line(struct writer *w, const char *label, const char *s)
{
	if (!s)
		return;
	fprintf(w->f, "%s: ", label);
	put(w, s);
	fputc('\n', w->f);
}

/* ---- findings ------------------------------------------------------------------------------- */

static const char *message_of(const struct pd_finding *f)
{
	return f->message ? f->message : pd_kind_info[f->kind].doc;
}

static void put_site(struct writer *w, const struct pd_finding_site *s)
{
	fprintf(w->f, "%s: ", pd_role_info[s->role].name);
	if (s->at.file) {
		put(w, s->at.file);
		fprintf(w->f, ":%" PRIu32 " ", s->at.line);
	}
	if (s->at.function) {
		fputs("in ", w->f);
		put(w, s->at.function);
	}
	fputc('\n', w->f);
}

static void put_body(struct writer *w, const struct pd_finding *f)
{
	char *replay = pd_report_replay(w->r, f);

	put(w, message_of(f));
	fputc('\n', w->f);
	for (uint32_t i = 0; i < f->nsites; i++)
		put_site(w, &f->sites[i]);
	if (f->cause != PD_CAUSE_UNKNOWN)
		put_line(w, "why", pd_words_why(f));
	put_line(w, "fix", f->fix);
	put_line(w, "replay", replay);
	put_line(w, "output", f->output);
	fprintf(w->f, "perdure explain %s\n", pd_kind_info[f->kind].name);
	free(replay);
}

static void put_case(struct writer *w)
{
	fputs("    <testcase classname=\"perdure.", w->f);
	put(w, w->r->verb);
	fputc('"', w->f);
}

static void put_finding(struct writer *w, const struct pd_finding *f)
{
	const char *element = pd_finding_decides(f, w->r->strict) ? "failure"
			      : f->known			  ? "skipped"
								  : NULL;

	put_case(w);
	fprintf(w->f, " name=\"%s %010" PRIx64 "\">\n", pd_kind_info[f->kind].name, f->id);
	fprintf(w->f, "      <%s", element ? element : "system-out");
	if (element && !f->known)
		put_attribute(w, "type", pd_kind_info[f->kind].name);
	if (element)
		put_attribute(w, "message", message_of(f));
	fputc('>', w->f);
	put_body(w, f);
	fprintf(w->f, "</%s>\n    </testcase>\n", element ? element : "system-out");
}

/* ---- the run -------------------------------------------------------------------------------- */

/* Why it is incomplete; NULL: it is complete. */
static const char *lacks(const struct pd_result *r)
{
	if (r->failure || r->nomem)
		return "failed";
	return !r->complete || pd_result_losses(r) ? "incomplete" : NULL;
}

static void put_lacks(struct writer *w, const char *what)
{
	const struct pd_result *r = w->r;

	fprintf(w->f, "      <error type=\"%s\"", what);
	put_attribute(w, "message",
		      r->failure	    ? r->failure
		      : r->limits.n	    ? r->limits.v[0]
		      : pd_result_losses(r) ? "not everything was seen"
					    : "stopped before the end");
	fputc('>', w->f);
	for (uint32_t i = 0; i < r->limits.n; i++)
		put_line(w, "incomplete", r->limits.v[i]);
	for (uint32_t i = 0; i < r->losses.n; i++)
		if (r->losses.v[i].count)
			put_line(w, "not seen", r->losses.v[i].name);
	fputs("</error>\n", w->f);
}

static double seconds(const struct pd_result *r)
{
	const struct pd_stat *t = pd_result_stat(r, "seconds");

	return !t ? 0 : t->type == PD_STAT_REAL ? t->real : (double)t->i;
}

static void put_totals(struct writer *w)
{
	const struct pd_result *r = w->r;
	uint32_t skipped = 0;

	for (uint32_t i = 0; i < r->findings.items.n; i++)
		skipped += r->findings.items.v[i]->known;
	fprintf(w->f,
		" tests=\"%" PRIu32 "\" failures=\"%" PRIu32 "\" errors=\"%d\" skipped=\"%" PRIu32
		"\" time=\"%.3f\"",
		r->findings.items.n + 1, pd_result_deciding(r), lacks(r) != NULL, skipped,
		seconds(r));
}

static void put_command(struct writer *w)
{
	fputs(" name=\"perdure ", w->f);
	put(w, w->r->verb);
	for (uint32_t i = 0; i < w->r->command.n; i++) {
		fputc(' ', w->f);
		put(w, w->r->command.v[i]);
	}
	fputc('"', w->f);
}

bool pd_report_junit(const struct pd_result *r, FILE *f)
{
	struct writer w = {.r = r, .f = f};
	const char *what = lacks(r);

	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"perdure\"", f);
	put_totals(&w);
	fputs(">\n  <testsuite", f);
	put_command(&w);
	put_totals(&w);
	fputs(">\n", f);
	put_case(&w);
	fprintf(f, " name=\"run\" time=\"%.3f\">\n", seconds(r));
	if (what)
		put_lacks(&w, what);
	fputs("    </testcase>\n", f);
	for (uint32_t i = 0; i < r->findings.items.n; i++)
		put_finding(&w, r->findings.items.v[i]);
	fputs("  </testsuite>\n</testsuites>\n", f);
	return !w.failed;
}
