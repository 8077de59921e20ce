/*
 * pass.h - bitcode in, instrumented bitcode out.
 */
#ifndef PD_CC_PASS_H
#define PD_CC_PASS_H

#include "cc/mode.h"
#include "event/abi.h"

struct pd_pass_options {
	const struct pd_mode *mode;
	enum pd_level level;
	const char *in;	     /* unoptimised bitcode from the front end */
	const char *out;     /* bitcode, optimised, ready for code generation */
	const char *source;  /* as the user names it */
	const char *helpers; /* folder with the modes' inline.c as bitcode, <name>.bc each */
};

/* 0, or 4 after one line on stderr. */
int pd_pass_run(const struct pd_pass_options *o);

/* Writes an object that only reports a loss: an assembly source was linked in. */
int pd_pass_note(const struct pd_mode *mode, const char *out, const char *source,
		 enum pd_loss kind);

/* ---- steps for the table of a mode ---------------------------------------------------------- */

/* Calls the mode's visits, between pd_sites_init and pd_sites_finish (ir.h). */
void pd_pass_visit(struct pd_ir *m);

/* Links <name>.bc of the helpers in. False: the module has failed. */
bool pd_pass_link(struct pd_ir *m, const char *name);

void pd_pass_link_helpers(struct pd_ir *m);
void pd_pass_verify(struct pd_ir *m);

/* As the user asked for. */
void pd_pass_optimise(struct pd_ir *m);

#endif
