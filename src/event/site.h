/*
 * site.h - sites as explorations know them: what the compiler has recorded (struct pd_site, abi.h),
 * and what executions did there.
 */
#ifndef PD_EVENT_SITE_H
#define PD_EVENT_SITE_H

#include "event/abi.h"

struct pd_board_site {
	struct pd_site at;   /* its strings, and the sites it was inlined into, are on the board */
	const char *library; /* path of the shared library that it is in; NULL: the program */
	uint32_t stores;     /* the first execution has stored there */
	uint32_t reused;     /* a load: another site reads the same bytes again, in some recovery */
	/* For stores of the first execution: site at which another thread has flushed some; 0:
	 * none */
	uint32_t helper;
	uint32_t helper_tid;
	uint32_t flushes_itself; /* the storing thread has flushed some itself */
	/* Stores of this site that were not durable at the end of the first execution */
	uint64_t left_open;
};

/* The site of that number in a table of n; NULL: nothing is known of it. */
static inline struct pd_board_site *pd_site_find(struct pd_board_site *const *table, uint32_t n,
						 uint32_t site)
{
	return site && site < n ? table[site] : NULL;
}

#endif
