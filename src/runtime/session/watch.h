/*
 * watch.h - an engine that watches the run (engine/observer.h), inside the tested process.
 *
 * For the modes lint and lockset. Events that the engine wants get their place (place.h) and are
 * passed to it; what it reports goes into the trace (finding/wire.h). With events=1 the events
 * themselves are traced, too, with places instead of sites.
 */
#ifndef PD_RUNTIME_SESSION_WATCH_H
#define PD_RUNTIME_SESSION_WATCH_H

#include "engine/observer.h"
#include "runtime/base/rt.h"

/* Whether the mode is an engine's; if so, creates it and listens. */
bool pd_watch_start(const struct pd_control *control);

/* Creates an engine that listens; it reports to this sink, not to the trace. */
void pd_watch_observe(pd_observer_create *create, struct pd_sink *sink, const char *settings);

/* Of an engine that was created so: runs continue from here (observer.h). */
void pd_watch_settle(void);

/* The current place of the program, defined in the trace. */
uint32_t pd_watch_place(void);

/*
 * With deaths=1: records what kills the program, and its failed checks, in the channel. (death.c)
 */
void pd_death_watch(void);

/* Signals that would kill the process go through this handler (if it is one), on a stack of its
 * own, and then do; but a fault of perdure's own ends the run as such. */
void pd_death_catch(void (*handler)(int sig));

/* The signal that is being handled says that there is no more stack. */
extern PD_OWN bool pd_death_out_of_stack;

#endif
