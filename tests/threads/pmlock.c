/* Locks in PM: every access goes through the hooks, and the words are as glibc has them. */
#include "check.h"
#include <pthread.h>
#include <semaphore.h>

enum { THREADS = 4, ROUNDS = 20 };

struct root {
	pthread_mutexattr_t a;
	pthread_mutex_t m;
	pthread_rwlock_t rw;
	pthread_spinlock_t spin;
	sem_t sem;
	pthread_once_t once;
	pthread_cond_t c;
	pthread_barrier_t b;
	int n;
	int runs;
};

static struct root *root;

static void init_once(void)
{
	root->runs++;
}

static void *work(void *arg)
{
	int i;

	for (i = 0; i < ROUNDS; i++) {
		pthread_once(&root->once, init_once);
		pthread_mutex_lock(&root->m);
		pthread_rwlock_wrlock(&root->rw);
		pthread_spin_lock(&root->spin);
		sem_wait(&root->sem);
		root->n++;
		sem_post(&root->sem);
		pthread_spin_unlock(&root->spin);
		pthread_rwlock_unlock(&root->rw);
		pthread_cond_signal(&root->c);
		pthread_mutex_unlock(&root->m);
		pthread_barrier_wait(&root->b);
	}
	return arg;
}

static void layout(void)
{
	pthread_mutex_lock(&root->m);
	CHECK_EQ(root->m.__data.__lock, 1);
	CHECK_EQ(root->m.__data.__owner, gettid());
	CHECK_EQ(root->m.__data.__nusers, 1);
	pthread_mutex_unlock(&root->m);
	CHECK_EQ(root->m.__data.__lock, 0);
	CHECK_EQ(root->m.__data.__owner, 0);
	CHECK_EQ(root->m.__data.__nusers, 0);
	pthread_rwlock_wrlock(&root->rw);
	CHECK_EQ(root->rw.__data.__cur_writer, gettid());
	CHECK_EQ(root->rw.__data.__readers, 3);
	pthread_rwlock_unlock(&root->rw);
	CHECK_EQ(root->rw.__data.__readers, 1);
	pthread_rwlock_rdlock(&root->rw);
	CHECK_EQ(root->rw.__data.__readers, 8);
	pthread_rwlock_unlock(&root->rw);
	CHECK_EQ(root->rw.__data.__readers, 0);
	CHECK_EQ(root->spin, 1);
	pthread_spin_lock(&root->spin);
	CHECK_EQ(root->spin, 0);
	pthread_spin_unlock(&root->spin);
	CHECK_EQ(*(unsigned *)&root->sem, 1);
	CHECK_EQ(root->once, 2);
}

int main(void)
{
	pthread_t t[THREADS];
	uint64_t accesses;
	int i;

	root = harness_pm(8192);
	pthread_mutexattr_init(&root->a);
	CHECK_EQ(harness_pm_accesses() > 0, harness_driven());
	accesses = harness_pm_accesses();
	pthread_mutexattr_settype(&root->a, PTHREAD_MUTEX_ERRORCHECK);
	CHECK_EQ(harness_pm_accesses() > accesses, harness_driven());
	pthread_mutex_init(&root->m, &root->a);
	pthread_rwlock_init(&root->rw, NULL);
	pthread_spin_init(&root->spin, 0);
	sem_init(&root->sem, 0, 1);
	pthread_cond_init(&root->c, NULL);
	pthread_barrier_init(&root->b, NULL, THREADS);
	accesses = harness_pm_accesses();
	/* Alone, libc has the objects to itself. */
	CHECK_EQ(accesses > 0, harness_driven());
	for (i = 0; i < THREADS; i++)
		CHECK_EQ(pthread_create(&t[i], NULL, work, NULL), 0);
	for (i = 0; i < THREADS; i++)
		CHECK_EQ(pthread_join(t[i], NULL), 0);
	CHECK_EQ(root->n, THREADS * ROUNDS);
	CHECK_EQ(root->runs, 1);
	CHECK_EQ(harness_pm_accesses() > accesses + THREADS * ROUNDS * 10, harness_driven());
	layout();
	CHECK_EQ(pthread_mutex_destroy(&root->m), 0);
	return check_done("pmlock");
}
