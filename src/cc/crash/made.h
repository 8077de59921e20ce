/*
 * made.h - what the code generator makes of stores: read off the assembly of a module.
 *
 * Whoever asks gives each store a debug location with a line of its own, PD_MADE_LINE + its number.
 * The assembly then says by .loc which instructions come of it. A piece is one such instruction
 * that writes memory. Stores to the stack are left out: those are registers that were spilled, or
 * locals.
 *
 * AT&T syntax, as LLVM prints it for x86-64. An instruction that writes memory and is not known
 * makes its store one of which nothing is known (odd); so do masked and scattered stores.
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
	bool modifies; /* reads what is there, changes it, and writes it back */
	/* Of memset or its like, or rep stos: no single store at all; no size and place */
	bool call;
	bool odd; /* not understood */
};

/* By store; of one store, by base and place, each once. */
typedef PD_VEC(struct pd_made_piece) pd_made_list;

/* False: memory ran out. */
bool pd_made_read(const char *assembly, size_t n, struct pd_arena *a, pd_made_list *list);

#endif
