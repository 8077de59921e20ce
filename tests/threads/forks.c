/* The program forks by itself, from main and from a thread, with other threads alive. */
#include "check.h"
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdlib.h>
#include <sys/wait.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static sem_t hold;
static __thread int tls;
static int atfork;

static void prepare(void)
{
	pthread_mutex_lock(&m);
	atfork++;
}

static void after(void)
{
	pthread_mutex_unlock(&m);
}

static void *stays(void *arg)
{
	sem_wait(&hold);
	return arg;
}

static void *adds(void *arg)
{
	pthread_mutex_lock(&m);
	++*(int *)arg;
	pthread_mutex_unlock(&m);
	return arg;
}

/* What the child does: it is a whole program, with threads of its own. */
static int child(void)
{
	pthread_t t[3];
	int sum = 0;
	int i;

	for (i = 0; i < 3; i++)
		CHECK_EQ(pthread_create(&t[i], NULL, adds, &sum), 0);
	for (i = 0; i < 3; i++)
		CHECK_EQ(pthread_join(t[i], NULL), 0);
	CHECK_EQ(sum, 3);
	CHECK_EQ(tls, 5);
	CHECK_EQ(gettid(), getpid());
	return check_failures ? 1 : 40 + sum;
}

static int status_of(pid_t pid)
{
	int status = -1;

	CHECK_EQ(waitpid(pid, &status, 0), pid);
	return status;
}

static void *forks(void *arg)
{
	pid_t pid;

	(void)arg;
	tls = 5;
	pid = fork();
	if (!pid)
		_exit(child());
	CHECK_EQ(WEXITSTATUS(status_of(pid)), 43);
	pid = vfork();
	if (!pid)
		_exit(9);
	CHECK_EQ(WEXITSTATUS(status_of(pid)), 9);
	/* The only thread of the child returns: that is the end of the child, as exit(0). */
	pid = fork();
	if (!pid)
		return NULL;
	CHECK_EQ(status_of(pid), 0);
	return &m;
}

/* libc forks inside: the thread that stays behind must not run in the child. */
static void daemons(void)
{
	pthread_t t;
	int fds[2];
	char c = 0;
	pid_t pid;

	CHECK_EQ(pipe(fds), 0);
	pid = fork();
	if (!pid) {
		pthread_create(&t, NULL, stays, NULL);
		sem_post(&hold); /* it could run, if it existed */
		if (daemon(1, 1))
			_exit(1);
		c = (char)child();
		_exit(write(fds[1], &c, 1) != 1);
	}
	CHECK_EQ(status_of(pid), 0);
	CHECK_EQ(read(fds[0], &c, 1), 1);
	CHECK_EQ(c, 43);
}

int main(void)
{
	pthread_t t;
	pthread_t other;
	void *r;
	pid_t pid;
	FILE *p;
	char line[16] = "";

	sem_init(&hold, 0, 0);
	pthread_atfork(prepare, after, after);
	CHECK_EQ(pthread_create(&other, NULL, stays, NULL), 0);
	CHECK_EQ(pthread_create(&t, NULL, forks, NULL), 0);
	pthread_join(t, &r);
	CHECK(r == &m);
	tls = 5;
	pid = fork();
	if (!pid)
		exit(child());
	CHECK_EQ(WEXITSTATUS(status_of(pid)), 43);
	pid = fork();
	if (!pid)
		abort();
	CHECK_EQ(WTERMSIG(status_of(pid)), SIGABRT);
	CHECK_EQ(WEXITSTATUS(system("exit 6")), 6);
	p = popen("echo hello", "r");
	CHECK(p && fgets(line, sizeof(line), p) && !strcmp(line, "hello\n"));
	pclose(p);
	CHECK_EQ(atfork, 4);
	daemons();
	sem_post(&hold);
	pthread_join(other, NULL);
	return check_done("forks");
}
