/*
 * screen.h - text for people: clean, wrapped, coloured.
 *
 * Prose goes through pd_screen_put, which breaks lines between words if the screen has a width (a
 * terminal), and indents continuation lines by `indent`. Source lines and output of the tested
 * program go through pd_screen_verbatim and are never broken. Neither lets control characters of a
 * tested program through to the terminal: no C0, no DEL, no C1.
 *
 * Paths are shown relative to `here`, as one would type them; JSON and SARIF contain full paths.
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
	uint32_t width; /* 0: lines are not wrapped */
	uint32_t indent;
	uint32_t column;
	uint32_t blanks;  /* pending blanks: the line may be broken there */
	const char *here; /* the current directory; NULL: show full paths */
};

/* The columns of the terminal f; 0: not a terminal. */
uint32_t pd_screen_width(FILE *f);

void pd_screen_put(struct pd_screen *s, const char *text);
void pd_screen_print(struct pd_screen *s, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void pd_screen_verbatim(struct pd_screen *s, const char *text, size_t n);
void pd_screen_newline(struct pd_screen *s);

/* Text from now on has this colour; "0": plain. */
void pd_screen_color(struct pd_screen *s, const char *code);

/* How `path` is shown from `here`: relative if that is shorter, else unchanged. Uses `buf` if it
 * has room. */
const char *pd_screen_path(const char *here, const char *path, char *buf, size_t n);

#endif
