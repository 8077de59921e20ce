/*
 * thread.h - a thread of the tested program; shared by the parts that create, end and stop it.
 *
 * Driven, a thread is born and buried by glibc but lives as a coroutine. pthread_create asks glibc
 * for a real thread, so TLS, pthread_self, the stack and all that glibc keeps about a thread are
 * right. The first thing its kernel thread does is to save its registers and exit (exit(2), with
 * the address that the kernel would clear moved aside so that glibc does not notice). From then on
 * the one remaining kernel thread runs it by switching stack, callee-saved registers,
 * floating-point control and the FS base. When its function is done, and every destructor that
 * could run code of the program with it, it is buried (thread/kernel.c). So a fork at any moment in
 * between has the whole program in it, with all its threads.
 *
 * Invariants:
 *  1. Exactly one kernel thread runs code of the program, and code that the program can replace:
 *     the scheduler's. thread/door.h knows it, and turns others away.
 *  2. `number` is never used again; `tid` is number + a base, so it is the same in every execution.
 *  3. A thread is in the scheduler's live list from its creation to its burial.
 *
 * Thread rule: driven, one kernel thread, nothing is locked. Alone, none of this exists.
 */
#ifndef PD_RUNTIME_THREAD_THREAD_H
#define PD_RUNTIME_THREAD_THREAD_H

#include "base/types.h"
#include "event/wait.h"
#include "runtime/base/rt.h"
#include "runtime/thread/door.h"
#include <pthread.h>
#include <signal.h>

enum pd_thread_state {
	PD_THREAD_RUNNABLE,
	PD_THREAD_BLOCKED,
	PD_THREAD_DONE, /* ended and buried; kept until it is joined */
};

/* Why a blocked thread runs again. */
enum pd_wake {
	PD_WAKE_NORMAL,
	PD_WAKE_TIMEOUT,
	PD_WAKE_INTERRUPT, /* a signal or a cancellation arrived: check both, then decide */
};

#define PD_NEVER UINT64_MAX

struct pd_thread {
	void *sp;     /* saved context while another thread runs */
	uintptr_t fs; /* == (uintptr_t)real */
	pthread_t real;
	uint32_t number;
	uint32_t tid; /* what the program and glibc see, in gettid and in lock words */
	uint32_t creator;
	uint32_t slot; /* its index in the scheduler's live list */
	uint32_t hold; /* see pd_sched_hold; kept here while another thread runs */
	uint8_t state; /* enum pd_thread_state */
	uint8_t wait;  /* enum pd_wait */
	uint8_t woken; /* enum pd_wake */
	bool detached;
	bool ended;	    /* its function and destructors are done */
	bool buried;	    /* glibc has ended it, too: it can be joined for real */
	bool async_type;    /* PTHREAD_CANCEL_ASYNCHRONOUS */
	bool cancel_off;    /* PTHREAD_CANCEL_DISABLE */
	bool handled;	    /* a handler ran since it blocked */
	bool eintr;	    /* of which one does not restart what it interrupted */
	bool cancel_asap;   /* cancelled while asynchronous: act when it runs next */
	uint32_t wait_bits; /* futex bitset */
	const void *wait_on;
	uint64_t wait_seq; /* order of blocking: first in, first out */
	uint64_t deadline; /* virtual time, or PD_NEVER */
	uint32_t spins;	   /* atomic loads since it last did anything else */
	bool flushing;	   /* its next event is a flush of PM */
	uint32_t asked;	   /* operations on locks and the like since it began to run */
	bool tired;	   /* it loops: others run at its next step */
	/* The frame that called the thread's function: the program's frames are below it; 0:
	 * main */
	uintptr_t base;
	uintptr_t low;	  /* where its stack begins */
	uint32_t in_libc; /* its accesses to PM are libc's, to the words of a lock */
	/* What an engine that watches knows of its loads; NULL: not asked yet */
	const struct pd_known_thread *known;
	struct pd_thread *joiner;
	void *(*fn)(void *);
	void *arg;
	void *ret; /* return value of its function; of main: the argument of pthread_exit */
	bool returned;
	int gone; /* cleared by the kernel when the kernel thread of its birth has exited */
	/* Signal state of the kernel thread, swapped in where threads differ */
	uint64_t mask;
	uint64_t pending; /* pthread_kill from another thread, bit sig - 1 */
	stack_t altstack;
	/* Robust mutexes held */
	pthread_mutex_t **robust;
	uint32_t nrobust;
	uint32_t robust_cap;
	struct pd_thread *next; /* in the list of all threads, or of free records */
};

/* Initialises the runtime; returns what pd_thread_driven does. */
extern PD_OWN bool pd_thread_ready;
bool pd_thread_start(void);

/* Are threads coroutines? The first line of every interposed function. */
static inline bool pd_thread_driven(void)
{
	if (pd_unlikely(!pd_thread_ready))
		return pd_thread_start();
	return pd_inside();
}

