/*
 * cli.h - the verbs. Each is one file cmd_*.c with one function; main.c knows the list.
 */
#ifndef PD_CLI_CLI_H
#define PD_CLI_CLI_H

/* Exit statuses, the same for every verb. */
enum pd_exit {
	PD_EXIT_CLEAN = 0,
	PD_EXIT_FINDINGS = 1,
	PD_EXIT_USAGE = 2,
	PD_EXIT_INCOMPLETE = 3,
	PD_EXIT_INTERNAL = 4,
};

struct pd_verb {
	const char *name;
	const char *help; /* one line */
	/* argv[0] is the verb itself. */
	int (*run)(int argc, char **argv);
};

int pd_cmd_litmus(int argc, char **argv);

#endif
