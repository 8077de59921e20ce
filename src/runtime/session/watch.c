/* watch.c - see watch.h. */
#include "runtime/session/watch.h"
#include "engine/lint/lint.h"
#include "engine/lockset/lockset.h"
#include "engine/observer.h"
#include "runtime/base/listen.h"
#include "runtime/base/raw.h"
#include "runtime/place/place.h"
#include "runtime/pm/shadow.h"
#include "runtime/session/session.h"
#include "runtime/thread/sched.h"
#include <string.h>

static const struct engine {
	const char *mode;
	pd_observer_create *create;
} engines[] = {
	{"lint", pd_lint_create},
	{"lockset", pd_lockset_create},
};

static struct {
	struct pd_arena arena;
	struct pd_observer *observer;
	struct pd_wire_teller *teller;
	struct pd_tell tell; /* modules first, then what is told */
	bool events;
	uint64_t counted; /* known loads that the channel has */
} watch;

static void define_site(void *ctx, uint32_t id)
{
	(void)ctx;
	pd_session_define(id);
}

static void told_finding(void *ctx, const struct pd_told *f)
{
	(void)ctx;
	pd_place_modules(watch.teller);
	watch.teller->tell.finding(watch.teller->tell.ctx, f);
}

static void told_loss(void *ctx, enum pd_loss kind, uint32_t place, const char *what)
{
	(void)ctx;
	pd_rt.channel->losses[kind]++;
	watch.teller->tell.loss(watch.teller->tell.ctx, kind, place, what);
}

static void told_stat(void *ctx, const char *name, uint64_t value)
{
	(void)ctx;
	watch.teller->tell.stat(watch.teller->tell.ctx, name, value);
}

static void told_times(void *ctx, uint32_t place, uint64_t n, bool fence)
{
	(void)ctx;
	watch.teller->tell.times(watch.teller->tell.ctx, place, n, fence);
}

/* ---- what it hears -------------------------------------------------------------------------- */

/* With events=1: the trace has what the engine is given, and all else. */
static void trace(struct pd_event *e)
{
	struct pd_observer *o = watch.observer;

	e->site = pd_place_here(e->site);
	if (o->wants >> e->kind & 1)
		o->event(o, e);
	pd_place_modules(watch.teller);
	pd_wire_define(watch.teller, e->site);
	pd_trace_event(pd_session.writer, e);
}

static void event(struct pd_event *e)
{
	struct pd_observer *o = watch.observer;

	if (pd_unlikely(PD_SESSION_POOLS >> e->kind & 1))
		pd_session_trace_pool(e);
	if (pd_unlikely(watch.events)) {
		trace(e);
		return;
	}
	if (!(o->wants >> e->kind & 1) || (o->no_sync && pd_sched.cur && pd_sched.cur->in_libc))
		return;
	if (!(o->unplaced >> e->kind & 1))
		e->site = pd_place_here(e->site);
	o->event(o, e);
}

/* Who watches the rules of flushing is told not to ask: the same code may have flushed it. */
static void blind(uint64_t off, const uint8_t *bytes, size_t n)
{
	struct pd_event e = {.kind = PD_EV_CLEAN, .order = PD_ORDER_NONE, .addr = off, .size = n};

	memcpy(pd_shadow(off), bytes, n);
	pd_rt_emit(&e);
}

static void ended(void)
{
	const struct pd_known *known = watch.observer->known;

	if (known) {
		pd_rt.channel->events[PD_EV_LOAD] += known->count - watch.counted;
		watch.counted = known->count;
	}
	watch.observer->end(watch.observer);
	watch.tell.stat(NULL, "places_bytes", pd_place_bytes());
	pd_wire_end(watch.teller);
}

static void lost(enum pd_loss kind, uint32_t site, const char *what)
{
	uint32_t place = site ? pd_place_site(site) : 0;

	pd_wire_define(watch.teller, place);
	pd_trace_loss(pd_session.writer, kind, place, what);
}

static struct pd_listener listener = {.event = event, .blind = blind, .ended = ended, .lost = lost};

/* ---- its start ------------------------------------------------------------------------------ */

static pd_observer_create *find(const struct pd_control *control)
{
	for (uint32_t i = 0; i < PD_LEN(engines); i++)
		if (pd_control_is_mode(control, engines[i].mode))
			return engines[i].create;
	return NULL;
}

bool pd_watch_start(const struct pd_control *control)
{
	pd_observer_create *create = find(control);

	if (!create)
		return false;
	pd_rt.large_pages = pd_rt.takes_requests = true;
	pd_arena_init(&watch.arena, pd_rt_memory());
	watch.teller = pd_raw_borrow(sizeof(*watch.teller));
	if (!watch.teller)
		pd_rt_fail(4, "out of memory");
	pd_wire_teller_init(watch.teller, pd_session.writer, &watch.arena,
			    (struct pd_wire_source){pd_place_frames, define_site, NULL});
	watch.tell = (struct pd_tell){told_finding, told_loss, told_stat, NULL, told_times};
	watch.observer = create(&watch.arena, &watch.tell, control->settings);
	if (!watch.observer)
		pd_rt_fail(4, "out of memory");
	watch.events = pd_setting_is(control->settings, "events", "1");
	listener.wants = watch.events ? UINT64_MAX : watch.observer->wants | PD_SESSION_POOLS;
	listener.observer = watch.events ? NULL : watch.observer;
	pd_listen_add(&listener);
	return true;
}
