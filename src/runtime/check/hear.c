/*
 * check/hear.c - the listeners of the crash engine (base/listen.h).
 *
 * Thread rule: as in rt.h.
 */
#include "runtime/access/mem.h"
#include "runtime/base/listen.h"
#include "runtime/base/quiet.h"
#include "runtime/base/raw.h"
#include "runtime/check/again.h"
#include "runtime/check/check.h"
#include "runtime/check/checksum.h"
#include "runtime/check/torn.h"
#include "runtime/pm/shadow.h"
#include <signal.h>

/* ---- any execution that may crash ----------------------------------------------------------- */

static void count_event(struct pd_event *e)
{
	pd_check_event();
	if (pd_unlikely(pd_check.look && pd_check.events >= pd_check.look))
		pd_loop_reached(e->addr, e->site);
	pd_quiet_grant(pd_check_quiet_events());
}

static void note_change(void)
{
	pd_check.stores++;
}

static void note_stored(uint64_t off, size_t n, uint32_t site)
{
	(void)off;
	(void)n;
	pd_check.stores++;
	pd_check.last_store = site;
}

/* A flush of a line without open stores may have been meant for another line. */
static void note_flush(uint64_t off, uint32_t site)
{
	const struct pd_line *line = pd_model_line(&pd_mem.model, off);

	if (line && line->cur.log && line->cur.last > line->cur.must) {
		if (!pd_check.depth)
			pd_check_flushed(line, site);
		return;
	}
	pd_check.idle_flush = site;
	pd_check.idle_order = pd_mem.model.log->n;
}

static void note_cut(uint64_t off, uint64_t n)
{
	(void)off;
	(void)n;
	pd_check.cut = true;
}

/* In a child that the program forks itself: it is no part of the exploration. */
static void stop(void)
{
	pd_check.role = PD_CHECK_NONE;
	pd_check.journal = false;
	pd_check.look = 0;
}

/* ---- a recovery ----------------------------------------------------------------------------- */

/* Counts a change of PM, only while the loop test is on. A locked store of the old value is no
 * change. */
static void note_news(uint64_t off, const void *data, size_t n, uint32_t site)
{
	(void)site;
	if (pd_unlikely(pd_check.look && pd_check_events() + 1 >= pd_check.look))
		pd_check.changes += memcmp(pd_shadow(off), data, n) != 0;
}

static void note_outside(void)
{
	pd_check.changes++;
}

static void note_checksum(bool begin, uint64_t off, uint64_t n, bool matched)
{
	pd_checksum_said(begin, off, n);
	pd_check_torn_checksum(begin, matched);
}

static void fail(int status, const char *text)
{
	(void)status;
	pd_check_end_unknown(pd_rt.defect ? PD_UNKNOWN_DEFECT : PD_UNKNOWN_RUNTIME, text);
}

/* ---- all ------------------------------------------------------------------------------------ */

static void starve(int err)
{
	pd_check_starved(err);
	pd_raw(SYS_kill, pd_raw(SYS_getpid, 0, 0, 0, 0, 0, 0), SIGKILL, 0, 0, 0, 0);
}

void pd_check_hear_start(void)
{
	static const struct pd_listener processes = {.starved = starve};

	pd_listen_add(&processes);
}

void pd_check_hear(enum pd_check_role role)
{
	static const struct pd_listener crash = {.wants = PD_EV_ACCESSES,
						 .takes_quiet = true,
						 .event = count_event,
						 .point = pd_check_point,
						 .changed = note_change,
						 .stored = note_stored,
						 .flushing = note_flush,
						 .cut = note_cut,
						 .forked = stop};
	static const struct pd_listener recovery = {.takes_quiet = true,
						    .deciding = pd_check_decide,
						    .decided = pd_check_read,
						    .storing = note_news,
						    .stored = pd_check_wrote,
						    .checksum = note_checksum,
						    .check_failed = pd_check_failed,
						    .thread_making = pd_check_threads,
						    .asked_outside = note_outside,
						    .exiting = pd_fail_exit,
						    .failing = fail};

	pd_check_quiet_begin(role);
	pd_listen_add(&crash);
	if (role == PD_CHECK_RECOVERY)
		pd_listen_add(&recovery);
	pd_mem.crashed = role == PD_CHECK_RECOVERY;
	pd_rt.must_see = role == PD_CHECK_FIRST;
}
