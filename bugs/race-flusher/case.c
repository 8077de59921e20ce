/*
 * race-flusher - another thread flushes, in order; the reader has to wait for that one.
 */
#include "../pm.h"
#include "../race.h"
#include <semaphore.h>

static sem_t stored, durable;

static void *writer(void *unused)
{
	pm_set(&f->cause, f->cause + 1); //@ store
	sem_post(&stored);
	return unused;
}

/* Makes durable what others have stored. */
static void *flusher(void *unused)
{
	sem_wait(&stored);
	pm_persist(&f->cause, sizeof(f->cause)); //@ flush
	sem_post(&durable);
	return unused;
}

static void *reader(void *unused)
{
#if FIXED
	sem_wait(&durable);
#endif
	act(f->cause); //@ load
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t t;

	sem_init(&stored, 0, 0);
	sem_init(&durable, 0, 0);
	race_open(argc, argv);
	pthread_create(&t, NULL, flusher, NULL);
	race_run(writer, reader);
	pthread_join(t, NULL);
	return 0;
}
