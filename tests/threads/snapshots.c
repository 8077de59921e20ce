/*
 * A threaded program goes on in ten thousand snapshots: in each, all threads finish their work and
 * its result is checked; then the parent goes on from the same point, as if nothing had been.
 */
#include "check.h"
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>

enum { THREADS = 5, STEPS = 20, ROUNDS = 100 };

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static pthread_key_t key;
static int whose;
static int steps;
static int destroyed;
static __thread int mine;
static int taken;
static int is_snapshot;

static void snapshot(void)
{
	int status = -1;
	int pid = harness_snapshot();

	if (!pid) {
		is_snapshot = 1;
		return;
	}
	CHECK(pid > 0);
	CHECK_EQ(harness_snapshot_wait(pid, &status), 0);
	CHECK_EQ(status, 0);
	taken++;
}

static void destroy(void *v)
{
	destroyed += (int)(intptr_t)v;
}

static void *work(void *arg)
{
	int id = (int)(intptr_t)arg;
	int i;

	pthread_setspecific(key, (void *)(intptr_t)(id + 1));
	for (i = 0; i < STEPS; i++) {
		pthread_mutex_lock(&m);
		/* Half the steps in strict turns, the others as they come. */
		while (i % 2 && whose != id)
			pthread_cond_wait(&c, &m);
		if (i % 2) {
			whose = (whose + 1) % THREADS;
			pthread_cond_broadcast(&c);
		}
		steps++;
		mine++;
		if (!is_snapshot)
			snapshot();
		pthread_mutex_unlock(&m);
		sched_yield();
	}
	CHECK_EQ(mine, STEPS);
	return arg;
}

static void round_of_work(void)
{
	pthread_t t[THREADS];
	intptr_t i;
	void *r;

	steps = 0;
	destroyed = 0;
	for (i = 0; i < THREADS; i++)
		CHECK_EQ(pthread_create(&t[i], NULL, work, (void *)i), 0);
	for (i = 0; i < THREADS; i++) {
		CHECK_EQ(pthread_join(t[i], &r), 0);
		CHECK_EQ((intptr_t)r, i);
	}
	CHECK_EQ(steps, THREADS * STEPS);
	CHECK_EQ(destroyed, THREADS * (THREADS + 1) / 2);
	if (is_snapshot)
		_exit(check_failures ? 1 : 0);
}

/* ---- what glibc knows of its kernel thread --------------------------------------------------- */

static void *in_child(void *arg)
{
	const char *how = arg;
	cpu_set_t set;
	int status = -1;
	int pid = harness_snapshot();

	if (!pid) {
		char name[16] = "";

		CHECK_EQ(pthread_setname_np(pthread_self(), "snapshot"), 0);
		CHECK_EQ(pthread_getname_np(pthread_self(), name, sizeof(name)), 0);
		CHECK(!strcmp(name, "snapshot"));
		CHECK_EQ(pthread_getaffinity_np(pthread_self(), sizeof(set), &set), 0);
		if (check_failures)
			_exit(1);
		if (!strcmp(how, "abort"))
			abort();
		if (!strcmp(how, "raise"))
			raise(SIGUSR1);
		if (!strcmp(how, "kill"))
			pthread_kill(pthread_self(), SIGUSR1);
		if (!strcmp(how, "exit"))
			exit(3);
		_exit(2);
	}
	CHECK_EQ(harness_snapshot_wait(pid, &status), 0);
	return (void *)(intptr_t)status;
}

static int status_in_thread(char *how)
{
	pthread_t t;
	void *r = NULL;

	fflush(stdout);
	pthread_create(&t, NULL, in_child, how);
	pthread_join(t, &r);
	CHECK_EQ((intptr_t)in_child(how), (intptr_t)r); /* in main too */
	return (int)(intptr_t)r;
}

int main(void)
{
	int status;
	int i;

	signal(SIGCHLD, SIG_IGN); /* which must not lose the status of a snapshot */
	pthread_key_create(&key, destroy);
	for (i = 0; i < ROUNDS; i++)
		round_of_work();
	CHECK_EQ(taken, THREADS * STEPS * ROUNDS);
	status = status_in_thread("abort");
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
	status = status_in_thread("raise");
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGUSR1);
	status = status_in_thread("kill");
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGUSR1);
	status = status_in_thread("exit");
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 3);
	errno = 0;
	CHECK_EQ(waitpid(-1, &status, 0), -1); /* the program has no children */
	CHECK_EQ(errno, ECHILD);
	printf("%d snapshots\n", taken);
	return check_done("snapshots");
}
