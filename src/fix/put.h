/* put.h - where in a text a new statement goes, and how it is indented. */
#ifndef PD_FIX_PUT_H
#define PD_FIX_PUT_H

#include "fix/patch.h"

/* After a statement; one that has no braces around it gets them, and what one returns is kept until then.
 * `lines` are statements, one a line, at most two. False: what it returns is of no simple type. */
bool pd_put_after(struct pd_patched *f, const struct pd_statement *st, const char *const *lines,
		  uint32_t n);

/* After the loop that a statement without braces is the body of. */
void pd_put_after_loop(struct pd_patched *f, const struct pd_statement *st, const char *line);

/* Before a statement, which has braces around it. */
void pd_put_before(struct pd_patched *f, const struct pd_statement *st, const char *line);

/* Takes a statement out, with its line. False: other things are on its lines. */
bool pd_put_away(struct pd_patched *f, const struct pd_statement *st);

/* A function that makes a range durable, before the one that has this token; its name. NULL: no memory. */
const char *pd_put_range(struct pd_patched *f, uint32_t at);

#endif
