/*
 * prog.c FILE [bug] - threads that end in every way, while they and glibc allocate.
 *
 * Each thread has a cell in PM: a value, and then that it is valid, both durable, in order. All count in one more
 * cell, under a lock. With `bug` the value is not flushed, and the count is made durable after the lock is given
 * back. Recovery, which is the same program, has threads again.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <emmintrin.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { THREADS = 4, SIZE = 4096 };

struct cell {
	_Alignas(64) _Atomic uint64_t value;
	_Alignas(64) _Atomic uint64_t valid;
};

void touch_local(void); /* local.cc: an object of this thread's, with a destructor */

static int bug;
static struct cell *cells, *all;
static pthread_key_t key;
static sem_t detached_done;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void put(_Atomic uint64_t *p, uint64_t v)
{
	atomic_store_explicit(p, v, memory_order_relaxed);
}

static uint64_t get(_Atomic uint64_t *p)
{
	return atomic_load_explicit(p, memory_order_relaxed);
}

static void persist(const void *p)
{
	_mm_clflush(p);
	_mm_sfence();
}

/* Where glibc allocates for a thread, and gives back when the thread is gone. */
static void keep_glibc_busy(void)
{
	volatile const char *text = strerror(12345);

	(void)text;
	dlsym(RTLD_DEFAULT, "there is no such name");
	(void)dlerror();
	dlsym(RTLD_DEFAULT, "nor this one");
}

static void give_back(void *p)
{
	free(p);
}

static void work(struct cell *c, int i)
{
	char *p;

	pthread_setspecific(key, malloc(100));
	touch_local();
	keep_glibc_busy();
	p = malloc(32);
	snprintf(p, 16, "%d", i + 1);
	put(&c->value, strtoul(p, NULL, 10));
	if (!bug)
		persist(&c->value);
	put(&c->valid, 1);
	persist(&c->valid);
	free(p);
	pthread_mutex_lock(&mutex);
	put(&all->value, get(&all->value) + 1);
	if (!bug)
		persist(&all->value);
	pthread_mutex_unlock(&mutex);
	if (bug)
		persist(&all->value);
}

static void *thread(void *arg)
{
	int i = (int)(intptr_t)arg;

	work(&cells[i], i);
	if (i == 0)
		return arg;
	if (i == 1) {
		sem_post(&detached_done);
		return NULL;
	}
	if (i == 2)
		pthread_exit(arg);
	for (;;) {
		free(malloc(1000));
		pthread_testcancel();
	}
}

static int look(void)
{
	for (int i = 0; i < THREADS; i++)
		if (get(&cells[i].valid) && !get(&cells[i].value))
			return 1;
	return 0;
}

static void run(void)
{
	pthread_t t[THREADS];
	void *ret;

	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&t[i], NULL, thread, (void *)(intptr_t)i))
			exit(10);
	if (pthread_detach(t[1]) || pthread_cancel(t[3]))
		exit(11);
	if (pthread_join(t[0], &ret) || ret != 0)
		exit(12);
	if (pthread_join(t[2], &ret) || ret != (void *)2)
		exit(13);
	if (pthread_join(t[3], &ret) || ret != PTHREAD_CANCELED)
		exit(14);
	while (sem_wait(&detached_done))
		;
}

int main(int argc, char **argv)
{
	int fd = open(argc > 1 ? argv[1] : "pool", O_RDWR | O_CREAT, 0600);

	if (fd < 0 || ftruncate(fd, SIZE))
		return 2;
	cells = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (cells == MAP_FAILED)
		return 2;
	all = &cells[THREADS];
	bug = argc > 2;
	if (look())
		return 1;
	if (pthread_key_create(&key, give_back) || sem_init(&detached_done, 0, 0))
		return 2;
	run();
	return 0;
}
