/*
 * perdure_oracle.h - rules of your own for `perdure lint --oracle YOURS.so[=ARGUMENTS]`.
 *
 * An oracle is a shared library that exports one object:
 *
 *	const struct pdo_oracle perdure_oracle = {
 *		.version = PDO_VERSION, .name = "my-rule", .create = ..., .event = ..., .end = ...,
 *	};
 *
 * perdure loads it and calls create once, then event for everything that the program does to PM, in
 * order, and end when the program has ended. During these calls the oracle may query the host about
 * the state of PM and about places, and report violations of its rule. It runs in perdure's
 * process, never in the program's: it may use all of libc, and works with instrumented programs and
 * unmodified binaries alike. Build it with `cc -shared -fPIC`; it needs this header and nothing
 * else. docs/oracles.md is a tutorial.
 *
 * The version increases when a change breaks oracles; perdure refuses oracles of another version.
 * Fields may be added at the end of structs without that: `size` of pdo_host and pdo_event gives
 * the size of the host's struct.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef PERDURE_ORACLE_H
#define PERDURE_ORACLE_H

#include <stdint.h>

#define PDO_VERSION 1

enum pdo_kind {
	PDO_STORE,   /* addr, size, data */
	PDO_NTSTORE, /* the same, bypassing the cache */
	/* A locked instruction that stored: data is the new content; it is also a fence */
	PDO_RMW,
	PDO_LOAD, /* addr, size, data */
	/* addr: a line of 64 bytes; clwb and clflushopt take effect at the next fence */
	PDO_FLUSH,
	PDO_CLFLUSH,   /* the same, with immediate effect */
	PDO_FENCE,     /* sfence, mfence, and locked instructions that did not store to PM */
	PDO_MSYNC,     /* addr, size */
	PDO_MAP,       /* addr, size: a PM file is mapped */
	PDO_UNMAP,     /* addr, size */
	PDO_MARK,      /* text, size: pd_mark() */
	PDO_DURABLE,   /* addr, size: pd_durable() */
	PDO_TX_BEGIN,  /* this thread opens a transaction, or a nested one */
	PDO_TX_ADD,    /* addr, size: logged in this thread's transaction */
	PDO_TX_REMOVE, /* addr, size: removed from it */
	PDO_TX_END,    /* the innermost one ends */
	PDO_THREAD,    /* a thread is created */
	PDO_KINDS
};

struct pdo_event {
	uint32_t size_of; /* size of this struct in bytes */
	uint32_t kind;	  /* enum pdo_kind; ignore unknown kinds */
	uint32_t thread;
	uint32_t place; /* where in the program; pass it to report() and frame() */
	uint64_t addr;	/* in PM: see where(); PDO_OUTSIDE is set for other memory */
	uint64_t size;
	/* The `size` bytes that were stored or loaded; the text; or NULL. Valid only during the
	 * call */
	const void *data;
};

#define PDO_OUTSIDE (1ULL << 63)

/* What is not durable in a range, before the current event takes effect. */
struct pdo_state {
	uint64_t dirty;	  /* bytes stored but not flushed */
	uint64_t pending; /* bytes flushed, or stored past the cache, but not fenced */
	uint32_t writer;  /* place of the last store to the first of those bytes, or to the range */
	uint32_t flusher; /* place of the flush of the first pending byte */
};

struct pdo_frame {
	const char *function; /* NULL: unknown; valid until the next call of frame() */
	const char *file;
	uint32_t line;
};

enum pdo_severity { PDO_CORRECTNESS, PDO_PERFORMANCE, PDO_NOTE };

/* The role of a place in a report. */
enum pdo_role {
	PDO_AT_STORE,
	PDO_AT_LOAD,
	PDO_AT_FLUSH,
	PDO_AT_FENCE,
	PDO_AT_LOG,
	PDO_AT_TX,
	PDO_AT_CHECK
};

struct pdo_site {
	uint32_t role; /* enum pdo_role */
	uint32_t place;
};

/* Reports with the same message text and sites are counted, not repeated. */
struct pdo_report {
	uint32_t severity;   /* enum pdo_severity */
	const char *message; /* one sentence */
	const char *fix;     /* one sentence, or NULL */
	uint32_t nsites; /* the first one is the place of the error; only the first 6 are used */
	const struct pdo_site *sites;
};

struct pdo_host {
	uint32_t size_of;
	uint32_t version;
	void *self; /* pass it to each function */
	struct pdo_state (*state)(void *self, uint64_t addr, uint64_t size);
	/* The PM file that contains this byte, and its offset there; NULL: none. The name is valid
	 * as long as the host. */
	const char *(*where)(void *self, uint64_t addr, uint64_t *offset);
	/* A frame of a place, 0 is the innermost. Returns 0 if there is none. */
	int (*frame)(void *self, uint32_t place, uint32_t depth, struct pdo_frame *to);
	void (*report)(void *self, const struct pdo_report *r);
};

struct pdo_oracle {
	uint32_t version; /* PDO_VERSION */
	const char *name; /* short; shown in findings */
	/* The arguments are the text after '=' on the command line, or "". On failure, writes the
	 * reason to stderr and returns NULL. */
	void *(*create)(const struct pdo_host *host, const char *arguments);
	void (*event)(void *oracle, const struct pdo_event *e);
	/* The program has ended normally; NULL: nothing to do */
	void (*end)(void *oracle);
	void (*destroy)(void *oracle); /* NULL: nothing to do */
};

#endif
