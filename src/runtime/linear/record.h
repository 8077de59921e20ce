/*
 * record.h - the history of an execution that may crash: operations enter it when they are called,
 * and their responses when they return; a crash passes it to the recovery, which continues it and
 * has it judged. Either perdure calls the operations, by a driver's table (driven.h), or the
 * program itself, which announces them (announce.h).
 *
 * No other thread runs at the moment of a call or a response, so the order of events is exact.
 *
 * Invariants:
 *  1. Each number of an operation belongs to one call, and has one response at most.
 *  2. Recovery reads what was passed to it only when it judges (check/check.h).
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
	/* By operation: the calling thread, and the length of the log then */
	PD_VEC(struct pd_crash_under_way) calls;
	/* Code of an operation, by its number in the specification; NULL: not known */
	uintptr_t (*code)(uint16_t fn);
	uint32_t first; /* first operation of this execution */
	bool announced; /* by a program with a main of its own: its workload is as it is */
	bool no_memory; /* nothing is recorded any more */
	bool left;	/* operations had returned before the crash; valid after judging */
};

/* Whether this execution is one that may crash, or comes after a crash. */
bool pd_record_crashes(void);

/* From here on a crash passes the history on; in a recovery, what was passed comes first. There is
 * one record in a process, and it stays in place: a crash at the very end comes after main. */
void pd_record_begin(struct pd_record *r);

/* Records a call by the thread that runs; sets its number. False: memory ran out. */
bool pd_record_call(struct pd_record *r, const struct pd_linear_op *op, uint32_t *number);

/* The operation has returned what `op` says. Power may fail right after. */
const struct pd_linear_op *pd_record_return(struct pd_record *r, uint32_t number,
					    const struct pd_linear_op *op);

/*
 * At the end of a recovery: judges the whole history. If it cannot be explained, the recovery has
 * failed.
 */
void pd_record_judge(struct pd_record *r);

/*
 * For a recovery that adds nothing itself: does not judge, but makes the recovery depend on the
 * history.
 */
void pd_record_skip(struct pd_record *r);

#endif
