/*
 * noaslr.h - the same addresses in every run.
 *
 * Address space randomisation is switched off for this process and what it executes from then on;
 * the process itself keeps its own layout. Some containers forbid it: then false, and equal choices
 * may not give equal runs.
 */
#ifndef PD_HOST_NOASLR_H
#define PD_HOST_NOASLR_H

#include <stdbool.h>

bool pd_env_fix(void);

#endif
