/*
 * driven.c - runs a program in a session with the model attached: bench/driven MODE PM-GLOB
 * PROGRAM...
 *
 * MODE is as in src/runtime/session/session.h ("model", "trace").
 */
#include "drive/driven.h"
#include <stdio.h>

int main(int argc, char **argv)
{
	static char bytes[1 << 17];
	struct pd_driven d;
	struct pd_error e;
	const char *pm;

	if (argc < 4)
		return 2;
	pm = argv[2];
	if (!pd_driven_start(&d,
			     &(struct pd_driven_options){.argv = argv + 3,
							 .pm = &pm,
							 .npm = 1,
							 .mode = argv[1],
							 .settings = "",
							 .stdout_to = -1},
			     &e))
		return pd_error_print(&e);
	while (pd_driven_read(&d, bytes, sizeof(bytes)) > 0)
		;
	if (!pd_driven_wait(&d, argv[3], &e) || !pd_driven_ended_well(&d, argv[3], &e))
		return pd_error_print(&e);
	pd_driven_finish(&d);
	return 0;
}
