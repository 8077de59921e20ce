/* session.c - see session.h. */
#include "runtime/session/session.h"
#include "event/control.h"
#include "event/schedule.h"
#include "runtime/access/probe.h"
#include "runtime/access/tso.h"
#include "runtime/base/listen.h"
#include "runtime/base/raw.h"
#include "runtime/place/called.h"
#include "runtime/place/site.h"
#include "runtime/pm/pool.h"
#include "runtime/pm/shadow.h"
#include "runtime/pm/veil.h"
#include "runtime/file/file.h"
#include "runtime/session/watch.h"
#include "runtime/thread/door.h"
#include "runtime/sync/sync.h"
#include "runtime/thread/sched.h"
#include "runtime/thread/trap.h"
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct pd_session pd_session;

/* ---- the channel ---------------------------------------------------------------------------- */

static void write_all(int fd, const uint8_t *p, size_t n)
{
	while (n) {
		long r = pd_raw_write(fd, p, n);

		if (r == -EINTR)
			continue;
		if (r <= 0)
			pd_rt_leave(4); /* the tool is gone: there is nobody to report to */
		p += r;
		n -= (size_t)r;
	}
}

static void channel_write(void *ctx, const char *s, size_t n)
{
	struct pd_channel *c = ctx;

	if (n > sizeof(c->buf) - c->n) {
		write_all(pd_session.pipe, c->buf, c->n);
		c->n = 0;
	}
	if (n > sizeof(c->buf)) {
		write_all(pd_session.pipe, (const uint8_t *)s, n);
		return;
	}
	memcpy(c->buf + c->n, s, n);
	c->n += (uint32_t)n;
}

/* ---- events --------------------------------------------------------------------------------- */

void pd_session_define(uint32_t id)
{
	const struct pd_site *site = pd_site_get(id);

	if (!site || !pd_site_first_use(id))
		return;
	if (site->inlined_at)
		pd_session_define(site->inlined_at->id);
	pd_trace_site(pd_session.writer, site);
}

void pd_session_trace_pool(const struct pd_event *e)
{
	const struct pd_pool *p = pd_pool_get((uint32_t)e->aux);

	if (p && pd_session.writer)
		pd_trace_pool(pd_session.writer, p->id, p->base - PD_PM_BASE, p->size, p->name);
}

static void trace(struct pd_event *e)
{
	if (pd_unlikely(PD_SESSION_POOLS >> e->kind & 1))
		pd_session_trace_pool(e);
	if (pd_session.counting)
		return;
	if (e->site)
		pd_session_define(e->site);
	pd_trace_event(pd_session.writer, e);
}

static void trace_loss(enum pd_loss kind, uint32_t site, const char *what)
{
	if (site)
		pd_session_define(site);
	pd_trace_loss(pd_session.writer, kind, site, what);
}

/* ---- the end -------------------------------------------------------------------------------- */

static void report_globs(struct pd_channel *c)
{
	const struct pd_pool_glob *globs;
	uint32_t n = pd_pool_globs(&globs);

	c->nglobs = PD_MIN(n, PD_CHANNEL_GLOBS);
	for (uint32_t i = 0; i < c->nglobs; i++) {
		c->glob_opened[i] = globs[i].opened;
		c->glob_mapped[i] = globs[i].mapped;
	}
}

/* The program ends, or is about to replace itself; if that fails, the session goes on. */
static void leaving(void)
{
	if (!pd_inside() || pd_session.ended || !pd_rt.channel->started)
		return;
	pd_door_report();
	pd_rt_drain_now();
	if (!pd_mem.crashed) /* the waiting walker judges a recovery */
		pd_shadow_check_all();
	pd_listen_point(PD_EV_EXIT, 0);
	if (pd_mem.crashed)
		return;
	if (pd_mem.modelling && pd_model_failed(&pd_mem.model))
		pd_rt_fail(4, "out of memory in the model");
	pd_listen_ended();
	report_globs(pd_rt.channel);
	pd_rt.channel->done = 1;
}

/*
 * The program ends in an orderly way: makes the last checks, and reports that in the channel.
 * Idempotent.
 */
static void end_session(void)
{
	leaving();
	pd_session.ended |= pd_inside();
}

__attribute__((destructor(PD_START_SESSION))) static void finish(void)
{
	end_session();
}

/* exit(3) runs our destructor; these do not. */
PD_EXPORT void _exit(int status)
{
	if (pd_inside())
		pd_listen_exiting(status);
	end_session();
	pd_rt_leave(status);
}

PD_EXPORT void _Exit(int status)
{
	if (pd_inside())
		pd_listen_exiting(status);
	end_session();
	pd_rt_leave(status);
}

