/*
 * turns.c - threads that go wrong only if one is interrupted: turns MODE
 *
 *	reader	one thread stores and makes it durable; another one that finds it says so, durably. If that happens in
 *		between, the first can be lost. Nothing is wrong where each runs until it is done
 *	right	the same, with a lock around each
 *	fails	the same, and it fails by itself if the reader comes first
 *	alone	no threads
 */
#include <fcntl.h>
#include <emmintrin.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static struct {
	_Alignas(64) _Atomic uint64_t data;
	_Alignas(64) _Atomic uint64_t seen;
} *pm;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const char *mode;

static void persist(const void *p)
{
	_mm_clflush(p);
	_mm_sfence();
}

static void begin(void)
{
	if (strcmp(mode, "reader") != 0)
		pthread_mutex_lock(&lock);
}

static void end(void)
{
	if (strcmp(mode, "reader") != 0)
		pthread_mutex_unlock(&lock);
}

static void *writer(void *arg)
{
	begin();
	pm->data = 1; //@ store
	persist(&pm->data);
	end();
	return arg;
}

static void *reader(void *arg)
{
	begin();
	if (pm->data == 1) {
		pm->seen = 1;
		persist(&pm->seen);
	} else if (strcmp(mode, "fails") == 0) {
		_exit(8);
	}
	end();
	return arg;
}

int main(int argc, char **argv)
{
	int fd = open("x.pm", O_RDWR | O_CREAT, 0600);
	pthread_t t[2];

	mode = argc > 1 ? argv[1] : "";
	if (fd < 0 || ftruncate(fd, 4096) != 0)
		return 9;
	pm = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (pm->data || pm->seen) /* recovery */
		return pm->seen > pm->data;
	if (strcmp(mode, "alone") == 0) {
		writer(NULL);
		reader(NULL);
		return 0;
	}
	pthread_create(&t[0], NULL, writer, NULL);
	pthread_create(&t[1], NULL, reader, NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	return 0;
}
