/*
 * symbols.h - addresses in a process as places in its source.
 *
 * They come from the debug information of the files that the process has mapped (libdw). Either the
 * process still exists: a zygote does, and since its layout is not randomised, its addresses hold
 * for every execution. Or it has reported which files it had loaded, and where.
 */
#ifndef PD_REPORT_SYMBOLS_H
#define PD_REPORT_SYMBOLS_H

#include "finding/finding.h"
#include <sys/types.h>

struct pd_symbols;

/* NULL: nothing can be found out. */
struct pd_symbols *pd_symbols_open(pid_t pid);

/* For a process that has ended: nothing is loaded yet. NULL: out of memory. */
struct pd_symbols *pd_symbols_empty(void);

/* Adds a file of code whose addresses were shifted by `base`; skips one that cannot be read. */
void pd_symbols_load(struct pd_symbols *s, const char *path, uint64_t base);

void pd_symbols_close(struct pd_symbols *s);

/* libdw's representation of the process (a Dwfl), for fields.c. */
void *pd_symbols_dwfl(const struct pd_symbols *s);

/* The frames of an address, innermost first; 0: not in code with debug information. */
uint32_t pd_symbols_frames(struct pd_symbols *s, struct pd_arena *a, uint64_t pc,
			   struct pd_frame *frames, uint32_t max);

/* The function's name, also without debug information; NULL: unknown. */
const char *pd_symbols_name(struct pd_symbols *s, struct pd_arena *a, uint64_t pc);

/* The path of the executable or library that contains an address; NULL: unknown. */
const char *pd_symbols_object(struct pd_symbols *s, uint64_t pc);

/* Whether an address is in a library of the system, in perdure's own, or in none. */
bool pd_symbols_is_system(struct pd_symbols *s, uint64_t pc);

#endif
