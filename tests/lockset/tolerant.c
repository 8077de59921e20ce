/*
 * tolerant.c - a race that recovery puts up with: it looks whether the cause of an effect is there, and
 * takes the effect back if not.
 */
#define FIXED 1
#include "../../bugs/pm.h"
#include "../../bugs/race.h"
#include <sched.h>

static void *writer(void *unused)
{
	for (int i = 0; i < 3; i++) {
		pm_set(&f->cause, f->cause + 1);
		pm_persist(&f->cause, sizeof(f->cause));
		sched_yield();
	}
	return unused;
}

static void *reader(void *unused)
{
	for (int i = 0; i < 3; i++) {
		act(pm_get(&f->cause));
		sched_yield();
	}
	return unused;
}

int main(int argc, char **argv)
{
	f = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f));
	if (f->effect > f->cause) {
		pm_set(&f->effect, f->cause);
		pm_persist(&f->effect, sizeof(f->effect));
	}
	(void)race_open;
	race_run(writer, reader);
	return 0;
}
