/*
 * error.h - errors: one line that says what is wrong and what to do.
 *
 * A function that can fail takes a struct pd_error, fills it and returns false; only the top (a
 * cmd_*.c) prints it, and exits with its status. The text is one line whatever names it contains:
 * control characters become '?', and a text that is too long ends in "...".
 *
 * Statuses: PD_EXIT_USAGE if the user must change the command or a file, PD_EXIT_INTERNAL if the
 * environment failed (no memory, no space).
 *
 * Thread rule: an error belongs to its caller; printing is one write, so lines do not mix.
 */
#ifndef PD_HOST_ERROR_H
#define PD_HOST_ERROR_H

#include "host/exit.h"
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

struct pd_error {
	enum pd_exit status;
	int err; /* the errno that caused it, else 0 */
	char text[600];
};

/* Always false, for `return pd_error_set(...)`. */
bool pd_error_set(struct pd_error *e, enum pd_exit status, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* The same from an errno: "cannot DO 'PATH': REASON; WAY OUT"; the errno decides status and way
 * out. */
bool pd_error_errno(struct pd_error *e, int err, const char *doing, const char *path);

/* "perdure: TEXT" on stderr; returns the status, for `return pd_error_print(&e)`. */
int pd_error_print(const struct pd_error *e);

/* Both together, for user errors. Returns PD_EXIT_USAGE. */
int pd_user_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Makes a text one printable line: control characters become '?'. UTF-8 stays. */
void pd_line_clean(char *s);

#endif
