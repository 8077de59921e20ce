/* main.c - perdure VERB ...: finds the verb and runs it. */
#include "cli/cli.h"
#include "base/types.h"
#include <stdio.h>
#include <string.h>

static const struct pd_verb verbs[] = {
	{"cc", "compile and link C so that the other verbs can see what it does", pd_cmd_cc},
	{"c++", "the same for C++", pd_cmd_cxx},
	{"check", "crash a program everywhere and run its recovery on all that may be left", pd_cmd_check},
	{"lint", "run a program once and find every missing or needless flush and fence", pd_cmd_lint},
	{"lockset", "run a threaded program once and find what threads can see before it is durable", pd_cmd_lockset},
	{"trace", "run a program once and list what it does to persistent memory", pd_cmd_trace},
	{"litmus", "run litmus files: every image that a crash can leave behind", pd_cmd_litmus},
	{"replay", "run one finding of check again, exactly", pd_cmd_replay},
	{"report", "show the result of a run again: text, JSON or SARIF", pd_cmd_report},
	{"merge", "join the results of several runs into one", pd_cmd_merge},
};

static void usage(FILE *f)
{
	fputs("usage: perdure VERB [options] ...\n\n", f);
	for (size_t i = 0; i < PD_LEN(verbs); i++)
		fprintf(f, "  %-10s %s\n", verbs[i].name, verbs[i].help);
	fputs("\n'perdure VERB --help' tells more about one.\n", f);
}

int main(int argc, char **argv)
{
	if (argc < 2) {
		usage(stderr);
		return PD_EXIT_USAGE;
	}
	for (size_t i = 0; i < PD_LEN(verbs); i++)
		if (strcmp(argv[1], verbs[i].name) == 0)
			return verbs[i].run(argc - 1, argv + 1);
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "help") == 0) {
		usage(stdout);
		return PD_EXIT_CLEAN;
	}
	if (strcmp(argv[1], "--version") == 0) {
		puts("perdure " PD_VERSION);
		return PD_EXIT_CLEAN;
	}
	fprintf(stderr, "perdure: there is no verb '%s'; 'perdure help' lists them\n", argv[1]);
	return PD_EXIT_USAGE;
}
