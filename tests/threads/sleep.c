/* Time: sleeps, spinning threads that wait for a sleeper, deadlines in order. */
#include "check.h"
#include <pthread.h>
#include <sched.h>
#include <time.h>

static volatile int stop;
static long turns;
static int order[4];
static int norder;

static int early(void)
{
	const char *policy = getenv("PD_TEST_POLICY");

	return policy && !strcmp(policy, "early");
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* No scheduling point but what the hook of an atomic load is. */
static void *spin(void *arg)
{
	while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE)) {
		harness_spin();
		__atomic_add_fetch(&turns, 1, __ATOMIC_RELAXED);
	}
	return arg;
}

static void *give_way(void *arg)
{
	while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE))
		sched_yield();
	return arg;
}

static void *late(void *arg)
{
	int k = (int)(intptr_t)arg;

	usleep((useconds_t)(40000 - 10000 * k));
	order[__atomic_fetch_add(&norder, 1, __ATOMIC_SEQ_CST)] = k;
	return NULL;
}

static void forms(void)
{
	struct timespec t = {0, 2000000};
	struct timespec abs;
	double from = now();

	CHECK_EQ(nanosleep(&t, NULL), 0);
	CHECK_EQ(usleep(2000), 0);
	CHECK_EQ(clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL), 0);
	clock_gettime(CLOCK_REALTIME, &abs);
	abs.tv_sec += abs.tv_nsec > 900000000;
	abs.tv_nsec = abs.tv_nsec > 900000000 ? 1000000 : abs.tv_nsec + 2000000;
	CHECK_EQ(clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &abs, NULL), 0);
	CHECK(now() - from >= 0.007);
	t.tv_nsec = 1000000000;
	CHECK_EQ(nanosleep(&t, NULL), -1);
	CHECK_EQ(errno, EINVAL);
	CHECK_EQ(clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL), EINVAL);
	CHECK_EQ(sleep(0), 0);
}

int main(void)
{
	pthread_t t[4];
	long i;
	double from;

	forms();
	for (i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, late, (void *)i);
	for (i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	/* Who sleeps less wakes first; alone, or with timeouts as choices, that is only likely. */
	if (harness_driven() && !early())
		for (i = 0; i < 4; i++)
			CHECK_EQ(order[i], 3 - i);
	for (i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, i % 2 ? spin : give_way, NULL);
	from = now();
	usleep(50000);
	CHECK(now() - from >= 0.05);
	__atomic_store_n(&stop, 1, __ATOMIC_RELEASE);
	for (i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	/* An hour takes no time where time is virtual. */
	if (harness_driven())
		sleep(3600);
	return check_done("sleep");
}
