/*
 * symbols.h - addresses in a running process as places in its source.
 *
 * By the debug information of what the process has mapped (libdw). The process must still be there; a
 * zygote is, and since its layout is not randomised, addresses of every execution mean the same in it.
 */
#ifndef PD_REPORT_SYMBOLS_H
#define PD_REPORT_SYMBOLS_H

#include "finding/finding.h"
#include <sys/types.h>

struct pd_symbols;

/* NULL where nothing can be known of it. */
struct pd_symbols *pd_symbols_open(pid_t pid);
void pd_symbols_close(struct pd_symbols *s);

/* The frames of an address, innermost first; 0 where it is not in code with debug information. */
uint32_t pd_symbols_frames(struct pd_symbols *s, struct pd_arena *a, uint64_t pc,
			   struct pd_frame *frames, uint32_t max);

#endif
