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
 * access, sync, file, libc, session, check, linear. What a room does others hear of (listen.h).
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
/* A variable of the runtime's own: where it is need not be looked up. */
#define PD_OWN __attribute__((visibility("hidden")))

/* From the first to the last byte of the runtime itself, as it is loaded. */
extern PD_OWN const char __ehdr_start[], _end[];

static inline bool pd_rt_is_own(uintptr_t at)
{
	return at - (uintptr_t)__ehdr_start < (uintptr_t)(_end - __ehdr_start);
}

/* The order in which the runtime starts: priorities of its constructors. */
#define PD_START_SESSION  101
#define PD_START_THREADS  102
#define PD_START_ZYGOTE	  103 /* waits for orders here: what comes later is done in each execution */
#define PD_START_ANNOUNCE 104
#define PD_START_EXPLORE  105

struct pd_rt {
	bool driven;
	int own_fds;	  /* from this one on, descriptors may be ours; 0: there are none */
	bool large_pages; /* one run, nothing forks: large pages for PM of moderate size pay */
	/* Files that are not PM are kept, too, where they can be mapped shared and written to
	 * (pm/pool_side.c) */
	bool side_files;
	bool side_synced;    /* and what was synced of them, for recoveries */
	bool shares_memory;  /* the program thinks so; a child would have a copy */
	bool takes_requests; /* what a program says to pmemcheck is wanted (access/request.c) */
	bool has_pmdk;	     /* linked statically: the program is one of its libraries, too */
	bool hides_valgrind; /* from all but PMDK's libraries: others go their native way */
	bool must_see;	     /* what stores to PM or flushes it unseen ends the run */
	/* A write call stores: in the page model what it stores to a page is one store */
	bool writing;
	uint32_t needs;	  /* enum pd_build: what all modules must have been built for */
	uint64_t seed;	  /* of the schedule */
	uint64_t numbers; /* seed of the program's random numbers */
	/* Set by the session before main; every choice goes through it */
	struct pd_chooser chooser;
	/* Store buffers (tso.h): operations that wait, and what is set while there may be any. */
	uint32_t buffered;
	void (*drain)(void);	 /* the thread's own take effect; others may run before that */
	void (*drain_now)(void); /* the same, and nobody runs */
	void (*switching)(uint32_t from, uint32_t to);
	void (*tick)(void); /* the thread has an event: something may take effect first */
	/* The call stack of what is taking effect, if that is not the running thread's; or false */
	bool (*stack)(uintptr_t *pc, uint32_t max, uint32_t *n);
	/* The unwinder takes locks: those are no steps of the program's, nor the same in every
	 * run */
	bool unwinding;
	/* What the tool reads; never NULL: without a session a private one */
	struct pd_channel *channel;
};

extern PD_OWN struct pd_rt pd_rt;

/* What this thread has stored is seen by all from here on. */
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
 * Idempotent; every entry from outside that may come before our constructor calls it. The one function
 * here that a higher room defines (session/session.c): nothing can have registered so early.
 */
void pd_rt_init(void);

/* Memory for the runtime itself. */
struct pd_host pd_rt_memory(void);

/* One line on the tool's channel, prefixed "perdure: ", then _exit(status). */
_Noreturn void pd_rt_fail(int status, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The machine lets us have no more threads. To go on would show what the program does on another
 * machine. */
_Noreturn void pd_rt_starved(void);

/* The process ends here: no function of libc's, nobody is asked. */
_Noreturn void pd_rt_leave(int status);

#endif
