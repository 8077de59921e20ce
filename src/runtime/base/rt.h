/*
 * rt.h - what every part of the runtime knows.
 *
 * The runtime is a shared library inside the tested program. It has two modes. Alone (no perdure
 * around): every interposed function passes straight to libc, threads are kernel threads, files are
 * the real files; the program behaves as if it had been compiled by clang. Driven: `perdure`
 * started it with PERDURE_CONTROL in the environment; then PM files live in the overlay, threads
 * are coroutines under our scheduler, time and randomness are fixed, and every event goes to the
 * session.
 *
 * Rooms, each of which knows only those before it (tests/e2e/house.rules): base, thread, place, pm,
 * access, symbolic, sync, file, libc, session, check, linear, explore. A later room learns what an
 * earlier one does by listening (listen.h).
 *
 * Our own memory comes from mappings of our own (pd_rt_memory), never from the program's malloc,
 * and our own file access from raw system calls, never from interposed functions.
 *
 * Thread rule: driven, only one thread of the program runs at a time (it holds the baton), so
 * nothing here is locked; alone, nothing here keeps state that threads share, except where a part
 * says so.
 */
#ifndef PD_RUNTIME_BASE_RT_H
#define PD_RUNTIME_BASE_RT_H

#include "base/arena.h"
#include "base/out.h"
#include "event/abi.h"
#include "event/channel.h"
#include "event/choice.h"
#include "event/event.h"

#define PD_EXPORT __attribute__((visibility("default")))
/* A variable of the runtime's own: needs no symbol lookup. */
#define PD_OWN __attribute__((visibility("hidden")))
/* A table: kept apart from small variables, so that an execution touches few pages of those. */
#define PD_TABLE __attribute__((section(".lbss")))

/* First and last byte of the runtime as loaded. */
extern PD_OWN const char __ehdr_start[], _end[];

static inline bool pd_rt_is_own(uintptr_t at)
{
	return at - (uintptr_t)__ehdr_start < (uintptr_t)(_end - __ehdr_start);
}

/* The order in which the runtime starts: priorities of its constructors. */
#define PD_START_SESSION  101
#define PD_START_THREADS  102
#define PD_START_ZYGOTE	  103 /* waits for orders here: later constructors run in each execution */
#define PD_START_ANNOUNCE 104
#define PD_START_EXPLORE  105

struct pd_rt {
	bool driven;
	int own_fds; /* descriptors from this one on may be ours; 0: none are */
	/* Single run without forks: large pages pay off for PM of moderate size */
	bool large_pages;
	/* Also keep files that are not PM, if they can be mapped shared and written to
	 * (pm/pool_side.c) */
	bool side_files;
	bool side_synced;    /* and what of them was synced, for recoveries */
	bool shares_memory;  /* the program believes so; a child would have a copy */
	bool takes_requests; /* the program's requests to pmemcheck are wanted (access/request.c) */
	bool has_pmdk;	     /* PMDK is linked statically into the program */
	/* From all but PMDK's libraries, so that others behave as without Valgrind */
	bool hides_valgrind;
	bool defect;	   /* it ends because perdure itself is wrong */
	bool must_see;	   /* end the run if code stores to PM or flushes it unseen */
	bool sees_flushes; /* in all loaded code (access/probe.h) */
	/* A write call is storing: in the page model its stores to a page are one store */
	bool writing;
	uint32_t needs;	  /* enum pd_build: what all modules must be built for */
	uint64_t seed;	  /* of the schedule */
	uint64_t numbers; /* seed of the program's random numbers */
	/* Set by the session before main; every choice goes through it */
	struct pd_chooser chooser;
	/* Store buffers (tso.h): number of waiting operations; the functions are set while there
	 * may be any */
	uint32_t buffered;
	/* The thread's own operations take effect; others may run before that */
	void (*drain)(void);
	void (*drain_now)(void); /* the same, and no other thread runs */
	void (*switching)(uint32_t from, uint32_t to);
	void (*tick)(void); /* the thread has an event: an operation may take effect first */
	/* The call stack of an operation that leaves a buffer; false: there is none */
	bool (*stack)(uintptr_t *pc, uint32_t max, uint32_t *n);
	/* The unwinder is running: its locks are no steps of the program, nor the same in every
	 * run */
	bool unwinding;
	/* Shared with the tool; never NULL: without a session a private one */
	struct pd_channel *channel;
};

extern PD_OWN struct pd_rt pd_rt;

/* Makes this thread's stores visible to all. */
static inline void pd_rt_drain(void)
{
	if (pd_unlikely(pd_rt.buffered))
		pd_rt.drain();
}

static inline void pd_rt_drain_now(void)
{
	if (pd_unlikely(pd_rt.buffered))
		pd_rt.drain_now();
}

/*
 * Idempotent; called by every entry point that may run before our constructor. The one function
 * here that a higher room defines (session/session.c): so early nothing can have registered.
 */
void pd_rt_init(void);

/* Memory for the runtime itself. */
struct pd_host pd_rt_memory(void);

/* Prints one line on the tool's channel, prefixed "perdure: ", then calls _exit(status). */
_Noreturn void pd_rt_fail(int status, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* No more threads can be created. Ends the run, since going on would show behaviour of another
 * machine. */
_Noreturn void pd_rt_starved(void);

/* Ends the process without libc and without its exit handlers. */
_Noreturn void pd_rt_leave(int status);

#endif
