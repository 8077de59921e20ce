/*
 * observer.h - an engine that watches one run, as a front end sees it.
 *
 * Such an engine (lint, lockset) lives where the events are: in the tested process, inside the
 * runtime or inside Valgrind. The front end creates it, passes it each event that it wants in the
 * order in which the events happened, and calls `end` when the program ends by itself or is about
 * to replace itself (if that fails the program goes on, and `end` is called again). A program that
 * is killed has no end: only what was reported until then counts.
 *
 * Fields of an event here, for every front end:
 *   site   a *place*: a number behind which the front end keeps a stack, innermost first. Equal numbers
 *          are equal stacks; 0 is unknown; numbers are dense, so that tables can be indexed by them. An
 *          engine compares places and hands them back (raw.h), nothing else.
 *   addr   PM: the distance from the start of the window, the same bytes always at the same address,
 *          however often they are mapped. Anything else has PD_ADDR_OUTSIDE.
 *   data   what was stored; valid during the call only, may be NULL.
 *   tid    small numbers, never reused within a run.
 * POOL_OPEN comes with addr and size, too: where the file's bytes are, and how many it had before.
 *
 * A seq_cst STORE is compiled to xchg: it is a fence. RMW, RMW_FAILED and ATOMIC_RMW are fences,
 * too (pd_event_fences).
 *
 * Thread rule: one event at a time; the front end ensures that.
 */
#ifndef PD_ENGINE_OBSERVER_H
#define PD_ENGINE_OBSERVER_H

#include "engine/known.h"
#include "event/control.h"
#include "event/event.h"
#include "finding/raw.h"

struct pd_observer {
	uint64_t wants;	   /* PD_EV_BIT(...): other kinds need not be passed to it */
	uint64_t unplaced; /* kinds whose site it ignores: they need no place */
	bool no_sync;	   /* it does not need libc's accesses to its locks in PM */
	void (*event)(struct pd_observer *o, const struct pd_event *e);
	/* Announces an access, to prefetch; may be NULL */
	void (*soon)(struct pd_observer *o, uint64_t addr);
	/* Whether an ATOMIC_RMW of this thread means nothing now; may be NULL */
	bool (*idle)(const struct pd_observer *o, uint16_t tid);
	/* Many runs continue from here, each of which should cost what it does itself; may be
	 * NULL */
	void (*settle)(struct pd_observer *o);
	struct pd_known *known; /* loads that need not be passed; NULL: all must be */
	void (*end)(struct pd_observer *o);
};

/*
 * Creates an engine in this arena. The settings are "KEY=VALUE KEY=VALUE", as the tool passed them
 * after the mode (event/control.h); an engine ignores keys that it does not know. NULL: memory ran
 * out.
 */
typedef struct pd_observer *pd_observer_create(struct pd_arena *a, struct pd_sink *sink,
					       const char *settings);

/* Whether the thread's flushes and non-temporal stores before this event are complete after it. */
static inline bool pd_event_fences(const struct pd_event *e)
{
	switch ((int)e->kind) { /* an int: the others do not */
	case PD_EV_SFENCE:
	case PD_EV_MFENCE:
	case PD_EV_RMW:
	case PD_EV_RMW_FAILED:
	case PD_EV_ATOMIC_RMW:
		return true;
	case PD_EV_STORE:
	case PD_EV_ATOMIC_STORE:
		return e->order == PD_ORDER_SEQ_CST;
	default:
		return false;
	}
}

#endif
