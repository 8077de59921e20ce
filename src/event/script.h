/*
 * script.h - what clients send to a server, packet after packet (docs/explore-sockets.md).
 *
 *	port 11211
 *	a: "set k 0 0 2\r\n" <2> "\r\n"
 *	b: "get " <"k"> "\r\n"
 *	a: close
 *
 * A line is a packet of a connection, or closes it. The first line of a connection opens it. Bytes
 * are given as text, or are symbolic: by number, or by initial values.
 */
#ifndef PD_EVENT_SCRIPT_H
#define PD_EVENT_SCRIPT_H

#include "base/types.h"

enum {
	PD_SCRIPT_STEPS = 512,
	PD_SCRIPT_BYTES = 1 << 14,
	PD_SCRIPT_CONNECTIONS = 32,
	PD_SCRIPT_NAME = 24,
	PD_SCRIPT_TEXT = 1 << 16, /* of a file, at most */
};

struct pd_script_step {
	uint16_t connection;
	bool closes;
	uint32_t first, n; /* bytes of it */
};

struct pd_script {
	uint32_t port; /* 0: any */
	uint32_t nconnections, nsteps, nbytes;
	uint32_t nsymbolic; /* bytes */
	struct pd_script_step step[PD_SCRIPT_STEPS];
	char name[PD_SCRIPT_CONNECTIONS][PD_SCRIPT_NAME];
	uint8_t byte[PD_SCRIPT_BYTES]; /* of a symbolic one: its initial value */
	uint16_t symbolic
		[PD_SCRIPT_BYTES]; /* number of the symbolic byte, from 1; 0: it is not symbolic */
};

/* False: malformed; `line` and `why` say where and why. */
bool pd_script_parse(struct pd_script *s, const char *text, size_t n, uint32_t *line,
		     const char **why);

/* The index in `byte` of byte number `at` of all that a connection sends; -1: it sends less. */
int32_t pd_script_at(const struct pd_script *s, uint32_t connection, uint32_t at);

#endif
