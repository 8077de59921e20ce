/* driver.h - one invocation of the compiler, from the command line to its exit status. */
#ifndef PD_CC_DRIVER_H
#define PD_CC_DRIVER_H

#include "cc/args.h"

/* libdir contains the helpers and the runtime. */
int pd_driver_run(struct pd_args *a, const char *libdir);

#endif
