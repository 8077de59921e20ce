/*
 * thread_switch.c - what a thread costs under the scheduler: a switch, a lock nobody wants, a
 * thread's life, and a snapshot of the process with threads in it. Prints one line a measurement:
 * name, value, unit.
 *
 * The minimum of several runs: what the code takes, not what the machine does besides.
 */
#include "runtime/base/rt.h"
#include "runtime/thread/sched.h"
#include "runtime/thread/snapshot.h"
#include "runtime/thread/thread.h"
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { RUNS = 7, SWITCHES = 200000, LOCKS = 200000, THREADS = 200, SNAPSHOTS = 300, ALIVE = 8 };

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static volatile int stop;

/* The program's clock is virtual. */
static double seconds(clockid_t clock)
{
	struct timespec t;
	long r;

	__asm__ volatile("syscall"
			 : "=a"(r)
			 : "a"(SYS_clock_gettime), "D"((long)clock), "S"(&t)
			 : "rcx", "r11", "memory");
	return r ? 0 : (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void *gives_way(void *arg)
{
	while (!stop)
		sched_yield();
	return arg;
}

static void *does_nothing(void *arg)
{
	return arg;
}

static double switches(int others)
{
	pthread_t t[64];
	double from;
	double took;
	int i;

	stop = 0;
	for (i = 0; i < others; i++)
		pthread_create(&t[i], NULL, gives_way, NULL);
	from = seconds(CLOCK_MONOTONIC);
	for (i = 0; i < SWITCHES / (others + 1); i++) {
		pd_sched_progress(); /* or it is a livelock */
		sched_yield();
	}
	took = seconds(CLOCK_MONOTONIC) - from;
	stop = 1;
	for (i = 0; i < others; i++)
		pthread_join(t[i], NULL);
	return took / SWITCHES * 1e9;
}

static double locks(int unused)
{
	double from = seconds(CLOCK_MONOTONIC);
	int i;

	(void)unused;
	for (i = 0; i < LOCKS; i++) {
		pthread_mutex_lock(&m);
		pthread_mutex_unlock(&m);
	}
	return (seconds(CLOCK_MONOTONIC) - from) / LOCKS * 1e9;
}

static double lives(int unused)
{
	double from = seconds(CLOCK_MONOTONIC);
	pthread_t t;
	int i;

	(void)unused;
	for (i = 0; i < THREADS; i++) {
		pthread_create(&t, NULL, does_nothing, NULL);
		pthread_join(t, NULL);
	}
	return (seconds(CLOCK_MONOTONIC) - from) / THREADS * 1e6;
}

static double cpu(void)
{
	return seconds(CLOCK_PROCESS_CPUTIME_ID);
}

/* CPU of the parent and wall time of all: the child's own CPU is in the latter. */
static double snapshots(int wall)
{
	pthread_t t[ALIVE];
	double from;
	double took;
	int status;
	int i;

	stop = 0;
	for (i = 0; i < ALIVE; i++)
		pthread_create(&t[i], NULL, gives_way, NULL);
	from = wall ? seconds(CLOCK_MONOTONIC) : cpu();
	for (i = 0; i < SNAPSHOTS; i++) {
		pid_t pid = pd_snapshot_fork();

		if (!pid)
			_exit(0);
		pd_snapshot_wait(pid, &status);
	}
	took = (wall ? seconds(CLOCK_MONOTONIC) : cpu()) - from;
	stop = 1;
	for (i = 0; i < ALIVE; i++)
		pthread_join(t[i], NULL);
	return took / SNAPSHOTS * 1e6;
}

static int over; /* limits that were exceeded */

/* A limit of 0 is none. */
static void measure(const char *name, const char *unit, double (*fn)(int), int arg, double limit)
{
	double best = 1e18;
	int i;

	for (i = 0; i < RUNS; i++) {
		double v = fn(arg);

		best = v < best ? v : best;
	}
	printf("%-28s %10.1f %s", name, best, unit);
	if (limit > 0)
		printf("   limit %.0f%s", limit, best > limit ? ": EXCEEDED" : "");
	printf("\n");
	over += limit > 0 && best > limit;
	fflush(stdout);
}

int main(void)
{
	if (!pd_thread_driven()) {
		fprintf(stderr,
			"thread_switch: not under the scheduler: run it by 'make bench-threads'\n");
		return 2;
	}
	measure("switch, 2 threads", "ns", switches, 1, 100);
	measure("switch, 8 threads", "ns", switches, 7, 100);
	measure("lock and unlock", "ns", locks, 0, 0);
	measure("thread created and joined", "us", lives, 0, 0);
	measure("snapshot, 8 threads, CPU", "us", snapshots, 0, 0);
	measure("snapshot, 8 threads, wall", "us", snapshots, 1, 0);
	return over != 0;
}
