/*
 * known.h - what a source has for flushing: the functions and macros of the file and of the files
 * that it includes, and which of them flush, fence or do both.
 *
 * A function is judged by its body: it executes the instruction, as an intrinsic or in assembly,
 * calls a function of PMDK, or another known function. If it is only declared, or called through a
 * pointer, its name decides, as it does for stacks (finding/place.h).
 *
 * Only files that are included with quotes are read, relative to the including file: a program's
 * own helpers are there. #if is not evaluated: both branches count.
 */
#ifndef PD_FIX_KNOWN_H
#define PD_FIX_KNOWN_H

#include "fix/statement.h"

enum { PD_DOES_FLUSH = 1, PD_DOES_FENCE = 2, PD_DOES_BOTH = 3 };

/* What arguments it takes. */
enum pd_call_form {
	PD_CALL_OTHER,
	PD_CALL_NOTHING, /* f() */
	PD_CALL_RANGE,	 /* f(pointer, length) */
};

struct pd_known {
	const char *name;
	const struct pd_source *in;
	uint32_t at; /* its name, or the directive of a macro */
	bool macro;
	bool declared; /* a declaration without a body */
	uint8_t does;
	enum pd_call_form form;
	const char *cast; /* to the type of its first parameter: "(char *)"; "": none is needed */
	/* Function: the first token of its body, and the number of tokens. Macro with parameters:
	 * where its body begins in the directive */
	uint32_t body;
	uint32_t nbody;
};

struct pd_includes {
	bool pmem;	 /* <libpmem.h> */
	bool pmemobj;	 /* <libpmemobj.h> */
	bool intrinsics; /* <emmintrin.h> or a header that includes it */
	bool mman;
};

enum { PD_FIX_FILES = 64, PD_FIX_FILE_MAX = 16 * 1024 * 1024 };

struct pd_knowledge {
	struct pd_arena *arena;
	uint32_t nsource;
	struct pd_source source[PD_FIX_FILES]; /* the first is the file itself */
	PD_VEC(struct pd_known) known;
	struct pd_includes includes;
	bool nomem;
};

/* Reads a file into the arena, terminated by 0; NULL: it does not exist, or is too large. Tests
 * replace it. */
typedef const char *pd_fix_reader(void *arg, struct pd_arena *a, const char *path, size_t *n);

/* False: no such file, or memory ran out (nomem). */
bool pd_knowledge_init(struct pd_knowledge *k, struct pd_arena *a, const char *path,
		       pd_fix_reader *read, void *arg);

/* By name; a macro is preferred to a function, a function to a declaration. NULL: unknown. */
const struct pd_known *pd_known_find(const struct pd_knowledge *k, const struct pd_source *s,
				     uint32_t name);

/* The best function to call at a token of the first file that does all of `does` and has this form;
 * NULL: none. */
const struct pd_known *pd_known_best(const struct pd_knowledge *k, uint32_t at, uint8_t does,
				     enum pd_call_form form);

/* Whether a name occurs anywhere in these files. */
bool pd_uses(const struct pd_knowledge *k, const char *name);

/* One that takes a range and calls msync; NULL: none. */
const struct pd_known *pd_known_sync(const struct pd_knowledge *k, uint32_t at);

/* What a call of this name does; knows those of PMDK and the compiler, too. */
uint8_t pd_known_does(const struct pd_knowledge *k, const struct pd_source *s, uint32_t name);

#endif
