/*
 * race-trylock-failed - a reader that does not get the lock reads all the same.
 */
#include "../pm.h"
#include "../race.h"
#include <sched.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static volatile int held, tries, over; /* in DRAM, and no synchronisation: so that both are there at once */

static void *writer(void *unused)
{
	for (int i = 0; i < 20; i++) {
		pthread_mutex_lock(&lock);
		held = 1;
		for (int was = tries; tries == was && !over;)
			sched_yield();
		pm_set(&f->cause, f->cause + 1); //@ store
		pm_persist(&f->cause, sizeof(f->cause)); //@ flush
		pthread_mutex_unlock(&lock);
	}
	return unused;
}

static void *reader(void *unused)
{
	while (!held)
		sched_yield();
	for (int i = 0; i < 30; i++) {
		int mine = pthread_mutex_trylock(&lock) == 0;
		uint64_t seen = 0;

#if FIXED
		if (mine)
#endif
			seen = f->cause; //@ load
		if (mine)
			pthread_mutex_unlock(&lock);
		act(seen);
		tries++;
		sched_yield();
	}
	over = 1;
	return unused;
}

int main(int argc, char **argv)
{
	race_open(argc, argv);
	race_run(writer, reader);
	return 0;
}
