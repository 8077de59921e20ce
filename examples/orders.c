/*
 * orders.c - two threads and a file in persistent memory: one takes an order, the other one ships it.
 *
 *	orders FILE
 *
 * What is shipped must have been ordered, also after a crash. Compiled with -DBUG, an order is made durable
 * only after the lock is released, so it can be shipped before it is durable.
 */
#include <assert.h>
#include <emmintrin.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

static struct file {
	_Atomic uint64_t ordered;
	uint64_t pad[7];
	_Atomic uint64_t shipped; /* on a line of its own */
} *f;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void persist(const void *p)
{
	_mm_clflush(p);
	_mm_sfence();
}

static void *order(void *unused)
{
	pthread_mutex_lock(&lock);
	f->ordered = 1;
#ifndef BUG
	persist(f);
#endif
	pthread_mutex_unlock(&lock);
#ifdef BUG
	persist(f);
#endif
	return unused;
}

static void *ship(void *unused)
{
	pthread_mutex_lock(&lock);
	if (f->ordered && !f->shipped) {
		f->shipped = 1;
		persist((const void *)&f->shipped);
	}
	pthread_mutex_unlock(&lock);
	return unused;
}

int main(int argc, char **argv)
{
	int fd = open(argc > 1 ? argv[1] : "orders.pm", O_RDWR | O_CREAT, 0666);
	pthread_t a, b;

	if (fd < 0 || ftruncate(fd, sizeof(*f)) != 0) {
		perror("orders");
		return 1;
	}
	f = mmap(NULL, sizeof(*f), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (f == MAP_FAILED) {
		perror("orders");
		return 1;
	}
	assert(!f->shipped || f->ordered);
	pthread_create(&a, NULL, order, NULL);
	pthread_create(&b, NULL, ship, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	munmap(f, sizeof(*f));
	return 0;
}
