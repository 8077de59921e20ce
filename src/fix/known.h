/*
 * known.h - what a source knows of flushing: functions and macros of the file and of those that it
 * includes, and which of them flush, fence or do both.
 *
 * A function is told by its body: it executes the instruction, by an intrinsic or in assembly, calls one
 * of PMDK's functions, or another one that is known. Of one that is only declared, and of calls through
 * pointers, the name decides, as it does for stacks (finding/place.h).
 *
 * Only files that are included with quotes are read, from where the including file is: that is where a
 * program's own helpers are. #if is not evaluated: both branches count.
 */
#ifndef PD_FIX_KNOWN_H
#define PD_FIX_KNOWN_H

#include "fix/statement.h"

enum { PD_DOES_FLUSH = 1, PD_DOES_FENCE = 2, PD_DOES_BOTH = 3 };

/* How it is called. */
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
	bool declared; /* only that: there is no body */
	uint8_t does;
	enum pd_call_form form;
	const char *cast; /* to its first parameter's type: "(char *)"; "": none is needed */
	/* Of a function: the first token of its body, and how many there are. Of a macro with parameters:
	 * where in the directive its body begins */
	uint32_t body;
	uint32_t nbody;
};

struct pd_includes {
	bool pmem;	 /* <libpmem.h> */
	bool pmemobj;	 /* <libpmemobj.h> */
	bool intrinsics; /* <emmintrin.h> or one that has it */
	bool mman;
};

enum { PD_FIX_FILES = 64, PD_FIX_FILE_MAX = 16 * 1024 * 1024 };

struct pd_knowledge {
	struct pd_arena *arena;
	uint32_t nsource;
	struct pd_source source[PD_FIX_FILES]; /* the file itself is the first */
	PD_VEC(struct pd_known) known;
	struct pd_includes includes;
	bool nomem;
};

/* Reads a file, terminated, in the arena; NULL: it is not there, or too large. A test has its own. */
typedef const char *pd_fix_reader(void *arg, struct pd_arena *a, const char *path, size_t *n);

/* False: there is no such file, or memory ran out (nomem). */
bool pd_knowledge_init(struct pd_knowledge *k, struct pd_arena *a, const char *path,
		       pd_fix_reader *read, void *arg);

/* By name; of several, a macro before a function before a declaration. NULL: not known. */
const struct pd_known *pd_known_find(const struct pd_knowledge *k, const struct pd_source *s,
				     uint32_t name);

/* The best to be called at a token of the first file, that does so much and has this form; NULL: none. */
const struct pd_known *pd_known_best(const struct pd_knowledge *k, uint32_t at, uint8_t does,
				     enum pd_call_form form);

/* One with a range that calls msync; NULL: none. */
const struct pd_known *pd_known_sync(const struct pd_knowledge *k, uint32_t at);

/* What a name that is called does; PMDK's and the compiler's, too. */
uint8_t pd_known_does(const struct pd_knowledge *k, const struct pd_source *s, uint32_t name);

#endif
