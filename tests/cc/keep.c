/*
 * keep.c - what the optimiser must not take away, and what cannot be instrumented.
 *
 * Attributes that promise too much, bodies that are only there for inlining, and each kind of loss.
 */
#include "insn.h"

__attribute__((pure, noinline)) static int pure_read(const int *x)
{
	return *x; //= load@0+4=7
}

__attribute__((const, noinline)) static int const_read(const int *x)
{
	return *x; //= load@4+4=0
}

/* A body for inlining; the real one is elsewhere. C99 says so. */
inline int elsewhere(const int *x)
{
	return *x + 1; //= load@8+4=0
}

static inline __attribute__((always_inline)) void in_the_header(int *x)
{
	*x = 3; //= store@c+4=3
}

static void all(char *p)
{
	int *x = (int *)p;

	*x = 7;			      //= store@0+4=7
	show("pure", (unsigned)pure_read(x));
	show("const", (unsigned)const_read(x + 1));
	show("inline", (unsigned)elsewhere(x + 2));
	in_the_header(x + 3);
}
