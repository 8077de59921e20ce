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

#endif
