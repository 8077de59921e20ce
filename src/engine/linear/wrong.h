/*
 * wrong.h - a history with a crash in it cannot be explained: what went wrong, as a kind of finding.
 *
 * The judge says which response nothing explains. What is at fault is mostly an operation before the
 * crash, and it is found by asking the judge again, about the same history with a little less in it:
 *
 *   not-linearizable      The response came before any crash.
 *   visible-not-durable   Without what others read before the crash, or without an operation that
 *                         used what an interrupted one had written, everything is explained.
 *   incompletely-durable  Had one operation that returned not returned, it would be.
 *   not-persistent        Nothing was lost and nothing interrupted, and yet it is gone: what it left was
 *                         not in PM.
 *   unrecovered           Nothing of that, or an interrupted operation came after the one that is
 *                         gone: what it had done in part is there.
 *
 * Operations that only read leave nothing behind, so they are left out where writers are asked about.
 */
#ifndef PD_ENGINE_LINEAR_WRONG_H
#define PD_ENGINE_LINEAR_WRONG_H

#include "engine/linear/judge.h"
#include "finding/finding.h"

/* Whose stores recovery did not find. */
enum pd_wrong_losers {
	PD_WRONG_LOST_OF_ANY, /* some of an operation that had returned, or it is not known */
	/* All of operations that the crash interrupted: none that returned is incompletely durable */
	PD_WRONG_LOST_OF_INTERRUPTED,
	PD_WRONG_NOTHING_LOST,
};

struct pd_wrong {
	enum pd_kind kind;
	bool named;  /* there is one operation at fault: */
	uint32_t op; /* lost; or seen to have used what was lost; or interrupted */
};

/*
 * v is a no, and about a history (fault is OK). Where no store was lost on the way, what was
 * interrupted, on whichever key, is there in part and nothing else can be the reason. Where those of
 * interrupted operations alone were lost, an operation that is gone and had returned before is damaged
 * by one of them; one that overlaps it has used what it had written. Uses the arena on the way.
 */
struct pd_wrong pd_wrong_of(const struct pd_op_history *h, const struct pd_linear_spec *spec,
			    enum pd_linear_condition condition, const struct pd_verdict *v,
			    enum pd_wrong_losers losers, struct pd_limits limits,
			    struct pd_arena *a);

#endif
