/*
 * torn-sem - the data is handed over to a thread that flushes it and publishes it, by a semaphore. Stored
 * before the hand-over, it happens before the flush; stored after it, it only comes earlier by luck.
 */
#include "../pm.h"
#include <pthread.h>
#include <semaphore.h>
#include <sched.h>

struct file {
	LINE uint64_t flag;
	LINE uint64_t data;
};

static struct file *f;
static sem_t sem;
static volatile int stored;

static void *store_data(void *arg)
{
#if FIXED
	f->data = 42;
#endif
	sem_post(&sem);
#if !FIXED
	f->data = 42; //@ store
#endif
	stored = 1;
	return arg;
}

static void *flush_and_publish(void *arg)
{
	sem_wait(&sem);
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
	sem_init(&sem, 0, 0);
	pthread_create(&t[0], NULL, store_data, NULL);
	pthread_create(&t[1], NULL, flush_and_publish, NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	return 0;
}
