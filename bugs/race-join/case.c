/*
 * race-join - the thread that stored is gone, its store is not durable, and the one that waited
 * for it acts.
 */
#include "../pm.h"
#include "../race.h"
static void *writer(void *unused)
{
	pm_set(&f->cause, f->cause + 1); //@ store
#if FIXED
	pm_persist(&f->cause, sizeof(f->cause));
#endif
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t t;

	race_open(argc, argv);
	pthread_create(&t, NULL, writer, NULL);
	pthread_join(t, NULL);
	act(f->cause); //@ load
	pm_persist(&f->cause, sizeof(f->cause));
	return 0;
}
