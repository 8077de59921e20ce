/*
 * race-barrier - both threads meet at a barrier; what was stored before it must be durable
 * before it.
 */
#include "../pm.h"
#include "../race.h"
static pthread_barrier_t barrier;

static void *writer(void *unused)
{
	pm_set(&f->cause, f->cause + 1); //@ store
#if FIXED
	pm_persist(&f->cause, sizeof(f->cause));
#endif
	pthread_barrier_wait(&barrier);
#if !FIXED
	pm_persist(&f->cause, sizeof(f->cause)); //@ flush
#endif
	return unused;
}

static void *reader(void *unused)
{
	pthread_barrier_wait(&barrier);
	act(f->cause); //@ load
	return unused;
}

int main(int argc, char **argv)
{
	pthread_barrier_init(&barrier, NULL, 2);
	race_open(argc, argv);
	race_run(writer, reader);
	return 0;
}
