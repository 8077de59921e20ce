/*
 * race-once - whoever comes second relies on what the first one has set up.
 */
#include "../pm.h"
#include "../race.h"
#include <sched.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static volatile int begun; /* in DRAM, and no synchronisation: so that the writer comes first */

static void set_up(void)
{
	begun = 1;
	pm_set(&f->cause, f->cause + 1); //@ store
#if FIXED
	pm_persist(&f->cause, sizeof(f->cause));
#endif
}

static void *writer(void *unused)
{
	pthread_once(&once, set_up);
	pm_persist(&f->cause, sizeof(f->cause));
	return unused;
}

static void *reader(void *unused)
{
	while (!begun)
		sched_yield();
	pthread_once(&once, set_up);
	act(f->cause); //@ load
	return unused;
}

int main(int argc, char **argv)
{
	race_open(argc, argv);
	race_run(writer, reader);
	return 0;
}
