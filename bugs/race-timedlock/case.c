/*
 * race-timedlock - locks that are waited for only so long: those that were got protect; the flush is after the
 * unlock.
 */
#include "../pm.h"
#include "../race.h"
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void take(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_sec += 3600;
	if (pthread_mutex_timedlock(&lock, &t) != 0)
		exit(3);
}

static void *writer(void *unused)
{
	for (int i = 0; i < 2; i++) {
		take();
		pm_set(&f->cause, f->cause + 1); //@ store
#if FIXED
		pm_persist(&f->cause, sizeof(f->cause));
		pthread_mutex_unlock(&lock);
#else
		pthread_mutex_unlock(&lock);
		pm_persist(&f->cause, sizeof(f->cause)); //@ flush
#endif
	}
	return unused;
}

static void *reader(void *unused)
{
	for (int i = 0; i < 2; i++) {
		uint64_t seen;

		take();
		seen = f->cause; //@ load
		pthread_mutex_unlock(&lock);
		act(seen);
	}
	return unused;
}

int main(int argc, char **argv)
{
	race_open(argc, argv);
	race_run(writer, reader);
	return 0;
}
