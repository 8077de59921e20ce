/* driver.h - one call of the compiler, from the command line to its exit status. */
#ifndef PD_CC_DRIVER_H
#define PD_CC_DRIVER_H

#include "cc/args.h"

/* libdir is where the helpers and the runtime are. */
int pd_driver_run(struct pd_args *a, const char *libdir);

#endif
