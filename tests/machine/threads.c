/* threads.c - four threads that store, flush and end; it fails where one of them cannot be made. */
#include <emmintrin.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

enum { THREADS = 4 };

static long *p;

static void *work(void *arg)
{
	long *mine = p + 8 * (long)arg;

	__atomic_store_n(mine, 1, __ATOMIC_SEQ_CST);
	_mm_clflush(mine);
	return NULL;
}

int main(void)
{
	int fd = open("threads.pm", O_RDWR | O_CREAT, 0666);
	pthread_t t[THREADS];

	if (fd < 0 || ftruncate(fd, 4096))
		return 3;
	p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	for (long i = 0; i < THREADS; i++)
		if (p[8 * i] > 1 || pthread_create(&t[i], NULL, work, (void *)i))
			return 4;
	for (long i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	return 0;
}
