/* Reader-writer locks and spin locks: who may be inside together, try and timed forms, errors. */
#include "check.h"
#include <pthread.h>
#include <sched.h>
#include <time.h>

enum { THREADS = 6, ROUNDS = 50 };

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static int readers;
static int writers;
static int together; /* the most readers seen at once */
static long written;
static long spun;

static void read_once(void)
{
	int n;

	CHECK_EQ(pthread_rwlock_rdlock(&lock), 0);
	n = __atomic_add_fetch(&readers, 1, __ATOMIC_SEQ_CST);
	CHECK_EQ(__atomic_load_n(&writers, __ATOMIC_SEQ_CST), 0);
	if (n > together)
		together = n;
	sched_yield();
	CHECK_EQ(__atomic_load_n(&writers, __ATOMIC_SEQ_CST), 0);
	__atomic_sub_fetch(&readers, 1, __ATOMIC_SEQ_CST);
	CHECK_EQ(pthread_rwlock_unlock(&lock), 0);
}

static void write_once(void)
{
	CHECK_EQ(pthread_rwlock_wrlock(&lock), 0);
	CHECK_EQ(__atomic_add_fetch(&writers, 1, __ATOMIC_SEQ_CST), 1);
	CHECK_EQ(__atomic_load_n(&readers, __ATOMIC_SEQ_CST), 0);
	written++;
	sched_yield();
	__atomic_sub_fetch(&writers, 1, __ATOMIC_SEQ_CST);
	CHECK_EQ(pthread_rwlock_unlock(&lock), 0);
}

static void *work(void *arg)
{
	long id = (long)arg;
	long i;

	for (i = 0; i < ROUNDS; i++) {
		if ((i + id) % 3)
			read_once();
		else
			write_once();
		pthread_spin_lock(&spin);
		spun++;
		pthread_spin_unlock(&spin);
	}
	return NULL;
}

static void *other(void *arg)
{
	const struct timespec past = {1, 0};
	struct timespec soon;

	clock_gettime(CLOCK_MONOTONIC, &soon);
	soon.tv_sec += arg ? 1000 : 0; /* a free lock is taken whatever the time */
	if (!arg) {		       /* main reads */
		CHECK_EQ(pthread_rwlock_tryrdlock(&lock), 0);
		CHECK_EQ(pthread_rwlock_unlock(&lock), 0);
		CHECK_EQ(pthread_rwlock_timedrdlock(&lock, &past), 0);
		CHECK_EQ(pthread_rwlock_unlock(&lock), 0);
		CHECK_EQ(pthread_rwlock_trywrlock(&lock), EBUSY);
		CHECK_EQ(pthread_rwlock_timedwrlock(&lock, &past), ETIMEDOUT);
		CHECK_EQ(pthread_rwlock_clockwrlock(&lock, CLOCK_MONOTONIC, &soon), ETIMEDOUT);
	} else { /* main writes */
		CHECK_EQ(pthread_rwlock_tryrdlock(&lock), EBUSY);
		CHECK_EQ(pthread_rwlock_trywrlock(&lock), EBUSY);
		CHECK_EQ(pthread_rwlock_timedrdlock(&lock, &past), ETIMEDOUT);
		CHECK_EQ(pthread_rwlock_clockrdlock(&lock, CLOCK_MONOTONIC, &past), ETIMEDOUT);
		CHECK_EQ(pthread_spin_trylock(&spin), EBUSY);
	}
	return NULL;
}

static void run(void *arg)
{
	pthread_t t;

	CHECK_EQ(pthread_create(&t, NULL, other, arg), 0);
	CHECK_EQ(pthread_join(t, NULL), 0);
}

int main(void)
{
	pthread_t t[THREADS];
	long i;

	pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
	for (i = 0; i < THREADS; i++)
		CHECK_EQ(pthread_create(&t[i], NULL, work, (void *)i), 0);
	for (i = 0; i < THREADS; i++)
		CHECK_EQ(pthread_join(t[i], NULL), 0);
	CHECK_EQ(written, 100);
	CHECK_EQ(spun, THREADS * ROUNDS);
	CHECK(together >= 1);
	pthread_rwlock_rdlock(&lock);
	run(NULL);
	pthread_rwlock_unlock(&lock);
	pthread_rwlock_wrlock(&lock);
	CHECK_EQ(pthread_rwlock_wrlock(&lock), EDEADLK);
	CHECK_EQ(pthread_rwlock_rdlock(&lock), EDEADLK);
	CHECK_EQ(pthread_spin_trylock(&spin), 0);
	run(&lock);
	pthread_spin_unlock(&spin);
	pthread_rwlock_unlock(&lock);
	CHECK_EQ(pthread_rwlock_destroy(&lock), 0);
	CHECK_EQ(pthread_spin_destroy(&spin), 0);
	return check_done("rwlock");
}
