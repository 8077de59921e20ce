/*
 * gen.h - random litmus programs, and litmus programs as text.
 */
#ifndef PD_TESTS_REF_GEN_H
#define PD_TESTS_REF_GEN_H

#include "litmus/litmus.h"

/* The program of a seed: always the same one. NULL where memory ran out. */
struct pd_litmus *pd_gen_program(struct pd_arena *a, uint64_t seed);

/*
 * The text of a program, without expected sets; parsing it gives the same program, but for the
 * numbers of registers. False where an instruction lies before the first variable: that has no
 * text.
 */
bool pd_gen_print(struct pd_out *o, const struct pd_litmus *lit);

const char *pd_gen_op_name(enum pd_lit_op op);

enum { PD_GEN_OPS = PD_LIT_UNNEEDED + 1 };

#endif
