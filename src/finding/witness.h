/*
 * witness.h - the choices of a witness as text.
 *
 *	witness := item { space item }
 *	item    := letter pick [ "/" alternatives ] [ "x" times ]
 *
 * The letter is the kind of choice: c crash, v value, t thread, e evict, s step. Without "/" there
 * were as few alternatives as the pick allows, but at least two. "c0x41 c1 v2/3 t1x5" is: do not
 * crash 41 times, then crash, read the third of three values, run the second of two threads five
 * times. Numbers are decimal. An empty text is the witness that makes no choice.
 */
#ifndef PD_FINDING_WITNESS_H
#define PD_FINDING_WITNESS_H

#include "finding/finding.h"
#include "finding/text.h"

/* A longer text is refused: "c0x4000000000" must not take all memory. */
enum { PD_WITNESS_MAX = 1 << 24 };

/* Sets choices, n and given; the rest stays. On failure w is unchanged. */
bool pd_witness_parse(struct pd_arena *a, const char *text, size_t n, struct pd_witness *w,
		      struct pd_text_error *err);

void pd_witness_print(struct pd_out *o, const struct pd_witness *w);

/* Negative: a is the better one to follow. 0: they make the same choices in the same schedule. */
int pd_witness_cmp(const struct pd_witness *a, const struct pd_witness *b);

#endif
