/* Cancellation: where it acts and where not, what runs then; in every primitive that it ends. */
#include "check.h"
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <time.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static sem_t never;
static sem_t ready;
static int cleaned;
static volatile int go_on;

static void clean(void *arg)
{
	cleaned += (int)(intptr_t)arg;
}

static void clean_mutex(void *arg)
{
	/* A cancelled wait holds the mutex again. */
	CHECK_EQ(pthread_mutex_trylock(arg), EBUSY);
	cleaned++;
	CHECK_EQ(pthread_mutex_unlock(arg), 0);
}

static void *in_cond(void *arg)
{
	pthread_mutex_lock(&m);
	pthread_cleanup_push(clean_mutex, &m);
	sem_post(&ready);
	for (;;)
		pthread_cond_wait(&c, &m);
	pthread_cleanup_pop(0);
	return arg;
}

static void *in_sem(void *arg)
{
	pthread_cleanup_push(clean, (void *)1);
	sem_post(&ready);
	sem_wait(&never);
	pthread_cleanup_pop(0);
	return arg;
}

static void *in_sleep(void *arg)
{
	pthread_cleanup_push(clean, (void *)1);
	sem_post(&ready);
	for (;;)
		sleep(100000);
	pthread_cleanup_pop(0);
	return arg;
}

static void *in_test(void *arg)
{
	pthread_cleanup_push(clean, (void *)1);
	sem_post(&ready);
	for (;;) {
		pthread_testcancel();
		sched_yield();
	}
	pthread_cleanup_pop(0);
	return arg;
}

static void *in_join(void *arg)
{
	pthread_t t;
	int old;

	CHECK_EQ(pthread_create(&t, NULL, in_sem, NULL), 0);
	pthread_cleanup_push(clean, (void *)1);
	sem_post(&ready);
	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &old);
	CHECK_EQ(old, PTHREAD_CANCEL_ENABLE);
	*(pthread_t *)arg = t;
	pthread_join(t, NULL);
	pthread_cleanup_pop(0);
	return NULL;
}

/* Spins, with scheduling points in which it may be hit (driven) and by the signal (alone). */
static void *in_async(void *arg)
{
	int old;

	pthread_cleanup_push(clean, (void *)1);
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old);
	CHECK_EQ(old, PTHREAD_CANCEL_DEFERRED);
	sem_post(&ready);
	for (;;)
		sched_yield();
	pthread_cleanup_pop(0);
	return arg;
}

static void *not_now(void *arg)
{
	int old;
	int i;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
	sem_post(&ready);
	while (!__atomic_load_n(&go_on, __ATOMIC_SEQ_CST))
		sched_yield();
	for (i = 0; i < 3; i++) {
		pthread_testcancel();
		usleep(10);
	}
	cleaned += 100;
	pthread_cleanup_push(clean, (void *)1000);
	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &old);
	pthread_testcancel();
	cleaned = -1000000;
	pthread_cleanup_pop(0);
	return arg;
}

static void *itself(void *arg)
{
	pthread_cleanup_push(clean, (void *)1);
	pthread_cancel(pthread_self());
	pthread_testcancel();
	pthread_cleanup_pop(0);
	return arg;
}

static int cancelled(void *(*fn)(void *), void *arg)
{
	pthread_t t;
	void *r = NULL;

	cleaned = 0;
	CHECK_EQ(pthread_create(&t, NULL, fn, arg), 0);
	if (fn != itself) {
		sem_wait(&ready);
		if (fn == in_join)
			sem_wait(&ready);
		CHECK_EQ(pthread_cancel(t), 0);
	}
	go_on = 1;
	CHECK_EQ(pthread_join(t, &r), 0);
	CHECK(r == PTHREAD_CANCELED);
	return cleaned;
}

int main(void)
{
	pthread_t inner = 0;
	void *r = NULL;

	sem_init(&never, 0, 0);
	sem_init(&ready, 0, 0);
	CHECK_EQ(cancelled(in_cond, NULL), 1);
	CHECK_EQ(pthread_mutex_trylock(&m), 0);
	pthread_mutex_unlock(&m);
	CHECK_EQ(cancelled(in_sem, NULL), 1);
	CHECK_EQ(cancelled(in_sleep, NULL), 1);
	CHECK_EQ(cancelled(in_test, NULL), 1);
	CHECK_EQ(cancelled(in_async, NULL), 1);
	CHECK_EQ(cancelled(itself, NULL), 1);
	go_on = 0;
	CHECK_EQ(cancelled(not_now, NULL), 1100);
	CHECK_EQ(cancelled(in_join, &inner), 1);
	/* The thread that it wanted to join can still be joined. */
	CHECK_EQ(pthread_cancel(inner), 0);
	CHECK_EQ(pthread_join(inner, &r), 0);
	CHECK(r == PTHREAD_CANCELED);
	CHECK_EQ(cleaned, 2);
	return check_done("cancel");
}
