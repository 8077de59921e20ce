/*
 * ref.h - the naive model: the definition that the real one is judged by.
 *
 * It knows the parsed form of a litmus program (litmus/litmus.h) and nothing else of the tool.
 *
 * Thread rule: one search at a time in a process; it works in static memory.
 */
#ifndef PD_TESTS_REF_H
#define PD_TESTS_REF_H

#include "litmus/litmus.h"

/*
 * All images and outcomes of every section, by explicit search. out->capped where max_states was
 * reached, or where the program is larger than the fixed arrays of ref.c. False: memory ran out.
 */
bool pd_ref_explore(const struct pd_litmus *lit, struct pd_arena *a, uint64_t max_states,
		    struct pd_lit_result *out);

#endif
