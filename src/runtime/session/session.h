/*
 * session.h - one driven run: what the tool asked for, and where events go.
 *
 * The tool says in PERDURE_CONTROL what kind of session this is (channel.h has the format):
 *
 *	trace   every event is written to the trace; with count=1 only losses and files, and the
 *	        channel has the counts
 *	model   every event goes to a persistency model and nowhere else
 *	lint    an engine that watches (watch.h); events=1: and the trace of what it sees
 *	check   the crash engine (check.h): board=FD, worker0=FD ... to zygotes of recoveries, stdin=FD
 *
 * and with KEY=VALUE: channel=FD, pipe=FD (shared memory and the way for its overflow), seed=N,
 * schedule=default|random|sparse|pct:DEPTH:STEPS, model=adr|eadr|page.
 *
 * With zygote=FD the process stops before main and starts executions of itself on order (zygote.c).
 *
 * PERDURE_CONTROL is taken out of the environment: a program that this one executes runs on its
 * own. A child that it forks goes on without a session: it is a loss, counted and named.
 *
 * Thread rule: as in rt.h.
 */
#ifndef PD_RUNTIME_SESSION_SESSION_H
#define PD_RUNTIME_SESSION_SESSION_H

#include "event/channel.h"
#include "event/trace.h"
#include "model/model.h"
#include "runtime/base/rt.h"

struct pd_session {
	bool tracing;
	bool modelling;
	bool checking;
	bool watching;
	bool deaf; /* watched, and nobody wants to be told of loads */
	bool calm; /* watched, and the schedule is the one in which nobody is interrupted */
	bool ended;
	uint64_t wants; /* PD_EV_BIT(...): kinds that somebody wants to be told of, one by one */
	/* Of those, accesses that nobody but an engine that watches wants (watch.h) */
	uint64_t direct;
	struct pd_channel *channel; /* never NULL: without a session a private one */
	int pipe;
	int zygote; /* socket for orders; -1: run at once */
	char control[512];
	struct pd_trace_writer *writer; /* NULL: there is no trace */
	struct pd_arena arena;
	struct pd_model model;
	struct pd_chooser value_chooser; /* for reads of crashed PM */
	/* The read that is under way. */
	uint32_t site;
	uint64_t addr;
	uint64_t mask;
	uint32_t group; /* of the checksum that it feeds; 0: none */
};

extern PD_OWN struct pd_session pd_session;

/* From pd_rt_init, with the value of PERDURE_CONTROL. */
void pd_session_start(const char *control);

/* A new execution begins with this seed: schedule and randomness start over. */
void pd_session_seed(uint64_t seed);

/* The program ends in an orderly way: last checks, and the channel says so. Idempotent. */
void pd_session_end(void);

/* The program is about to replace itself; if that fails, the session goes on. */
void pd_session_leaving(void);

/* The program is about to fork by itself; and then, in its child. */
void pd_session_forking(void);
void pd_session_forked(void);

#endif
