/* host.h - what the core needs from an ordinary process: memory, a sink on a FILE, a report of
 * internal errors; time and environment. */
#ifndef PD_HOST_HOST_H
#define PD_HOST_HOST_H

#include "base/arena.h"
#include "base/out.h"
#include <stdio.h>

/* Blocks by mmap. */
struct pd_host pd_host_memory(void);

/* A sink that writes to f; errors show in ferror(f). */
struct pd_out pd_host_out(FILE *f);

/* Seconds of a clock that only goes forward. */
double pd_host_now(void);

/* Takes the flags of a make that this process runs inside out of the environment: its job server is
 * not for the commands that we start. */
void pd_host_leave_make(void);

#endif
