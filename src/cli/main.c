/* main.c - perdure VERB ...: finds the verb and runs it. */
#include "cli/cli.h"
#include "base/types.h"
#include "cli/list.h"
#include "host/machine.h"
#include "host/nearest.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct pd_verb verbs[] = {
	{"cc", "compile and link C, instrumented for the other verbs", pd_cmd_cc},
	{"c++", "the same for C++", pd_cmd_cxx},
	{"check", "test recovery from every possible crash state", pd_cmd_check},
	{"linear", "test whether a data structure is durably linearizable", pd_cmd_linear},
	{"lint", "find missing and needless flushes and fences in one run", pd_cmd_lint},
	{"lockset", "find data that other threads can see before it is durable", pd_cmd_lockset},
	{"explore", "explore the paths of a program by symbolic execution", pd_cmd_explore},
	{"trace", "list what a program does to persistent memory", pd_cmd_trace},
	{"litmus", "print every image that a crash of a small program can leave", pd_cmd_litmus},
	{"replay", "replay one finding exactly", pd_cmd_replay},
	{"fix", "write the fix of a finding as a patch, and verify it", pd_cmd_fix},
	{"report", "render a result as text, HTML, JSON, SARIF or JUnit XML", pd_cmd_report},
	{"explain", "explain a kind of finding, and how to fix it", pd_cmd_explain},
	{"merge", "merge the results of several runs", pd_cmd_merge},
	{"pmdk", "build PMDK's libraries so that 'perdure check' can see what they do",
	 pd_cmd_pmdk},
	{"doctor", "show what this machine allows, and how perdure works around the rest",
	 pd_cmd_doctor},
};

static void usage(FILE *f)
{
	fputs("usage: perdure VERB [options] ...\n\n", f);
	for (size_t i = 0; i < PD_LEN(verbs); i++)
		fprintf(f, "  %-10s %s\n", verbs[i].name, verbs[i].help);
	fputs("\n'perdure help VERB' explains one of them.\n", f);
}

static const struct pd_verb *find_verb(const char *name)
{
	for (size_t i = 0; i < PD_LEN(verbs); i++)
		if (strcmp(name, verbs[i].name) == 0)
			return &verbs[i];
	return NULL;
}

static int no_verb(const char *name)
{
	struct pd_nearest near = {.word = name};

	for (size_t i = 0; i < PD_LEN(verbs); i++)
		pd_nearest_offer(&near, verbs[i].name);
	if (strchr(name, '/') && access(name, X_OK) == 0)
		fprintf(stderr,
			"perdure: '%s' is a program, not a verb; name one before it, as in "
			"'perdure "
			"check %s'\n",
			name, name);
	else if (*name == '-')
		fprintf(stderr,
			"perdure: options follow a verb, as in 'perdure check %s'; 'perdure help' "
			"lists the verbs\n",
			name);
	else
		fprintf(stderr, "perdure: there is no verb '%s'%s 'perdure help' lists them\n",
			name, near.name ? pd_nearest_words(&near, "") : ";");
	return PD_EXIT_USAGE;
}

static int help_about(char *name, char *how)
{
	const struct pd_verb *verb = find_verb(name);
	char *argv[] = {name, how, NULL};

	return verb ? verb->run(2, argv) : no_verb(name);
}

/* perdure help, with arguments. --list and --ids are for programs: list.h. */
static int help(int argc, char **argv)
{
	if (argc == 0) {
		usage(stdout);
	} else if (strcmp(argv[0], "--ids") == 0) {
		pd_list_ids(stdout);
	} else if (strcmp(argv[0], "--list") == 0) {
		if (argc > 1)
			return help_about(argv[1], "--help-list");
		for (size_t i = 0; i < PD_LEN(verbs); i++)
			printf("%s\t%s\n", verbs[i].name, verbs[i].help);
	} else {
		return help_about(argv[0], "--help");
	}
	return PD_EXIT_CLEAN;
}

int main(int argc, char **argv)
{
	const struct pd_verb *verb;

	if (argc < 2) {
		usage(stderr);
		return PD_EXIT_USAGE;
	}
	pd_machine();
	verb = find_verb(argv[1]);
	if (verb)
		return verb->run(argc - 1, argv + 1);
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
	    strcmp(argv[1], "help") == 0)
		return help(argc - 2, argv + 2);
	if (strcmp(argv[1], "--version") == 0) {
		puts("perdure " PD_VERSION);
		return PD_EXIT_CLEAN;
	}
	return no_verb(argv[1]);
}
