/* A thread's life: results, errno, TLS, keys, once, detach, attributes, stacks, rounding. */
#include "check.h"
#include <alloca.h>
#include <ctype.h>
#include <fenv.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <setjmp.h>
#include <time.h>

enum { THREADS = 8 };

static __thread int tls = 7;
static __thread char big[20000];
static pthread_key_t key;
static pthread_key_t again; /* its destructor sets it again, twice */
static int destroyed;
static int rounds;
static int once_runs;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void destroy(void *v)
{
	pthread_mutex_lock(&m); /* a destructor may block */
	destroyed += (int)(intptr_t)v;
	pthread_mutex_unlock(&m);
	sched_yield();
}

static void destroy_again(void *v)
{
	intptr_t n = (intptr_t)v;

	__atomic_add_fetch(&rounds, 1, __ATOMIC_SEQ_CST);
	if (n > 1)
		pthread_setspecific(again, (void *)(n - 1));
}

static void init_once(void)
{
	sched_yield();
	once_runs++;
	sched_yield();
}

static int jumps(void)
{
	jmp_buf b;
	volatile int n = 0;

	if (setjmp(b) < 3) {
		n++;
		sched_yield();
		longjmp(b, n);
	}
	return n;
}

static void *work(void *arg)
{
	long id = (long)arg;
	char *p = malloc(100);
	char *s = alloca(1000 + 100 * id);
	pthread_t self = pthread_self();
	int i;

	CHECK_EQ(tls, 7);
	tls = 100 + (int)id;
	memset(big, (int)id, sizeof(big));
	memset(s, (int)id, 1000);
	pthread_setspecific(key, (void *)id);
	if (id == 1)
		pthread_setspecific(again, (void *)3);
	fesetround(id % 2 ? FE_UPWARD : FE_DOWNWARD);
	for (i = 0; i < 5; i++) {
		char buf[32];
		char *q;

		errno = 1000 + (int)id;
		pthread_once(&once, init_once);
		CHECK_EQ(once_runs, 1);
		sched_yield();
		CHECK_EQ(errno, 1000 + id);
		CHECK_EQ(tls, 100 + id);
		CHECK_EQ(big[19999], id);
		CHECK_EQ(s[999], id);
		CHECK_EQ((long)pthread_getspecific(key), id);
		CHECK(pthread_equal(self, pthread_self()));
		CHECK_EQ(fegetround(), id % 2 ? FE_UPWARD : FE_DOWNWARD);
		snprintf(buf, sizeof(buf), "%ld.5", id);
		CHECK(strtod(buf, NULL) == (double)id + 0.5);
		CHECK(isalpha('x'));
		q = malloc(5000);
		free(p);
		p = q;
	}
	CHECK_EQ(jumps(), 3);
	free(p);
	if (id % 2)
		pthread_exit((void *)(id * 11));
	return (void *)(id * 11);
}

static sem_t detached_done;

static void *quiet(void *arg)
{
	sched_yield();
	sem_post(&detached_done);
	return arg;
}

static void detached(void)
{
	pthread_attr_t a;
	pthread_t t;
	int i;

	sem_init(&detached_done, 0, 0);
	pthread_attr_init(&a);
	pthread_attr_setdetachstate(&a, PTHREAD_CREATE_DETACHED);
	for (i = 0; i < 20; i++) {
		CHECK_EQ(pthread_create(&t, i % 2 ? &a : NULL, quiet, NULL), 0);
		if (i % 2 == 0)
			CHECK_EQ(pthread_detach(t), 0);
	}
	for (i = 0; i < 20; i++)
		sem_wait(&detached_done);
}

static void *deep(void *arg)
{
	char room[12000];

	memset(room, 1, sizeof(room));
	sched_yield();
	return arg ? (void *)(intptr_t)room[11999] : NULL;
}

static void attributes(void)
{
	pthread_attr_t a;
	pthread_attr_t got;
	size_t size = 0;
	void *stack = aligned_alloc(4096, 128 << 10);
	void *r;
	pthread_t t;

	pthread_attr_init(&a);
	pthread_attr_setstacksize(&a, 64 << 10);
	CHECK_EQ(pthread_create(&t, &a, deep, &size), 0);
	pthread_getattr_np(t, &got);
	pthread_attr_getstacksize(&got, &size);
	CHECK(size >= 64 << 10);
	pthread_attr_destroy(&got);
	pthread_join(t, &r);
	CHECK_EQ((intptr_t)r, 1);
	pthread_attr_setstack(&a, stack, 128 << 10);
	CHECK_EQ(pthread_create(&t, &a, deep, &size), 0);
	pthread_join(t, &r);
	CHECK_EQ((intptr_t)r, 1);
	free(stack);
}

static sem_t go;

static void *waits(void *arg)
{
	sem_wait(&go);
	return arg;
}

static void join_forms(void)
{
	struct timespec past = {1, 0};
	pthread_t t;
	void *r = NULL;
	int busy;

	sem_init(&go, 0, 0);
	pthread_create(&t, NULL, waits, &go);
	CHECK_EQ(pthread_tryjoin_np(t, &r), EBUSY);
	CHECK_EQ(pthread_timedjoin_np(t, &r, &past), ETIMEDOUT);
	CHECK_EQ(pthread_clockjoin_np(t, &r, CLOCK_MONOTONIC, &past), ETIMEDOUT);
	CHECK_EQ(pthread_join(pthread_self(), NULL), EDEADLK);
	sem_post(&go);
	while ((busy = pthread_tryjoin_np(t, &r)) == EBUSY)
		sched_yield();
	CHECK_EQ(busy, 0);
	CHECK(r == &go);
	pthread_create(&t, NULL, waits, &go);
	pthread_detach(t);
	CHECK_EQ(pthread_join(t, NULL), EINVAL);
	CHECK_EQ(pthread_detach(t), EINVAL);
	sem_post(&go);
}

int main(void)
{
	pthread_t t[THREADS];
	long i;
	void *r;

	pthread_key_create(&key, destroy);
	pthread_key_create(&again, destroy_again);
	pthread_setspecific(key, (void *)1000); /* main's is not destroyed by the end of others */
	for (i = 0; i < THREADS; i++)
		CHECK_EQ(pthread_create(&t[i], NULL, work, (void *)(i + 1)), 0);
	for (i = 0; i < THREADS; i++) {
		CHECK_EQ(pthread_join(t[i], &r), 0);
		CHECK_EQ((long)r, (i + 1) * 11);
	}
	CHECK_EQ(destroyed, THREADS * (THREADS + 1) / 2);
	CHECK_EQ(rounds, 3);
	CHECK_EQ(tls, 7);
	CHECK_EQ(once_runs, 1);
	CHECK_EQ(fegetround(), FE_TONEAREST);
	detached();
	attributes();
	join_forms();
	return check_done("life");
}
