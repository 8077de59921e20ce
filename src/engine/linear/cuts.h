/*
 * cuts.h - buffered queues, stacks, priority queues and registers with one crash, without a search.
 *
 * A cut of the era before the crash has some latest call, at time t. What returned before t is in
 * it; of what was open at t, any; nothing that was called later. So with the rest left out, and
 * what was open taken as interrupted, the history has to be explained by the strict condition: t by
 * t, the latest first, by the deciders (decide.h). (What a sync made durable has to be in the cut.)
 *
 * An operation that was open at t has either no part in the cut or the result that it had. So t is
 * tried twice: with the removals that were open done where what they took does not show after the
 * crash, and the order checked for all results; and with any result, where a contradiction is one
 * for sure.
 *
 * Values that show after the crash, and went in once, say which t can be.
 */
#ifndef PD_ENGINE_LINEAR_CUTS_H
#define PD_ENGINE_LINEAR_CUTS_H

#include "engine/linear/search.h"

/* `all`: the search of the whole history, of which the first era can be explained. LIMIT:
 * unknown. */
enum pd_answer pd_cuts_decide(const struct pd_search *all, struct pd_arena *arena);

#endif
