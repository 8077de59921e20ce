/*
 * race-cond - the reader waits for the writer, which signals and persists in the wrong order.
 */
#include "../pm.h"
#include "../race.h"
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int ready;

static void *writer(void *unused)
{
	pm_set(&f->cause, f->cause + 1); //@ store
#if FIXED
	pm_persist(&f->cause, sizeof(f->cause));
#endif
	pthread_mutex_lock(&lock);
	ready = 1;
	pthread_cond_signal(&cond);
	pthread_mutex_unlock(&lock);
#if !FIXED
	pm_persist(&f->cause, sizeof(f->cause)); //@ flush
#endif
	return unused;
}

static void *reader(void *unused)
{
	pthread_mutex_lock(&lock);
	while (!ready)
		pthread_cond_wait(&cond, &lock);
	pthread_mutex_unlock(&lock);
	act(f->cause); //@ load
	return unused;
}

int main(int argc, char **argv)
{
	race_open(argc, argv);
	race_run(writer, reader);
	return 0;
}
