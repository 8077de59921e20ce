/* watch.c - see watch.h. */
#include "runtime/access/watch.h"
#include "engine/lint/lint.h"
#include "engine/lockset/lockset.h"
#include "engine/observer.h"
#include "runtime/place/place.h"
#include "runtime/base/raw.h"
#include "runtime/thread/sched.h"
#include "runtime/place/site.h"
#include <string.h>

static const struct engine {
	const char *mode;
	pd_observer_create *create;
} engines[] = {
	{"lint", pd_lint_create},
	{"lockset", pd_lockset_create},
};

/* Kinds that mean nothing to anybody but an engine. */
#define ACCESSES                                                                                   \
	(PD_EV_BIT(LOAD) | PD_EV_BIT(STORE) | PD_EV_BIT(NTSTORE) | PD_EV_BIT(RMW) |                \
	 PD_EV_BIT(RMW_FAILED) | PD_EV_BIT(CLFLUSH) | PD_EV_BIT(CLFLUSHOPT) | PD_EV_BIT(CLWB) |    \
	 PD_EV_BIT(SFENCE) | PD_EV_BIT(MFENCE) | PD_EV_BIT(ATOMIC_STORE) | PD_EV_BIT(ATOMIC_RMW) | \
	 PD_EV_BIT(ACQUIRE) | PD_EV_BIT(RELEASE))

/* The same of what programs say. */
#define SAYINGS                                                                                    \
	(PD_EV_BIT(TX_BEGIN) | PD_EV_BIT(TX_ADD) | PD_EV_BIT(TX_REMOVE) | PD_EV_BIT(TX_IGNORE) |   \
	 PD_EV_BIT(TX_END) | PD_EV_BIT(CLEAN))

static struct {
	struct pd_arena arena;
	struct pd_observer *observer;
	struct pd_wire_teller *teller;
	struct pd_tell tell; /* modules first, then what is told */
	bool events;
	uint64_t counted; /* known loads that the channel has */
} watch;

struct pd_known *pd_watch_known;

static void define_site(void *ctx, uint32_t id)
{
	const struct pd_site *site = pd_site_get(id);

	if (!site || !pd_site_first_use(id))
		return;
	if (site->inlined_at)
		define_site(ctx, site->inlined_at->id);
	pd_trace_site(pd_session.writer, site);
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
	pd_session.channel->losses[kind]++;
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

static pd_observer_create *find(const char *mode)
{
	for (uint32_t i = 0; i < PD_LEN(engines); i++)
		if (strncmp(mode, engines[i].mode, strlen(engines[i].mode)) == 0 &&
		    mode[strlen(engines[i].mode)] == ' ')
			return engines[i].create;
	return NULL;
}

bool pd_watch_start(const char *mode, const char *control)
{
	pd_observer_create *create = find(mode);
	const char *v;
	size_t n;

	if (!create)
		return false;
	pd_rt.large_pages = true;
	pd_arena_init(&watch.arena, pd_rt_memory());
	watch.teller = pd_raw_borrow(sizeof(*watch.teller));
	if (!watch.teller)
		pd_rt_fail(4, "out of memory");
	pd_wire_teller_init(watch.teller, pd_session.writer, &watch.arena,
			    (struct pd_wire_source){pd_place_frames, define_site, NULL});
	watch.tell = (struct pd_tell){told_finding, told_loss, told_stat, NULL, told_times};
	watch.observer = create(&watch.arena, &watch.tell, control);
	if (!watch.observer)
		pd_rt_fail(4, "out of memory");
	v = pd_setting(control, "events", &n);
	watch.events = v && *v == '1';
	pd_session.wants = watch.events ? UINT64_MAX : watch.observer->wants;
	pd_session.direct = watch.events ? 0 : watch.observer->wants & (ACCESSES | SAYINGS);
	pd_session.deaf = !(pd_session.wants & PD_EV_BIT(LOAD));
	pd_watch_known = watch.events ? NULL : watch.observer->known;
	return true;
}

void pd_watch_soon(uint64_t addr)
{
	if (watch.observer->soon)
		watch.observer->soon(watch.observer, addr);
}

/* A locked instruction outside of PM, where nothing waits for one. */
static inline bool is_idle(const struct pd_event *e)
{
	return e->kind == PD_EV_ATOMIC_RMW && watch.observer->idle &&
	       watch.observer->idle(watch.observer, e->tid);
}

void pd_watch_access(struct pd_event *e, const struct pd_walk_frame *frame)
{
	pd_rt_drain_now();
	e->tid = (uint16_t)pd_sched_self();
	pd_session.channel->events[e->kind]++;
	if ((watch.observer->no_sync && pd_sched.cur && pd_sched.cur->in_libc) || is_idle(e))
		return;
	if (!(watch.observer->unplaced >> e->kind & 1))
		e->site = frame ? pd_place_hook(e->site, frame) : pd_place_here(e->site);
	watch.observer->event(watch.observer, e);
}

void pd_watch_event(struct pd_event *e)
{
	if (watch.observer->no_sync && pd_sched.cur && pd_sched.cur->in_libc && !watch.events)
		return;
	if (!(watch.observer->unplaced >> e->kind & 1) || watch.events)
		e->site = pd_place_here(e->site);
	if (watch.observer->wants >> e->kind & 1)
		watch.observer->event(watch.observer, e);
	if (!watch.events)
		return;
	pd_place_modules(watch.teller);
	pd_wire_define(watch.teller, e->site);
	pd_trace_event(pd_session.writer, e);
}

void pd_watch_loss(enum pd_loss kind, uint32_t site, const char *what)
{
	uint32_t place = site ? pd_place_site(site) : 0;

	pd_wire_define(watch.teller, place);
	pd_trace_loss(pd_session.writer, kind, place, what);
}

void pd_watch_end(void)
{
	const struct pd_known *known = watch.observer->known;

	if (known) {
		pd_session.channel->events[PD_EV_LOAD] += known->count - watch.counted;
		watch.counted = known->count;
	}
	watch.observer->end(watch.observer);
	watch.tell.stat(NULL, "places_bytes", pd_place_bytes());
	pd_wire_end(watch.teller);
}
