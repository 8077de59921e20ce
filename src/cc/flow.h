/* flow.h - the blocks of a function in reverse postorder: 0 is the entry, and a dominator has a
 * lower number. Unreachable blocks have no number. */
#ifndef PD_CC_FLOW_H
#define PD_CC_FLOW_H

#include "base/arena.h"
#include "base/map.h"
#include "base/types.h"
#include "base/vec.h"
#include <llvm-c/Core.h>

#define PD_FLOW_NONE UINT32_MAX

typedef PD_VEC(uint32_t) pd_flow_numbers;

struct pd_flow_block {
	LLVMBasicBlockRef bb;
	pd_flow_numbers preds;
	uint32_t idom;
	uint32_t loop; /* for use by the caller; initially PD_FLOW_NONE */
};

struct pd_flow {
	struct pd_arena *arena;
	PD_VEC(struct pd_flow_block) blocks;
	struct pd_map number; /* block -> its number + 1 */
};

/* The caller sets the arena first. */
void pd_flow_find(struct pd_flow *g, LLVMValueRef fn);

uint32_t pd_flow_number(const struct pd_flow *g, LLVMBasicBlockRef bb);

/* A block dominates itself. */
bool pd_flow_dominates(const struct pd_flow *g, uint32_t a, uint32_t b);

#endif
