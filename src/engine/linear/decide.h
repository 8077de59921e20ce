/*
 * decide.h - queues, stacks, priority queues and registers, without a search.
 *
 * Where values can be told apart, whether a history of one of these can be explained is decided in
 * nearly linear time (Gibbons and Korach, SIAM J. Comput. 1997; Henzinger, Sezgin and Vafeiadis,
 * CONCUR 2013; Emmi and Enea, PLDI 2018), while a search may try exponentially many orders.
 *
 * Nothing is taken on trust. A yes is an order of all operations, which is checked step by step
 * against the specification and the times of calls and responses before it counts. A no is a
 * contradiction in a reading of the history (elements.h) that every explanation would have to fit.
 * Anything else is unknown, and the search decides. Unknown are: most histories in which a value
 * went in more than once or a pending operation may have taken out what is missing, and no guess
 * fits; sizes that fit nowhere near their time (sizes.h); elements with a key and another value
 * (insert, pop_value); removals whose result is not known; eras that begin with something inside.
 *
 * A decider gives each element moments at which it goes in and comes out (elements.h):
 *
 *   queue     (decide_queue.c) An order of the elements, and of the responses that found nothing, such
 *             that none precedes one that must have been before it.
 *   stack     (decide_stack.c) Where nothing must be inside, the stack may be empty. Between two such
 *             moments one element is at the bottom all the time; it is found, left out, and what is
 *             above it is decided likewise.
 *   priority  (decide_priority.c) By ascending key: an element comes out when no lesser one is inside.
 *
 * A register (decide_register.c) has values instead of elements, and orders what is done to each.
 */
#ifndef PD_ENGINE_LINEAR_DECIDE_H
#define PD_ENGINE_LINEAR_DECIDE_H

#include "engine/linear/elements.h"

/* Whether there is a decider for it. */
bool pd_decide_knows(const struct pd_linear_spec *spec);

/* LIMIT: unknown. For a yes the order is in s->order, if s->keep is set. */
enum pd_answer pd_decide(struct pd_search *s, struct pd_arena *arena);

/*
 * An order of the operations up to s->until that can come before s->culprit, which is pending
 * there, and what it would have returned then. False: none is known.
 */
bool pd_decide_try(struct pd_search *s, struct pd_arena *arena, struct pd_try *t);

/* ---- for the deciders ----------------------------------------------------------------------- */

/* The order within one moment: first all that leaves, the highest level first; then what comes and
 * goes at that moment; then all that comes, the lowest level first. */
enum pd_phase { PD_PHASE_LEAVES, PD_PHASE_BETWEEN, PD_PHASE_COMES };

struct pd_placing {
	uint32_t item;
	uint32_t moment;
	uint32_t rank; /* inside of the moment */
};

struct pd_order {
	struct pd_placing *v;
	uint32_t n;
	uint32_t events; /* moments are below this */
};

/* Equal moments, phases and levels keep the order of the calls of this function. */
void pd_order_add(struct pd_order *o, uint32_t item, uint32_t moment, enum pd_phase phase,
		  uint32_t level);

enum pd_fit {
	PD_FITS,	 /* and the order is complete */
	PD_CONTRADICTED, /* nothing fits */
	PD_FIT_NO_MEMORY,
};

/* Places all items but sizes and quiet ones. */
typedef enum pd_fit pd_decider(struct pd_elements *e, struct pd_order *o);

pd_decider pd_fit_queue, pd_fit_stack, pd_fit_priority;

/* Elements that stay and that a pending operation must have taken out, since others show that they
 * are gone: the most urgent first. Returns how many; UINT32_MAX: memory ran out. */
typedef uint32_t pd_missing(struct pd_elements *e, uint32_t *needed);

pd_missing pd_missing_queue, pd_missing_stack, pd_missing_priority;

enum pd_answer pd_decide_register(struct pd_search *s, struct pd_arena *arena);

/*
 * Whether the order, numbers of the history, is an explanation: each operation that returned is in
 * it, none twice; none comes after one that was called when it had returned; the specification has
 * the results. False also where memory ran out.
 */
bool pd_order_explains(const struct pd_search *s, const uint32_t *order, uint32_t n,
		       struct pd_arena *a);

/* It is the search's result. */
enum pd_answer pd_order_keep(struct pd_search *s, const uint32_t *order, uint32_t n);

#endif
