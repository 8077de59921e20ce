/*
 * explore/socket.c - clients of a server, on a loop-back of our own. See explore.h; event/script.h
 * has what they do.
 *
 * Where the program binds a TCP socket to the port of the script, it gets a local one of the
 * kernel's in its place (AF_UNIX, with a name that nobody else has). So listening, waiting by poll,
 * select and epoll, with and without blocking, are what they are, in code that is not instrumented,
 * too; and there is no network. A client is a socket of ours that connects there. It acts when the
 * program waits and none of its threads can run (base/outside.h): answers are taken away, or the
 * next line of the script is done, one at a time. When there are no more, all connections are
 * closed. When the program waits after that, it is ended: by SIGTERM, if it has a handler for that,
 * else, or when it waits again, by exit(0).
 *
 * Descriptors are shared by snapshots. So the checkpoint comes before the first of them that a
 * server waits with: each run makes its own.
 *
 * Whose bytes a descriptor receives is asked of the kernel: clients have names with their number in
 * them.
 */
#include "base/out.h"
#include "runtime/base/outside.h"
#include "runtime/base/raw.h"
#include "runtime/base/real.h"
#include "runtime/explore/explore.h"
#include "runtime/session/session.h"
#include "runtime/symbolic/symbolic.h"
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <unistd.h>

enum {
	FIRST_PORT = 40000,
	ANY_PORT = 39999, /* of a server that asks for any */
	SERVER = -1,
	NOBODY = -2,
};

enum stage { PLAYING, CLOSING, ASKING, ENDING };

static struct {
	struct pd_script script;
	const struct pd_explore_source *source; /* of its symbolic bytes; NULL: they are fixed */
	bool on;
	bool bound;
	uint16_t port; /* as the program sees it */
	uint32_t next; /* step */
	uint32_t sent; /* bytes of that step so far */
	enum stage stage;
	struct {
		int fd; /* 0: not open */
		bool gone;
		uint32_t got; /* bytes that the program has received */
	} client[PD_SCRIPT_CONNECTIONS];
} net PD_TABLE;

/* ---- names ---------------------------------------------------------------------------------- */

/* "@perdure-PID-NUMBER", of this process. */
static socklen_t name_of(struct sockaddr_un *to, int number)
{
	struct pd_outbuf b;

	memset(to, 0, sizeof(*to));
	to->sun_family = AF_UNIX;
	pd_outbuf_init(&b, to->sun_path + 1, sizeof(to->sun_path) - 1);
	pd_outf(&b.out, "perdure-%u-%d", (unsigned)pd_raw(SYS_getpid, 0, 0, 0, 0, 0, 0), number);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(to->sun_path + 1));
}

/* Whose name it is: a client's, the SERVER's, or NOBODY's of ours. */
static int who_is(const struct sockaddr_un *a, socklen_t n)
{
	struct sockaddr_un is;

	if (n <= offsetof(struct sockaddr_un, sun_path) + 1 || a->sun_family != AF_UNIX)
		return NOBODY;
	for (int i = SERVER; i < (int)net.script.nconnections; i++)
		if (name_of(&is, i) == n && memcmp(&is, a, n) == 0)
			return i;
	return NOBODY;
}

static int ask_name(long call, int fd)
{
	struct sockaddr_un a;
	socklen_t n = sizeof(a);

	return net.on && pd_raw(call, fd, (long)&a, (long)&n, 0, 0, 0) == 0
		       ? who_is(&a, PD_MIN(n, (socklen_t)sizeof(a)))
		       : NOBODY;
}

static bool is_ours(int fd)
{
	return ask_name(SYS_getsockname, fd) == SERVER;
}

bool pd_sockets_is_source(int fd)
{
	return net.source && ask_name(SYS_getpeername, fd) >= 0;
}

/* The address that the program gets: one of 127.0.0.1. */
static void tell_name(int who, struct sockaddr *addr, socklen_t *n, socklen_t room)
{
	struct sockaddr_in in = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};

	if (who == NOBODY)
		return;
	in.sin_port = who == SERVER ? net.port : htons((uint16_t)(FIRST_PORT + who));
	memcpy(addr, &in, PD_MIN(room, (socklen_t)sizeof(in)));
	*n = sizeof(in);
}

static void tell_peer(int fd, struct sockaddr *addr, socklen_t *n, socklen_t room)
{
	tell_name(ask_name(SYS_getpeername, fd), addr, n, room);
}

/* ---- clients -------------------------------------------------------------------------------- */

