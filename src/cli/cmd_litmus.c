/* cmd_litmus.c - perdure litmus FILE... */
#include "cli/cli.h"

int pd_cmd_litmus(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	return PD_EXIT_USAGE;
}
