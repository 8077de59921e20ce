/*
 * wrong.h - what went wrong in a history that cannot be explained, as a kind of finding.
 *
 * The judge names the response that nothing explains. Mostly an operation before the crash is at
 * fault; it is found by judging the same history again with a little less in it:
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
 * Operations that only read leave nothing behind, so they are left out where writers are asked
 * about.
 */
#ifndef PD_ENGINE_LINEAR_WRONG_H
#define PD_ENGINE_LINEAR_WRONG_H

#include "engine/linear/judge.h"
#include "finding/finding.h"

/* Whose stores recovery missed. */
enum pd_wrong_losers {
	PD_WRONG_LOST_OF_ANY, /* some of an operation that had returned, or not known */
	/* All of operations that the crash interrupted: none that returned is incompletely
	 * durable */
	PD_WRONG_LOST_OF_INTERRUPTED,
	PD_WRONG_NOTHING_LOST,
};

struct pd_wrong {
	enum pd_kind kind;
	bool named;   /* there is one operation at fault: */
	uint32_t op;  /* lost; or seen to have used what was lost; or interrupted */
	bool in_part; /* it was lost, but not all of it: something still shows it */
};

/*
 * v is a no, and about a history (fault is OK). If no store was lost on the path, an interrupted
 * operation, on whatever key, took effect in part: nothing else can be the reason. If only stores
 * of interrupted operations were lost, an operation that is gone although it had returned was
 * damaged by one of them; one that overlaps it has used what it had written. Scratch memory comes
 * from the arena.
 */
struct pd_wrong pd_wrong_of(const struct pd_op_history *h, const struct pd_linear_spec *spec,
			    enum pd_linear_condition condition, const struct pd_verdict *v,
			    enum pd_wrong_losers losers, struct pd_limits limits,
			    struct pd_arena *a);

#endif
