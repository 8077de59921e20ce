/* One thread asks under a lock, again and again, whether the other one is done. */
#include <emmintrin.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int done;
static uint64_t *pm;

static void *work(void *arg)
{
	(void)arg;
	for (int i = 0; i < 4; i++) {
		pm[i * 8] = (uint64_t)i + 1;
		_mm_clflush(&pm[i * 8]);
		_mm_sfence();
	}
	pthread_mutex_lock(&m);
	done = 1;
	pthread_mutex_unlock(&m);
	return NULL;
}

static void *ask(void *arg)
{
	int stop = 0;

	(void)arg;
	while (!stop) {
		pthread_mutex_lock(&m);
		stop = done;
		pthread_mutex_unlock(&m);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	int fd = open(argc > 1 ? argv[1] : "x.pm", O_RDWR | O_CREAT, 0600);
	pthread_t a, b;

	if (fd < 0 || ftruncate(fd, 4096) != 0)
		return 2;
	pm = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (pm == MAP_FAILED || pm[0] > 1)
		return 2;
	pthread_create(&a, NULL, ask, NULL);
	pthread_create(&b, NULL, work, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
