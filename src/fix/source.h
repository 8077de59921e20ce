/*
 * source.h - a C or C++ source as text and tokens, for code that edits it.
 *
 * No preprocessor runs: the tokens are those of the file, a directive is one token, and comments
 * are skipped. That is enough to find the statement around a place that debug information gives by
 * line and column. Brackets know their partners; each branch of a conditional starts with the
 * brackets that were open at the #if, so an #else may repeat an opening brace.
 *
 * Invariants:
 *  1. Tokens are in the order of the text and do not overlap; the last is PD_TOKEN_END.
 *  2. match of an opening bracket is its closing one and vice versa, or PD_NO_TOKEN.
 */
#ifndef PD_FIX_SOURCE_H
#define PD_FIX_SOURCE_H

#include "base/arena.h"
#include "base/vec.h"

enum pd_token_kind {
	PD_TOKEN_NAME, /* and keywords */
	PD_TOKEN_NUMBER,
	PD_TOKEN_STRING, /* and character constants */
	PD_TOKEN_SIGN,
	PD_TOKEN_DIRECTIVE, /* from '#' to the end of its last line */
	PD_TOKEN_END,
};

#define PD_NO_TOKEN UINT32_MAX

struct pd_token {
	enum pd_token_kind kind;
	uint32_t at; /* offset and length in the text */
	uint32_t n;
	uint32_t line; /* from 1 */
	uint32_t match;
};

struct pd_source {
	const char *path; /* absolute, without links */
	const char *text; /* ends with 0 */
	uint32_t n;
	const char *newline; /* "\n" or "\r\n" */
	PD_VEC(struct pd_token) t;
};

/* `text` must outlive the source. False: out of memory. */
bool pd_source_init(struct pd_source *s, struct pd_arena *a, const char *path, const char *text,
		    size_t n);

/* The token that contains the byte at a line and column, both from 1; PD_NO_TOKEN: none. Column 0:
 * the first token of the line. */
uint32_t pd_source_at(const struct pd_source *s, uint32_t line, uint32_t column);

bool pd_token_is(const struct pd_source *s, uint32_t i, const char *text);

/* Of a directive: whether it begins so. "if" is also true of #ifdef, "el" of #else and #elif. */
bool pd_token_is_directive(const struct pd_source *s, uint32_t i, const char *name);
bool pd_token_among(const struct pd_source *s, uint32_t i, const char *const *texts);
bool pd_token_same(const struct pd_source *s, uint32_t i, const struct pd_source *o, uint32_t k);

/* The text from one token to another, inclusive; blanks and comments between tokens become one
 * blank if they contain a newline. In the arena; NULL: no memory. */
const char *pd_source_text(const struct pd_source *s, struct pd_arena *a, uint32_t first,
			   uint32_t last);

/* printf into the arena; NULL: no memory. */
const char *pd_fix_print(struct pd_arena *a, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* The end of the comment that begins at an offset; the same offset if none does. */
uint32_t pd_source_skip_comment(const struct pd_source *s, uint32_t at);

/* Offsets: of the start of the line that contains a byte, and of its end, without the newline. */
uint32_t pd_source_line_start(const struct pd_source *s, uint32_t at);
uint32_t pd_source_line_end(const struct pd_source *s, uint32_t at);

#endif
