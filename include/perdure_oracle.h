/*
 * perdure_oracle.h - rules of your own for `perdure lint --oracle YOURS.so[=ARGUMENTS]`.
 *
 * An oracle is a shared library that exports one object:
 *
 *	const struct pdo_oracle perdure_oracle = {
 *		.version = PDO_VERSION, .name = "my-rule", .create = ..., .event = ..., .end = ...,
 *	};
 *
 * perdure loads it, calls create once, then event for everything that the program does to PM, in
 * order, and end when the program has ended. In between the oracle may ask the host about the state
 * of PM and about places, and report what breaks its rule. It runs in perdure's process, never in
 * the program's: it may use all of libc, and works with instrumented programs and with unmodified
 * binaries alike. Build it with `cc -shared -fPIC`; it needs this header and nothing else.
 * docs/oracles.md is a tutorial.
 *
 * The version counts changes that break oracles; perdure refuses another one than its own. Fields
 * may be added at the end of structs without that: `size` of pdo_host and pdo_event says how many
 * bytes there are.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef PERDURE_ORACLE_H
#define PERDURE_ORACLE_H

#include <stdint.h>

#define PDO_VERSION 1

enum pdo_kind {
	PDO_STORE,   /* addr, size, data */
	PDO_NTSTORE, /* the same, past the cache */
	/* A locked instruction that has written: data is what is there now; it is a fence */
	PDO_RMW,
	PDO_LOAD, /* addr, size, data */
	/* Addr: a line of 64 bytes; clwb and clflushopt take effect at the next fence */
	PDO_FLUSH,
	PDO_CLFLUSH,   /* the same, immediately */
	PDO_FENCE,     /* sfence, mfence, and locked instructions that did not write PM */
	PDO_MSYNC,     /* addr, size */
	PDO_MAP,       /* addr, size: a PM file is mapped */
	PDO_UNMAP,     /* addr, size */
	PDO_MARK,      /* text, size: pd_mark() */
	PDO_DURABLE,   /* addr, size: pd_durable() */
	PDO_TX_BEGIN,  /* this thread opens a transaction, or one inside another */
	PDO_TX_ADD,    /* addr, size: logged in this thread's transaction */
	PDO_TX_REMOVE, /* addr, size: not any more */
	PDO_TX_END,    /* the innermost one ends */
	PDO_THREAD,    /* a thread is made */
	PDO_KINDS
};

struct pdo_event {
	uint32_t size_of; /* this struct, in bytes */
	uint32_t kind;	  /* enum pdo_kind; ignore what you do not know */
	uint32_t thread;
	uint32_t place; /* where in the program; for report() and frame() */
	uint64_t addr;	/* of PM: see where(); PDO_OUTSIDE is set for other memory */
	uint64_t size;
	/* What was stored or loaded, `size` bytes; the text; or NULL. Valid in the call only */
	const void *data;
};

#define PDO_OUTSIDE (1ULL << 63)

/* What of a range is not durable, before the event that is being reported takes effect. */
struct pdo_state {
	uint64_t dirty;	  /* bytes stored and not flushed */
	uint64_t pending; /* bytes flushed, or stored past the cache, and not fenced */
	uint32_t writer;  /* place of the last store to the first of those, or to the range */
	uint32_t flusher; /* place of the flush of the first pending byte */
};

struct pdo_frame {
	const char *function; /* NULL: not known; valid until the next call of frame() */
	const char *file;
	uint32_t line;
};

enum pdo_severity { PDO_CORRECTNESS, PDO_PERFORMANCE, PDO_NOTE };

/* What a place has to do with it, as reports name it. */
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
	uint32_t nsites;     /* the first one is where it is wrong; at most 6 count */
	const struct pdo_site *sites;
};

struct pdo_host {
	uint32_t size_of;
	uint32_t version;
	void *self; /* give it to each function */
	struct pdo_state (*state)(void *self, uint64_t addr, uint64_t size);
	/* The PM file that has this byte, and where in it; NULL: none. The name lives as long as
	 * the host. */
	const char *(*where)(void *self, uint64_t addr, uint64_t *offset);
	/* A frame of a place, 0 is the innermost; 0: there is none. */
	int (*frame)(void *self, uint32_t place, uint32_t depth, struct pdo_frame *to);
	void (*report)(void *self, const struct pdo_report *r);
};

struct pdo_oracle {
	uint32_t version; /* PDO_VERSION */
	const char *name; /* short; findings carry it */
	/* The arguments are what follows '=' on the command line, or "". NULL: write why to stderr
	 * before. */
	void *(*create)(const struct pdo_host *host, const char *arguments);
	void (*event)(void *oracle, const struct pdo_event *e);
	/* The program has ended in an orderly way; NULL: nothing to do */
	void (*end)(void *oracle);
	void (*destroy)(void *oracle); /* NULL: nothing to do */
};

#endif