/* ---- a child of the program's own ----------------------------------------------------------- */

static void forking(void)
{
	pd_rt_loss(PD_LOSS_SYSCALL, 0, "fork: the child is not followed");
}

static struct pd_channel *parents;

/* The parent does not see what its child does to PM: what it loses in a crash may be durable. */
static void report_to_parent(const char *what)
{
	struct pd_channel *own = pd_rt.channel;

	if (!parents->losses[PD_LOSS_CHILD]) {
		pd_rt.channel = parents;
		pd_rt_loss(PD_LOSS_CHILD, 0, what);
		pd_rt.channel = own;
	}
}

static void child_stored(uint64_t off, size_t n, uint32_t site)
{
	(void)off;
	(void)n;
	(void)site;
	report_to_parent("a store to PM by a child of fork");
}

static void child_flushed(uint64_t line, bool at_once, uint32_t site)
{
	(void)line;
	(void)at_once;
	(void)site;
	report_to_parent("a flush of PM by a child of fork");
}

/*
 * From here on the channel and the trace belong to the parent, and so do crashes; it has counted
 * the loss.
 */
static void forked(void)
{
	static const struct pd_listener child = {
		.stays = true, .stored = child_stored, .flushed = child_flushed};
	static struct pd_channel unused PD_TABLE;
	struct pd_session *s = &pd_session;

	if (!parents)
		parents = pd_rt.channel;
	if (s->checking)
		pd_listen_add(&child);

	pd_tso_stop();
	if (s->watching) /* in place of the engine, which kept the shadow up to date */
		pd_mem_listen();
	pd_mem.modelling = s->watching = pd_rt.takes_requests = false;
	s->writer = NULL;
	unused.started = 1;
	unused.modules = pd_rt.channel->modules;
	pd_rt.channel = &unused;
}

static void mapped(struct pd_event *e)
{
	(void)e;
	if (!pd_site_any())
		pd_rt_fail(2, "the program maps PM but nothing of it was compiled with "
			      "'perdure cc'; rebuild it with CC='perdure cc'");
}

/* ---- control -------------------------------------------------------------------------------- */

static void open_channel(const char *settings)
{
	int fd = (int)pd_setting_number(settings, "channel", (uint64_t)-1);
	long p = pd_raw_mmap(0, sizeof(struct pd_channel), PROT_READ | PROT_WRITE, MAP_SHARED, fd,
			     0);

	if (pd_raw_failed(p) || ((struct pd_channel *)p)->abi != PD_ABI)
		pd_rt_fail(
			4,
			"PERDURE_CONTROL is set, but not by a perdure of this version; unset it");
	pd_raw_close(fd);
	pd_rt.channel = (struct pd_channel *)p;
	pd_session.pipe = (int)pd_setting_number(settings, "pipe", (uint64_t)-1);
	pd_rt.own_fds = PD_MIN(pd_session.pipe, PD_FIRST_FD);
}

static struct pd_chooser pct(uint64_t seed, uint64_t depth, uint64_t steps)
{
	static struct pd_sched_pct state;

	return pd_sched_pct(&state, seed, (uint32_t)PD_MIN(depth, PD_PCT_DEPTH_MAX), steps);
}

/* A schedule of an exploration. */
static struct pd_chooser chooser_of(uint64_t number)
{
	static struct pd_sched_pct late;
	struct pd_schedule s = pd_schedule_of(number);

	if (s.policy == PD_POLICY_LATE)
		return pd_sched_late(&late, number, (uint32_t)s.nth);
	return s.policy == PD_POLICY_PCT ? pct(number, s.depth, s.steps) : pd_sched_default();
}

/* The schedule that the user asked for. */
static struct pd_chooser chooser_asked(const char *settings, uint64_t seed)
{
	static struct pd_sched_random random;
	static struct pd_sched_sparse sparse;
	size_t n = 0;
	const char *s = pd_setting(settings, "schedule", &n);

	if (pd_setting_is(settings, "schedule", "random"))
		return pd_sched_random(&random, seed);
	if (pd_setting_is(settings, "schedule", "sparse"))
		return pd_sched_sparse(&sparse, seed);
	if (!s || n < 4 || memcmp(s, "pct:", 4) != 0)
		return pd_sched_default();
	return pct(seed, pd_setting_field(settings, "schedule", 1, 3),
		   pd_setting_field(settings, "schedule", 2, 10000));
}

void pd_session_schedule(uint64_t number)
{
	pd_sched.sparse = NULL;
	pd_sched_use(chooser_of(number));
}

