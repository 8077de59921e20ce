/*
 * watch.h - an engine that watches the run (engine/observer.h), inside the tested process.
 *
 * Modes of a session that are such an engine's name: lint. Events that the engine wants get their
 * place (place.h) and go to the engine; what that reports goes into the trace (finding/wire.h). With
 * events=1 the events themselves are traced, too, places in place of sites.
 */
#ifndef PD_RUNTIME_SESSION_WATCH_H
#define PD_RUNTIME_SESSION_WATCH_H

#include "engine/observer.h"
#include "runtime/base/rt.h"

/* Whether the mode is an engine's; then it is made, and listens. */
bool pd_watch_start(const struct pd_control *control);

/* An engine is made and listens; what it reports goes to this sink, in place of the trace. */
void pd_watch_observe(pd_observer_create *create, struct pd_sink *sink, const char *settings);

/* Where the program is now, as a place that is in the trace. */
uint32_t pd_watch_place(void);

/* With deaths=1: what kills the program, and what it says itself, goes into the channel. (death.c) */
void pd_death_watch(void);

#endif
