/*
 * exit.h - exit statuses, the same for every verb.
 */
#ifndef PD_HOST_EXIT_H
#define PD_HOST_EXIT_H

enum pd_exit {
	PD_EXIT_CLEAN = 0,
	PD_EXIT_FINDINGS = 1,
	PD_EXIT_USAGE = 2,
	PD_EXIT_INCOMPLETE = 3,
	PD_EXIT_INTERNAL = 4,
};

#endif
