/*
 * base/outside.h - hooks for a simulated outside world, such as the clients of a server
 * (runtime/explore/socket.c).
 *
 * It acts only when the program waits for something that none of its own threads can do, so its
 * actions come at the same moment in each execution.
 *
 * Thread rule: as in rt.h.
 */
#ifndef PD_RUNTIME_BASE_OUTSIDE_H
#define PD_RUNTIME_BASE_OUTSIDE_H

#include "runtime/base/rt.h"
#include <sys/socket.h>
#include <sys/uio.h>

/* Each function may be NULL. */
struct pd_outside {
	/* The program waits. True: something has happened, and it should check again */
	bool (*act)(void);
	/* The program has received `bytes`; peek: it will receive them again */
	void (*received)(int fd, const struct iovec *v, int n, size_t bytes, bool peek);
	/* Whether a descriptor is connected to it */
	bool (*is_ours)(int fd);
	/* This is a recovery: nobody comes any more, a program that waits is at its end */
	bool over;
	/* Sets the address of the peer, in a buffer of `room` bytes */
	void (*name)(int fd, struct sockaddr *addr, socklen_t *n, socklen_t room);
};

extern PD_OWN struct pd_outside pd_outside;

#endif
