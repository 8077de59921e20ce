/* steps.c - the names of steps. See steps.h. */
#include "finding/steps.h"

const char *const pd_step_name[PD_STEP_N] = {
	[PD_STEP_LINE] = "line",
	[PD_STEP_LAST] = "last",
	[PD_STEP_LEFT_OUT] = "left-out",
	[PD_STEP_EVENT] = "event",
	[PD_STEP_LATE] = "late",
	[PD_STEP_PASSED] = "passed",
	[PD_STEP_CRASH] = "crash",
	[PD_STEP_RECOVERY] = "recovery",
	[PD_STEP_READ] = "read",
	[PD_STEP_TIMES] = "times",
	[PD_STEP_END] = "end",
	[PD_STEP_TRIED] = "tried",
	[PD_STEP_TRIED_ALL] = "tried-all",
};
