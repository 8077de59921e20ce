/* A little of everything, whose events under the default schedule events.t knows one by one. */
#include "check.h"
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_barrier_t b;
static sem_t s;
static int ready;

static void nothing(void)
{
}

static void *first(void *arg)
{
	pthread_mutex_lock(&m);
	while (!ready)
		pthread_cond_wait(&c, &m);
	pthread_mutex_unlock(&m);
	sem_post(&s);
	pthread_barrier_wait(&b);
	return arg;
}

static void *second(void *arg)
{
	pthread_mutex_t *pm = harness_pm(4096);

	sem_wait(&s);
	pthread_barrier_wait(&b);
	pthread_mutex_lock(pm);
	pthread_mutex_unlock(pm);
	return arg;
}

int main(void)
{
	pthread_t t[2];

	pthread_barrier_init(&b, NULL, 2);
	sem_init(&s, 0, 0);
	pthread_create(&t[0], NULL, first, NULL);
	pthread_create(&t[1], NULL, second, NULL);
	/* Not twice: only the outermost of a recursive lock orders anything. */
	pthread_mutex_lock(&recursive);
	pthread_mutex_lock(&recursive);
	pthread_mutex_unlock(&recursive);
	pthread_mutex_unlock(&recursive);
	pthread_once(&once, nothing);
	pthread_once(&once, nothing);
	pthread_rwlock_wrlock(&rw);
	pthread_rwlock_unlock(&rw);
	pthread_rwlock_rdlock(&rw);
	pthread_rwlock_unlock(&rw);
	sched_yield(); /* the first thread gets to its wait, the second to its semaphore */
	pthread_mutex_lock(&m);
	ready = 1;
	pthread_cond_signal(&c);
	pthread_mutex_unlock(&m);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	return 0;
}
