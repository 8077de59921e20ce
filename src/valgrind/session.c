/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * session.c - the connection to the driver: options, the channel, the trace, the engine.
 *
 * The driver (drive/driven.c) passes everything on the command line and leaves the program's
 * environment alone: --pd-channel=FD --pd-pipe=FD --pd-mode=MODE --pd-settings=TEXT --pd-pm=GLOB
 * --pd-function=TEXT (event/function.h) --pd-static=yes.
 */
#include "vg.h"
#include "base/bug.h"
#include "core.h"
#include "engine/lint/lint.h"
#include "engine/lockset/lockset.h"
#include "engine/lockset/lockset.h"
#include "engine/observer.h"
#include "event/trace.h"
#include "finding/wire.h"
#include "pool.h"
#include "pub_tool_aspacemgr.h"
#include "pub_tool_options.h"

enum { FUNCTIONS = 1024 };

struct vg_session vg_session;

static struct {
	Int channel_fd;
	Int pipe;
	const HChar *mode;
	Long seed;
	const HChar *globs[PD_CHANNEL_GLOBS];
	UInt nglobs;
	const HChar *functions[FUNCTIONS];
	UInt nfunctions;
	Bool statically; /* static linking: nothing is preloaded */
	Bool tracing;
	struct pd_trace_writer writer;
	struct pd_wire_writer wire;
	struct pd_observer *engine;
	struct pd_map defined; /* places already defined in the trace */
	UInt next_site;	       /* for frames inlined into others */
} own = {.channel_fd = -1, .pipe = -1};

/* Engines that watch a run, by mode. */
static const struct {
	const HChar *mode;
	pd_observer_create *create;
} engines[] = {
	{"lint", pd_lint_create},
	{"lockset", pd_lockset_create},
	{"lockset", pd_lockset_create},
	{NULL, NULL},
};

Bool vg_session_option(const HChar *arg)
{
	const HChar *glob;

	if (VG_INT_CLO(arg, "--pd-channel", own.channel_fd)) {
	} else if (VG_INT_CLO(arg, "--pd-pipe", own.pipe)) {
	} else if (VG_INT_CLO(arg, "--pd-seed", own.seed)) {
	} else if (VG_STR_CLO(arg, "--pd-mode", own.mode)) {
	} else if (VG_STR_CLO(arg, "--pd-settings", vg_session.settings)) {
	} else if (VG_STR_CLO(arg, "--pd-pm", glob)) {
		if (own.nglobs < PD_CHANNEL_GLOBS)
			own.globs[own.nglobs++] = glob;
	} else if (VG_STR_CLO(arg, "--pd-function", glob)) {
		if (own.nfunctions < FUNCTIONS)
			own.functions[own.nfunctions++] = glob;
	} else if (VG_BOOL_CLO(arg, "--pd-static", own.statically)) {
	} else {
		return False;
	}
	return True;
}

/* ---- memory --------------------------------------------------------------------------------- */

static void *grow(void *ctx, size_t n)
{
	SysRes r = VG_(am_mmap_anon_float_valgrind)(n);

	(void)ctx;
	return sr_isError(r) ? NULL : (void *)sr_Res(r);
}

static void release(void *ctx, void *p, size_t n)
{
	(void)ctx;
	VG_(am_munmap_valgrind)((Addr)p, n);
}

void *vg_alloc(SizeT n)
{
	void *p = pd_arena_alloc(&vg_session.arena, n);

	if (!p)
		vg_fail(4, "memory ran out");
	return p;
}

const HChar *vg_strdup(const HChar *text)
{
	const HChar *p = pd_arena_strndup(&vg_session.arena, text, VG_(strlen)(text));

	if (!p)
		vg_fail(4, "memory ran out");
	return p;
}

void *vg_scratch(SizeT n)
{
	static void *buf;
	static SizeT have;

	if (n > have) {
		have = 2 * n + 4096;
		buf = vg_alloc(have);
	}
	VG_(memset)(buf, 0, n);
	return buf;
}

/* ---- failing -------------------------------------------------------------------------------- */

