/*
 * site.h - sites as explorations know them: what the compiler has noted (struct pd_site, abi.h), and what
 * executions did there.
 */
#ifndef PD_EVENT_SITE_H
#define PD_EVENT_SITE_H

#include "event/abi.h"

struct pd_board_site {
	struct pd_site at;   /* with its strings, and what it was inlined into, on the board */
	const char *library; /* path of the shared library that it is in; NULL: the program */
	uint32_t stores;     /* the first execution has stored there */
	uint32_t reused;     /* a load: what it read is read again elsewhere, in some recovery */
	/* Of stores of the first execution: site at which another thread has flushed some; 0:
	 * none */
	uint32_t helper;
	uint32_t helper_tid;
	uint32_t flushes_itself; /* and the thread that has stored there has flushed some */
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
