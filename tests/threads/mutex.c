/* Mutexes of every kind: exclusion, errors, depth, timeouts, owners that die. */
#include "check.h"
#include <pthread.h>
#include <time.h>

enum { THREADS = 6, ROUNDS = 40 };

static pthread_mutex_t plain = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t zeroed; /* as good as initialised */
static pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_mutex_t checked = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static pthread_mutex_t adaptive = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP;
static pthread_mutex_t made[8];
static int nmade;
static int inside[16];
static long total;

static void enter(pthread_mutex_t *m, int k)
{
	CHECK_EQ(pthread_mutex_lock(m), 0);
	CHECK_EQ(++inside[k], 1);
	total++; /* by all mutexes together: only the sum of all rounds is right under one of them
		  */
	CHECK_EQ(--inside[k], 0);
	CHECK_EQ(pthread_mutex_unlock(m), 0);
}

static void *work(void *arg)
{
	pthread_mutex_t *m[] = {&zeroed, &recursive, &checked, &adaptive};
	int i;
	int k;

	for (i = 0; i < ROUNDS; i++) {
		pthread_mutex_lock(&plain);
		for (k = 0; k < 4; k++)
			enter(m[k], k);
		for (k = 0; k < nmade; k++)
			enter(&made[k], 4 + k);
		pthread_mutex_unlock(&plain);
	}
	return arg;
}

static void make(int type, int robust, int shared, int protocol)
{
	pthread_mutexattr_t a;

	pthread_mutexattr_init(&a);
	pthread_mutexattr_settype(&a, type);
	pthread_mutexattr_setrobust(&a, robust);
	pthread_mutexattr_setpshared(&a, shared);
	pthread_mutexattr_setprotocol(&a, protocol);
	CHECK_EQ(pthread_mutex_init(&made[nmade++], &a), 0);
	pthread_mutexattr_destroy(&a);
}

static void *other_fails(void *arg)
{
	struct timespec past = {0, 0};
	struct timespec soon;

	(void)arg;
	CHECK_EQ(pthread_mutex_trylock(&plain), EBUSY);
	CHECK_EQ(pthread_mutex_trylock(&recursive), EBUSY);
	CHECK_EQ(pthread_mutex_trylock(&checked), EBUSY);
	CHECK_EQ(pthread_mutex_unlock(&recursive), EPERM);
	CHECK_EQ(pthread_mutex_unlock(&checked), EPERM);
	CHECK_EQ(pthread_mutex_timedlock(&plain, &past), ETIMEDOUT);
	past.tv_nsec = -1;
	CHECK_EQ(pthread_mutex_timedlock(&plain, &past), EINVAL);
	clock_gettime(CLOCK_MONOTONIC, &soon);
	soon.tv_nsec += 3000000;
	if (soon.tv_nsec >= 1000000000) {
		soon.tv_sec++;
		soon.tv_nsec -= 1000000000;
	}
	CHECK_EQ(pthread_mutex_clocklock(&plain, CLOCK_MONOTONIC, &soon), ETIMEDOUT);
	return NULL;
}

static void errors(void)
{
	pthread_t t;

	pthread_mutex_lock(&plain);
	pthread_mutex_lock(&recursive);
	CHECK_EQ(pthread_mutex_lock(&recursive), 0);
	CHECK_EQ(pthread_mutex_trylock(&recursive), 0);
	pthread_mutex_lock(&checked);
	CHECK_EQ(pthread_mutex_lock(&checked), EDEADLK);
	CHECK_EQ(pthread_mutex_trylock(&checked), EBUSY);
	CHECK_EQ(pthread_mutex_trylock(&plain), EBUSY);
	CHECK_EQ(pthread_create(&t, NULL, other_fails, NULL), 0);
	CHECK_EQ(pthread_join(t, NULL), 0);
	pthread_mutex_unlock(&recursive);
	pthread_mutex_unlock(&recursive);
	pthread_mutex_unlock(&recursive);
	CHECK_EQ(pthread_mutex_unlock(&recursive), EPERM);
	pthread_mutex_unlock(&checked);
	CHECK_EQ(pthread_mutex_unlock(&checked), EPERM);
	pthread_mutex_unlock(&plain);
	CHECK_EQ(pthread_mutex_trylock(&plain), 0);
	pthread_mutex_unlock(&plain);
}

static void *dies_with(void *m)
{
	pthread_mutex_lock(m);
	return NULL;
}

static void *waits_for(void *m)
{
	return (void *)(intptr_t)pthread_mutex_lock(m);
}

/* made[0] is robust. */
static void robust(void)
{
	pthread_mutex_t *m = &made[0];
	pthread_t t;
	pthread_t w;
	void *r;

	pthread_create(&t, NULL, dies_with, m);
	pthread_join(t, NULL);
	CHECK_EQ(pthread_mutex_lock(m), EOWNERDEAD);
	CHECK_EQ(pthread_mutex_consistent(m), 0);
	CHECK_EQ(pthread_mutex_consistent(m), EINVAL);
	pthread_mutex_unlock(m);
	CHECK_EQ(pthread_mutex_trylock(m), 0);
	pthread_mutex_unlock(m);
	CHECK_EQ(pthread_mutex_unlock(m), EPERM);
	CHECK_EQ(pthread_mutex_consistent(&plain), EINVAL);

	/* Not made consistent: lost for good, also for who waits at that moment. */
	pthread_create(&t, NULL, dies_with, m);
	pthread_join(t, NULL);
	CHECK_EQ(pthread_mutex_lock(m), EOWNERDEAD);
	pthread_create(&w, NULL, waits_for, m);
	pthread_mutex_unlock(m);
	pthread_join(w, &r);
	CHECK_EQ((intptr_t)r, ENOTRECOVERABLE);
	CHECK_EQ(pthread_mutex_lock(m), ENOTRECOVERABLE);
}

int main(void)
{
	pthread_t t[THREADS];
	long i;
	void *r;

	make(PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ROBUST, PTHREAD_PROCESS_PRIVATE,
	     PTHREAD_PRIO_NONE);
	make(PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_ROBUST, PTHREAD_PROCESS_SHARED,
	     PTHREAD_PRIO_NONE);
	make(PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_STALLED, PTHREAD_PROCESS_SHARED,
	     PTHREAD_PRIO_NONE);
	make(PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_STALLED, PTHREAD_PROCESS_PRIVATE,
	     PTHREAD_PRIO_INHERIT);
	/* Alone, a ceiling needs the right to real-time priorities. */
	if (harness_driven())
		make(PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_STALLED, PTHREAD_PROCESS_PRIVATE,
		     PTHREAD_PRIO_PROTECT);
	for (i = 0; i < THREADS; i++)
		CHECK_EQ(pthread_create(&t[i], NULL, work, (void *)i), 0);
	for (i = 0; i < THREADS; i++) {
		CHECK_EQ(pthread_join(t[i], &r), 0);
		CHECK_EQ((long)r, i);
	}
	CHECK_EQ(total, (long)THREADS * ROUNDS * (4 + nmade));
	errors();
	robust();
	CHECK_EQ(pthread_mutex_destroy(&made[2]), 0);
	return check_done("mutex");
}
