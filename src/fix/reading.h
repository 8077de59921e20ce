/*
 * reading.h - where a thread that has read something can make it durable before it goes on.
 *
 * Behind the statement that reads, as for a store; and where a condition reads, at the beginning of
 * what the condition leads to. Precision lost: an else, or what follows an if, gets no flush of its
 * own.
 */
#ifndef PD_FIX_READING_H
#define PD_FIX_READING_H

#include "fix/statement.h"

/* For a token in a condition: where to put statements (put.h), and the tokens of the condition.
 * That is the block or the statement that the condition leads to; for a do, its block; behind a
 * loop without a body. False: there is no such place. */
bool pd_reading_place(const struct pd_source *s, uint32_t at, struct pd_statement *st,
		      struct pd_statement *condition);

/* Whether a statement assigns to a name that an expression contains, so that it means something
 * else behind it: "p = p->next". */
bool pd_reading_changes(const struct pd_source *s, const struct pd_statement *st,
			const char *expression);

#endif
