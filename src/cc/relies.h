/*
 * relies.h - what the pass relies on and another version of LLVM may have changed.
 *
 * LLVM-C promises names of functions, not numbers: the kind of an attribute, the bits of its value,
 * the place of an operand in a debug node, the names of intrinsics. An unknown name would be kind 0,
 * another encoding would promise the optimiser what is not so, and both would be noticed by nobody.
 * So each is asked for first: names are looked up, and what we would write as a number is parsed
 * from its text and compared. A millisecond a module, one line where it fails.
 */
#ifndef PD_CC_RELIES_H
#define PD_CC_RELIES_H

#include "base/types.h"
#include <llvm-c/Core.h>

/* An attribute of a function, as text ("memory(none)") and as the number that means the same. */
struct pd_encoding {
	const char *name; /* NULL: the end of the table */
	const char *text;
	uint64_t value;
};

/* Tables end with NULL, and may be NULL. */
struct pd_relies {
	const char *const *attributes; /* by name */
	const char *const *intrinsics;
	const struct pd_encoding *encodings;
};

/* False: why has one line. */
bool pd_relies_check(const struct pd_relies *r, char *why, size_t size);

/* The same for the places of operands of debug nodes. */
bool pd_debug_check(char *why, size_t size);

/* Operands of a debug node that LLVM-C has no accessor for, by their place in the node. */
enum pd_debug_operand {
	PD_DEBUG_PARENT = 1, /* of a lexical block */
	PD_DEBUG_NAME = 2,   /* of a function */
	PD_DEBUG_LINKAGE_NAME = 3,
};

/* NULL: it has no such operand. */
LLVMValueRef pd_debug_operand(LLVMContextRef ctx, LLVMMetadataRef node, enum pd_debug_operand i);

/* Of an attribute that LLVM has, because it was checked. */
unsigned pd_attribute_kind(const char *name);

#endif
