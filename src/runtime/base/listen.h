/*
 * listen.h - the one seam between the access path and everything that observes it.
 *
 * A room acts and announces here what it does; it does not know who listens. Engines that watch,
 * the crash engine, torn stores, coverage, confirming, the trace, and the model and the shadow
 * themselves are listeners: structs of functions, of which each sets those that it needs. The
 * session, and the code that begins an execution, adds them once the mode is known; they are called
 * in the order in which they were added. The list below is all that can be heard, in about the
 * order in which it happens. `-ing`: it is about to happen; `-ed`: it has.
 *
 * Events (event.def) are heard by kind: a listener has a set of kinds that it wants, and may change
 * it at any time. `heard` has one bit per listener for each kind; so where nobody listens, an event
 * costs one test of a byte, and each of the others one test of a count.
 *
 * An engine that watches receives nearly every access of a run, so the way there must be short.
 * Where exactly one listener hears a kind, and it is an observer (engine/observer.h), the kind is
 * in `direct`: hooks then pass the event to the engine themselves, with the frame that they were
 * called from, which is the cheapest way to its place (access/announce.h).
 *
 * Invariants:
 *  1. Offsets are homes: distances from the start of the window (pm/pool.h).
 *  2. `direct` has only kinds whose `heard` is the observer's bit.
 *  3. A listener is added once. Snapshots keep theirs.
 *
 * Thread rule: as in rt.h.
 */
#ifndef PD_RUNTIME_BASE_LISTEN_H
#define PD_RUNTIME_BASE_LISTEN_H

#include "runtime/base/rt.h"

struct pd_known;
struct pd_observer;
struct pd_thread;

enum { PD_LISTENERS = 16 };

/* Kinds that the access path reports. */
#define PD_EV_ACCESSES                                                                             \
	(PD_EV_BIT(LOAD) | PD_EV_BIT(STORE) | PD_EV_BIT(NTSTORE) | PD_EV_BIT(RMW) |                \
	 PD_EV_BIT(RMW_FAILED) | PD_EV_BIT(CLFLUSH) | PD_EV_BIT(CLFLUSHOPT) | PD_EV_BIT(CLWB) |    \
	 PD_EV_BIT(SFENCE) | PD_EV_BIT(MFENCE) | PD_EV_BIT(LFENCE) | PD_EV_BIT(CFENCE) |           \
	 PD_EV_BIT(ATOMIC_LOAD) | PD_EV_BIT(ATOMIC_STORE) | PD_EV_BIT(ATOMIC_RMW))

/* clang-format off */
#define PD_LISTEN(X)                                                                               \
	/* A thread is about to load these bytes of PM; others may run before it does */           \
	X(loading, (uint64_t off, size_t n, uint32_t site), (off, n, site))                        \
	/* It has read memory; what the model says of the bytes comes now */                       \
	X(loaded, (uint64_t off, size_t n, uint32_t site), (off, n, site))                         \
	/* Bytes in one block: the model is about to be asked, if there is one, and has answered */\
	X(deciding, (uint64_t off, size_t n, uint32_t site), (off, n, site))                       \
	X(decided, (uint64_t off, const void *bytes, size_t n, uint32_t site),                     \
	  (off, bytes, n, site))                                                                   \
	/* A store is about to take effect; has taken effect, and the model knows it */            \
	X(storing, (uint64_t off, const void *data, size_t n, uint32_t site), (off, data, n, site))\
	X(stored, (uint64_t off, size_t n, uint32_t site), (off, n, site))                         \
	/* What a crash here would leave has changed: part of a store, a name or size of a file */ \
	X(changed, (void), ())                                                                     \
	/* Bytes that memory holds and nobody is known to have stored */                           \
	X(blind, (uint64_t off, const uint8_t *bytes, size_t n), (off, bytes, n))                  \
	/* A store enters its thread's buffer; the oldest one there leaves it (access/tso.h) */    \
	X(buffered, (uint64_t off, size_t n, uint32_t site), (off, n, site))                       \
	X(unbuffered, (void), ())                                                                  \
	/* A thread is about to flush or (off is 0) to fence; others may run before it does */     \
	X(persisting, (uint64_t off, bool fence), (off, fence))                                    \
	/* The flush of a line is about to take effect; has. Immediately: clflush */                   \
	X(flushing, (uint64_t off, uint32_t site), (off, site))                                    \
	X(flushed, (uint64_t off, bool at_once, uint32_t site), (off, at_once, site))              \
	X(fenced, (uint32_t site), (site))                                                         \
	/* What comes next, an event of this kind, makes stores certain, or is the end */          \
	X(point, (enum pd_event_kind kind, uint32_t site), (kind, site))                           \
	/* Bytes are cut off a file; it has them still */                                          \
	X(cut, (uint64_t off, uint64_t n), (off, n))                                               \
	/* What the program says (perdure.h): a checksum of a range, a condition that fails */     \
	X(checksum, (bool begin, uint64_t off, uint64_t n, bool matched), (begin, off, n, matched))\
	X(check_failed, (const char *text, const char *file, int line), (text, file, line))        \
	/* A thread is about to be made; its function has ended, it has not */                     \
	X(thread_making, (void), ())                                                               \
	X(thread_ending, (struct pd_thread *t), (t))                                               \
	/* The world outside the program is asked: it may answer otherwise next time */            \
	X(asked_outside, (void), ())                                                               \
	/* The process is about to replace itself; to fork; and then, in the child */              \
	X(leaving, (void), ())                                                                     \
	X(forking, (void), ())                                                                     \
	X(forked, (void), ())                                                                      \
	/* It calls _exit; it has ended in an orderly way */                                       \
	X(exiting, (int status), (status))                                                         \
	X(ended, (void), ())                                                                       \
	/* Something was not seen or not understood; the channel has counted it */                 \
	X(lost, (enum pd_loss kind, uint32_t site, const char *what), (kind, site, what))          \
	/* The runtime gives up, with a line that says why; the machine has no more processes */   \
	X(failing, (int status, const char *text), (status, text))                                 \
	X(starved, (int err), (err))
