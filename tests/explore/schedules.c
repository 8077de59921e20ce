/*
 * schedules.c - a bug that needs an input and an order of threads: a reader that comes while the writer is
 * at work, if the first byte asks for it. ALONE: no threads.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include <x86intrin.h>

struct pool {
	_Atomic long begun, ended, step;
};

static struct pool *pool;
static char request;

static void *writer(void *unused)
{
	atomic_store_explicit(&pool->begun, 1, memory_order_release);
	for (long i = 0; i < 40; i++)
		atomic_store_explicit(&pool->step, i, memory_order_release);
	atomic_store_explicit(&pool->ended, 1, memory_order_release);
	_mm_clflush(pool);
	return unused;
}

static void *reader(void *unused)
{
	if (request == 'r' && pool->begun && !pool->ended)
		abort();
	return unused;
}

int main(int argc, char **argv)
{
	int fd = open(argc > 1 ? argv[1] : "schedules.pm", O_RDWR | O_CREAT, 0666);
	pthread_t a, b;

	if (fd < 0 || ftruncate(fd, 4096) || read(0, &request, 1) < 0)
		return 1;
	pool = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
#ifdef ALONE
	writer(NULL);
	if (request == 'r')
		puts("alone");
	return 0;
#endif
	if (pthread_create(&a, NULL, writer, NULL) || pthread_create(&b, NULL, reader, NULL))
		return 1;
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
