/*
 * runs.c - many executions from one zygote: runs GLOB COUNT PROGRAM ARGS...
 *
 * Every execution must end well, see the same events, and leave no trace of itself to the next; prints
 * TAP.
 */
#include "drive/driven.h"
#include "lib/tap.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

int main(int argc, char **argv)
{
	uint64_t first[PD_EV_N];
	const char *pm = argc > 3 ? argv[1] : "";
	struct pd_driven_options o = {.argv = argv + 3, .pm = &pm, .npm = 1, .mode = "model",
				      .settings = "", .stdout_to = 2, .zygote = true};
	int count = argc > 3 ? atoi(argv[2]) : 0, well = 0, same = 0;
	struct pd_driven d;
	struct pd_error e;

	if (!pd_driven_start(&d, &o, &e))
		return pd_error_print(&e);
	for (int i = 0; i < count; i++) {
		if (!pd_driven_run(&d, 1, &e))
			return pd_error_print(&e);
		well += d.status == 0 && d.channel->done && !d.channel->failed;
		if (i == 0)
			memcpy(first, d.channel->events, sizeof(first));
		same += memcmp(first, d.channel->events, sizeof(first)) == 0;
	}
	pd_driven_finish(&d);
	tap_ok(well == count, "%d of %d executions ended well", well, count);
	tap_ok(same == count, "%d of %d had the same events", same, count);
	tap_ok(first[PD_EV_STORE] > 0, "there were stores");
	return tap_finish();
}
