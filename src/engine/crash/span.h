/*
 * span.h - the transactions of an execution, and those that were never ended.
 *
 * Transactions nest like brackets: the call that begins one ends it. A call that returns, or jumps
 * out, in between leaves its transaction open. From then on all that its thread does belongs to it,
 * and recovery rolls it back. A transaction counts as *left* only if it is not ended up to the end
 * of the program; it is left once the call that began it has ended, or begins one at the same place
 * again; if it was nested, once all around it have been ended, since until then nobody expected it
 * to be complete.
 *
 * Where constructors and destructors, or functions like them, begin and end transactions, it is the
 * call around them that counts. How many calls that is follows from the transactions that are
 * ended.
 *
 * Which calls are active is what a survey shows (survey.h). Precision lost: where it does not (too
 * many visits, --libraries), no transaction counts as left.
 */
#ifndef PD_ENGINE_CRASH_SPAN_H
#define PD_ENGINE_CRASH_SPAN_H

#include "base/arena.h"

/* A thread begins or ends a transaction. */
struct pd_tx_step {
	uint32_t order; /* length of the log */
	uint32_t place; /* numbers of the survey; 0: not known */
	uint32_t visit;
	uint16_t tid;
	bool begins;
};

/* A transaction, those nested in it included. */
struct pd_tx_span {
	uint32_t from;	/* length of the log at its begin */
	uint32_t to;	/* at its end; UINT32_MAX: it has none */
	uint32_t begin; /* number of the place; of the one that was left, if one was */
	uint32_t left;	/* length of the log when it was left; UINT32_MAX: it was not */
	uint16_t tid;
};

struct pd_spans {
	uint32_t n;
	const struct pd_tx_span *v; /* by `from` */
};

struct pd_survey;
struct pd_survey_calls;

struct pd_spans pd_spans_of(const struct pd_survey *s, const struct pd_survey_calls *c,
			    struct pd_arena *a);

/* The transaction that store number `order` of this thread is part of; NULL: none. */
const struct pd_tx_span *pd_span_find(const struct pd_spans *s, uint16_t tid, uint32_t order);

#endif