void vg_fail(Int status, const HChar *fmt, ...)
{
	HChar text[PD_CHANNEL_TEXT];
	va_list ap;

	va_start(ap, fmt);
	VG_(vsnprintf)(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (vg_session.channel && vg_session.following) {
		VG_(memcpy)(vg_session.channel->fail, text, sizeof(text));
		vg_session.channel->failed = (uint32_t)status;
	} else {
		VG_(umsg)("perdure: %s\n", text);
	}
	VG_(exit)(status);
}

_Noreturn void pd_bug_report(const char *file, int line, const char *what)
{
	vg_fail(4, "defect in perdure's Valgrind tool (%s:%d): %s; please report it", file, line,
		what);
}

/* The compiler may generate calls of it in the core. */
int memcmp(const void *a, const void *b, size_t n)
{
	const UChar *x = a, *y = b;

	for (size_t i = 0; i < n; i++)
		if (x[i] != y[i])
			return x[i] < y[i] ? -1 : 1;
	return 0;
}

/* ---- the channel ---------------------------------------------------------------------------- */

static void write_all(const uint8_t *p, size_t n)
{
	while (n) {
		Int r = VG_(write)(own.pipe, p, (Int)n);

		if (r == -VKI_EINTR)
			continue;
		if (r <= 0)
			VG_(exit)(4); /* perdure is gone: there is nobody to report to */
		p += r;
		n -= (size_t)r;
	}
}

static void channel_write(void *ctx, const char *bytes, size_t n)
{
	struct pd_channel *c = ctx;

	if (n > sizeof(c->buf) - c->n) {
		write_all(c->buf, c->n);
		c->n = 0;
	}
	if (n > sizeof(c->buf)) {
		write_all((const uint8_t *)bytes, n);
		return;
	}
	VG_(memcpy)(c->buf + c->n, bytes, n);
	c->n += (uint32_t)n;
}

static void open_channel(void)
{
	SysRes r;

	if (own.channel_fd < 0 || own.pipe < 0 || !own.mode) {
		VG_(umsg)("perdure: this tool is started by 'perdure', not by 'valgrind "
			  "--tool=perdure'\n");
		VG_(exit)(2);
	}
	r = VG_(am_shared_mmap_file_float_valgrind)(
		sizeof(struct pd_channel), VKI_PROT_READ | VKI_PROT_WRITE, own.channel_fd, 0);
	if (sr_isError(r) || ((struct pd_channel *)sr_Res(r))->abi != PD_ABI) {
		VG_(umsg)("perdure: its Valgrind tool is of another version; install perdure "
			  "again\n");
		VG_(exit)(4);
	}
	VG_(close)(own.channel_fd);
	own.pipe = VG_(safe_fd)(own.pipe);
	vg_session.channel = (struct pd_channel *)sr_Res(r);
}

/* ---- events --------------------------------------------------------------------------------- */

/* A site of the trace is a place in the code; frames inlined into each other form a chain. */
static void define_place(UInt place)
{
	static struct pd_wire_frame frames[PD_WIRE_FRAMES];
	static struct pd_site sites[PD_WIRE_FRAMES];
	uint64_t *known = pd_map_put(&own.defined, &vg_session.arena, place);
	UInt n, k = 0;

	if (!known || *known)
		return;
	*known = 1;
	n = vg_place_names(place, frames, PD_WIRE_FRAMES);
	while (k + 1 < n && frames[k].inlined)
		k++;
	if (!n)
		return;
	for (Int i = (Int)k; i >= 0; i--) {
		sites[i] = (struct pd_site){
			.file = frames[i].at.file  ? frames[i].at.file
				: frames[i].object ? frames[i].object
						   : "?",
			.function = frames[i].at.function ? frames[i].at.function : "?",
			.line = frames[i].at.line,
			.id = i ? 1U << 31 | own.next_site++ : place,
			.inlined_at = i < (Int)k ? &sites[i + 1] : NULL};
		pd_trace_site(&own.writer, &sites[i]);
	}
}

static void define_pool(const struct pd_event *e)
{
	const struct vg_pool *p = vg_pool_get((UInt)e->aux);

	if (p)
		pd_trace_pool(&own.writer, p->id, p->base - PD_PM_BASE, p->size, p->name);
}

void vg_emit(struct pd_event *e)
{
	UInt number = vg_thread_number(VG_(get_running_tid)());

	if (vg_given_words && vg_session.following)
		vg_given_look(number);
	vg_emit_as(number, e);
}

void vg_emit_as(UInt number, struct pd_event *e)
{
	if (!vg_session.following)
		return;
	e->tid = (uint16_t)number;
	vg_session.channel->events[e->kind]++;
	if (e->kind == PD_EV_POOL_OPEN || e->kind == PD_EV_POOL_SIZE || e->kind == PD_EV_POOL_MAP ||
	    e->kind == PD_EV_POOL_RENAME)
		define_pool(e);
	if (own.engine && own.engine->wants >> e->kind & 1)
		own.engine->event(own.engine, e);
	if (!own.tracing)
		return;
	if (e->site && own.engine)
		pd_wire_define(&own.wire, e->site);
	else if (e->site)
		define_place(e->site);
	pd_trace_event(&own.writer, e);
}

void vg_soon(Addr a)
{
	uint64_t home;

	if (own.engine && own.engine->soon && vg_pool_home(a, &home))
		own.engine->soon(own.engine, home);
}

void vg_loss(enum pd_loss kind, UInt place, const HChar *what)
{
	if (!vg_session.following)
		return;
	vg_session.channel->losses[kind]++;
	if (place && own.engine)
		pd_wire_define(&own.wire, place);
	else if (place)
		define_place(place);
	pd_trace_loss(&own.writer, kind, place, what);
}

void vg_session_modules(void)
{
	if (own.engine && vg_session.following)
		vg_place_modules(&own.wire);
}

Bool vg_is_foreign_file(Addr a)
{
	const NSegment *seg = VG_(am_find_nsegment)(a);

	return seg && seg->kind == SkFileC && seg->hasW && !vg_pool_has(seg->dev, seg->ino);
}

/* ---- beginning and end ---------------------------------------------------------------------- */

static void start_engine(void)
{
	struct pd_wire_source source = {.frames = vg_place_frames};

	for (UInt i = 0; engines[i].mode; i++) {
		if (VG_(strcmp)(own.mode, engines[i].mode) != 0)
			continue;
		pd_wire_writer_init(&own.wire, &own.writer, &vg_session.arena, source);
		own.engine =
			engines[i].create(&vg_session.arena, &own.wire.sink, vg_session.settings);
		if (!own.engine)
			vg_fail(4, "memory ran out");
		own.tracing = pd_setting_is(vg_session.settings, "events", "1");
		vg_session.locks = own.engine->wants >> PD_EV_ATOMIC_STORE & 1;
		vg_session.wants = own.tracing ? ~0ULL : own.engine->wants;
		vg_session.known = own.tracing ? NULL : own.engine->known;
		return;
	}
	vg_fail(4, "perdure's Valgrind tool does not know the mode '%s'", own.mode);
}

void vg_session_start(void)
{
	if (!vg_session.settings)
		vg_session.settings = "";
	open_channel();
	pd_arena_init(&vg_session.arena, (struct pd_host){grow, release, NULL});
	vg_session.following = True;
	vg_session.channel->started = 1;
	for (UInt i = 0; i < own.nglobs; i++)
		vg_pool_glob(own.globs[i]);
	pd_trace_init(&own.writer, (struct pd_out){channel_write, vg_session.channel});
	if (VG_(strcmp)(own.mode, "trace") == 0) {
		own.tracing = !pd_setting_is(vg_session.settings, "count", "1");
		vg_session.wants = ~0ULL;
	} else {
		start_engine();
	}
	if (VG_(strcmp)(own.mode, "lockset") == 0)
		vg_turn_start((ULong)own.seed);
}

void vg_session_hooks(void)
{
	vg_hook_locks();
	if (own.statically)
		vg_hook_static();
	for (UInt i = 0; i < own.nfunctions; i++)
		if (!vg_hook_add(own.functions[i]))
			vg_fail(4, "perdure's Valgrind tool does not understand the function '%s'",
				own.functions[i]);
}

void vg_session_end(Bool orderly)
{
	if (!vg_session.following)
		return;
	if (orderly && own.engine) {
		own.engine->end(own.engine);
		pd_wire_end(&own.wire);
	}
	vg_session.channel->done = orderly;
	vg_session.following = False;
	vg_session.known = NULL;
}

void vg_session_forked(void)
{
	vg_session.following = False;
	vg_session.known = NULL;
}
