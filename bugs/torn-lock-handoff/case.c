/*
 * torn-lock-handoff - a thread stores, another one flushes for it and publishes. Under a mutex the flush
 * happens after the store. Without, it only happened to come later.
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
static volatile int stored;

static void *store_data(void *arg)
{
#if FIXED
	pthread_mutex_lock(&mutex);
#endif
	f->data = 42; //@ store
	stored = 1;
#if FIXED
	pthread_mutex_unlock(&mutex);
#endif
	return arg;
}

static void *flush_and_publish(void *arg)
{
	while (!stored)
		sched_yield();
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
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
