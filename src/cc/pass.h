/*
 * pass.h - bitcode in, instrumented bitcode out.
 */
#ifndef PD_CC_PASS_H
#define PD_CC_PASS_H

#include "event/abi.h"

struct pd_pass_options {
	const char *in;	      /* bitcode as the front end leaves it: not optimised */
	const char *out;      /* bitcode, optimised, ready for code generation */
	const char *source;   /* what the user calls it */
	const char *helpers;  /* inline.c as bitcode */
	const char *pipeline; /* how to optimise: "default<O2>" */
};

/* 0, or 4 after one line on stderr. */
int pd_pass_run(const struct pd_pass_options *o);

/* An object that only tells of a loss: an assembly source was linked in. */
int pd_pass_note(const char *out, const char *source, enum pd_loss kind);

#endif
