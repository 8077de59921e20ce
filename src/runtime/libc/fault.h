/*
 * libc/fault.h - calls that fail because the input says so (event/fault.def).
 *
 * The wrapper of such a function asks before it does anything. While `decide` is NULL no call
 * fails, and asking costs a test. runtime/explore/fault.c sets it.
 *
 * Thread rule: as in rt.h.
 */
#ifndef PD_RUNTIME_LIBC_FAULT_H
#define PD_RUNTIME_LIBC_FAULT_H

#include "event/fault.h"
#include "runtime/base/rt.h"

struct pd_faults {
	/* How a call fails: one of the ways in `how` (bits), or not at all. site may be NULL */
	enum pd_fault (*decide)(enum pd_faulty f, uint32_t how, const struct pd_site *site);
};

extern PD_OWN struct pd_faults pd_faults;

/* Decides about the current call; `how` limits the possible ways. Sets errno if it fails. */
enum pd_fault pd_fault_ask(enum pd_faulty f, uint32_t how);

/* Whether the call has to fail: errno says why. */
static inline bool pd_fault_call(enum pd_faulty f)
{
	return pd_unlikely(pd_faults.decide != NULL) && pd_fault_ask(f, ~0u) != PD_FAULT_NONE;
}

/* The same for a function that returns an error; 0: none. */
int pd_fault_error(enum pd_faulty f);

/* The same for one that moves n bytes, which may be reduced. */
bool pd_fault_cut(enum pd_faulty f, size_t *n);

static inline bool pd_fault_moves(enum pd_faulty f, size_t *n)
{
	return pd_unlikely(pd_faults.decide != NULL) && pd_fault_cut(f, n);
}

/* The same for one that moves n pieces. */
static inline bool pd_fault_pieces(enum pd_faulty f, int *n)
{
	size_t pieces = *n > 0 ? (size_t)*n : 0;
	bool fails = pd_fault_moves(f, &pieces);

	*n = *n > 0 ? (int)pieces : *n;
	return fails;
}

#endif
