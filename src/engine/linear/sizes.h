/*
 * sizes.h - makes the sizes that operations returned fit an order that explains everything else.
 *
 * The deciders (decide.h) order what goes in and what comes out; a size is then put where that many
 * are inside. Where operations overlap they may have chosen an order in which there is no such
 * place, though another one has it. Then a *window* of the order around the size is searched
 * (search.h) for an order that has a place and ends in the same state, so that all that comes after
 * it stays right. Windows grow until one fits or a limit is hit.
 *
 * What puts in keeps its order in the window: then few states are possible, and the search is
 * short. In a queue that is too strict where the size shows which of two values went in first: it
 * has to be the other way round for as long as both are inside. So those that the size overlaps,
 * and those whose removal it overlaps, may then move by a few places. In small windows everything
 * may move.
 *
 * At the end of the order any state will do, and pending operations that were left out may take
 * part.
 *
 * Not a decision: if no window fits nothing is known. What is found has to be checked as a whole.
 *
 * Thread rule: none; all memory is the caller's arena.
 */
#ifndef PD_ENGINE_LINEAR_SIZES_H
#define PD_ENGINE_LINEAR_SIZES_H

#include "engine/linear/search.h"

/* An order: operations of the history, with room for all of the search's. */
struct pd_sequence {
	uint32_t *op;
	uint32_t n;
};

/* Inserts `left`, operations that change nothing, into the order. False: no window was found for
 * one of them, or memory ran out. */
bool pd_sizes_insert(struct pd_search *s, struct pd_sequence *q, const uint32_t *left, uint32_t n,
		     struct pd_arena *arena);

#endif
