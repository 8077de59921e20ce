/*
 * stored.h - which object a place in the source stores to, or loads from, as an expression that can be
 * written once more: what a flush needs.
 *
 * The place is the token that debug information names: the operator of an assignment, the name of what is
 * called. Known calls are those of the C library that copy, atomics of C and C++, compilers' builtins and
 * non-temporal stores; a macro is looked up, and what it makes of its parameters decides.
 *
 * Refused is what cannot be evaluated twice: an expression with ++, an assignment, or a call that may have
 * effects. A call is taken to have none where its function is known and only returns an expression, or
 * is one of PMDK's that turn an offset into a pointer.
 */
#ifndef PD_FIX_STORED_H
#define PD_FIX_STORED_H

#include "fix/known.h"

enum pd_store_form {
	PD_STORE_ASSIGNED, /* x = v, x += v, x++ */
	PD_STORE_CALLED,   /* by a function, a builtin or a macro */
	PD_STORE_READ,	   /* it is no store */
	PD_STORE_FILE,	   /* write(fd, ...) */
};

struct pd_stored {
	enum pd_store_form form;
	const char *pointer; /* an expression: of type pointer to it; of FILE the descriptor */
	const char *size;    /* in bytes */
	uint32_t op;	     /* ASSIGNED: the operator */
	/* ASSIGNED: the tokens of the object, */
	uint32_t first, last;
	/* CALLED: of the pointer, and which argument has the size, UINT32_MAX: it follows from the pointer */
	uint32_t size_argument;
};

enum pd_no_remedy pd_stored_find(const struct pd_knowledge *k, uint32_t at,
				 const struct pd_statement *st, bool read, struct pd_stored *out);

/* "&x" and "sizeof(x)" of an expression that names an object. False: no memory. */
bool pd_stored_of_object(const struct pd_knowledge *k, const char *object, const char **pointer,
			 const char **size);

/* The same of an expression that is a pointer. */
bool pd_stored_of_pointer(struct pd_arena *a, const char *expression, const char **pointer,
			  const char **size);

/* Whether an expression can be evaluated once more. */
bool pd_is_repeatable(const struct pd_knowledge *k, uint32_t first, uint32_t last);

#endif
