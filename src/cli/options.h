/*
 * options.h - the command line of every verb.
 *
 *	perdure VERB [options] [--] PROGRAM [ARGS]
 *
 * A verb describes itself by a struct pd_command: which of the common options (options.def) it has,
 * its own options in argp's form, and what follows them. Options end at the first word that is
 * none, so that a program's own options are the program's. Parsing is argp's; what is wrong is said
 * in one line by us, because argp takes two.
 *
 * Thread rule: the main thread, at the start.
 */
#ifndef PD_CLI_OPTIONS_H
#define PD_CLI_OPTIONS_H

#include "drive/options.h"
#include "finding/suppress.h"
#include "host/error.h"
#include "report/report.h"
#include <argp.h>

enum pd_option {
#define PD_OPTION(ID, name, key, argument, help) PD_OPT_##ID,
#include "cli/options.def"
	PD_OPT_N
};

#define PD_OPT_BIT(ID) (1u << PD_OPT_##ID)
#define PD_OPT_ALL     ((1u << PD_OPT_N) - 1)

struct pd_command {
	const char *verb;
	const char *arguments; /* "PROGRAM [ARGS]" */
	const char *doc; /* what the verb does, and after '\v' what is to be said at the end */
	unsigned common; /* PD_OPT_BIT(...) | ... */
	const char *engines[PD_ONLY_ENGINES]; /* whose kinds --only takes; NULL: no other */
	const char
		*needs; /* what to say without an argument: "name the program"; NULL: may be none */
	bool mixed;	/* options may also follow arguments: for verbs that run no program */
	/* The verb's own; keys from 1 to 999, shown before the common ones. NULL: none. */
	const struct argp_option *own;
	bool (*take)(void *ctx, int key, const char *arg, struct pd_error *e);
	void *ctx;
};

enum pd_parsed { PD_PARSED_OK, PD_PARSED_HELP, PD_PARSED_ERROR };

/* HELP: it was asked for and has been printed. argv[0] is the verb. */
enum pd_parsed pd_options_parse(struct pd_options *o, struct pd_arena *a,
				const struct pd_command *cmd, int argc, char **argv,
				struct pd_error *e);

/*
 * The same for a verb's main function; one that runs a program (it has --pm) needs to know what is
 * PM. True where it is to go on; else *status is what it ends with, and all has been said.
 */
bool pd_options_start(struct pd_options *o, struct pd_arena *a, const struct pd_command *cmd,
		      int argc, char **argv, int *status);

/* For the verbs' own options. 60s, 5m, 1h, 500ms, 60. */
bool pd_parse_time(const char *s, uint64_t *ms);
bool pd_parse_u64(const char *s, uint64_t min, uint64_t max, uint64_t *v);

/* Before the run: reads all --suppress files, and tries whether the files that are asked for can be
 * written. */
bool pd_options_files(const struct pd_options *o, struct pd_suppressions *s, struct pd_error *e);

/*
 * The end of every engine verb: takes out what is suppressed, writes result.json into d (NULL: no
 * directory) and --json, prints the text, and returns the exit status. Where nothing could be
 * written d is abandoned.
 */
int pd_deliver(struct pd_result *r, const struct pd_options *o, struct pd_suppressions *s,
	       struct pd_outdir *d);

#endif
