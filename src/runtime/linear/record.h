/*
 * record.h - the history of an execution that may crash: operations enter it when they are called, and
 * their responses when they return; a crash hands it to the recovery, which goes on with it and has it
 * judged. Who calls the operations is another matter: perdure, by a driver's table (driven.h), or the
 * program itself, which announces them (announce.h).
 *
 * Calls and responses are moments at which nobody else runs, so the order of events is exact.
 *
 *  1. Each number of an operation is that of one call, and has one response at most.
 *  2. Recovery looks at what was handed over only when it judges (check/check.h).
 *
 * Thread rule: as in rt.h.
 */
#ifndef PD_RUNTIME_LINEAR_RECORD_H
#define PD_RUNTIME_LINEAR_RECORD_H

#include "engine/crash/crash.h"
#include "engine/linear/judge.h"

struct pd_record {
	const struct pd_linear_spec *spec;
	enum pd_linear_condition condition;
	struct pd_op_history *history; /* empty at first */
	struct pd_arena *arena;
	uint64_t clock;
	/* By operation: who called it, and how long the log was then */
	PD_VEC(struct pd_crash_under_way) calls;
	/* Code of an operation, by its number in the specification; NULL: nobody knows */
	uintptr_t (*code)(uint16_t fn);
	uint32_t first; /* operation of this execution */
	bool no_memory; /* what comes now is not recorded */
	bool left;	/* operations have returned before the crash; to be asked after judging */
};

/* Whether this execution is one that may crash, or comes after a crash. */
bool pd_record_crashes(void);

/* From here on a crash hands the history over; in a recovery, what was handed over comes first. There
 * is one record in a process, and it stays where it is: a crash at the very end comes after main. */
void pd_record_begin(struct pd_record *r);

/* The operation's number; false: memory ran out. */
bool pd_record_call(struct pd_record *r, uint32_t thread, const struct pd_linear_op *op,
		    uint32_t *number);

/* It has returned what `op` says. Power may fail right after. */
const struct pd_linear_op *pd_record_return(struct pd_record *r, uint32_t number,
					    const struct pd_linear_op *op);

/* At the end of a recovery: can all of it be explained? A no is how the recovery ends. */
void pd_record_judge(struct pd_record *r);

/* The same where recovery itself adds nothing: not judged, but the recovery depends on the history. */
void pd_record_skip(struct pd_record *r);

#endif
