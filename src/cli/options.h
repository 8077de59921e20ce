/*
 * options.h - the command line of every verb.
 *
 *	perdure VERB [options] [--] PROGRAM [ARGS]
 *
 * A verb describes itself by a struct pd_command: which of the common options (options/common.def)
 * it has, the list of its own (options/VERB.def), and the arguments that follow. An entry of the
 * list defines the type of an option and where its value goes; help, parsing and error messages all
 * come from it. Options end at the first other word, so that a program's options are its own. argp
 * parses them; we report errors in one line, because argp takes two.
 *
 * Thread rule: the main thread, at the start.
 */
#ifndef PD_CLI_OPTIONS_H
#define PD_CLI_OPTIONS_H

#include "drive/options.h"
#include "finding/suppress.h"
#include "host/error.h"
#include "report/report.h"

enum pd_option {
#define PD_OPTION(ID, name, key, argument, help) PD_OPT_##ID,
#include "cli/options/common.def"
	PD_OPT_N
};

#define PD_OPT_BIT(ID) (1u << PD_OPT_##ID)
#define PD_OPT_ALL     ((1u << PD_OPT_N) - 1)

enum pd_take {
	PD_TAKE_FLAG, /* bool */
	PD_TAKE_TEXT, /* const char * */
	PD_TAKE_WORD, /* const char *, one of `words` */
	PD_TAKE_TIME, /* uint64_t, in ms, above 0 */
	PD_TAKE_U32,  /* from min to max */
	PD_TAKE_U64,
	PD_TAKE_CALL, /* handled by `call`; arg is NULL if it was left out */
};

/* One of a verb's own options; the list ends with one that has no name. */
struct pd_own {
	const char *name;
	char letter;	      /* of the short option; 0: none */
	const char *argument; /* NULL: a switch; "[X]": it may be left out */
	const char *help;
	enum pd_take take;
	void *to;
	uint64_t min, max;
	const char *const *words; /* ends with NULL */
	bool (*call)(void *to, const char *arg, struct pd_error *e);
};

/* For every verb with such an option. */
extern const char *const pd_model_words[];
bool pd_take_schedule(void *to, const char *arg, struct pd_error *e);

/* Entries of such a list. */
#define PD_OWN_FLAG(NAME, LETTER, TO, HELP)                                                        \
	{.name = NAME, .letter = LETTER, .take = PD_TAKE_FLAG, .to = TO, .help = HELP}
#define PD_OWN_TEXT(NAME, LETTER, ARG, TO, HELP)                                                   \
	{.name = NAME,                                                                             \
	 .letter = LETTER,                                                                         \
	 .argument = ARG,                                                                          \
	 .take = PD_TAKE_TEXT,                                                                     \
	 .to = TO,                                                                                 \
	 .help = HELP}
#define PD_OWN_TIME(NAME, LETTER, ARG, TO, HELP)                                                   \
	{.name = NAME,                                                                             \
	 .letter = LETTER,                                                                         \
	 .argument = ARG,                                                                          \
	 .take = PD_TAKE_TIME,                                                                     \
	 .to = TO,                                                                                 \
	 .help = HELP}
#define PD_OWN_U32(NAME, ARG, MIN, MAX, TO, HELP)                                                  \
	{.name = NAME,                                                                             \
	 .argument = ARG,                                                                          \
	 .take = PD_TAKE_U32,                                                                      \
	 .min = MIN,                                                                               \
	 .max = MAX,                                                                               \
	 .to = TO,                                                                                 \
	 .help = HELP}
#define PD_OWN_U64(NAME, ARG, MIN, MAX, TO, HELP)                                                  \
	{.name = NAME,                                                                             \
	 .argument = ARG,                                                                          \
	 .take = PD_TAKE_U64,                                                                      \
	 .min = MIN,                                                                               \
	 .max = MAX,                                                                               \
	 .to = TO,                                                                                 \
	 .help = HELP}
#define PD_OWN_WORD(NAME, ARG, WORDS, TO, HELP)                                                    \
	{.name = NAME,                                                                             \
	 .argument = ARG,                                                                          \
	 .take = PD_TAKE_WORD,                                                                     \
	 .words = WORDS,                                                                           \
	 .to = TO,                                                                                 \
	 .help = HELP}
#define PD_OWN_CALL(NAME, ARG, CALL, TO, HELP)                                                     \
	{.name = NAME, .argument = ARG, .take = PD_TAKE_CALL, .call = CALL, .to = TO, .help = HELP}

#define PD_OWN_MODEL(TO)                                                                           \
	PD_OWN_WORD("model", "NAME", pd_model_words, TO,                                           \
		    "adr (default), eadr or page; see perdure-model(7)")
#define PD_OWN_SCHEDULE(TO)                                                                        \
	PD_OWN_CALL("schedule", "HOW", pd_take_schedule, TO,                                       \
		    "how threads are scheduled: default (each runs until it blocks), random, "     \
		    "sparse (random, with few switches in long runs) or pct[:DEPTH[:STEPS]]; "     \
		    "see --seed")
#define PD_OWN_BINARY(TO)                                                                          \
	PD_OWN_FLAG("binary", 0, TO,                                                               \
		    "run it in Valgrind even if it is instrumented (default: only if it is not)")

struct pd_command {
	const char *verb;
	const char *arguments; /* "PROGRAM [ARGS]" */
	const char *doc;       /* what the verb does, and after '\v' text for the end */
	unsigned common;       /* PD_OPT_BIT(...) | ... */
	const char *engines[PD_ONLY_ENGINES]; /* --only selects among their kinds; NULL: no more */
	const char *
		needs; /* the error without an argument: "name the program"; NULL: arguments are optional */
	/* The name of an earlier run that defines the program, set by an option; NULL: there is no
	 * such option */
	const char *const *earlier;
	bool single; /* at most one argument */
	bool mixed;  /* options may also follow arguments: for verbs that run no program */
	const struct pd_own *own; /* shown before the common ones; NULL: none */
};

enum pd_parsed { PD_PARSED_OK, PD_PARSED_HELP, PD_PARSED_ERROR };

/* HELP: it was requested and has been printed. argv[0] is the verb. */
enum pd_parsed pd_options_parse(struct pd_options *o, struct pd_arena *a,
				const struct pd_command *cmd, int argc, char **argv,
				struct pd_error *e);

/*
 * The same for a verb's main function; also makes sure that a verb that runs a program (it has
 * --pm) knows what is PM. True: continue; else *status is the exit status, and everything has been
 * printed.
 */
bool pd_options_start(struct pd_options *o, struct pd_arena *a, const struct pd_command *cmd,
		      int argc, char **argv, int *status);

/* All of a verb that needs no more than this: runs it, and returns its exit status. */
typedef int pd_verb_run(struct pd_options *o, struct pd_arena *a, void *ctx);
int pd_command_run(const struct pd_command *cmd, int argc, char **argv, pd_verb_run *run,
		   void *ctx);

/* Before the run: reads all --suppress files and the --baseline, and checks that the requested
 * files can be written. */
bool pd_options_files(struct pd_options *o, struct pd_suppressions *s, struct pd_error *e);

/* Compares with --baseline, if given. */
bool pd_options_compare(struct pd_options *o, struct pd_result *r, struct pd_error *e);

/*
 * The end of every engine verb: removes suppressed findings, writes result.json into d (NULL: no
 * directory) and --json, prints the text, and returns the exit status. If nothing could be written,
 * d is abandoned.
 */
int pd_deliver(struct pd_result *r, struct pd_options *o, struct pd_suppressions *s,
	       struct pd_outdir *d);

#endif
