/*
 * race-recursive - the lock is held until its last unlock, and the flush is after that one.
 */
#include "../pm.h"
#include "../race.h"
static pthread_mutex_t lock;

static void add(void)
{
	pthread_mutex_lock(&lock);
	pm_set(&f->cause, f->cause + 1); //@ store
	pthread_mutex_unlock(&lock); /* still held by the caller */
}

static void *writer(void *unused)
{
	for (int i = 0; i < 2; i++) {
		pthread_mutex_lock(&lock);
		add();
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

		pthread_mutex_lock(&lock);
		seen = f->cause; //@ load
		pthread_mutex_unlock(&lock);
		act(seen);
	}
	return unused;
}

int main(int argc, char **argv)
{
	pthread_mutexattr_t a;

	pthread_mutexattr_init(&a);
	pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&lock, &a);
	race_open(argc, argv);
	race_run(writer, reader);
	return 0;
}
