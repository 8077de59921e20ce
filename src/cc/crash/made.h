/*
 * made.h - what the code generator makes of stores, read off the assembly of a module.
 *
 * The caller gives each store a debug location with a line of its own, PD_MADE_LINE + its number.
 * In the assembly, .loc then shows which instructions it became. A piece is one such instruction
 * that writes memory. Stores to the stack are left out: those are spilled registers or locals.
 *
 * AT&T syntax, as LLVM prints it for x86-64. If a store becomes an unknown instruction that writes
 * memory, nothing is known about it (odd); the same holds for masked and scattered stores.
 */
#ifndef PD_CC_MADE_H
#define PD_CC_MADE_H

#include "base/arena.h"
#include "base/vec.h"

enum { PD_MADE_LINE = 1 << 29 };

struct pd_made_piece {
	uint32_t store; /* its number */
	uint32_t size;
	uint64_t base; /* digest of the address without its displacement */
	int64_t at;    /* the displacement */
	bool modifies; /* a read-modify-write */
	/* memset or the like, or rep stos: not a single store; has no size and place */
	bool call;
	bool odd; /* not understood */
};

/* By store; the pieces of a store by base and place, without repetition. */
typedef PD_VEC(struct pd_made_piece) pd_made_list;

/* False: out of memory. */
bool pd_made_read(const char *assembly, size_t n, struct pd_arena *a, pd_made_list *list);

#endif
