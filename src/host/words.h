/*
 * words.h - splits a command line in one argument (--recover) into words like a shell.
 *
 * Blanks and line feeds separate words. Quotes and backslashes work as in the POSIX shell: '...' is
 * literal, in "..." a backslash only escapes $ ` " \ and a line feed, and elsewhere it escapes
 * anything. There is no shell behind it: characters that one would expand or act on (a variable, a
 * pattern, a pipe, ...) must be quoted, and are refused otherwise.
 */
#ifndef PD_HOST_WORDS_H
#define PD_HOST_WORDS_H

#include "base/arena.h"
#include "host/error.h"

/* Ends with NULL, at least one word that is not empty; NULL with an error that begins with
 * `what`. */
char **pd_words_split(struct pd_arena *a, const char *s, const char *what, struct pd_error *e);

#endif
