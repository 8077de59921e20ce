/*
 * race-relock-persist - store and persist hold the same lock, but it was free in between.
 */
#include "../pm.h"
#include "../race.h"
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *writer(void *unused)
{
	for (int i = 0; i < 2; i++) {
		pthread_mutex_lock(&lock);
		pm_set(&f->cause, f->cause + 1); //@ store
#if !FIXED
		pthread_mutex_unlock(&lock);
		pthread_mutex_lock(&lock);
#endif
		pm_persist(&f->cause, sizeof(f->cause)); //@ flush
		pthread_mutex_unlock(&lock);
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
