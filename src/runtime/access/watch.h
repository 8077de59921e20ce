/*
 * watch.h - an engine that watches the run (engine/observer.h), inside the tested process.
 *
 * Modes of a session that are such an engine's name: lint. Events that the engine wants get their
 * place (place.h) and go to the engine; what that tells goes into the trace (finding/wire.h). With
 * events=1 the events themselves are traced, too, places in place of sites.
 */
#ifndef PD_RUNTIME_ACCESS_WATCH_H
#define PD_RUNTIME_ACCESS_WATCH_H

#include "engine/observer.h"
#include "runtime/place/place.h"
#include "runtime/session/session.h"

/* Whether the mode (up to the next blank) is an engine's; then it is made. */
bool pd_watch_start(const char *mode, const char *control);

/* An event whose kind is in pd_session.wants; tid is set. */
void pd_watch_event(struct pd_event *e);

/*
 * One whose kind is in pd_session.direct: all that pd_rt_emit would do with it. The way of nearly
 * every event in a run that is watched, so it is short. The frame is that of the hook that the
 * program has called; NULL: it is not known.
 */
void pd_watch_access(struct pd_event *e, const struct pd_walk_frame *frame);

/* An access to PM will be told of: what is known of these bytes may be far away. */
void pd_watch_soon(uint64_t addr);

/* Loads that the engine need not be told of; NULL: it must be told of all. */
extern PD_OWN struct pd_known *pd_watch_known;

/* A loss at a static site. */
void pd_watch_loss(enum pd_loss kind, uint32_t site, const char *what);

/* The program ends. */
void pd_watch_end(void);

#endif
