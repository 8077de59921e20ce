/*
 * announce.h - an event of the access path goes to those who listen (base/listen.h).
 *
 * Kinds that one engine hears, and nobody else, go straight to it with their place; that is the way
 * of nearly every event in a run that is watched, so it is short. All others go round.
 *
 * Thread rule: as in rt.h.
 */
#ifndef PD_RUNTIME_ACCESS_ANNOUNCE_H
#define PD_RUNTIME_ACCESS_ANNOUNCE_H

#include "engine/observer.h"
#include "runtime/base/listen.h"
#include "runtime/place/place.h"

/*
 * To the engine alone; the kind is in pd_listen.direct. The frame is that of the hook that the
 * program has called; NULL: it is not known.
 */
void pd_announce_direct(struct pd_event *e, const struct pd_walk_frame *frame);

/* To all who listen. */
void pd_announce_all(struct pd_event *e);

static inline void pd_announce(struct pd_event *e, const struct pd_walk_frame *frame)
{
	if (pd_listen.direct >> e->kind & 1)
		pd_announce_direct(e, frame);
	else
		pd_announce_all(e);
}

/* An access to PM will reach the engine: what is known of these bytes may be far away. */
static inline void pd_announce_soon(uint64_t off)
{
	if (pd_listen.observer->soon)
		pd_listen.observer->soon(pd_listen.observer, off);
}

#endif
