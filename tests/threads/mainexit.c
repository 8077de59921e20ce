/* main ends by pthread_exit; others go on, one joins main, the last one ends the program. */
#include "check.h"
#include <pthread.h>
#include <sched.h>

static pthread_t main_id;
static pthread_key_t key;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int cleaned;
static int destroyed;

static void clean(void *arg)
{
	/* Threads may end while main unwinds. */
	sched_yield();
	sched_yield();
	cleaned = arg == &m;
}

static void destroy(void *arg)
{
	destroyed = arg == &m;
}

static void *brief(void *arg)
{
	return arg;
}

static void *joins(void *arg)
{
	pthread_t t;
	void *r = NULL;

	CHECK_EQ(pthread_join(main_id, &r), 0);
	CHECK(r == &main_id);
	CHECK_EQ(cleaned, 1);
	CHECK_EQ(destroyed, 1);
	CHECK_EQ(pthread_create(&t, NULL, brief, NULL), 0);
	CHECK_EQ(pthread_join(t, NULL), 0);
	sched_yield();
	check_done("mainexit");
	fflush(stdout);
	return arg;
}

static void at_exit(void)
{
	printf("exit handlers ran\n");
}

int main(void)
{
	pthread_t t[3];
	int i;

	atexit(at_exit);
	main_id = pthread_self();
	pthread_key_create(&key, destroy);
	pthread_setspecific(key, &m);
	for (i = 0; i < 3; i++) {
		CHECK_EQ(pthread_create(&t[i], NULL, i == 1 ? joins : brief, NULL), 0);
		CHECK_EQ(pthread_detach(t[i]), 0);
	}
	pthread_cleanup_push(clean, &m);
	pthread_exit(&main_id);
	pthread_cleanup_pop(0);
	return 1;
}
