/*
 * announced.h - operations that a program announces itself: maps them to the specification, and
 * tracks which one each thread has open.
 *
 * Invariants:
 *  1. A thread has at most one operation open.
 *  2. An operation is one of the specification's, with as many arguments. "sync" is a sync where the
 *     specification has no operation of that name.
 */
#ifndef PD_ENGINE_LINEAR_ANNOUNCED_H
#define PD_ENGINE_LINEAR_ANNOUNCED_H

#include "base/out.h"
#include "base/vec.h"
#include "engine/linear/spec.h"

enum pd_announced_fault {
	PD_ANNOUNCED_FINE,
	PD_ANNOUNCED_UNKNOWN,	/* the specification has no such operation */
	PD_ANNOUNCED_ARGUMENTS, /* it has another number of arguments */
	PD_ANNOUNCED_NESTED,	/* the thread's last one has not ended */
	PD_ANNOUNCED_NOT_BEGUN, /* there is none to end */
	PD_ANNOUNCED_NO_MEMORY,
};

/* The operation that a thread has open. */
struct pd_announced_op {
	bool open;
	uint32_t number; /* the caller's */
	struct pd_linear_op op;
};

struct pd_announced {
	const struct pd_linear_spec *spec;
	struct pd_arena *arena;
	PD_VEC(struct pd_announced_op) threads;
};

/* The announcement of a call. */
struct pd_announcement {
	uint32_t thread;
	const char *name;
	const uint64_t *args;
	uint32_t nargs;
};

/*
 * Opens an operation; *at, if there is no fault, stays valid until another thread announces
 * something.
 */
enum pd_announced_fault pd_announced_begin(struct pd_announced *a, const struct pd_announcement *x,
					   struct pd_announced_op **at);

/* Closes the thread's operation. */
enum pd_announced_fault pd_announced_end(struct pd_announced *a, uint32_t thread,
					 struct pd_announced_op **at);

/* The operation that the thread has open; NULL: none. */
const struct pd_announced_op *pd_announced_open(const struct pd_announced *a, uint32_t thread);

/* The name of an operation. */
const char *pd_announced_name(const struct pd_announced *a, const struct pd_linear_op *op);

/*
 * Writes a fault as one line, without a newline. For PD_ANNOUNCED_NOT_BEGUN only the thread is
 * known.
 */
void pd_announced_put_fault(const struct pd_announced *a, enum pd_announced_fault fault,
			    const struct pd_announcement *x, struct pd_out *out);

#endif
