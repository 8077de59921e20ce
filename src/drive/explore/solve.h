/*
 * solve.h - answers a query (engine/explore/query.h), with CaDiCaL.
 *
 * The expressions of queries are kept as a graph, as gates and as clauses, and so is what was
 * learned from them; conditions are assumptions. So the next query costs only what is new in it.
 * When far more is kept than a query needs, everything is dropped: useless clauses slow down the
 * others.
 *
 * An input that is found is tested on the conditions themselves before it is returned.
 *
 * Thread rule: one thread at a time. If memory runs out inside CaDiCaL there is no way back:
 * `out_of_memory` of the process is called (pd_solve_memory), and must not return.
 */
#ifndef PD_DRIVE_EXPLORE_SOLVE_H
#define PD_DRIVE_EXPLORE_SOLVE_H

#include "engine/explore/ask.h"

/* Why the answer is UNKNOWN. */
enum pd_solve_why {
	PD_SOLVE_KNOWN,
	PD_SOLVE_TIME,
	PD_SOLVE_SIZE, /* more clauses than the limit */
	PD_SOLVE_MEMORY,
	PD_SOLVE_BAD,  /* invalid query */
	PD_SOLVE_STOP, /* stopped */
	PD_SOLVE_DIED, /* the process died of it, twice */
	PD_SOLVE_WHYS
};

struct pd_solve_limits {
	uint64_t ms;	      /* of CPU time; 0: none */
	uint64_t clauses;     /* of one query; 0: no limit */
	const uint32_t *stop; /* give up once this is not 0; NULL: never */
};

struct pd_solve_result {
	enum pd_ask_answer answer;
	enum pd_solve_why why; /* UNKNOWN */
	uint32_t n;	       /* YES: bytes of the answer */
	uint64_t ns;	       /* of CPU time */
	bool anew;	       /* everything kept was dropped for it */
	uint64_t variables;    /* in all, and */
	uint64_t cone;	       /* those that the query needed */
};

struct pd_solve;

/* NULL: out of memory. */
struct pd_solve *pd_solve_create(uint32_t input_size);

/* The query is `n` bytes; an answer YES is written to `answer`, of `size` bytes. */
struct pd_solve_result pd_solve(struct pd_solve *s, struct pd_solve_limits limits,
				const uint8_t *question, uint32_t n, uint8_t *answer,
				uint32_t size);

/* Limits the memory of this process from now on; beyond it, `out_of_memory` is called. */
bool pd_solve_memory(uint64_t bytes, void (*out_of_memory)(void));

#endif
