/*
 * torn-cond - the data is handed over to a thread that flushes it and publishes it, by a condition variable. Stored
 * before the hand-over, it happens before the flush; stored after it, it only comes earlier by luck.
 */
#include "../pm.h"
#include <pthread.h>
#include <sched.h>

struct file {
	LINE uint64_t flag;
	LINE uint64_t data;
};

static struct file *f;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int ready;
static volatile int stored;

static void *store_data(void *arg)
{
#if FIXED
	f->data = 42;
#endif
	pthread_mutex_lock(&mutex);
	ready = 1;
	pthread_cond_signal(&cond);
	pthread_mutex_unlock(&mutex);
#if !FIXED
	f->data = 42; //@ store
#endif
	stored = 1;
	return arg;
}

static void *flush_and_publish(void *arg)
{
	pthread_mutex_lock(&mutex);
	while (!ready)
		pthread_cond_wait(&cond, &mutex);
	pthread_mutex_unlock(&mutex);
	while (!stored)
		sched_yield();
	pm_persist(&f->data, sizeof(f->data));
	pm_set(&f->flag, 1);
	pm_persist(&f->flag, sizeof(f->flag));
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t t[2];

	f = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f));
	if (pm_get(&f->flag)) {
		printf("%llu\n", (unsigned long long)f->data); //@ load
		return 0;
	}
	pthread_create(&t[0], NULL, store_data, NULL);
	pthread_create(&t[1], NULL, flush_and_publish, NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	return 0;
}
