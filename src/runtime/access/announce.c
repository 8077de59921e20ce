/* announce.c - see announce.h. */
#include "runtime/access/announce.h"
#include "runtime/thread/sched.h"

/* A locked instruction outside PM whose thread has nothing waiting for a fence. */
static inline bool is_idle(const struct pd_observer *o, const struct pd_event *e)
{
	return e->kind == PD_EV_ATOMIC_RMW && o->idle && o->idle(o, e->tid);
}

void pd_announce_direct(struct pd_event *e, const struct pd_walk_frame *frame)
{
	struct pd_observer *o = pd_listen.observer;

	e->tid = (uint16_t)pd_sched_self();
	pd_rt.channel->events[e->kind]++;
	if ((o->no_sync && pd_sched.cur && pd_sched.cur->in_libc) || is_idle(o, e))
		return;
	if (!(o->unplaced >> e->kind & 1))
		e->site = frame ? pd_place_hook(e->site, frame) : pd_place_here(e->site);
	o->event(o, e);
}

void pd_announce_all(struct pd_event *e)
{
	e->tid = (uint16_t)pd_sched_self();
	pd_rt.channel->events[e->kind]++;
	pd_listen_event(e);
}