static bool open_client(int number)
{
	struct sockaddr_un own, server;
	socklen_t nown = name_of(&own, number), nserver = name_of(&server, SERVER);
	long low =
		pd_raw(SYS_socket, AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, 0, 0, 0);
	/* In our own range, out of the program's way */
	long fd = pd_raw(SYS_fcntl, low, F_DUPFD_CLOEXEC, pd_session.pipe, 0, 0, 0);

	pd_raw_close((int)low);
	if (fd < 0)
		pd_rt_fail(4, "no descriptor for a client of the script");
	if (pd_raw(SYS_bind, fd, (long)&own, nown, 0, 0, 0) ||
	    pd_raw(SYS_connect, fd, (long)&server, nserver, 0, 0, 0)) {
		pd_raw_close((int)fd); /* the program does not listen yet, or no longer does */
		return false;
	}
	net.client[number].fd = (int)fd;
	return true;
}

static void close_client(int number)
{
	if (net.client[number].fd) {
		/* Another process may have a copy of it: a recovery that is split off */
		pd_raw(SYS_shutdown, net.client[number].fd, SHUT_RDWR, 0, 0, 0, 0);
		pd_raw_close(net.client[number].fd);
	}
	net.client[number].fd = 0;
	net.client[number].gone = true;
}

/* Discards what the server has answered. */
static bool take_answers(void)
{
	char buf[4096];
	bool any = false;

	for (uint32_t i = 0; i < net.script.nconnections; i++)
		while (net.client[i].fd && pd_raw(SYS_recvfrom, net.client[i].fd, (long)buf,
						  sizeof(buf), MSG_DONTWAIT, 0, 0) > 0)
			any = true;
	return any;
}

static uint8_t byte_at(uint32_t at)
{
	uint32_t symbolic = net.script.symbolic[at];

	return symbolic && net.source ? pd_symbolic.input[net.source->first + symbolic - 1]
				      : net.script.byte[at];
}

/* Sends as much of a packet as the connection takes. */
static void send_packet(const struct pd_script_step *s)
{
	uint8_t buf[PD_SCRIPT_BYTES];
	uint32_t n = s->n - net.sent;
	long r;

	for (uint32_t i = 0; i < n; i++)
		buf[i] = byte_at(s->first + net.sent + i);
	r = pd_raw(SYS_sendto, net.client[s->connection].fd, (long)buf, n,
		   MSG_NOSIGNAL | MSG_DONTWAIT, 0, 0);
	if (r == -EAGAIN)
		return;
	if (r < 0) /* the server has closed it: the rest is not sent */
		close_client(s->connection);
	else
		net.sent += (uint32_t)r;
}

/* Executes one line of the script. False: that is not possible now. */
static bool play(void)
{
	const struct pd_script_step *s = &net.script.step[net.next];
	int c = s->connection;

	if (!net.client[c].gone && !net.client[c].fd)
		return open_client(c);
	if (s->closes)
		close_client(c);
	else if (!net.client[c].gone)
		send_packet(s);
	if (net.client[c].gone || net.sent == s->n) {
		net.next++;
		net.sent = 0;
	}
	return true;
}

static bool ask_to_end(void)
{
	struct sigaction a;

	net.stage = ENDING;
	if (sigaction(SIGTERM, NULL, &a) != 0 || a.sa_handler == SIG_DFL || a.sa_handler == SIG_IGN)
		return false;
	raise(SIGTERM);
	return true;
}

/* The program waits. */
static bool act(void)
{
	if (!net.bound)
		return false;
	if (pd_outside.over)
		exit(0);
	if (take_answers())
		return true;
	if (net.next < net.script.nsteps)
		return play();
	if (net.stage == PLAYING) {
		net.stage = CLOSING;
		for (uint32_t i = 0; i < net.script.nconnections; i++)
			close_client((int)i);
		return true;
	}
	if (net.stage == CLOSING && ask_to_end())
		return true;
	exit(0);
}

/* ---- labels --------------------------------------------------------------------------------- */

static void label(uint8_t *p, uint32_t connection, uint32_t at)
{
	int32_t i = pd_script_at(&net.script, connection, at);

	if (i < 0 || !net.script.symbolic[i]) {
		pd_labels_clear(p, 1);
		return;
	}
	pd_labels_input(p, 1, net.source->first + net.script.symbolic[i] - 1u);
	pd_sources_note(net.source, net.script.symbolic[i]);
}

static void received(int fd, const struct iovec *v, int n, size_t bytes, bool peek)
{
	int c = ask_name(SYS_getpeername, fd);
	uint32_t at;

	if (c < 0)
		return;
	at = net.client[c].got;
	for (int i = 0; i < n && bytes; i++)
		for (size_t k = 0; k < v[i].iov_len && bytes; k++, bytes--)
			label((uint8_t *)v[i].iov_base + k, (uint32_t)c, at++);
	if (!peek)
		net.client[c].got = at;
}

