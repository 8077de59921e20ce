/*
 * stored.h - the object that a place in the source stores to, or loads from, as an expression that
 * can be repeated: a flush needs it.
 *
 * The place is the token that debug information names: the operator of an assignment, or the name
 * of what is called. Known calls are those of the C library that copy, the atomics of C and C++,
 * builtins of compilers, and non-temporal stores; a macro is judged by what its body does to its
 * parameters.
 *
 * Expressions that must not be evaluated twice are refused: ++, assignments, calls that may have
 * side effects. A call has none if the definition is known and only returns an expression, or if it
 * is one of PMDK's that turn an offset into a pointer.
 */
#ifndef PD_FIX_STORED_H
#define PD_FIX_STORED_H

#include "fix/known.h"

enum pd_store_form {
	PD_STORE_ASSIGNED, /* x = v, x += v, x++ */
	PD_STORE_CALLED,   /* by a call of a function, a builtin or a macro */
	PD_STORE_READ,	   /* not a store */
	PD_STORE_FILE,	   /* write(fd, ...) */
};

struct pd_stored {
	enum pd_store_form form;
	const char *pointer; /* an expression that points to it; FILE: the descriptor */
	const char *size;    /* in bytes */
	uint32_t op;	     /* ASSIGNED: the operator */
	/* ASSIGNED: the tokens of the object */
	uint32_t first, last;
	bool stepped; /* the object has a ++: the expressions name it after the statement, not before */
	/* CALLED: the tokens of the pointer, and the argument with the size; UINT32_MAX: the
	 * pointer implies it */
	uint32_t size_argument;
};

enum pd_no_remedy pd_stored_find(const struct pd_knowledge *k, uint32_t at,
				 const struct pd_statement *st, bool read, struct pd_stored *out);

/* The same for an expression that is a pointer. */
bool pd_stored_of_pointer(struct pd_arena *a, const char *expression, const char **pointer,
			  const char **size);

/* Whether an expression can be evaluated twice. */
bool pd_is_repeatable(const struct pd_knowledge *k, uint32_t first, uint32_t last);

/* A call that has no effects: it only returns an expression, or turns an offset into a pointer. */
bool pd_is_harmless_call(const struct pd_knowledge *k, uint32_t name);

/* The operator of an assignment, or of a step. */
bool pd_is_assignment(const struct pd_source *s, uint32_t i);

#endif
