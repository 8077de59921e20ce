/*
 * race-write-write - which of the two is durable is a matter of luck.
 */
#include "../pm.h"
#include "../race.h"
#include <sched.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static volatile uint64_t turn[2]; /* in DRAM, and no synchronisation: so that both are there at once */

static void write_as(int me)
{
	for (uint64_t i = 1; i < 30; i++) {
		turn[me] = i;
		while (turn[!me] + 1 < i)
			sched_yield();
#if FIXED
		pthread_mutex_lock(&lock);
#endif
		f->cause = i; //@ store
		pm_persist(&f->cause, sizeof(f->cause));
#if FIXED
		pthread_mutex_unlock(&lock);
#endif
		sched_yield();
	}
}

static void *one(void *unused)
{
	write_as(0);
	return unused;
}

static void *other(void *unused)
{
	write_as(1);
	return unused;
}

int main(int argc, char **argv)
{
	(void)lock;
	(void)act;
	race_open(argc, argv);
	race_run(one, other);
	return 0;
}