/* clang-format on */

struct pd_listener {
	uint64_t wants; /* PD_EV_BIT(...): kinds for `event`, initially */
	void (*event)(struct pd_event *e);
	struct pd_observer *observer; /* what `event` passes to, if it does nothing else; or NULL */
	/* Also in the child of a fork, which has no session but the same memory */
	bool stays;
	bool takes_quiet; /* does not need loads that it has declared quiet (quiet.h) */
#define PD_LISTEN_FIELD(name, params, args) void(*name) params;
	PD_LISTEN(PD_LISTEN_FIELD)
#undef PD_LISTEN_FIELD
};

struct pd_listen {
	uint64_t direct; /* kinds that go straight to the observer */
	struct pd_observer *observer;
	struct pd_known *known; /* loads that the observer need not get; NULL: it gets all */
	bool deaf;		/* the observer is the only listener, and wants no load */
	bool takes_quiet;	/* so do all that hear loads */
	uint16_t heard[PD_EV_N];
	uint32_t n;
	const struct pd_listener *listener[PD_LISTENERS];
#define PD_LISTEN_LIST(name, params, args)                                                         \
	struct {                                                                                   \
		uint32_t n;                                                                        \
		void(*fn[PD_LISTENERS]) params;                                                    \
	} name;
	PD_LISTEN(PD_LISTEN_LIST)
#undef PD_LISTEN_LIST
};

extern PD_OWN struct pd_listen pd_listen;

/* Adds a listener; the struct is not copied. */
void pd_listen_add(const struct pd_listener *l);

/* Changes the kinds that a listener wants. */
void pd_listen_wants(const struct pd_listener *l, uint64_t wants);

/* In the child of the program's own fork: announces it, then keeps only the listeners that stay. */
void pd_listen_in_child(void);

/*
 * Names or sizes of PM files are about to change, durably: the last moment at which a crash leaves
 * the old ones.
 */
void pd_rt_files_change(void);

/* Announces an event; tid is set. Most kinds have one listener, which is called directly. */
void pd_listen_several(struct pd_event *e);

static inline void pd_listen_event(struct pd_event *e)
{
	uint32_t who = pd_listen.heard[e->kind];

	if (who & (who - 1))
		pd_listen_several(e);
	else if (who)
		pd_listen.listener[__builtin_ctz(who)]->event(e);
}

/* pd_listen_loading(off, n, site), and so on: calls all listeners. */
#define PD_LISTEN_CALL(name, params, args)                                                         \
	void pd_listen_all_##name params;                                                          \
	static inline void pd_listen_##name params                                                 \
	{                                                                                          \
		if (pd_unlikely(pd_listen.name.n))                                                 \
			pd_listen_all_##name args;                                                 \
	}
PD_LISTEN(PD_LISTEN_CALL)
#undef PD_LISTEN_CALL

#endif
