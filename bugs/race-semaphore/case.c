/*
 * race-semaphore - a semaphore says that there is something to read; the persist must come before it.
 */
#include "../pm.h"
#include "../race.h"
#include <semaphore.h>
static sem_t filled;

static void *writer(void *unused)
{
	pm_set(&f->cause, f->cause + 1); //@ store
#if FIXED
	pm_persist(&f->cause, sizeof(f->cause));
#endif
	sem_post(&filled);
#if !FIXED
	pm_persist(&f->cause, sizeof(f->cause)); //@ flush
#endif
	return unused;
}

static void *reader(void *unused)
{
	sem_wait(&filled);
	act(f->cause); //@ load
	return unused;
}

int main(int argc, char **argv)
{
	sem_init(&filled, 0, 0);
	race_open(argc, argv);
	race_run(writer, reader);
	return 0;
}
