/*
 * cli.h - the verbs. Each is one file cmd_*.c with one function; main.c knows the list.
 */
#ifndef PD_CLI_CLI_H
#define PD_CLI_CLI_H

#include "host/exit.h"
#include <stdbool.h>

struct pd_verb {
	const char *name;
	const char *help; /* one line */
	/* argv[0] is the verb itself. */
	int (*run)(int argc, char **argv);
};

int pd_cmd_cc(int argc, char **argv);
int pd_cmd_check(int argc, char **argv);
int pd_cmd_cxx(int argc, char **argv);
int pd_cmd_doctor(int argc, char **argv);
int pd_cmd_explain(int argc, char **argv);
int pd_cmd_explore(int argc, char **argv);
int pd_cmd_fix(int argc, char **argv);
int pd_cmd_linear(int argc, char **argv);
int pd_cmd_lint(int argc, char **argv);
int pd_cmd_litmus(int argc, char **argv);
int pd_cmd_lockset(int argc, char **argv);
int pd_cmd_merge(int argc, char **argv);
int pd_cmd_pmdk(int argc, char **argv);
int pd_cmd_replay(int argc, char **argv);
int pd_cmd_report(int argc, char **argv);
int pd_cmd_trace(int argc, char **argv);

/* Shared by check and linear: everything after parsing the command line. (cmd_check.c) */
struct pd_check_run;
struct pd_error;
int pd_check_run_all(struct pd_check_run *c);
bool pd_take_recover(void *to, const char *arg, struct pd_error *e);

#endif
