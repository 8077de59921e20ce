/*
 * runs.c - many executions from one zygote: runs GLOB COUNT PROGRAM ARGS...
 *
 * Every execution must end well, see the same events, and leave no trace of itself to the next; prints
 * TAP, and as a comment how much cheaper than exec it is.
 */
#include "drive/driven.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <sys/wait.h>

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int main(int argc, char **argv)
{
	uint64_t first[PD_EV_N];
	const char *pm = argc > 3 ? argv[1] : "";
	struct pd_driven_options o = {.argv = argv + 3, .pm = &pm, .npm = 1, .mode = "model",
				      .settings = "", .stdout_to = 2, .zygote = true};
	int count = argc > 3 ? atoi(argv[2]) : 0, well = 0, same = 0;
	struct pd_driven d;
	struct pd_error e;
	double zygote, exec;

	if (!pd_driven_start(&d, &o, &e))
		return pd_error_print(&e);
	zygote = now();
	for (int i = 0; i < count; i++) {
		if (!pd_driven_run(&d, 1, &e))
			return pd_error_print(&e);
		well += d.status == 0 && d.channel->done && !d.channel->failed;
		if (i == 0)
			memcpy(first, d.channel->events, sizeof(first));
		same += memcmp(first, d.channel->events, sizeof(first)) == 0;
	}
	zygote = (now() - zygote) / count;
	pd_driven_finish(&d);

	o.zygote = false;
	exec = now();
	for (int i = 0; i < 20; i++) {
		char buf[1 << 17];

		if (!pd_driven_start(&d, &o, &e))
			return pd_error_print(&e);
		while (pd_driven_read(&d, buf, sizeof(buf)) > 0)
			;
		pd_driven_wait(&d, argv[3], &e);
		pd_driven_finish(&d);
	}
	exec = (now() - exec) / 20;

	printf("%s 1 - %d of %d executions ended well\n", well == count ? "ok" : "not ok", well, count);
	printf("%s 2 - %d of %d had the same events\n", same == count ? "ok" : "not ok", same, count);
	printf("%s 3 - there were stores\n", first[PD_EV_STORE] ? "ok" : "not ok");
	printf("# an execution from the zygote takes %.2f ms, by exec %.2f ms: %.1f times\n",
	       zygote * 1e3, exec * 1e3, exec / zygote);
	puts("1..3");
	return !(well == count && same == count && first[PD_EV_STORE]);
}
