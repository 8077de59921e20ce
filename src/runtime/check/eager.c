/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/check/eager.h"

#include <string.h>

#include "engine/crash/point.h"
#include "model/model.h"
#include "runtime/access/mem.h"

#define MXCSR_DEFAULT 0x1f80 /* all traps masked, no flags, to nearest */

static uint32_t begin(void)
{
	uint32_t theirs, ours = MXCSR_DEFAULT;

	__asm__ volatile("stmxcsr %0\n\tldmxcsr %1" : "=m"(theirs) : "m"(ours) : "memory");
	return theirs;
}

static void end(uint32_t theirs)
{
	__asm__ volatile("ldmxcsr %0" : : "m"(theirs) : "memory");
}

bool pd_eager_several(void)
{
	uint32_t theirs = begin();
	bool several = pd_model_eager_log10(&pd_mem.model) > 0;

	end(theirs);
	return several;
}

void pd_eager_count(struct pd_board *b)
{
	uint32_t theirs = begin();
	double mine = pd_model_eager_log10(&pd_mem.model), all;
	uint64_t old = __atomic_load_n(&b->eager_log10, __ATOMIC_RELAXED), new;

	do {
		memcpy(&all, &old, sizeof(all));
		all = b->points ? pd_point_add_log10(all, mine) : mine;
		memcpy(&new, &all, sizeof(new));
	} while (!__atomic_compare_exchange_n(&b->eager_log10, &old, new, false, __ATOMIC_RELAXED,
					      __ATOMIC_RELAXED));
	end(theirs);
}
