/*
 * htm.c MODE FILE: stores in hardware transactions.
 *	tries     for ever, until one succeeds
 *	forgets   the same, and does not flush what it stored
 *	falls     has a way without
 *	gives-up  ends one by xabort where it can
 */
#include <fcntl.h>
#include <immintrin.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static uint64_t *pm;

static void store(uint64_t i)
{
	pm[i * 8] += i; //@ store
}

static void persist(uint64_t i)
{
	__asm__ volatile("clwb %0; sfence" : "+m"(pm[i * 8]));
}

static void one(const char *mode, uint64_t i)
{
	int falls = strcmp(mode, "falls") == 0;
	unsigned status;

	do {
		status = _xbegin();
	} while (status != _XBEGIN_STARTED && !falls);
	if (strcmp(mode, "gives-up") == 0)
		_xabort(1);
	store(i);
	if (status == _XBEGIN_STARTED)
		_xend();
	if (strcmp(mode, "forgets") != 0)
		persist(i);
}

static void *thread(void *mode)
{
	for (uint64_t i = 1; i < 20; i++)
		one(mode, i);
	return NULL;
}

int main(int argc, char **argv)
{
	int fd = open(argv[argc - 1], O_RDWR | O_CREAT, 0600);
	pthread_t other;

	if (fd < 0 || ftruncate(fd, 4096) != 0)
		return 9;
	pm = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	pthread_create(&other, NULL, thread, argv[1]);
	thread(argv[1]);
	pthread_join(other, NULL);
	return 0;
}
