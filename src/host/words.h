/*
 * words.h - a command line as one argument (--recover), split into words as a shell would.
 *
 * Blanks and line feeds separate words. Quotes and backslashes are those of the POSIX shell: '...'
 * is literal, in "..." a backslash escapes $ ` " \ and a line feed only, and elsewhere it escapes
 * anything. There is no shell behind it: what one would expand or act on (a variable, a pattern, a
 * pipe, ...) has to be quoted, and is refused where it is not.
 */
#ifndef PD_HOST_WORDS_H
#define PD_HOST_WORDS_H

#include "base/arena.h"
#include "host/error.h"

/* NULL-terminated, at least one word that is not empty; NULL with an error that begins with
 * `what`. */
char **pd_words_split(struct pd_arena *a, const char *s, const char *what, struct pd_error *e);

#endif
