/*
 * announce.h - announces an event of the access path to its listeners (base/listen.h).
 *
 * A kind that only one engine hears goes straight to it, with its place; in a watched run that is
 * nearly every event, so the way is short. All others take the general way.
 *
 * Thread rule: as in rt.h.
 */
#ifndef PD_RUNTIME_ACCESS_ANNOUNCE_H
#define PD_RUNTIME_ACCESS_ANNOUNCE_H

#include "engine/observer.h"
#include "runtime/base/listen.h"
#include "runtime/place/place.h"

/*
 * To the engine alone; the kind is in pd_listen.direct. `frame` is that of the hook that the
 * program called; NULL: not known.
 */
void pd_announce_direct(struct pd_event *e, const struct pd_walk_frame *frame);

/* To all listeners. */
void pd_announce_all(struct pd_event *e);

static inline void pd_announce(struct pd_event *e, const struct pd_walk_frame *frame)
{
	if (pd_listen.direct >> e->kind & 1)
		pd_announce_direct(e, frame);
	else
		pd_announce_all(e);
}

/*
 * Announces that an access to PM will follow: lets the engine prefetch what it knows of these
 * bytes.
 */
static inline void pd_announce_soon(uint64_t off)
{
	if (pd_listen.observer->soon)
		pd_listen.observer->soon(pd_listen.observer, off);
}

#endif