/* For a thread that nothing can name any more: removes it from the list; frees its record. */
void pd_thread_unlist(struct pd_thread *t);
void pd_thread_drop(struct pd_thread *t);

/* In the child of the program's own fork: every thread but the current one is gone. */
void pd_thread_forked(void);

/* thread/fork.c: from the start. */
void pd_thread_watch_fork(void);

/* By pthread_t or by tid; NULL: there is none. */
struct pd_thread *pd_thread_find(pthread_t real);
struct pd_thread *pd_thread_find_tid(uint32_t tid);

/* The number of the thread that has or had this tid in this execution, or -1. */
int64_t pd_thread_number(uint32_t tid);

/*
 * The first tid of this execution, main's; the process id (env.h) unless the session says
 * otherwise, before main. A recovery must not have the tids of the execution that crashed, or a
 * recursive lock left in PM would look like its own.
 */
void pd_thread_tid_base(uint32_t base);

/* After a raw clone, in the child: there is another kernel thread now. */
void pd_thread_cloned(void);

/*
 * glibc's record of a thread has the tid that the program sees, which no snapshot changes: glibc's
 * own locks identify their holder by it (the loader's do, while it allocates). The kernel's tid is
 * there only while glibc asks the kernel something. (thread/kernel.c, thread/ask.c)
 */
void pd_thread_set_tid(struct pd_thread *t, uint32_t tid);
void pd_thread_show_kernel(struct pd_thread *t);
void pd_thread_show_own(struct pd_thread *t);

/* Announces an event of the current thread; obj is a lock or the like, or NULL. */
void pd_thread_emit(uint8_t kind, const void *obj, uint64_t aux);

/* ---- thread/kernel.c ------------------------------------------------------------------------ */

/* Whether free is not glibc's own. */
extern PD_OWN bool pd_thread_own_malloc;

void pd_thread_kernel_start(const struct pd_thread *self);

/* Tests, in a child, whether threads work with this libc; allocates. pd_thread_kernel_check fails
 * if they do not. */
void pd_thread_kernel_test(void);
void pd_thread_kernel_check(void);

/* Creates t with glibc; its kernel thread runs `birth`, which calls pd_thread_park_at_birth and
 * goes on as a coroutine. */
int pd_thread_bear(struct pd_thread *t, const pthread_attr_t *attr, void *(*birth)(void *));
void pd_thread_park_at_birth(struct pd_thread *self);

/* Lets glibc end a thread that will never run again. */
void pd_thread_bury(struct pd_thread *t);

/* glibc's join of a buried thread. */
int pd_thread_join_real(struct pd_thread *t, void **ret);

/* For a detached thread that is buried; pd_thread_join_ghosts, which allocates, frees what glibc
 * holds of it. */
void pd_thread_forget(struct pd_thread *t);
void pd_thread_join_ghosts(void);
void pd_thread_forget_ghosts(void);

/* glibc's own count of threads, NULL: it is hidden; and whether that is more than the scheduler
 * knows. */
unsigned *pd_thread_glibc_count(void);
bool pd_thread_uncounted(void);
/* Threads that glibc may know and the scheduler does not yet */
extern PD_OWN uint32_t pd_thread_births;

/*
 * thread/join.c: glibc's count of threads while main unwinds in pthread_exit, else NULL. glibc then
 * believes that main is the last thread, and a thread that ends meanwhile must not take the count
 * to 0.
 */
extern PD_OWN unsigned *pd_thread_unwinding;

/* thread/key.c: runs the destructors of thread-specific data, as glibc would. */
void pd_thread_run_keys(void);

/* thread/signal.c */
void pd_thread_signals_swap(struct pd_thread *from, struct pd_thread *to);
void pd_thread_signals_inherit(struct pd_thread *t, const pthread_attr_t *attr);
void pd_thread_signals_deliver(struct pd_thread *self);
bool pd_thread_signals_used(void);
void pd_thread_signals_block(uint64_t *old);
void pd_thread_signals_restore(uint64_t old);

/* thread/cancel.c: acts on a cancellation of the current thread, if one is due and enabled. */
void pd_thread_testcancel(void);

/* thread/switch.c: assembly. */
extern uint8_t pd_thread_fsgsbase; /* wrfsbase may be used */
void pd_thread_swap(void **save, void *to, uintptr_t fs);
void pd_thread_park(void **save);
long pd_thread_spawn(unsigned long flags, void *sp, int *ptid, int *ctid, uintptr_t fs);

/* The current thread's number: 0 is main, others count in order of creation. (create.c) */
uint32_t pd_thread_self(void);

/* Announces an event of the current thread, whose number it gets, to all listeners. (create.c) */
void pd_rt_emit(struct pd_event *e);

#endif
