/* cmd_doctor.c - perdure doctor: what this machine allows, one line each. */
#include "cli/cli.h"
#include "cli/options.h"
#include "host/host.h"
#include "host/machine.h"

static int run(struct pd_options *o, struct pd_arena *a, void *ctx)
{
	static const char *const words[] = {"ok", "worked around", "not possible"};
	struct pd_machine_fact facts[PD_MACHINE_FACTS];
	uint32_t n, bad = 0;

	(void)a;
	(void)ctx;
	if (o->argc)
		return pd_user_error("doctor takes no argument '%s'", o->argv[0]);
	n = pd_machine_facts(facts);
	for (uint32_t i = 0; i < n; i++) {
		printf("%-14s %-13s %s\n", facts[i].name, words[facts[i].how], facts[i].text);
		bad += facts[i].how == PD_MACHINE_NOT;
	}
	return bad ? PD_EXIT_INTERNAL : PD_EXIT_CLEAN;
}

int pd_cmd_doctor(int argc, char **argv)
{
	const struct pd_command cmd = {
		.verb = "doctor",
		.arguments = "",
		.doc = "Shows what this machine allows, one line per feature that machines "
		       "differ in.\vEvery verb checks the same at its start. Exit status: 0, "
		       "or 4 where something is not possible; its line says what to do.",
		.mixed = true,
	};

	return pd_command_run(&cmd, argc, argv, run, NULL);
}
