/* put.h - where a new statement goes in a text, and how it is indented. */
#ifndef PD_FIX_PUT_H
#define PD_FIX_PUT_H

#include "fix/patch.h"

/* After a statement; adds braces if it has none around it, and saves what a return returns. `lines`
 * are statements, one per line, at most three. False: what it returns is not of a simple type. */
bool pd_put_after(struct pd_patched *f, const struct pd_statement *st, const char *const *lines,
		  uint32_t n);

/* After the loop whose unbraced body is this statement. */
void pd_put_after_loop(struct pd_patched *f, const struct pd_statement *st, const char *line);

/* Before a statement that has braces around it. */
void pd_put_before(struct pd_patched *f, const struct pd_statement *st, const char *line);

/* Removes a statement with its line. False: its lines contain something else. */
bool pd_put_away(struct pd_patched *f, const struct pd_statement *st);

/* Adds a function that makes a range durable before the function of this token; returns its name.
 * NULL: no memory. */
const char *pd_put_range(struct pd_patched *f, uint32_t at);

#endif
