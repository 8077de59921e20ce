/* Each thread takes the lock both ways; what it stores is durable only after it has given the lock back. */
#include <emmintrin.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

static pthread_rwlock_t m = PTHREAD_RWLOCK_INITIALIZER;
static uint64_t *p;
static volatile uint64_t sink;

static void get(void)
{
	pthread_rwlock_rdlock(&m); //@ reads
	sink = p[0];
	pthread_rwlock_unlock(&m);
}

static void put(uint64_t v)
{
	pthread_rwlock_wrlock(&m); //@ writes
	p[0] = v;
	pthread_rwlock_unlock(&m);
	_mm_clflush(p);
	_mm_sfence();
}

static void *run(void *arg)
{
	for (uint64_t i = 0; i < 4; i++) {
		get();
		put(i + (uint64_t)(uintptr_t)arg);
		get();
	}
	return NULL;
}

int main(int argc, char **argv)
{
	int fd = open(argc > 1 ? argv[1] : "x.pm", O_RDWR | O_CREAT, 0644);
	pthread_t t[2];

	if (fd < 0 || ftruncate(fd, 4096) != 0)
		return 2;
	p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		return 2;
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, run, (void *)(uintptr_t)i);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return 0;
}
