/*
 * race-two-flushes - a store that is made durable at one of two places, each time too late: one bug, however many
 * flushes follow it.
 */
#include "../pm.h"
#include "../race.h"
#include <sched.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t looked;

static void *writer(void *unused)
{
	pthread_barrier_wait(&looked);
	for (uint64_t i = 1; i < 7; i++) {
		pthread_mutex_lock(&lock);
		f->cause = i; //@ store
#if FIXED
		pm_persist(&f->cause, sizeof(f->cause));
#endif
		pthread_mutex_unlock(&lock);
#if !FIXED
		if (i % 2)
			pm_persist(&f->cause, sizeof(f->cause)); //@ flush
		else
			pm_persist(&f->cause, sizeof(f->cause)); //@ flush
#endif
		sched_yield();
	}
	return unused;
}

static void *reader(void *unused)
{
	for (int i = 0; i < 7; i++) {
		uint64_t seen;

		pthread_mutex_lock(&lock);
		seen = f->cause; //@ load
		pthread_mutex_unlock(&lock);
		act(seen);
		if (!i)
			pthread_barrier_wait(&looked);
		sched_yield();
	}
	return unused;
}

int main(int argc, char **argv)
{
	race_open(argc, argv);
	if (f->cause)
		return 0;
	pthread_barrier_init(&looked, NULL, 2);
	race_run(writer, reader);
	return 0;
}
