/* watch.c - see watch.h. */
#include "runtime/session/watch.h"
#include "engine/lint/lint.h"
#include "engine/lockset/lockset.h"
#include "engine/observer.h"
#include "runtime/base/listen.h"
#include "runtime/base/raw.h"
#include "runtime/place/place.h"
#include "runtime/place/stack.h"
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
	struct pd_wire_writer *wire;
	struct pd_sink sink; /* defines modules first, then passes on what is reported */
	bool events;
	uint64_t counted; /* known loads that the channel already includes */
} watch;

static void define_site(void *ctx, uint32_t id)
{
	(void)ctx;
	pd_session_define(id);
}

static void send_finding(void *ctx, const struct pd_raw_finding *f)
{
	(void)ctx;
	pd_place_modules(watch.wire);
	watch.wire->sink.finding(watch.wire->sink.ctx, f);
}

static void send_loss(void *ctx, enum pd_loss kind, uint32_t place, const char *what)
{
	(void)ctx;
	pd_rt.channel->losses[kind]++;
	watch.wire->sink.loss(watch.wire->sink.ctx, kind, place, what);
}

static void send_stat(void *ctx, const char *name, uint64_t value)
{
	(void)ctx;
	watch.wire->sink.stat(watch.wire->sink.ctx, name, value);
}

static void send_times(void *ctx, uint32_t place, uint64_t n, uint32_t what)
{
	(void)ctx;
	watch.wire->sink.times(watch.wire->sink.ctx, place, n, what);
}

/* ---- what it hears -------------------------------------------------------------------------- */

/* With events=1: traces what the engine gets, and everything else. */
static void trace(struct pd_event *e)
{
	struct pd_observer *o = watch.observer;

	e->site = pd_place_here(e->site);
	if (o->wants >> e->kind & 1)
		o->event(o, e);
	pd_place_modules(watch.wire);
	pd_wire_define(watch.wire, e->site);
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

/* The engine must not report missing flushes of it: the same code may have flushed it. */
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
	if (!watch.wire)
		return;
	watch.sink.stat(NULL, "places_bytes", pd_place_bytes());
	pd_wire_end(watch.wire);
}

static void lost(enum pd_loss kind, uint32_t site, const char *what)
{
	uint32_t place = site && watch.wire ? pd_place_site(site) : 0;

	if (!watch.wire)
		return;
	pd_wire_define(watch.wire, place);
	pd_trace_loss(pd_session.writer, kind, place, what);
}

static struct pd_listener listener = {.event = event, .blind = blind, .ended = ended, .lost = lost};

uint32_t pd_watch_place(void)
{
	uintptr_t pc[PD_PLACE_DEPTH];
	uint32_t place = pd_place_of(0, pc, pd_rt_stack(pc, PD_LEN(pc)));

	pd_place_modules(watch.wire);
	pd_wire_define(watch.wire, place);
	return place;
}

/* ---- its start ------------------------------------------------------------------------------ */

static pd_observer_create *find(const struct pd_control *control)
{
	for (uint32_t i = 0; i < PD_LEN(engines); i++)
		if (pd_control_is_mode(control, engines[i].mode))
			return engines[i].create;
	return NULL;
}

void pd_watch_observe(pd_observer_create *create, struct pd_sink *sink, const char *settings)
{
	pd_rt.takes_requests = true;
	if (!watch.arena.host.grow)
		pd_arena_init(&watch.arena, pd_rt_memory());
	watch.observer = create(&watch.arena, sink, settings);
	if (!watch.observer)
		pd_rt_fail(4, "out of memory");
	listener.wants |= watch.observer->wants;
	listener.observer = watch.events ? NULL : watch.observer;
	pd_listen_add(&listener);
}

void pd_watch_settle(void)
{
	if (watch.observer->settle)
		watch.observer->settle(watch.observer);
}

bool pd_watch_start(const struct pd_control *control)
{
	pd_observer_create *create = find(control);

	if (!create)
		return false;
	pd_rt.large_pages = true;
	pd_arena_init(&watch.arena, pd_rt_memory());
	watch.wire = pd_raw_borrow(sizeof(*watch.wire));
	if (!watch.wire)
		pd_rt_fail(4, "out of memory");
	pd_wire_writer_init(watch.wire, pd_session.writer, &watch.arena,
			    (struct pd_wire_source){pd_place_frames, define_site, NULL});
	watch.sink = (struct pd_sink){send_finding, send_loss, send_stat, NULL, send_times};
	watch.events = pd_setting_is(control->settings, "events", "1");
	listener.wants = watch.events ? UINT64_MAX : PD_SESSION_POOLS;
	pd_watch_observe(create, &watch.sink, control->settings);
	if (pd_setting_is(control->settings, "deaths", "1"))
		pd_death_watch();
	else
		pd_death_catch(NULL);
	return true;
}
