/*
 * session.h - one driven run: what the tool asked for, and where events go.
 *
 * PERDURE_CONTROL, set by the tool, says what kind of session this is: see event/control.h.
 *
 * With zygote=FD the process stops before main and starts executions of itself on order (zygote.c).
 *
 * PERDURE_CONTROL is removed from the environment: a program that this one executes runs on its
 * own. A child that it forks goes on without a session: a loss, counted and named.
 *
 * Thread rule: as in rt.h.
 */
#ifndef PD_RUNTIME_SESSION_SESSION_H
#define PD_RUNTIME_SESSION_SESSION_H

#include "event/channel.h"
#include "event/trace.h"
#include "runtime/access/mem.h"
#include "runtime/base/rt.h"

struct pd_session {
	bool checking;
	bool watching;	/* an engine in this process watches (watch.h) */
	bool exploring; /* mode explore: runtime/explore does the rest */
	bool counting;	/* trace with count=1 */
	bool ended;
	int pipe;
	int zygote; /* socket for orders; -1: run immediately */
	char control[512];
	const char *settings;		/* part of `control` (event/control.h) */
	struct pd_trace_writer *writer; /* NULL: there is no trace */
	struct pd_arena arena;
};

extern PD_OWN struct pd_session pd_session;

/* A new execution begins with this seed: schedule and randomness start over. */
void pd_session_seed(uint64_t seed);

/* From here on threads follow this schedule (event/schedule.h); nothing else changes. */
void pd_session_schedule(uint64_t number);

/* ---- the trace ------------------------------------------------------------------------------ */

/* Defines a site in the trace, on its first use. */
void pd_session_define(uint32_t site);

/* Events of these kinds record in the trace that a file is opened, mapped, renamed or resized. */
#define PD_SESSION_POOLS                                                                           \
	(PD_EV_BIT(POOL_OPEN) | PD_EV_BIT(POOL_SIZE) | PD_EV_BIT(POOL_MAP) | PD_EV_BIT(POOL_RENAME))
void pd_session_trace_pool(const struct pd_event *e);

#endif
