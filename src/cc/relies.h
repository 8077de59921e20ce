/*
 * relies.h - assumptions of the pass that another version of LLVM may break.
 *
 * LLVM-C guarantees names of functions, not numbers: the kind of an attribute, the bits of its
 * value, the index of an operand in a debug node, the names of intrinsics. An unknown name would be
 * kind 0, another encoding would make a false promise to the optimiser, and nothing would show
 * either. So each is checked first: names are looked up, and numbers are compared with what LLVM
 * parses from their text. This takes a millisecond per module, and prints one line on failure.
 */
#ifndef PD_CC_RELIES_H
#define PD_CC_RELIES_H

#include "base/types.h"
#include <llvm-c/Core.h>

/* An attribute of a function, as text ("memory(none)") and as the equivalent number. */
struct pd_encoding {
	const char *name; /* NULL: the end of the table */
	const char *text;
	uint64_t value;
};

/* Tables end with NULL, and may be NULL. */
struct pd_relies {
	const char *const *attributes; /* names */
	const char *const *intrinsics;
	const struct pd_encoding *encodings;
};

/* False: `why` gets one line. */
bool pd_relies_check(const struct pd_relies *r, char *why, size_t size);

/* The same for the indices of operands in debug nodes. */
bool pd_debug_check(char *why, size_t size);

/* Operands of debug nodes for which LLVM-C has no accessor, by index. */
enum pd_debug_operand {
	PD_DEBUG_PARENT = 1, /* of a lexical block */
	PD_DEBUG_NAME = 2,   /* of a function */
	PD_DEBUG_LINKAGE_NAME = 3,
};

/* NULL: it has no such operand. */
LLVMValueRef pd_debug_operand(LLVMContextRef ctx, LLVMMetadataRef node, enum pd_debug_operand i);

/* Only for attributes that pd_relies_check has found. */
unsigned pd_attribute_kind(const char *name);

#endif
