/*
 * pmemcheck.h - how both front ends interpret the requests of PMDK's libraries to pmemcheck.
 */
#ifndef PD_EVENT_PMEMCHECK_H
#define PD_EVENT_PMEMCHECK_H

#include "base/types.h"

enum { PD_PMEMCHECK_PAGE = 4096 };

/*
 * A range of a mapping is "removed": either because it is unmapped next, and judged then, or
 * because it need not be durable (the locks of libpmemobj), and stays mapped. Only whole pages are
 * unmapped, but the length need not show that: pmem_unmap() passes that of the file. `from` is
 * relative to the mapping, whose size is `mapping`.
 */
static inline bool pd_pmemcheck_unmaps(uint64_t from, uint64_t n, uint64_t mapping)
{
	return from % PD_PMEMCHECK_PAGE == 0 &&
	       (!from || n >= PD_PMEMCHECK_PAGE || from + PD_PMEMCHECK_PAGE >= mapping);
}

#endif
