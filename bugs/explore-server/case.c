/*
 * explore-server - a server with a loop over epoll, and a store in PM: "s<key><value>\n" and "d<key>\n". The second request of
 * a session that sets a key which another session has deleted takes a way of its own, and forgets the flush.
 */
#define _GNU_SOURCE
#include "../pm.h"
#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/socket.h>

struct slot {
	LINE uint8_t value;
	uint8_t state; /* 0: never used, 1: in use, 2: deleted */
};

struct store {
	struct slot slot[4];
};

/* A connection, with what has come of its next request. */
struct session {
	int fd;
	uint32_t requests;
	size_t n;
	char line[16];
};

static struct store *store;
static volatile sig_atomic_t over;

static void on_term(int sig)
{
	(void)sig;
	over = 1;
}

static const char *set(struct session *s, uint8_t key, uint8_t value)
{
	struct slot *at = &store->slot[key & 3];

	if (at->state == 2 && s->requests > 1) {
		at->value = value;
		at->state = 1; //@ store
#if FIXED
		pm_persist(at, sizeof(*at));
#endif
		return "RESTORED\n";
	}
	at->value = value;
	at->state = 1;
	pm_persist(at, sizeof(*at));
	return "STORED\n";
}

static const char *delete(uint8_t key)
{
	struct slot *at = &store->slot[key & 3];

	if (at->state != 1)
		return "NOT_FOUND\n";
	at->state = 2;
	pm_persist(at, sizeof(*at));
	return "DELETED\n";
}

static const char *serve(struct session *s)
{
	s->requests++;
	if (s->line[0] == 's' && s->n == 4)
		return set(s, (uint8_t)s->line[1], (uint8_t)s->line[2]);
	if (s->line[0] == 'd' && s->n == 3)
		return delete((uint8_t)s->line[1]);
	return "ERROR\n";
}

/* Zero: the session is over. */
static int on_input(struct session *s)
{
	for (;;) {
		ssize_t n = recv(s->fd, s->line + s->n, 1, 0);
		const char *answer;

		if (n < 0)
			return errno == EAGAIN;
		if (n == 0 || s->n == sizeof(s->line) - 1)
			return 0;
		if (s->line[s->n++] != '\n')
			continue;
		answer = serve(s);
		if (send(s->fd, answer, strlen(answer), MSG_NOSIGNAL) < 0)
			return 0;
		s->n = 0;
	}
}

static int listen_on(uint16_t port)
{
	struct sockaddr_in a = {.sin_family = AF_INET,
				.sin_port = htons(port),
				.sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), on = 1;

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (fd < 0 || bind(fd, (struct sockaddr *)&a, sizeof(a)) != 0 || listen(fd, 8) != 0) {
		perror("listen");
		exit(2);
	}
	return fd;
}

static void watch(int epoll, struct session *s)
{
	struct epoll_event e = {.events = EPOLLIN, .data.ptr = s};

	epoll_ctl(epoll, EPOLL_CTL_ADD, s->fd, &e);
}

/* Ends on SIGTERM, and when nobody has said anything for a tenth of a second. */
int main(int argc, char **argv)
{
	int epoll = epoll_create1(0), n;
	struct session door = {.fd = listen_on(0)}, *s;
	struct epoll_event e[4];

	store = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*store));
	signal(SIGTERM, on_term);
	watch(epoll, &door);
	while (!over && (n = epoll_wait(epoll, e, 4, 100)) != 0) {
		for (int i = 0; i < n; i++) {
			s = e[i].data.ptr;
			if (s == &door) {
				s = calloc(1, sizeof(*s));
				s->fd = accept4(door.fd, NULL, NULL, SOCK_NONBLOCK);
				watch(epoll, s);
			} else if (!on_input(s)) {
				close(s->fd);
				free(s);
			}
		}
	}
	close(door.fd);
	return 0;
}
