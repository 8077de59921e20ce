/* Threads that wait for each other through the kernel: pipes, sockets, children, signals. */
#include "check.h"
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>

enum { ROUNDS = 10 };

static int fds[2];
static __thread volatile int hits;

static void *writes(void *arg)
{
	int i;

	for (i = 0; i < ROUNDS; i++) {
		sched_yield();
		CHECK_EQ(write(fds[1], "x", 1), 1);
	}
	return arg;
}

static void by_poll(void)
{
	struct pollfd p = {fds[0], POLLIN, 0};

	CHECK_EQ(poll(&p, 1, -1), 1);
	CHECK_EQ(p.revents, POLLIN);
}

static void by_select(void)
{
	struct timeval t = {1000, 0};
	fd_set s;

	FD_ZERO(&s);
	FD_SET(fds[0], &s);
	CHECK_EQ(select(fds[0] + 1, &s, NULL, NULL, &t), 1);
	CHECK(FD_ISSET(fds[0], &s));
}

static void by_epoll(void)
{
	struct epoll_event e = {.events = EPOLLIN};
	int fd = epoll_create1(0);

	CHECK_EQ(epoll_ctl(fd, EPOLL_CTL_ADD, fds[0], &e), 0);
	CHECK_EQ(epoll_wait(fd, &e, 1, 1000000), 1);
	close(fd);
}

static void pipes(void)
{
	pthread_t t;
	char c;
	int i;

	CHECK_EQ(pipe(fds), 0);
	pthread_create(&t, NULL, writes, NULL);
	for (i = 0; i < ROUNDS; i++) {
		if (i % 3 == 0)
			by_poll();
		else if (i % 3 == 1)
			by_select();
		else
			by_epoll();
		CHECK_EQ(read(fds[0], &c, 1), 1);
	}
	pthread_join(t, NULL);
}

static void timeouts(void)
{
	struct pollfd p = {fds[0], POLLIN, 0};
	struct timespec ts = {0, 3000000};
	struct timeval t = {0, 3000};
	fd_set s;

	FD_ZERO(&s);
	FD_SET(fds[0], &s);
	CHECK_EQ(poll(&p, 1, 3), 0);
	CHECK_EQ(poll(NULL, 0, 3), 0);
	CHECK_EQ(ppoll(&p, 1, &ts, NULL), 0);
	CHECK_EQ(select(fds[0] + 1, &s, NULL, NULL, &t), 0);
	CHECK_EQ(t.tv_sec + t.tv_usec, 0);
	CHECK(!FD_ISSET(fds[0], &s));
	CHECK_EQ(pselect(0, NULL, NULL, NULL, &ts, NULL), 0);
}

static int listener;
static struct sockaddr_un name = {.sun_family = AF_UNIX};

static void *connects(void *arg)
{
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	sched_yield();
	CHECK_EQ(connect(fd, (struct sockaddr *)&name, sizeof(name)), 0);
	close(fd);
	return arg;
}

static void connections(void)
{
	pthread_t t;
	int fd;

	/* An abstract name: no file. */
	snprintf(name.sun_path + 1, sizeof(name.sun_path) - 1, "perdure-test-%ld", syscall(39));
	listener = socket(AF_UNIX, SOCK_STREAM, 0);
	CHECK_EQ(bind(listener, (struct sockaddr *)&name, sizeof(name)), 0);
	CHECK_EQ(listen(listener, 1), 0);
	pthread_create(&t, NULL, connects, NULL);
	fd = accept(listener, NULL, NULL);
	CHECK(fd >= 0);
	close(fd);
	close(listener);
	pthread_join(t, NULL);
}

static int release[2];

static void *releases(void *arg)
{
	sched_yield();
	CHECK_EQ(write(release[1], "x", 1), 1);
	return arg;
}

/* The child waits for what another thread of the parent writes. */
static void children(void)
{
	pthread_t t;
	int status = 0;
	char c;
	pid_t pid;

	CHECK_EQ(pipe(release), 0);
	fflush(stdout);
	pid = fork();
	if (!pid)
		_exit(read(release[0], &c, 1) == 1 ? 7 : 8);
	pthread_create(&t, NULL, releases, NULL);
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(WEXITSTATUS(status), 7);
	pthread_join(t, NULL);
	CHECK_EQ(wait(&status), -1);
	CHECK_EQ(errno, ECHILD);
}

static void handler(int sig)
{
	(void)sig;
	hits++;
}

static void *suspends(void *arg)
{
	sigset_t s;

	sigemptyset(&s);
	*(volatile int *)arg = 1;
	CHECK_EQ(sigsuspend(&s), -1);
	CHECK_EQ(errno, EINTR);
	CHECK_EQ(hits, 1);
	return arg;
}

static void signals(void)
{
	struct sigaction a = {.sa_handler = handler};
	volatile int ready = 0;
	sigset_t s;
	pthread_t t;

	sigaction(SIGUSR1, &a, NULL);
	sigemptyset(&s);
	sigaddset(&s, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &s, NULL); /* inherited: it comes in sigsuspend or not at all */
	pthread_create(&t, NULL, suspends, (void *)&ready);
	while (!ready)
		sched_yield();
	CHECK_EQ(pthread_kill(t, SIGUSR1), 0);
	pthread_join(t, NULL);
	CHECK_EQ(hits, 0);
}

int main(void)
{
	pipes();
	timeouts();
	connections();
	children();
	signals();
	return check_done("io");
}
