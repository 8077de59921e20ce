/* Many threads at once, and many one after the other. */
#include "check.h"
#include <pthread.h>
#include <sched.h>

enum { AT_ONCE = 300, IN_TURN = 500 };

static pthread_barrier_t barrier;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static long sum;

static void *adds(void *arg)
{
	pthread_barrier_wait(&barrier);
	pthread_mutex_lock(&m);
	sum += (long)arg;
	pthread_mutex_unlock(&m);
	return arg;
}

static void *brief(void *arg)
{
	return arg;
}

int main(void)
{
	static pthread_t t[AT_ONCE];
	pthread_attr_t a;
	pthread_t one;
	void *r;
	long i;

	pthread_attr_init(&a);
	pthread_attr_setstacksize(&a, 256 << 10);
	pthread_barrier_init(&barrier, NULL, AT_ONCE);
	for (i = 0; i < AT_ONCE; i++)
		CHECK_EQ(pthread_create(&t[i], &a, adds, (void *)i), 0);
	for (i = 0; i < AT_ONCE; i++) {
		CHECK_EQ(pthread_join(t[i], &r), 0);
		CHECK_EQ((long)r, i);
	}
	CHECK_EQ(sum, AT_ONCE * (AT_ONCE - 1) / 2);
	for (i = 0; i < IN_TURN; i++) {
		CHECK_EQ(pthread_create(&one, NULL, brief, (void *)i), 0);
		CHECK_EQ(pthread_join(one, &r), 0);
		CHECK_EQ((long)r, i);
	}
	return check_done("many");
}
