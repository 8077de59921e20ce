/* Condition variables: a queue, broadcast, timeouts on both clocks; semaphores; barriers. */
#include "check.h"
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

enum { PRODUCERS = 3, CONSUMERS = 3, ITEMS = 60, ROOM = 2, ROUNDS = 8 };

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER;
static long queue[ROOM];
static int used;
static long taken;
static long sum;

static void *produce(void *arg)
{
	long i;

	for (i = 1; i <= ITEMS; i++) {
		pthread_mutex_lock(&m);
		while (used == ROOM)
			CHECK_EQ(pthread_cond_wait(&not_full, &m), 0);
		queue[used++] = i;
		pthread_cond_signal(&not_empty);
		pthread_mutex_unlock(&m);
	}
	return arg;
}

static void *consume(void *arg)
{
	pthread_mutex_lock(&m);
	for (;;) {
		while (!used && taken < PRODUCERS * ITEMS)
			CHECK_EQ(pthread_cond_wait(&not_empty, &m), 0);
		if (!used)
			break;
		sum += queue[--used];
		if (++taken == PRODUCERS * ITEMS)
			pthread_cond_broadcast(&not_empty);
		pthread_cond_signal(&not_full);
	}
	pthread_mutex_unlock(&m);
	return arg;
}

static void queue_test(void)
{
	pthread_t t[PRODUCERS + CONSUMERS];
	int i;

	for (i = 0; i < PRODUCERS + CONSUMERS; i++)
		CHECK_EQ(pthread_create(&t[i], NULL, i % 2 ? produce : consume, NULL), 0);
	for (i = 0; i < PRODUCERS + CONSUMERS; i++)
		CHECK_EQ(pthread_join(t[i], NULL), 0);
	CHECK_EQ(taken, PRODUCERS * ITEMS);
	CHECK_EQ(sum, PRODUCERS * ITEMS * (ITEMS + 1) / 2);
}

static struct timespec in_ms(clockid_t clock, long ms)
{
	struct timespec t;

	clock_gettime(clock, &t);
	t.tv_nsec += ms % 1000 * 1000000;
	t.tv_sec += ms / 1000 + t.tv_nsec / 1000000000;
	t.tv_nsec %= 1000000000;
	return t;
}

static int at_or_after(clockid_t clock, const struct timespec *t)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec > t->tv_sec || (now.tv_sec == t->tv_sec && now.tv_nsec >= t->tv_nsec);
}

static void timeouts(void)
{
	pthread_condattr_t a;
	pthread_cond_t mono;
	struct timespec t;
	sem_t s;

	pthread_condattr_init(&a);
	pthread_condattr_setclock(&a, CLOCK_MONOTONIC);
	pthread_cond_init(&mono, &a);
	pthread_mutex_lock(&m);
	t = in_ms(CLOCK_REALTIME, 5);
	CHECK_EQ(pthread_cond_timedwait(&not_full, &m, &t), ETIMEDOUT);
	CHECK(at_or_after(CLOCK_REALTIME, &t));
	t = in_ms(CLOCK_MONOTONIC, 5);
	CHECK_EQ(pthread_cond_timedwait(&mono, &m, &t), ETIMEDOUT);
	CHECK(at_or_after(CLOCK_MONOTONIC, &t));
	t = in_ms(CLOCK_MONOTONIC, 5);
	CHECK_EQ(pthread_cond_clockwait(&not_full, &m, CLOCK_MONOTONIC, &t), ETIMEDOUT);
	t.tv_nsec = 1000000000;
	CHECK_EQ(pthread_cond_timedwait(&not_full, &m, &t), EINVAL);
	pthread_mutex_unlock(&m);
	CHECK_EQ(pthread_cond_destroy(&mono), 0);
	sem_init(&s, 0, 1);
	t = in_ms(CLOCK_REALTIME, 5);
	CHECK_EQ(sem_timedwait(&s, &t), 0);
	CHECK_EQ(sem_timedwait(&s, &t), -1);
	CHECK_EQ(errno, ETIMEDOUT);
	t = in_ms(CLOCK_MONOTONIC, 5);
	CHECK_EQ(sem_clockwait(&s, CLOCK_MONOTONIC, &t), -1);
	CHECK_EQ(errno, ETIMEDOUT);
	CHECK_EQ(sem_trywait(&s), -1);
	CHECK_EQ(errno, EAGAIN);
	sem_destroy(&s);
}

/* ---- semaphores and barriers ----------------------------------------------------------------- */

static sem_t *named;
static sem_t ping;
static sem_t pong;
static pthread_barrier_t barrier;
static int at_barrier[ROUNDS];
static int serial;

static void *player(void *arg)
{
	int i;

	for (i = 0; i < ROUNDS; i++) {
		sem_wait(&ping);
		sem_post(named);
		sem_post(&pong);
	}
	return arg;
}

static void semaphores(void)
{
	char name[64];
	pthread_t t;
	int v;
	int i;

	snprintf(name, sizeof(name), "/perdure-test-%ld", (long)getpid());
	sem_unlink(name);
	CHECK(sem_open(name, 0) == SEM_FAILED);
	CHECK_EQ(errno, ENOENT);
	named = sem_open(name, O_CREAT | O_EXCL, 0600, 2);
	CHECK(named != SEM_FAILED);
	CHECK(sem_open(name, O_CREAT | O_EXCL, 0600, 2) == SEM_FAILED);
	CHECK_EQ(errno, EEXIST);
	CHECK(sem_open(name, 0) == named);
	sem_init(&ping, 0, 0);
	sem_init(&pong, 0, 0);
	pthread_create(&t, NULL, player, NULL);
	for (i = 0; i < ROUNDS; i++) {
		sem_post(&ping);
		sem_wait(&pong);
	}
	pthread_join(t, NULL);
	sem_getvalue(named, &v);
	CHECK_EQ(v, 2 + ROUNDS);
	CHECK_EQ(sem_close(named), 0);
	CHECK_EQ(sem_unlink(name), 0);
	CHECK(sem_open(name, 0) == SEM_FAILED);
}

static void *march(void *arg)
{
	int i;

	for (i = 0; i < ROUNDS; i++) {
		__atomic_add_fetch(&at_barrier[i], 1, __ATOMIC_SEQ_CST);
		if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
			__atomic_add_fetch(&serial, 1, __ATOMIC_SEQ_CST);
		CHECK_EQ(__atomic_load_n(&at_barrier[i], __ATOMIC_SEQ_CST), 4);
	}
	return arg;
}

static void barriers(void)
{
	pthread_t t[4];
	int i;

	CHECK_EQ(pthread_barrier_init(&barrier, NULL, 0), EINVAL);
	CHECK_EQ(pthread_barrier_init(&barrier, NULL, 4), 0);
	for (i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, march, NULL);
	for (i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	CHECK_EQ(serial, ROUNDS);
	CHECK_EQ(pthread_barrier_destroy(&barrier), 0);
}

int main(void)
{
	queue_test();
	timeouts();
	semaphores();
	barriers();
	return check_done("cond");
}
