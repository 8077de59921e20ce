/*
 * solve.h - answers a question (engine/explore/query.h), with CaDiCaL.
 *
 * What a question is made of is kept as a graph, as gates and as clauses, and so is what was learnt of
 * it; conditions are assumed. So the next question costs only what is new in it. Once far more is kept
 * than a question needs, all is dropped: clauses that are of no use now slow down those that are.
 *
 * An input that is found is tried on the conditions themselves before it is given.
 *
 * Thread rule: one thread at a time. Where memory runs out inside of CaDiCaL there is no way back:
 * `out_of_memory` of the process is called (pd_solve_memory), and must not return.
 */
#ifndef PD_DRIVE_EXPLORE_SOLVE_H
#define PD_DRIVE_EXPLORE_SOLVE_H

#include "engine/explore/ask.h"

/* Why nobody knows. */
enum pd_solve_why {
	PD_SOLVE_KNOWN,
	PD_SOLVE_TIME,
	PD_SOLVE_SIZE, /* more clauses than the limit */
	PD_SOLVE_MEMORY,
	PD_SOLVE_BAD,  /* it is no question */
	PD_SOLVE_STOP, /* all is over */
	PD_SOLVE_DIED, /* the process did, twice */
	PD_SOLVE_WHYS
};

struct pd_solve_limits {
	uint64_t ms;	      /* of CPU time; 0: none */
	uint64_t clauses;     /* of one question; 0: none */
	const uint32_t *stop; /* it is over once this is not 0; NULL: never */
};

struct pd_solve_result {
	enum pd_ask_answer answer;
	enum pd_solve_why why; /* UNKNOWN */
	uint32_t n;	       /* YES: bytes of the answer */
	uint64_t ns;	       /* of CPU time */
	bool anew;	       /* all that was kept was dropped for it */
	uint64_t variables;    /* that there were, and */
	uint64_t cone;	       /* that the question needed */
};

struct pd_solve;

/* NULL: no memory. */
struct pd_solve *pd_solve_create(uint32_t input_size);
void pd_solve_destroy(struct pd_solve *s);

/* The question is `n` bytes; an answer YES is written to `answer`, of `size` bytes. */
struct pd_solve_result pd_solve(struct pd_solve *s, struct pd_solve_limits limits,
				const uint8_t *question, uint32_t n, uint8_t *answer,
				uint32_t size);

/* This process gets no more than so many bytes from here on; then `out_of_memory` is called. */
bool pd_solve_memory(uint64_t bytes, void (*out_of_memory)(void));

#endif
