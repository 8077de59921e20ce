/*
 * interrupt.h - being told to stop, by ^C or SIGTERM (which `timeout` and CI systems send): what was
 * found so far is kept and reported.
 */
#ifndef PD_HOST_INTERRUPT_H
#define PD_HOST_INTERRUPT_H

#include <stdbool.h>
#include <sys/types.h>

/* From here on it is noted; before, and after pd_interrupt_release, it ends us. */
void pd_interrupt_catch(void);
void pd_interrupt_release(void);

/* Where not 0, SIGTERM is passed on to this process, which ^C has reached by itself. */
void pd_interrupt_pass_to(pid_t pid);

bool pd_interrupt_came(void);
void pd_interrupt_forget(void);

/* "^C" or "SIGTERM": the last one. */
const char *pd_interrupt_name(void);

#endif
