/*
 * race-never - the flush is missing altogether; locks do not make up for it.
 */
#include "../pm.h"
#include "../race.h"
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *writer(void *unused)
{
	pthread_mutex_lock(&lock);
	pm_set(&f->cause, f->cause + 1); //@ store
#if FIXED
	pm_persist(&f->cause, sizeof(f->cause));
#endif
	pthread_mutex_unlock(&lock);
	return unused;
}

static void *reader(void *unused)
{
	uint64_t seen;

	pthread_mutex_lock(&lock);
	seen = f->cause; //@ load
	pthread_mutex_unlock(&lock);
	act(seen);
	return unused;
}

int main(int argc, char **argv)
{
	race_open(argc, argv);
	race_run(writer, reader);
	return 0;
}
