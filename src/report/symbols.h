/*
 * symbols.h - addresses in a process as places in its source.
 *
 * By the debug information of what the process has mapped (libdw). Either the process must still be
 * there; a zygote is, and since its layout is not randomised, addresses of every execution mean the
 * same in it. Or it has said which files it had loaded, and where.
 */
#ifndef PD_REPORT_SYMBOLS_H
#define PD_REPORT_SYMBOLS_H

#include "finding/finding.h"
#include <sys/types.h>

struct pd_symbols;

/* NULL where nothing can be known of it. */
struct pd_symbols *pd_symbols_open(pid_t pid);

/* Of a process that is gone: with nothing loaded yet. NULL: no memory. */
struct pd_symbols *pd_symbols_empty(void);

/* A file of code whose addresses were shifted by `base`; one that cannot be read is passed over. */
void pd_symbols_load(struct pd_symbols *s, const char *path, uint64_t base);

void pd_symbols_close(struct pd_symbols *s);

/* The process as libdw has it (a Dwfl), for fields.c. */
void *pd_symbols_dwfl(const struct pd_symbols *s);

/* The frames of an address, innermost first; 0 where it is not in code with debug information. */
uint32_t pd_symbols_frames(struct pd_symbols *s, struct pd_arena *a, uint64_t pc,
			   struct pd_frame *frames, uint32_t max);

/* The function's name, also without debug information; NULL: not known. */
const char *pd_symbols_name(struct pd_symbols *s, struct pd_arena *a, uint64_t pc);

/* The path of the executable or library that an address is in; NULL: in none that is known. */
const char *pd_symbols_object(struct pd_symbols *s, uint64_t pc);

/* Whether an address is in a library of the system, or in perdure's own, or in none at all. */
bool pd_symbols_is_system(struct pd_symbols *s, uint64_t pc);

#endif
