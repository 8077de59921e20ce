/*
 * mode.h - what a module is instrumented for.
 *
 * The compiler has a common part and modes. The common part parses the command line, reads and
 * writes modules, makes the tables of sites and calls functions of the runtime. A mode defines what
 * is done to a module: the order of steps, the instructions to instrument, the functions to call.
 * Each mode is a folder of src/cc, and a table, struct pd_mode pd_mode_<folder>, in the folder's
 * mode.c:
 *
 *	crash/     each access to persistent memory becomes an event; the default
 *	symbolic/  the same, and values have labels, for symbolic execution
 *
 * A new mode is a new folder. The makefile finds it; nothing changes here but enum pd_build in
 * event/abi.h: objects record what they were built for, and the runtime refuses a mixture.
 *
 *	steps      what happens to a module, from the front end's output to the code generator's input: passes
 *	           of LLVM and functions of ours in turn, each at some levels of optimisation only. Those of
 *	           the common part (pass.h) are steps like others, so that the order is in one place
 *	visits     the filter: an instruction is visited if its opcode is in this table, by the function
 *	           beside it. All are collected before the first one is changed
 *	functions  what it calls beside the hooks of event.def; those in its bitcode (inline.c of the folder)
 *	           are linked in and checked against their signature
 *	relies     what another version of LLVM may have changed; checked before anything else (relies.h)
 *
 * A mode may build on another one, its base: its tables then name functions of both and include
 * steps of the base's table, and each has a state of its own (pd_ir_state). The common part, which
 * never includes a mode, takes care of what the base calls, links and relies on.
 */
#ifndef PD_CC_MODE_H
#define PD_CC_MODE_H

#include "base/types.h"
#include "cc/relies.h"
#include "event/abi.h"
#include <llvm-c/Core.h>

struct pd_ir;

/* A set of optimisation levels. */
enum pd_level {
	PD_O0 = 1,
	PD_O1 = 2,
	PD_O2 = 4,
	PD_O3 = 8,
	PD_OS = 16,
	PD_OZ = 32,
	PD_O_ANY = 63,
};

/* One of three: passes of LLVM; a function, which calls pd_ir_fail if it fails; another table. */
struct pd_step {
	unsigned levels; /* 0: the end of the table */
	const char *passes;
	void (*run)(struct pd_ir *m);
	const struct pd_step *steps;
};

struct pd_visit {
	LLVMOpcode opcode;
	void (*visit)(struct pd_ir *m, LLVMValueRef inst); /* NULL: the end of the table */
};

/* The signature uses the letters of event.def, and f float, d double, b bool. */
struct pd_function {
	const char *name; /* NULL: the end of the table */
	const char *signature;
	char size; /* the letter for N, or 0 */
};

struct pd_mode {
	const char *name;	    /* of its folder; its inline.c is lib/perdure/<name>.bc */
	const char *option;	    /* of `perdure cc`; NULL: it is the default */
	const char *help;	    /* of that option */
	const struct pd_mode *base; /* that it builds on, or NULL */
	bool headers;		    /* put lib/perdure/headers/<name> before the system's headers */
	bool streams;		    /* link lib/perdure/<name>-streams.a into C++ programs */
	uint32_t build; /* set of enum pd_build: all that objects of this mode can be used for */
	const char *const
		*llvm_options; /* as on the command line of LLVM's tools; NULL at the end */
	const struct pd_step *steps;
	const struct pd_visit *visits;
	const struct pd_function *functions;
	struct pd_relies relies;
	size_t state; /* size in bytes; initially zero */
};

/* The mode that an argument selects; NULL: none. */
const struct pd_mode *pd_mode_of_option(const char *argument);

const struct pd_mode *pd_mode_default(void);

/* All of them; NULL at the end. */
const struct pd_mode *const *pd_modes(void);

#endif
