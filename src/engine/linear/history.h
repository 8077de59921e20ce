/*
 * history.h - a history: which thread called what, when, and what it returned; and when power
 * failed.
 *
 * Times are numbers that only order events; all of a history's are different. An operation that was
 * interrupted has no response. It is *pending*: the next crash ended it (or, with none after it,
 * the end of the history). An *era* is what lies between two crashes.
 *
 * Invariants, which pd_op_history_check verifies, since histories come from other processes:
 *  1. An operation's response, if any, comes after its call and before the next crash.
 *  2. A thread has one operation at a time. (After a crash threads are new ones.)
 *  3. The specification knows the operation, and its number of arguments.
 *
 * The compact form (pd_op_history_pack) is exact: unpacking gives equal operations with equal order
 * of events. Times themselves become 0, 1, 2...
 *
 * Durable linearizability: Izraelevitz, Mendes, Scott, DISC 2016, sections 2 and 3.
 */
#ifndef PD_ENGINE_LINEAR_HISTORY_H
#define PD_ENGINE_LINEAR_HISTORY_H

#include "base/vec.h"
#include "perdure_linear.h"

#define PD_NEVER UINT64_MAX /* the response of a pending operation */

struct pd_hop {
	uint64_t call;
	uint64_t ret;
	uint32_t thread;
	struct pd_linear_op op;
};

struct pd_op_history {
	struct pd_arena *arena;
	PD_VEC(struct pd_hop) ops;
	PD_VEC(uint64_t) crashes; /* times, ascending */
};

void pd_op_history_init(struct pd_op_history *h, struct pd_arena *a);

/* Copies the operation, including its bytes. Its number is then h->ops.n - 1. */
bool pd_op_history_add(struct pd_op_history *h, uint32_t thread, uint64_t call, uint64_t ret,
		       const struct pd_linear_op *op);
bool pd_op_history_crash(struct pd_op_history *h, uint64_t time);

/* The number of crashes before this time. */
uint32_t pd_op_history_era(const struct pd_op_history *h, uint64_t time);

enum pd_op_history_fault {
	PD_HISTORY_OK,
	PD_HISTORY_RETURNS_EARLY, /* the response comes before the call */
	PD_HISTORY_SPANS_CRASH,	  /* the response comes after a crash */
	PD_HISTORY_OVERLAPS,	  /* its thread had another open operation */
	PD_HISTORY_UNKNOWN_FN,	  /* the specification has no such operation */
	PD_HISTORY_WRONG_ARGS,	  /* or not with that many arguments */
	PD_HISTORY_CRASHES_UNSORTED,
	PD_HISTORY_NO_MEMORY,
};

/* The first fault; sets *at to the operation. */
enum pd_op_history_fault pd_op_history_check(const struct pd_op_history *h,
					     const struct pd_linear_spec *spec, uint32_t *at);

/* Writes the compact form to buf and returns its size; if cap is less, buf is not usable. 0: memory
 * ran out. */
size_t pd_op_history_pack(const struct pd_op_history *h, void *buf, size_t cap);

/* Unpacks into an empty history. False: the bytes are not a history, or memory ran out. */
bool pd_op_history_unpack(struct pd_op_history *h, const void *buf, size_t n);

#endif
