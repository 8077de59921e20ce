/*
 * race-main-stores - the store that others act on too early is one that main makes as well, before there are
 * threads, and makes durable then.
 */
#include "../pm.h"
#include "../race.h"
#include <sched.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t looked;

static void set(uint64_t to)
{
	pthread_mutex_lock(&lock);
	f->cause = to; //@ store
#if FIXED
	pm_persist(&f->cause, sizeof(f->cause));
#endif
	pthread_mutex_unlock(&lock);
#if !FIXED
	pm_persist(&f->cause, sizeof(f->cause)); //@ flush
#endif
}

static void *writer(void *unused)
{
	pthread_barrier_wait(&looked);
	for (uint64_t i = 2; i < 5; i++) {
		set(i);
		sched_yield();
	}
	return unused;
}

static void *reader(void *unused)
{
	for (int i = 0; i < 4; i++) {
		uint64_t seen;

		pthread_mutex_lock(&lock);
		seen = f->cause; //@ load
		act(seen);
		pthread_mutex_unlock(&lock);
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
	set(1);
	pthread_barrier_init(&looked, NULL, 2);
	race_run(writer, reader);
	return 0;
}
