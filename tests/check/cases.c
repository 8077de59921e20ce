/*
 * cases.c - one small program for each way in which a recovery can end: cases MODE FILE [FILE2]
 *
 * The first run stores 1 to `data`, makes it durable, and then stores 1 to `commit`. Recovery that finds the
 * commit does what MODE says; nothing else is wrong with it.
 */
#include <assert.h>
#include <fcntl.h>
#include <emmintrin.h>
#include <perdure.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

struct pool {
	uint64_t data;
	uint64_t pad[7];
	uint64_t commit;
	uint64_t pad2[7];
	uint64_t other;
};

/* In one piece: these programs are about what recovery does, not about stores that may be torn. */
static void set(uint64_t *p, uint64_t v)
{
	__atomic_store_n(p, v, __ATOMIC_RELEASE);
}

static void persist(const void *p)
{
	_mm_clflush(p);
	_mm_sfence();
}

static struct pool *map(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT, 0600);
	struct pool *p;

	if (fd < 0 || ftruncate(fd, 4096) != 0)
		exit(9);
	p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	return p == MAP_FAILED ? NULL : p;
}

static void *lock_twice(void *arg)
{
	pthread_mutex_lock(arg);
	pthread_mutex_lock(arg);
	return NULL;
}

/* Each calls the other, and then reads, so that neither is a loop. */
static uint64_t even(const struct pool *p, uint64_t n);

static __attribute__((noinline)) uint64_t odd(const struct pool *p, uint64_t n)
{
	volatile uint64_t sum = even(p, n + 1) + p->data; /* once */

	return sum;
}

static __attribute__((noinline)) uint64_t even(const struct pool *p, uint64_t n)
{
	volatile uint64_t sum = n > p->pad[0] ? odd(p, n + 1) + n : 0; /* twice */

	return sum;
}

/* Makes durable what others store; but first it says so. */
static void *says_first(void *arg)
{
	struct pool *p = arg;

	__atomic_store_n(&p->commit, 1, __ATOMIC_RELEASE); /* said */
	persist(&p->commit);
	persist(&p->data);
	return NULL;
}

static void *makes_durable(void *arg)
{
	persist(&((struct pool *)arg)->data);
	return NULL;
}

/* Another thread makes it durable, after it or somebody else has said that it is. */
static void helped(const char *mode, struct pool *p)
{
	pthread_t t;

	__atomic_store_n(&p->data, 1, __ATOMIC_RELEASE); /* helped */
	if (!strcmp(mode, "helped-late"))
		__atomic_store_n(&p->commit, 1, __ATOMIC_RELEASE); /* trusted */
	pthread_create(&t, NULL, !strcmp(mode, "helped") ? says_first : makes_durable, p);
	pthread_join(t, NULL);
	persist(&p->commit);
}

static int recover(const char *mode, struct pool *p)
{
	static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	volatile uint64_t spin = 0;
	pthread_t t;

	printf("found the commit\n");
	fflush(stdout);
	if (!strcmp(mode, "signal"))
		*(volatile int *)8 = 1;
	if (!strcmp(mode, "abort"))
		abort();
	if (!strcmp(mode, "assert"))
		assert(p->commit == 0);
	if (!strcmp(mode, "exit"))
		return 7;
	if (!strcmp(mode, "exit, and again")) {
		if (p->other)
			return 6;
		set(&p->other, 1); /* stored */
		return 7;
	}
	if (!strncmp(mode, "helped", 6))
		return p->data ? 0 : 5;
	if (!strcmp(mode, "hang"))
		while (p->commit)
			;
	if (!strcmp(mode, "recurse"))
		even(p, 1);
	if (!strcmp(mode, "spin") && getenv("KILL"))
		kill(atoi(getenv("KILL")), SIGKILL);
	if (!strcmp(mode, "spin")) /* no event at all */
		while (spin < UINT64_MAX)
			spin++;
	if (!strcmp(mode, "deadlock")) {
		pthread_create(&t, NULL, lock_twice, &mutex);
		pthread_join(t, NULL);
	}
	if (!strcmp(mode, "check"))
		pd_check(p->commit == 2);
	if (!strcmp(mode, "missing, check")) {
		pd_check(p->data == 1);
		printf("%d\n", (int)p->other);
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct pool *p = argc > 2 ? map(argv[2]) : NULL;

	if (!p)
		return 2;
	if (!strcmp(argv[1], "clock") && p->data != 0) {
		struct timespec now;

		clock_gettime(CLOCK_REALTIME, &now);
		set(&p->data, (uint64_t)now.tv_nsec);
	}
	if (!strcmp(argv[1], "filled"))
		return p->data ? 0 : 5;
	if (p->commit)
		return recover(argv[1], p);
	if (!strncmp(argv[1], "helped", 6)) {
		helped(argv[1], p);
		return 0;
	}
	set(&p->data, 1);
	if (!strncmp(argv[1], "missing", 7))
		set(&p->other, 1); /* unneeded */
	else
		persist(&p->data);
	set(&p->commit, 1);
	persist(&p->commit);
	return 0;
}
