/* check/hold.c - see check/hold.h. */
#include "runtime/check/hold.h"
#include "engine/lockset/meet.h"
#include "protocol/board.h"
#include "engine/crash/walk.h"
#include "runtime/base/listen.h"
#include "runtime/place/place.h"
#include "runtime/check/check.h"
#include "runtime/check/walker.h"
#include "runtime/base/raw.h"
#include "runtime/thread/sched.h"
#include "runtime/session/session.h"
#include "runtime/access/tso.h"

bool pd_hold_on;

/* Prevents that the preceding call becomes a tail call: the frame must exist while it runs. */
#define KEEP_FRAME() __asm__ volatile("" ::: "memory")

static struct {
	struct pd_meet meet;
	struct pd_sched_random random;
	struct pd_sched_holding threads;
	/* Frame of our function that was called last: engine code has no frame pointers */
	const struct pd_walk_frame *frame;
} hold PD_TABLE;

/* Ends an execution that can show nothing more. */
static _Noreturn void leave(void)
{
	pd_walker_drain();
	pd_raw(SYS_exit_group, 0, 0, 0, 0, 0, 0);
	__builtin_unreachable();
}

static uint32_t choose(void *ctx, uint32_t pick, uint32_t n, uint32_t (*number)(uint32_t))
{
	(void)ctx;
	if (__atomic_load_n(&pd_board()->stop, __ATOMIC_RELAXED) || pd_meet_is_over(&hold.meet))
		leave();
	return pd_meet_choose(&hold.meet, pick, n, number);
}

static void acted(void *ctx, uint32_t effect)
{
	(void)ctx;
	pd_check_publish(effect, false);
}

static bool scout(void *ctx, uint32_t site)
{
	(void)ctx;
	return pd_check_crash(PD_EV_SFENCE, site);
}

static bool is_called_by(void *ctx, const uint64_t *caller, uint32_t n)
{
	(void)ctx;
	return pd_place_is_called_by(hold.frame, caller, n);
}

static void use_seed(void)
{
	pd_tso_stop(); /* the store has to be visible before it is durable */
	hold.threads.base = pd_sched_random(&hold.random, pd_rt.seed);
	hold.threads.choose = choose;
	pd_meet_seed(&hold.meet, pd_rt.seed);
	pd_sched_use(pd_sched_holding(&hold.threads));
}

static void serve(void)
{
	if (!pd_serve_executions())
		return;
	use_seed();
	pd_meet_find(&hold.meet);
}

/* ---- what happens --------------------------------------------------------------------------- */

static void note_store(uint64_t off, size_t n, uint32_t site)
{
	hold.frame = __builtin_frame_address(0);
	pd_meet_stored(&hold.meet, pd_thread_self(), off, n, site);
	KEEP_FRAME();
}

static void hold_at_flush(uint64_t off, bool fence)
{
	pd_meet_persisting(&hold.meet, pd_thread_self(), off, fence);
}

static void note_point(enum pd_event_kind kind, uint32_t site)
{
	(void)kind;
	(void)site;
	pd_meet_point(&hold.meet, pd_thread_self());
}

static void wait_for_store(uint64_t off, size_t n, uint32_t site)
{
	hold.frame = __builtin_frame_address(0);
	pd_meet_loading(&hold.meet, pd_thread_self(), off, n, site);
	KEEP_FRAME();
}

static void note_load(uint64_t off, size_t n, uint32_t site)
{
	hold.frame = __builtin_frame_address(0);
	pd_meet_loaded(&hold.meet, pd_thread_self(), off, n, site);
	KEEP_FRAME();
}

static void note_flush(uint64_t off, bool at_once, uint32_t site)
{
	pd_meet_flushed(&hold.meet, pd_thread_self(), off, at_once, site);
}

static void note_fence(uint32_t site)
{
	pd_meet_fenced(&hold.meet, pd_thread_self(), site);
}

void pd_hold_begin(void)
{
	static const struct pd_listener listener = {.loading = wait_for_store,
						    .loaded = note_load,
						    .stored = note_store,
						    .persisting = hold_at_flush,
						    .point = note_point,
						    .flushed = note_flush,
						    .fenced = note_fence,
						    .thread_making = serve};
	struct pd_board *b = pd_board();

	pd_hold_on = b->hold.asked.store.site != 0;
	if (!pd_hold_on)
		return;
	hold.meet.asked = &b->hold.asked;
	hold.meet.seen = &b->hold.seen;
	hold.meet.model = &pd_mem.model;
	hold.meet.acted = acted;
	hold.meet.scout = scout;
	hold.meet.is_called_by = is_called_by;
	use_seed();
	pd_listen_add(&listener);
}

/* ---- crashes -------------------------------------------------------------------------------- */

void pd_hold_recovered(void)
{
	struct pd_meet_seen *seen = &pd_board()->hold.seen;
	uint64_t block, mask = pd_meet_bytes(seen, &block);

	if (mask && !(pd_check_bytes_read(block) & mask) &&
	    (pd_check_bytes_written(block) & mask) == mask)
		pd_board_count(seen->resets);
}

bool pd_hold_here(void)
{
	return pd_meet_is_crash_point(&hold.meet);
}

void pd_hold_watch(struct pd_walk_watch *w)
{
	const struct pd_meet *m = &hold.meet;
	struct pd_board_hold *to = &pd_board()->hold;

	w->from = pd_hold_on ? m->at.from : 0;
	w->to = pd_hold_on ? m->at.to : 0;
	to->seen.addr = m->at.addr;
	to->seen.end = m->at.end;
	to->seen.from = m->at.from;
	to->seen.to = m->at.to;
	w->again = m->scouting && !to->seen.judged;
	w->line = m->at.addr >> pd_mem.model.params.line_shift;
	w->only = pd_hold_on && (m->scouting || to->asked.scout);
	w->addr = m->at.addr;
	w->end = m->at.end;
	w->effect = m->effect_line * PD_BLOCK;
	w->effect_end = m->scouting ? w->effect + PD_BLOCK : w->effect;
}

void pd_hold_judge(const struct pd_walk_watch *w)
{
	struct pd_meet_seen *seen = &pd_board()->hold.seen;
	void *none = NULL;

	if (!pd_hold_on)
		return;
	__atomic_fetch_add(&seen->judged, w->good, __ATOMIC_RELAXED);
	__atomic_fetch_add(&seen->read, w->read, __ATOMIC_RELAXED);
	__atomic_fetch_add(&seen->sought, w->unneeded, __ATOMIC_RELAXED);
	if (w->bad)
		__atomic_compare_exchange_n(&seen->bad, &none, (void *)w->bad, false,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}
