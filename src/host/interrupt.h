/* interrupt.h - ^C or SIGTERM (which `timeout` and CI systems send): what was found so far is kept
 * and reported. */
#ifndef PD_HOST_INTERRUPT_H
#define PD_HOST_INTERRUPT_H

#include <stdbool.h>
#include <sys/types.h>

/* From now on an interrupt is recorded; before, and after pd_interrupt_release, it ends perdure. */
void pd_interrupt_catch(void);
void pd_interrupt_release(void);

/* If not 0, SIGTERM is passed on to this process; ^C reaches it by itself. */
void pd_interrupt_pass_to(pid_t pid);

bool pd_interrupt_came(void);
void pd_interrupt_forget(void);

/* "^C" or "SIGTERM": the last one. */
const char *pd_interrupt_name(void);

#endif
