/*
 * source.h - a C or C++ source as text and tokens, for whoever changes a line of it.
 *
 * No preprocessor runs: tokens are those of the file, a directive is one token, and comments are none.
 * That is enough to find the statement around a place that debug information has named by line and
 * column. Brackets know their partners; of the branches of a conditional each continues from where the
 * #if stands, so that an #else may repeat an opening brace.
 *
 * Invariants:
 *  1. Tokens are in the order of the text and do not overlap; the last is PD_TOKEN_END.
 *  2. match of an opening bracket is its closing one and the other way round, or PD_NO_TOKEN.
 */
#ifndef PD_FIX_SOURCE_H
#define PD_FIX_SOURCE_H

#include "base/arena.h"
#include "base/vec.h"

enum pd_token_kind {
	PD_TOKEN_NAME, /* keywords, too */
	PD_TOKEN_NUMBER,
	PD_TOKEN_STRING, /* and characters */
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

/* Text that stays where it is. False: memory ran out. */
bool pd_source_init(struct pd_source *s, struct pd_arena *a, const char *path, const char *text,
		    size_t n);

/* The token that holds the byte at a line and column, both from 1; PD_NO_TOKEN: none. Column 0: the first
 * of the line. */
uint32_t pd_source_at(const struct pd_source *s, uint32_t line, uint32_t column);

bool pd_token_is(const struct pd_source *s, uint32_t i, const char *text);
bool pd_token_among(const struct pd_source *s, uint32_t i, const char *const *texts);
bool pd_token_same(const struct pd_source *s, uint32_t i, const struct pd_source *o, uint32_t k);

/* The text from one token to another, both in it, with each run of blanks and comments as one blank where
 * they are on several lines. In the arena; NULL: no memory. */
const char *pd_source_text(const struct pd_source *s, struct pd_arena *a, uint32_t first,
			   uint32_t last);

/* printf into the arena; NULL: no memory. */
const char *pd_fix_print(struct pd_arena *a, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Offsets: of the beginning of the line that has a byte, and of its end, without the newline. */
uint32_t pd_source_line_start(const struct pd_source *s, uint32_t at);
uint32_t pd_source_line_end(const struct pd_source *s, uint32_t at);

#endif