void pd_session_seed(uint64_t seed)
{
	pd_rt.seed = seed;
	/* Executions of an exploration differ only in their schedules */
	pd_rt.numbers = pd_session.checking ? 0 : seed;
	pd_sched.sparse = NULL;
	if (pd_session.checking)
		pd_tso_seed(pd_schedule_of(seed).policy == PD_POLICY_PCT ? seed : 0);
	pd_sched_use(pd_session.checking ? chooser_of(seed)
					 : chooser_asked(pd_session.settings, seed));
}

static struct pd_params params_of(const char *settings)
{
	size_t n = 0;
	const char *v = pd_setting(settings, "model", &n);
	const struct pd_params *params = v ? pd_params_find(v, n) : NULL;

	return params ? *params : PD_PARAMS_ADR;
}

static void make_writer(void)
{
	struct pd_session *s = &pd_session;

	s->writer = pd_raw_borrow(sizeof(*s->writer));
	if (!s->writer)
		pd_rt_fail(4, "out of memory");
	pd_trace_init(s->writer, (struct pd_out){channel_write, pd_rt.channel});
}

/* Called from pd_rt_init, with the value of PERDURE_CONTROL. */
static void start_session(const char *control)
{
	static const struct pd_listener session = {.stays = true,
						   .wants = PD_EV_BIT(POOL_MAP),
						   .event = mapped,
						   .leaving = leaving,
						   .forking = forking,
						   .forked = forked};
	struct pd_session *s = &pd_session;
	struct pd_control c;

	strncpy(s->control, control, sizeof(s->control) - 1);
	if (pd_control_parse(s->control, &c) != PD_CONTROL_FINE)
		pd_rt_fail(4,
			   "PERDURE_CONTROL is of another version of perdure; rebuild the program");
	s->settings = c.settings;
	open_channel(s->settings);
	s->zygote = (int)pd_setting_number(s->settings, "zygote", (uint64_t)-1);
	pd_session_seed(pd_setting_number(s->settings, "seed", 0));
	pd_arena_init(&s->arena, pd_rt_memory());
	pd_rt.channel->started = 1;
	pd_trap_calls = (struct pd_trap_calls){pd_futex, pd_veil_syscall, pd_veil_unblocked,
					       pd_file_syscall};
	pd_shadow_listen();
	pd_sync_listen();
	pd_listen_add(&session);
	if (pd_control_is_mode(&c, "trace")) {
		static struct pd_listener tracer = {.event = trace, .lost = trace_loss};

		make_writer();
		s->counting = pd_setting_is(s->settings, "count", "1");
		tracer.wants = s->counting ? PD_SESSION_POOLS : UINT64_MAX;
		pd_listen_add(&tracer);
		pd_mem_listen();
	} else if (pd_control_is_mode(&c, "model") || pd_control_is_mode(&c, "check")) {
		pd_model_init(&pd_mem.model, &s->arena, params_of(s->settings),
			      (uint8_t *)PD_SHADOW_BASE, false);
		pd_mem.modelling = true;
		s->checking = pd_control_is_mode(&c, "check");
		pd_rt.side_files = pd_rt.side_synced = s->checking;
		pd_rt.takes_requests = pd_rt.hides_valgrind = s->checking;
		pd_mem.value_chooser = pd_sched_default();
		pd_mem_listen();
	} else if (pd_control_is_mode(&c, "explore")) {
		s->exploring = s->watching = true;
		pd_rt.side_files = true;
	} else {
		make_writer();
		s->watching = pd_watch_start(&c);
		if (!s->watching)
			pd_rt_fail(4, "PERDURE_CONTROL names an unknown kind of session");
	}
}

/* Removes NAME=... from the environment and returns its value. */
static const char *take_variable(const char *name)
{
	const char *value = NULL;
	char **to = environ;

	for (char **from = environ; *from; from++) {
		if (strncmp(*from, name, strlen(name)) == 0 && (*from)[strlen(name)] == '=')
			value = *from + strlen(name) + 1;
		else
			*to++ = *from;
	}
	*to = NULL;
	return value;
}

void pd_rt_init(void)
{
	static bool done;
	static struct pd_channel unused PD_TABLE;
	const char *control;

	if (done || !environ)
		return;
	done = true;
	pd_rt.channel = &unused;
	control = take_variable("PERDURE_CONTROL");
	if (!control)
		return;
	/* The tool put us there so that we precede every other library. */
	take_variable("LD_PRELOAD");
	pd_called_start(take_variable("PERDURE_FUNCTIONS"));
	pd_rt.driven = true;
	pd_door = PD_DOOR_INSIDE;
	start_session(control);
}

__attribute__((constructor(PD_START_SESSION))) static void start(void)
{
	pd_rt_init();
	if (pd_thread_driven() && !pd_session.exploring)
		pd_probe_start();
}