/* ---- what the program calls ----------------------------------------------------------------- */

static bool is_port(int fd, const struct sockaddr *a, socklen_t n)
{
	int type = 0;
	socklen_t size = sizeof(type);

	if (!net.on || !a || n < sizeof(struct sockaddr_in) ||
	    (a->sa_family != AF_INET && a->sa_family != AF_INET6) ||
	    getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) != 0 || type != SOCK_STREAM)
		return false;
	/* The port is at the same offset in both */
	return !net.script.port ||
	       ((const struct sockaddr_in *)a)->sin_port == htons((uint16_t)net.script.port);
}

/* Turns the descriptor into a local socket, with the same flags. */
static int replace(int fd)
{
	struct sockaddr_un a;
	socklen_t n = name_of(&a, SERVER);
	long flags = pd_raw(SYS_fcntl, fd, F_GETFL, 0, 0, 0, 0),
	     on_exec = pd_raw(SYS_fcntl, fd, F_GETFD, 0, 0, 0, 0),
	     to = pd_raw(SYS_socket, AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, 0, 0, 0);

	if (to < 0 || pd_raw(SYS_bind, to, (long)&a, n, 0, 0, 0) ||
	    pd_raw(SYS_dup3, to, fd, on_exec & FD_CLOEXEC ? O_CLOEXEC : 0, 0, 0, 0) < 0)
		pd_rt_fail(4, "no socket for the clients of the script");
	pd_raw_close((int)to);
	pd_raw(SYS_fcntl, fd, F_SETFL, flags, 0, 0, 0);
	net.bound = true;
	return 0;
}

PD_EXPORT int bind(int fd, const struct sockaddr *a, socklen_t n)
{
	if (!is_port(fd, a, n))
		return PD_REAL(bind)(fd, a, n);
	if (net.bound) { /* as IPv4 and IPv6 may exclude each other */
		errno = EADDRINUSE;
		return -1;
	}
	net.port = ((const struct sockaddr_in *)a)->sin_port;
	if (!net.port)
		net.port = htons(ANY_PORT);
	return replace(fd);
}

/* Options of TCP have no effect here. */
PD_EXPORT int setsockopt(int fd, int level, int name, const void *v, socklen_t n)
{
	if (net.on && level != SOL_SOCKET && (is_ours(fd) || ask_name(SYS_getpeername, fd) >= 0))
		return 0;
	return PD_REAL(setsockopt)(fd, level, name, v, n);
}

PD_EXPORT int getsockname(int fd, struct sockaddr *restrict a, socklen_t *restrict n)
{
	socklen_t room = n ? *n : 0;
	int r = PD_REAL(getsockname)(fd, a, n);

	if (net.on && r == 0)
		tell_name(ask_name(SYS_getsockname, fd), a, n, room);
	return r;
}

PD_EXPORT int getpeername(int fd, struct sockaddr *restrict a, socklen_t *restrict n)
{
	socklen_t room = n ? *n : 0;
	int r = PD_REAL(getpeername)(fd, a, n);

	if (net.on && r == 0)
		tell_peer(fd, a, n, room);
	return r;
}

/* ---- descriptors that each run has to have for itself ---------------------------------------- */

#define OWN(name, params, args)                                                                    \
	PD_EXPORT int name params                                                                  \
	{                                                                                          \
		if (pd_unlikely(net.source != NULL))                                               \
			pd_symbolic_use();                                                         \
		return PD_REAL(name) args;                                                         \
	}

OWN(socket, (int domain, int type, int protocol), (domain, type, protocol))
OWN(socketpair, (int domain, int type, int protocol, int fd[2]), (domain, type, protocol, fd))
OWN(epoll_create, (int n), (n))
OWN(epoll_create1, (int flags), (flags))
OWN(eventfd, (unsigned n, int flags), (n, flags))
OWN(timerfd_create, (clockid_t clock, int flags), (clock, flags))
OWN(signalfd, (int fd, const sigset_t *mask, int flags), (fd, mask, flags))
OWN(pipe, (int fd[2]), (fd))
OWN(pipe2, (int fd[2], int flags), (fd, flags))

void pd_sockets_start(const char *text, size_t n, const struct pd_explore_source *s)
{
	const char *why = "";
	uint32_t line = 0;

	if (!pd_script_parse(&net.script, text, n, &line, &why))
		pd_rt_fail(2, "line %u of the script of sockets: %s", line, why);
	net.source = s;
	net.on = true;
	pd_outside = (struct pd_outside){
		.act = act,
		.received = s ? received : NULL,
		.is_ours = is_ours,
		.over = pd_outside.over,
		.name = tell_peer,
	};
}
