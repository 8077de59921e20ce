/*
 * statement.h - the statement that a token is in, and the function around it, as far as tokens tell.
 *
 * From the token the way goes back to what ends the statement before, and forward to the ';'. A token in
 * parentheses of an if, a loop or a switch has no statement of its own, nor has one in an initialiser; what
 * is in such a place is refused with the reason.
 */
#ifndef PD_FIX_STATEMENT_H
#define PD_FIX_STATEMENT_H

#include "finding/remedy.h"
#include "fix/source.h"

struct pd_statement {
	uint32_t first;
	uint32_t last; /* the ';' */
	bool bare;     /* the body of an if, an else or a loop that has no braces, */
	bool loop;     /* of a loop */
	uint32_t head; /* of which this is the first token: if, else, for, ... */
	bool returned; /* it begins with return */
	/* It is no statement: a member that a constructor sets; first and last are the '{' of its body */
	bool constructor;
	bool condition; /* the same of the block that a condition leads to */
};

/* NONE: it is found. */
enum pd_no_remedy pd_statement_find(const struct pd_source *s, uint32_t at,
				    struct pd_statement *st);

/* A function: its name, its parentheses and its braces. */
struct pd_function {
	uint32_t name;
	uint32_t open, close; /* parentheses */
	uint32_t begin, end;  /* braces */
};

/* Whether a function is defined with this name; of a class or namespace, too. */
bool pd_function_at(const struct pd_source *s, uint32_t name, struct pd_function *f);

/* The outermost that has the token in its braces: a macro with a block is taken for one, too. */
bool pd_function_around(const struct pd_source *s, uint32_t at, struct pd_function *f);

/* The nth argument or parameter between parentheses, from 0: its first and last tokens. False: there is
 * none. */
bool pd_argument(const struct pd_source *s, uint32_t open, uint32_t nth, uint32_t *first,
		 uint32_t *last);
uint32_t pd_arguments(const struct pd_source *s, uint32_t open);

#endif
