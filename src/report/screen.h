/*
 * screen.h - text for a person: clean, wrapped, coloured.
 *
 * Prose goes through pd_screen_put, which breaks lines between words where the screen has a width
 * (a terminal), and indents what follows by `indent`. Source lines and output of the tested program
 * go through pd_screen_verbatim and are never broken. Neither lets a control character of a tested
 * program through to the terminal: no C0, no DEL, no C1.
 *
 * Paths are shown relative to `here`, as one would type them; JSON and SARIF have them whole.
 *
 * Thread rule: one screen, one thread at a time.
 */
#ifndef PD_REPORT_SCREEN_H
#define PD_REPORT_SCREEN_H

#include "base/types.h"
#include <stdio.h>

#define PD_BOLD "1"
#define PD_DIM	"2"

struct pd_screen {
	FILE *f;
	bool color;
	uint32_t width; /* 0: lines are not broken */
	uint32_t indent;
	uint32_t column;
	uint32_t blanks;  /* put, but not written yet: a line may be broken there */
	const char *here; /* the current directory; NULL: paths are shown whole */
};

/* Columns of the terminal that f is; 0: it is none. */
uint32_t pd_screen_width(FILE *f);

void pd_screen_put(struct pd_screen *s, const char *text);
void pd_screen_print(struct pd_screen *s, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void pd_screen_verbatim(struct pd_screen *s, const char *text, size_t n);
void pd_screen_newline(struct pd_screen *s);

/* From here on in this colour; "0": plain. */
void pd_screen_color(struct pd_screen *s, const char *code);

/*
 * How `path` is shown to somebody who is in `here`: relative where that is shorter, else as it is.
 * `buf` is used if there is room in it.
 */
const char *pd_screen_path(const char *here, const char *path, char *buf, size_t n);

#endif
