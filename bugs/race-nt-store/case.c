/*
 * race-nt-store - a non-temporal store needs no flush, but it needs its fence, and before the
 * unlock.
 */
#include "../pm.h"
#include "../race.h"
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *writer(void *unused)
{
	for (int i = 0; i < 2; i++) {
		pthread_mutex_lock(&lock);
		_mm_stream_si64((long long *)&f->cause, (long long)f->cause + 1); //@ store //@ flush
#if FIXED
		pm_fence();
		pthread_mutex_unlock(&lock);
#else
		pthread_mutex_unlock(&lock);
		pm_fence();
#endif
	}
	return unused;
}

static void *reader(void *unused)
{
	for (int i = 0; i < 2; i++) {
		uint64_t seen;

		pthread_mutex_lock(&lock);
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
