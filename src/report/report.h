/*
 * report.h - results for readers: one file per writer. docs/report-format.md specifies the formats.
 *
 * A writer gets a finished result (pd_result_finish) and a stream, and leaves errors of the stream
 * in ferror(); false means out of memory. Texts come from tested programs, so every writer makes
 * them safe for its reader: no control characters on a terminal, no invalid UTF-8 in JSON.
 *
 * Thread rule: as result.h.
 */
#ifndef PD_REPORT_REPORT_H
#define PD_REPORT_REPORT_H

#include "report/result.h"
#include <stdio.h>
#include <time.h>

enum { PD_SCHEMA = 1 };

enum pd_color { PD_COLOR_AUTO, PD_COLOR_ALWAYS, PD_COLOR_NEVER };

/* auto: f is a terminal, TERM is not "dumb" and NO_COLOR is not set. */
bool pd_color_wanted(enum pd_color c, FILE *f);

struct pd_text_style {
	bool color;
	bool brief;	/* only the summary line */
	bool coverage;	/* list it */
	bool stats;	/* list them */
	uint32_t width; /* columns at which lines are wrapped; 0: never (screen.h) */
};

/* The style for this stream: colours and width. */
struct pd_text_style pd_text_style_for(FILE *f, enum pd_color c);

bool pd_report_text(const struct pd_result *r, const struct pd_text_style *style, FILE *f);
bool pd_report_json(const struct pd_result *r, FILE *f);

/* The same for a directory of results, including what must not leave it: environment variables in
 * the settings, and standard input. */
bool pd_report_json_whole(const struct pd_result *r, FILE *f);
bool pd_report_sarif(const struct pd_result *r, FILE *f);
bool pd_report_junit(const struct pd_result *r, FILE *f);

/* A page with everything, and with excerpts of the sources; `made`: when the result was made, 0:
 * unknown. */
bool pd_report_html(const struct pd_result *r, time_t made, FILE *f);

/* The one line that ends every text report. */
struct pd_screen;
void pd_report_summary(const struct pd_result *r, struct pd_screen *s);

/* The command line that replays f, malloc'ed; NULL if there is none. */
char *pd_report_replay(const struct pd_result *r, const struct pd_finding *f);

/* The command line that writes its fix as a patch, malloc'ed; NULL if no patch is expected
 * (finding/remedy.h). */
char *pd_report_patch(const struct pd_result *r, const struct pd_finding *f);

/* Reads back what pd_report_json has written; `name` is for error messages. */
bool pd_result_parse(struct pd_result *r, struct pd_arena *a, const char *text, size_t n,
		     const char *name, struct pd_error *e);

/* The same from a file, or from result.json in a directory. */
bool pd_result_load(struct pd_result *r, struct pd_arena *a, const char *path, struct pd_error *e);

/* Writes a file, completely or not at all; "-" is stdout. */
typedef bool pd_report_writer(const struct pd_result *r, FILE *f);
bool pd_report_file(const struct pd_result *r, pd_report_writer *write, const char *path,
		    struct pd_error *e);

/* A malloc'ed copy in which every byte that is not UTF-8 is U+FFFD; NULL: out of memory. */
char *pd_utf8_clean(const char *s);

#endif
