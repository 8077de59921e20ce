/*
 * base/outside.h - somebody who plays the world outside of the program: clients of a server (runtime/explore/socket.c).
 *
 * He acts only when the program waits for something that no thread of its own can bring about, so what he
 * does comes at the same moment in each execution.
 *
 * Thread rule: as in rt.h.
 */
#ifndef PD_RUNTIME_BASE_OUTSIDE_H
#define PD_RUNTIME_BASE_OUTSIDE_H

#include "runtime/base/rt.h"
#include <sys/socket.h>
#include <sys/uio.h>

/* Each may be NULL. */
struct pd_outside {
	/* The program waits. True: something has happened, so that it may look again */
	bool (*act)(void);
	/* It has received so many bytes; peek: it will receive them again */
	void (*received)(int fd, const struct iovec *v, int n, size_t bytes, bool peek);
	/* Whether a descriptor leads there */
	bool (*is_ours)(int fd);
	/* It is told the address of the other end, which has room for so many bytes */
	void (*name)(int fd, struct sockaddr *addr, socklen_t *n, socklen_t room);
};

extern PD_OWN struct pd_outside pd_outside;

#endif
