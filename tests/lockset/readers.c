/* readers.c FILE - a store that is durable too late, and ten lines that load it in another thread. */
#include "perdure.h"
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

static volatile uint64_t *pm;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void persist(volatile void *p)
{
	__asm__ volatile("clwb %0; sfence" : "+m"(*(volatile char *)p) : : "memory");
}

static void *write_late(void *unused)
{
	for (int i = 0; i < 4; i++) {
		pthread_mutex_lock(&lock);
		pm[0] = pm[0] + 1; //@ store
		pthread_mutex_unlock(&lock);
		persist(pm);
	}
	return unused;
}

static void *read_all(void *unused)
{
	uint64_t sum = 0;

	for (int i = 0; i < 4; i++) {
		sum += pm[0]; //@ load
		sum += pm[0]; //@ load
		sum += pm[0]; //@ load
		sum += pm[0]; //@ load
		sum += pm[0]; //@ load
		sum += pm[0]; //@ load
		sum += pm[0]; //@ load
		sum += pm[0]; //@ load
		sum += pm[0]; //@ load
		sum += pm[0]; //@ load
		pm[8] = sum;
		persist(&pm[8]);
	}
	return unused;
}

int main(int argc, char **argv)
{
	int fd = argc > 1 ? open(argv[1], O_RDWR | O_CREAT, 0644) : -1;
	pthread_t t[2];

	if (fd < 0 || ftruncate(fd, 1 << 20) != 0)
		return 8;
	pm = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (pm == MAP_FAILED)
		return 8;
	pthread_create(&t[0], NULL, write_late, NULL);
	pthread_create(&t[1], NULL, read_all, NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	return 0;
}
