/*
 * server.c - a server for clients of a script: by poll, select, a thread for each connection that blocks, or a thread that
 * is told of connections by a pipe, while the one that accepts them has slept before. It aborts where
 * one session says "a" and then "b", and another one "c" in between.
 */
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <unistd.h>

enum { SESSIONS = 8 };

static struct {
	int fd;
	char last;
} session[SESSIONS];
static int sessions;
static char other; /* what a session has said last, before the one at hand */
static int from;

/* Zero: it is over. */
static int take(int i)
{
	char c;

	if (read(session[i].fd, &c, 1) != 1)
		return 0;
	if (session[i].last == 'a' && other == 'c' && from != i && c == 'b')
		abort();
	session[i].last = other = c;
	from = i;
	return write(session[i].fd, "ok\n", 3) == 3;
}

static int come(int door)
{
	struct sockaddr_in a;
	socklen_t n = sizeof(a);
	int fd = accept(door, (struct sockaddr *)&a, &n);

	if (fd < 0 || sessions == SESSIONS || a.sin_family != AF_INET)
		exit(3);
	session[sessions].fd = fd;
	return sessions++;
}

static void *serve(void *arg)
{
	while (take((int)(long)arg))
		;
	return NULL;
}

static void by_threads(int door)
{
	pthread_t t;

	for (;;)
		pthread_create(&t, NULL, serve, (void *)(long)come(door));
}

static void answer(int i)
{
	if (take(i))
		return;
	close(session[i].fd);
	session[i].fd = -1;
}

static void by_poll(int door)
{
	struct pollfd p[SESSIONS + 1];

	for (;;) {
		int n = sessions;

		p[n] = (struct pollfd){door, POLLIN, 0};
		for (int i = 0; i < n; i++)
			p[i] = (struct pollfd){session[i].fd, POLLIN, 0};
		poll(p, (nfds_t)n + 1, -1);
		for (int i = 0; i < n; i++)
			if (p[i].revents)
				answer(i);
		if (p[n].revents)
			come(door);
	}
}

static void by_select(int door)
{
	for (;;) {
		int n = sessions;
		fd_set set;

		FD_ZERO(&set);
		FD_SET(door, &set);
		for (int i = 0; i < n; i++)
			if (session[i].fd >= 0)
				FD_SET(session[i].fd, &set);
		select(FD_SETSIZE, &set, NULL, NULL, NULL);
		for (int i = 0; i < n; i++)
			if (session[i].fd >= 0 && FD_ISSET(session[i].fd, &set))
				answer(i);
		if (FD_ISSET(door, &set))
			come(door);
	}
}

static int told[2];

static void *work(void *arg)
{
	struct pollfd p[SESSIONS + 1] = {{told[0], POLLIN, 0}};
	int n = 0;
	char c;

	for (;;) {
		poll(p, (nfds_t)n + 1, -1);
		for (int i = 0; i < n; i++)
			if (p[i + 1].revents)
				answer(i), p[i + 1].fd = session[i].fd;
		if (p[0].revents && read(told[0], &c, 1) == 1) {
			p[n + 1] = (struct pollfd){session[n].fd, POLLIN, 0};
			n++;
		}
	}
	return arg;
}

static void by_worker(int door)
{
	struct sockaddr_in a;
	pthread_t t;

	if (pipe(told) != 0)
		exit(2);
	pthread_create(&t, NULL, work, NULL);
	poll(NULL, 0, 1); /* sleeps */
	for (;;) {
		struct pollfd p = {door, POLLIN, 0};
		struct iovec v = {(char[]){"hello\n"}, 6};
		struct msghdr m = {.msg_name = &a, .msg_namelen = sizeof(a), .msg_iov = &v, .msg_iovlen = 1};
		int i;

		poll(&p, 1, 1000);
		i = come(door);
		getpeername(session[i].fd, (struct sockaddr *)&a, &m.msg_namelen);
		/* An address that TCP does not look at */
		if (sendmsg(session[i].fd, &m, 0) != 6 || write(told[1], "c", 1) != 1)
			exit(2);
	}
}

int main(int argc, char **argv)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(7777)};
	int door = socket(AF_INET, SOCK_STREAM, 0);

	if (argc < 2 || bind(door, (struct sockaddr *)&a, sizeof(a)) != 0 || listen(door, 4) != 0)
		return 2;
	if (strcmp(argv[1], "poll") == 0)
		by_poll(door);
	else if (strcmp(argv[1], "select") == 0)
		by_select(door);
	else if (strcmp(argv[1], "worker") == 0)
		by_worker(door);
	else
		by_threads(door);
	return 0;
}
