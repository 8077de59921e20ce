/*
 * statement.h - the statement that contains a token, and the function around it, as far as tokens
 * show.
 *
 * The search goes back from the token to the end of the previous statement, and forward to the ';'.
 * The first and the last part of a for's header count as statements if they declare nothing. Other
 * tokens in the parentheses of an if, a loop or a switch have no statement of their own, nor has
 * one in an initialiser; such places are refused with the reason.
 */
#ifndef PD_FIX_STATEMENT_H
#define PD_FIX_STATEMENT_H

#include "finding/remedy.h"
#include "fix/source.h"

struct pd_statement {
	uint32_t first;
	uint32_t last; /* the ';'; the ')' of a header */
	bool header;   /* a part of a for's header */
	bool bare;     /* the unbraced body of an if, an else or a loop, */
	bool loop;     /* of a loop, */
	uint32_t head; /* whose first token this is: if, else, for, ... */
	bool returned; /* it begins with return */
	/* Not a statement: a member initialiser of a constructor; first and last are the '{' of its
	 * body */
	bool constructor;
	bool condition; /* the same for the block that a condition leads to */
	bool ahead;	/* bare, and what is added comes first */
};

/* NONE: found. */
enum pd_no_remedy pd_statement_find(const struct pd_source *s, uint32_t at,
				    struct pd_statement *st);

/* The '(' of the condition of the if, while or switch that a token is in; PD_NO_TOKEN: it is in
 * none. */
uint32_t pd_head_of(const struct pd_source *s, uint32_t at);

/* The '{' of the innermost block that a token is in; PD_NO_TOKEN: none. */
uint32_t pd_block_of(const struct pd_source *s, uint32_t at);

/* Where a statement is all that an if without else or a for does: makes it that. False: it is not,
 * or that is itself the body of another head without braces. */
bool pd_statement_widen(const struct pd_source *s, struct pd_statement *st);

/* A function: its name, its parentheses, its braces. */
struct pd_function {
	uint32_t name;
	uint32_t open, close; /* the parentheses */
	uint32_t begin, end;  /* the braces */
};

/* Whether this name begins the definition of a function; also in a class or namespace. */
bool pd_function_at(const struct pd_source *s, uint32_t name, struct pd_function *f);

/* The outermost function whose braces contain the token; a macro with a block counts as one. */
bool pd_function_around(const struct pd_source *s, uint32_t at, struct pd_function *f);

/* The first and last tokens of the nth argument or parameter between parentheses, from 0. False:
 * there is none. */
bool pd_argument(const struct pd_source *s, uint32_t open, uint32_t nth, uint32_t *first,
		 uint32_t *last);
uint32_t pd_arguments(const struct pd_source *s, uint32_t open);

#endif
