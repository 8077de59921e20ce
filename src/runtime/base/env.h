/*
 * env.h - an environment that is the same in every execution: clock, process ids, random numbers.
 *
 * The clock is virtual: it starts at a fixed moment, each query advances it by a microsecond, and
 * code that makes the program wait advances it by the time waited (pd_env_advance). So durations
 * are never negative and never zero, and loops that wait for a deadline end.
 */
#ifndef PD_RUNTIME_BASE_ENV_H
#define PD_RUNTIME_BASE_ENV_H

#include "base/types.h"

#define PD_ENV_START (1735689600 * 1000000000LL) /* 2025-01-01 */
#define PD_ENV_PID   4000			 /* of the process that the tool starts */

/* Nanoseconds since 1970 on the virtual clock; does not advance it. */
int64_t pd_env_now(void);
/* Advances the clock and returns the new time. */
int64_t pd_env_advance(int64_t ns);
/* The program queries the clock. */
int64_t pd_env_tick(void);

/* The next bytes of the random source that the program sees. */
void pd_env_random(void *buf, size_t n);

/* How often the program has asked for the time or for random numbers. */
uint64_t pd_env_asked(void);

/* This is child number `serial` of a fork by the program itself: it gets another process id. */
void pd_env_forked(uint32_t serial);
int pd_env_pid(void);

#endif
