/*
 * options.h - what the user asked for, in every verb: the values of the common options.
 *
 * The command line is cli/options.h's; here is what it means.
 */
#ifndef PD_DRIVE_OPTIONS_H
#define PD_DRIVE_OPTIONS_H

#include "base/arena.h"
#include "base/vec.h"
#include "drive/only.h"
#include "report/report.h"

struct pd_options {
	struct pd_arena *arena;
	const char *verb;
	PD_VEC(const char *) pm; /* PERDURE_PM's first, then --pm's */
	const char *out;	 /* NULL: the default */
	const char *json;
	struct pd_only only;
	bool quiet;
	bool strict;
	bool coverage; /* list it, where the verb has some */
	bool stats;    /* list them all */
	PD_VEC(const char *) libraries;
	enum pd_color color;
	unsigned jobs;
	uint64_t time_limit_ms; /* 0: none */
	PD_VEC(const char *) suppress;
	const char *baseline;	      /* NULL: none */
	struct pd_result *before;     /* what it holds; NULL: not read yet */
	const char *gen_suppressions; /* NULL: none are made */
	uint64_t seed;

	PD_VEC(const char *)
	words; /* what was given, with PERDURE_PM, PERDURE_OPTIONS, and '--' before the program */
	char **argv; /* what follows the options: program and arguments, or files */
	int argc;
};

#endif
