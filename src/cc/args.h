/*
 * args.h - a compiler's command line, sorted by which call needs which part.
 *
 * One invocation can do three things: the front end (source to bitcode), code generation (bitcode
 * to object) and the link. Every argument is for some of them; inputs and outputs are kept apart.
 * Each list keeps the user's order.
 */
#ifndef PD_CC_ARGS_H
#define PD_CC_ARGS_H

#include "base/types.h"
#include "cc/mode.h"

struct pd_strings {
	char **v; /* ends with NULL */
	size_t n;
	size_t cap;
};

void pd_strings_add(struct pd_strings *s, const char *x);
void pd_strings_add_all(struct pd_strings *s, const struct pd_strings *from);
char *pd_strings_printf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

enum pd_input_kind {
	PD_INPUT_SOURCE,   /* C, C++ */
	PD_INPUT_IR,	   /* bitcode or its text */
	PD_INPUT_ASSEMBLY, /* .s, .S */
};

struct pd_input {
	enum pd_input_kind kind;
	const char *path;
	const char *language; /* from -x; NULL: follows from its name */
	size_t link_at;	      /* index in `link` for its object */
};

enum pd_args_goal {
	PD_GOAL_LINK,
	PD_GOAL_OBJECT,	  /* -c */
	PD_GOAL_ASSEMBLY, /* -S */
	PD_GOAL_PASS,	  /* nothing to instrument: clang does everything */
};

struct pd_args {
	enum pd_args_goal goal;
	const struct pd_mode *mode;
	bool cxx;	   /* called as a C++ compiler */
	const char *out;   /* -o, or NULL */
	const char *level; /* of optimisation, as in -O: "0", "2", "s" */
	bool relocatable;  /* -r */
	bool is_shared;	   /* -shared: a library */
	bool is_static;
	const char *sanitizers; /* an option that is dropped; NULL: none */
	bool deps;		/* -MD, -MMD */
	bool deps_file;		/* -MF */
	bool deps_target;	/* -MT, -MQ */
	struct pd_strings all;	/* after expanding @file, without arguments that select the mode */
	struct pd_strings front;
	struct pd_strings codegen;
	struct pd_strings link; /* empty at the places of inputs' objects */
	struct pd_input *inputs;
	size_t ninputs;
	size_t nobjects; /* number of inputs that go to the linker unchanged */
};

void pd_args_parse(struct pd_args *a, int argc, char **argv, bool cxx);

/* Removes every occurrence of this argument from all lists. */
void pd_args_drop(struct pd_args *a, const char *arg);

#endif
