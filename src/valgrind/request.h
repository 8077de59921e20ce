/* SPDX-License-Identifier: GPL-2.0-or-later */
/* request.h - client requests from the preloaded library to the tool. */
#ifndef PD_VALGRIND_REQUEST_H
#define PD_VALGRIND_REQUEST_H

#include "valgrind.h"

enum vg_request {
	VG_REQUEST_ACQUIRE = VG_USERREQ_TOOL_BASE('P', 'd'), /* object, enum pd_lock_mode, size */
	VG_REQUEST_RELEASE,				     /* object */
	VG_REQUEST_SIGNAL,				     /* object */
	VG_REQUEST_WAIT,				     /* object */
	VG_REQUEST_JOINING, /* pthread_t: returns the number of the thread, plus one; 0: unknown */
	VG_REQUEST_JOINED,  /* that number */
	/* The functions of perdure.h, with their arguments. */
	VG_REQUEST_SAY_CHECK,
	VG_REQUEST_SAY_MARK,
	VG_REQUEST_SAY_CHECKSUM,
	VG_REQUEST_SAY_RANGE,
	/* How many ranges this thread has logged so far. */
	VG_REQUEST_LOGGED,
};

/* The requests for pmemcheck in PMDK's libraries: numbers from this base on. */
#define VG_PMC_BASE VG_USERREQ_TOOL_BASE('P', 'C')
enum vg_pmc {
	VG_PMC_REGISTER_MAPPING = 0,
	VG_PMC_REGISTER_FILE = 1,
	VG_PMC_REMOVE_MAPPING = 2,
	VG_PMC_IS_MAPPING = 3,
	VG_PMC_DO_FLUSH = 5,
	VG_PMC_DO_FENCE = 6,
	VG_PMC_SET_CLEAN = 17,
	VG_PMC_START_TX = 18,
	VG_PMC_START_TX_N = 19,
	VG_PMC_END_TX = 20,
	VG_PMC_END_TX_N = 21,
	VG_PMC_ADD_TO_TX = 22,
	VG_PMC_ADD_TO_TX_N = 23,
	VG_PMC_REMOVE_FROM_TX = 24,
	VG_PMC_REMOVE_FROM_TX_N = 25,
	VG_PMC_ADD_THREAD_TO_TX_N = 26,
	VG_PMC_REMOVE_THREAD_FROM_TX_N = 27,
	VG_PMC_ADD_TO_GLOBAL_IGNORE = 28,
	VG_PMC_EMIT_LOG = 30,
	VG_PMC_END = 31,
};

#endif
