/*
 * stranger.c FILE [store] - a kernel thread that pthread_create knows nothing of, as allocators have them.
 *
 * It is made by libc's own function, past whoever stands before it. It takes a lock, and may store to PM.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <emmintrin.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static uint64_t *pm;
static int stores;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile int done;

static void *beside(void *arg)
{
	pthread_mutex_lock(&mutex);
	free(malloc(10));
	if (stores)
		pm[8] = 1;
	pthread_mutex_unlock(&mutex);
	done = 1;
	return arg;
}

int main(int argc, char **argv)
{
	int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
	int fd = open(argc > 1 ? argv[1] : "x.pm", O_RDWR | O_CREAT, 0600);
	pthread_t t;

	if (fd < 0 || ftruncate(fd, 4096))
		return 2;
	pm = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (pm == MAP_FAILED)
		return 2;
	stores = argc > 2;
	*(void **)&create = dlsym(dlopen("libc.so.6", RTLD_LAZY), "pthread_create");
	if (create(&t, NULL, beside, NULL))
		return 2;
	while (!done)
		usleep(1);
	if (pm[0] > 1)
		return 1;
	pm[0] = 1;
	_mm_clflush(pm);
	_mm_sfence();
	return 0;
}
