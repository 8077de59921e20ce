/*
 * race-spin - the same with a spin lock of libpthread.
 */
#include "../pm.h"
#include "../race.h"
static pthread_spinlock_t lock;

static void *writer(void *unused)
{
	for (int i = 0; i < 2; i++) {
		pthread_spin_lock(&lock);
		pm_set(&f->cause, f->cause + 1); //@ store
#if FIXED
		pm_persist(&f->cause, sizeof(f->cause));
		pthread_spin_unlock(&lock);
#else
		pthread_spin_unlock(&lock);
		pm_persist(&f->cause, sizeof(f->cause)); //@ flush
#endif
	}
	return unused;
}

static void *reader(void *unused)
{
	for (int i = 0; i < 2; i++) {
		uint64_t seen;

		pthread_spin_lock(&lock);
		seen = f->cause; //@ load
		pthread_spin_unlock(&lock);
		act(seen);
	}
	return unused;
}

int main(int argc, char **argv)
{
	pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
	race_open(argc, argv);
	race_run(writer, reader);
	return 0;
}
