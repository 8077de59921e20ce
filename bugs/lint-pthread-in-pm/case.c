/*
 * lint-pthread-in-pm - a counter is guarded by locks of pthreads that are in PM beside it, and is never flushed.
 * The words of the locks are libc's affair: they are set anew after a crash.
 */
#include "../pm.h"
#include <pthread.h>
#include <semaphore.h>
#include <threads.h>

struct shared {
	LINE pthread_mutex_t mutex;
	LINE pthread_rwlock_t rwlock;
	LINE sem_t sem;
	LINE mtx_t mtx;
	LINE uint64_t counter;
};

static void *work(void *arg)
{
	struct shared *s = arg;

	for (int i = 0; i < 3; i++) {
		pthread_rwlock_rdlock(&s->rwlock);
		pthread_mutex_lock(&s->mutex);
		mtx_lock(&s->mtx);
		sem_wait(&s->sem);
		s->counter++; //@ store
#if FIXED
		pm_persist(&s->counter, sizeof(s->counter));
#endif
		sem_post(&s->sem);
		mtx_unlock(&s->mtx);
		pthread_mutex_unlock(&s->mutex);
		pthread_rwlock_unlock(&s->rwlock);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	struct shared *s = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*s));
	pthread_t t[2];

	pthread_mutex_init(&s->mutex, NULL);
	pthread_rwlock_init(&s->rwlock, NULL);
	sem_init(&s->sem, 0, 1);
	mtx_init(&s->mtx, mtx_plain);
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, work, s);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return 0;
}
