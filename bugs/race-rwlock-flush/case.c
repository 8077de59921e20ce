/*
 * race-rwlock-flush - the reader holds the lock for reading, the writer for writing, but not
 * for long enough.
 */
#include "../pm.h"
#include "../race.h"
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *writer(void *unused)
{
	for (int i = 0; i < 2; i++) {
		pthread_rwlock_wrlock(&lock);
		pm_set(&f->cause, f->cause + 1); //@ store
#if FIXED
		pm_persist(&f->cause, sizeof(f->cause));
		pthread_rwlock_unlock(&lock);
#else
		pthread_rwlock_unlock(&lock);
		pm_persist(&f->cause, sizeof(f->cause)); //@ flush
#endif
	}
	return unused;
}

static void *reader(void *unused)
{
	for (int i = 0; i < 2; i++) {
		uint64_t seen;

		pthread_rwlock_rdlock(&lock);
		seen = f->cause; //@ load
		pthread_rwlock_unlock(&lock);
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
