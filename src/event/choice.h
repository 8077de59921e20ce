/*
 * choice.h - every decision that makes one execution differ from another.
 *
 * Crash here or not, which value a load of crashed PM returns, which thread runs next, which store
 * leaves its buffer: code that needs a decision asks the chooser with the number of alternatives
 * and gets an index. The list of all answers is a witness: the same program with the same answers
 * runs the same way, so replay is a chooser that reads a list, and a subtree of an exploration is a
 * list and the number of its answers that are fixed.
 *
 * Alternative 0 is always the ordinary course: do not crash, everything persisted, same thread.
 */
#ifndef PD_EVENT_CHOICE_H
#define PD_EVENT_CHOICE_H

#include "base/types.h"

enum pd_choice_kind {
	/* 0: go on, 1: power fails here. In a witness of `check`: the number of the crash point,
	 * from 1 */
	PD_CHOICE_CRASH,
	PD_CHOICE_VALUE,  /* which class of versions a load of crashed PM reads; 0 is the newest */
	PD_CHOICE_THREAD, /* which runnable thread goes on */
	/* 0: leave it in the buffer, 1: oldest entry of the buffer reaches the cache */
	PD_CHOICE_EVICT,
	PD_CHOICE_STEP, /* any other: which of the enabled steps of a small program */
	PD_CHOICE_KINDS
};

struct pd_choice {
	uint32_t kind; /* enum pd_choice_kind */
	uint32_t n;    /* number of alternatives */
	uint32_t pick;
};

struct pd_chooser {
	uint32_t (*pick)(void *ctx, enum pd_choice_kind kind, uint32_t n);
	void *ctx;
};

static inline uint32_t pd_choose(const struct pd_chooser *c, enum pd_choice_kind kind, uint32_t n)
{
	return n > 1 ? c->pick(c->ctx, kind, n) : 0;
}

#endif
