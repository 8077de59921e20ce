/*
 * rawuse.c - threads that share PM under the locks of rawlib.c.
 *
 *	rawuse FILE [threads] [rounds] [command | "stuck"]
 *
 * Each thread adds to a counter in PM, waits for its turn, and for an event; two of them also meet at a FILE
 * whose lock is taken inside libc. What is printed is the same in every schedule; the order in which they
 * went is in PM.
 */
#define _GNU_SOURCE
#include "rawlib.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <emmintrin.h>

struct pool {
	_Atomic uint64_t done;
	_Atomic uint64_t count;
	uint64_t other_line[6];
	_Atomic uint64_t order[64];
};

static struct pool *pool;
static int lock, cond, go, never, other, turn, nthreads = 3, rounds = 3;
static FILE *out;

static void persist(const volatile void *p)
{
	_mm_clflush((const void *)p);
	_mm_sfence();
}

static void *work(void *arg)
{
	int me = (int)(intptr_t)arg;
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	raw_event_wait(&go, 3600L * 1000000000);
	for (int r = 0; r < rounds; r++) {
		raw_lock(&lock);
		while (turn % nthreads != me)
			raw_wait(&cond, &lock);
		pool->order[pool->count % 64] = (uint64_t)me + 1;
#ifndef BUG
		persist(&pool->order[pool->count % 64]);
#endif
		pool->count++;
		persist(&pool->count);
		turn++;
		raw_broadcast(&cond, &lock);
		raw_unlock(&lock);
		/* With the lock of the FILE held, another one gets a chance to want it. */
		flockfile(out);
		raw_lock(&lock);
		sched_yield();
		raw_unlock(&lock);
		fprintf(out, ".");
		funlockfile(out);
	}
	return NULL;
}

static int child(void)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		_exit(raw_event_wait(&never, 1000000) == -ETIMEDOUT ? 7 : 8);
	}
	return pid > 0 && waitpid(pid, &status, 0) == pid ? WEXITSTATUS(status) : -1;
}

int main(int argc, char **argv)
{
	pthread_t t[16];
	char text[256] = "";
	int fd = open(argv[1], O_RDWR | O_CREAT, 0600);

	nthreads = argc > 2 ? atoi(argv[2]) : nthreads;
	rounds = argc > 3 ? atoi(argv[3]) : rounds;
	if (fd < 0 || ftruncate(fd, 4096))
		return 2;
	pool = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (pool == MAP_FAILED)
		return 2;
	if (pool->done) {
		/* Recovery: what was counted has its place. */
		uint64_t n = pool->count;

		for (uint64_t i = 0; i < n && i < 64; i++)
			if (pool->order[i] != i % (uint64_t)nthreads + 1)
				return 1;
	}
	pool->count = 0;
	persist(&pool->count);
	pool->done = 1;
	persist(&pool->done);
	out = fmemopen(text, sizeof(text), "w");
	for (int i = 0; i < nthreads; i++)
		pthread_create(&t[i], NULL, work, (void *)(intptr_t)i);
	if (nthreads)
		printf("timeout %d\n", raw_event_wait(&never, 50000000) == -ETIMEDOUT);
	raw_event_set(&go, &other);
	if (argc > 4 && strcmp(argv[4], "stuck") == 0)
		raw_lock(&lock), raw_lock(&lock);
	for (int i = 0; i < nthreads; i++)
		pthread_join(t[i], NULL);
	fclose(out);
	printf("count %lu text %s\n", (unsigned long)pool->count, text);
	if (argc > 4)
		printf("child %d system %d\n", child(), system(argv[4]));
	return pool->count != (uint64_t)(nthreads * rounds);
}
