/*
 * locks.c - every primitive that orders threads. Each thread's calls are said in the comments, in order:
 * kind of event and object (a name; the same object has the same name).
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static sem_t sem;
static mtx_t mtx;
static atomic_int ready;

static void nothing(void)
{
}

static struct timespec soon(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_sec += 60;
	return t;
}

static void *first(void *p)
{
	pthread_mutex_lock(&m); //= acquire:m
	while (!ready)
		pthread_cond_wait(&cond, &m); //= release:m acquire:m wait:cond
	((char *)p)[0] = 1;
	pthread_mutex_unlock(&m); //= release:m
	sem_post(&sem); //= signal:sem
	pthread_barrier_wait(&barrier); //= signal:barrier wait:barrier
	return NULL;
}

static void *second(void *p)
{
	struct timespec t = soon();

	sem_wait(&sem); //= wait:sem
	((char *)p)[64] = 1;
	pthread_barrier_wait(&barrier); //= signal:barrier wait:barrier
	pthread_mutex_timedlock(p + 128, &t); //= acquire:pm
	pthread_mutex_unlock(p + 128); //= release:pm
	return NULL;
}

static void alone(void)
{
	struct timespec t = soon();

	pthread_rwlock_wrlock(&rw); //= acquire:rw
	pthread_rwlock_tryrdlock(&rw); //=
	pthread_rwlock_unlock(&rw); //= release:rw
	pthread_rwlock_rdlock(&rw); //= shared:rw
	pthread_rwlock_unlock(&rw); //= release:rw
	pthread_rwlock_tryrdlock(&rw); //= shared:rw
	pthread_rwlock_unlock(&rw); //= release:rw
	pthread_rwlock_trywrlock(&rw); //= acquire:rw
	pthread_rwlock_unlock(&rw); //= release:rw
	pthread_spin_lock(&spin); //= acquire:spin
	pthread_spin_trylock(&spin); //=
	pthread_spin_unlock(&spin); //= release:spin
	pthread_mutex_trylock(&other); //= acquire:other
	pthread_mutex_trylock(&other); //=
	pthread_mutex_unlock(&other); //= release:other
	mtx_lock(&mtx); //= acquire:mtx
	mtx_unlock(&mtx); //= release:mtx
	sem_post(&sem); //= signal:sem
	sem_trywait(&sem); //= wait:sem
	sem_trywait(&sem); //=
	pthread_once(&once, nothing); //= wait:once
	pthread_once(&once, nothing); //= wait:once
	sem_post(&sem); //= signal:sem
	sem_timedwait(&sem, &t); //= wait:sem
}

int main(int argc, char **argv)
{
	int fd = open(argv[argc - 1], O_RDWR | O_CREAT, 0600);
	pthread_t t[2];
	char *p;

	if (fd < 0 || ftruncate(fd, 4096) != 0)
		return 1;
	p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	pthread_mutex_init((pthread_mutex_t *)(p + 128), NULL);
	pthread_spin_init(&spin, 0);
	pthread_barrier_init(&barrier, NULL, 2);
	sem_init(&sem, 0, 0);
	mtx_init(&mtx, mtx_plain);
	alone();
	pthread_create(&t[0], NULL, first, p);
	pthread_create(&t[1], NULL, second, p);
	pthread_mutex_lock(&m); //= acquire:m
	ready = 1;
	pthread_cond_signal(&cond); //= signal:cond
	pthread_mutex_unlock(&m); //= release:m
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	return 0;
}
