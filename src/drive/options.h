/*
 * options.h - the values of the options that all verbs share.
 *
 * cli/options.h parses the command line; this is the result.
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
	PD_VEC(const char *) pm; /* those of PERDURE_PM, then those of --pm */
	const char *out;	 /* NULL: the default */
	const char *json;
	struct pd_only only;
	bool quiet;
	bool strict;
	bool coverage; /* list it, if the verb has coverage */
	bool stats;    /* list them */
	PD_VEC(const char *) libraries;
	enum pd_color color;
	unsigned jobs;
	uint64_t time_limit_ms; /* 0: none */
	PD_VEC(const char *) suppress;
	const char *baseline;	      /* NULL: none */
	struct pd_result *before;     /* its contents; NULL: not read yet */
	const char *gen_suppressions; /* NULL: do not write any */
	uint64_t seed;

	PD_VEC(const char *)
	words; /* the command line, with PERDURE_PM, PERDURE_OPTIONS, and '--' before the program */
	char **argv; /* what follows the options: the program with its arguments, or files */
	int argc;
};

#endif
