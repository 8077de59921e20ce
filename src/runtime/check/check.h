/*
 * check.h - the crash engine inside the tested processes.
 *
 * The first execution runs the program and stops at every crash point: before an instruction that
 * makes something certain, if PM was stored to since the last one, and at the end. There it, or a
 * walker (check/walker.h), walks the tree of recoveries (engine/crash/walk.h), and a zygote
 * executes those that are not known.
 *
 * A recovery starts from the bytes of the crash, makes the picks that it was given, and from then
 * on branches at every read that has several values: a snapshot for each. It enters its path into
 * the tree as it goes, so that processes that wait for it see the path even if it dies.
 *
 * Thread rule: as in rt.h.
 */
#ifndef PD_RUNTIME_CHECK_CHECK_H
#define PD_RUNTIME_CHECK_CHECK_H

#include "engine/crash/crash.h"
#include "engine/crash/pick.h"
#include "engine/crash/run.h"
#include "engine/crash/walk.h"
#include "runtime/base/quiet.h"
#include "runtime/base/rt.h"

enum pd_check_role {
	PD_CHECK_NONE,
	PD_CHECK_FIRST,
	PD_CHECK_RECOVERY,
};

struct pd_check {
	enum pd_check_role role;
	uint32_t depth;	     /* crashes before this execution */
	uint32_t points;     /* of this execution, so far */
	uint64_t before;     /* position of the crash before this execution (pd_point_when) */
	uint64_t stores;     /* to PM since the last crash point */
	uint32_t last_store; /* site */
	uint32_t idle_flush; /* site of the last flush that had nothing to write back */
	uint32_t idle_order; /* length of the log at that flush */
	uint64_t events;
	uint64_t event_limit;
	/* Test for an endless loop from this number of events on; 0: never (check/loop.c) */
	uint64_t look;
	uint64_t changes; /* of PM and of anything else that a loop test depends on */
	bool returned;	  /* an operation is just returning (pd_check_returned) */
	bool cut;	  /* this execution has truncated a file */
	bool journal;	  /* a journal is asked for (check/again.h) */
	bool tests;	  /* power fails only where pd_check_test says so */
};

extern PD_OWN struct pd_check pd_check;

/* Events so far. */
static inline uint64_t pd_check_events(void)
{
	return pd_check.events + pd_quiet.passed;
}

/* In the zygote, before anything else: maps the board. */
void pd_check_start(const char *settings);

/* Registers listeners: at the start, and when an execution begins. (check/hear.c) */
void pd_check_hear_start(void);
void pd_check_hear(enum pd_check_role role);

/* An execution begins, in the snapshot that continues to main. */
void pd_check_begin(enum pd_check_role role, uint32_t depth);

/* In a recovery: a copy of its record that stays on the board, and the record itself; NULL in the
 * first execution. */
struct pd_crash_run;
const struct pd_crash_run *pd_check_self(void);
struct pd_crash_run *pd_check_own(void);

/*
 * From here on this process serves executions, one after the other, each a snapshot of it. Returns
 * true in each of them, with its seed set; the process itself does not return. False if called
 * again in one of them. (check/serve.c)
 */
bool pd_serve_executions(void);

/* Standard input of executions: the file that all of them read (-1: it is not shared); in a
 * snapshot, its offset, and restoring it. (check/input.c) */
void pd_check_input_start(int fd);
long pd_check_input_offset(void);
void pd_check_input_again(long offset);

/* Where the descriptors of this process read next. Processes that are split off share that. */
struct pd_check_offsets {
	uint32_t n;
	struct {
		int fd;
		long at;
	} v[64];
};

void pd_check_offsets_keep(struct pd_check_offsets *o);
void pd_check_offsets_restore(const struct pd_check_offsets *o);

/* Calls f on a stack of its own, a large one. (check/stack.c) */
void pd_check_on_own_stack(void (*f)(void *));

/* Called before an instruction that makes stores certain, and before the execution ends. */
void pd_check_point(enum pd_event_kind kind, uint32_t site);

/* Power fails here, whatever was stored; false: the exploration has stopped. */
bool pd_check_crash(enum pd_event_kind kind, uint32_t site);

/*
 * A test: power fails here, and recovery finds PM in these states, each as bad as possible for what
 * is tested. `name` is the seed of an execution that has this crash.
 */
struct pd_check_test {
	uint64_t name;
	uint32_t number; /* of this crash in that execution, from 1 */
	uint32_t n;
	struct pd_wish wish[2]; /* in shared memory */
};
bool pd_check_test(const struct pd_check_test *t, enum pd_event_kind kind, uint32_t site);

/*
 * In the zygote: executes the order on the board, with all that branches off. Returns true in the
 * recovery itself, which continues to main.
 */
bool pd_check_supervise(uint32_t depth, uint32_t walker);

/* In a recovery: PM bytes at offset `off` are about to be loaded; decides through which view. */
void pd_check_decide(uint64_t off, size_t n, uint32_t site);

/* In a recovery: PM bytes at offset `off` were read. Call it before the bytes are used. */
void pd_check_read(uint64_t off, const void *bytes, size_t n, uint32_t site);

/* In a recovery: it has stored these bytes itself, so to load them is no news. */
void pd_check_wrote(uint64_t off, size_t n, uint32_t site);

/*
 * In a recovery: its first thread is about to be created. From here on what it does depends on the
 * schedule, so it reads the schedule as it reads PM; recoveries without threads are then the same
 * in all schedules.
 */
void pd_check_threads(void);

/* Address that the schedule is read from; no PM is there. */
#define PD_CHECK_SCHEDULE (UINT64_MAX << 6)

/*
 * What a program hands to its recovery besides PM: the results of its operations so far. Writes up
 * to `cap` bytes to buf and returns the full size. NULL: nothing is handed over. (runtime/linear)
 */
extern PD_OWN size_t (*pd_check_history)(void *buf, size_t cap);

/*
 * The operations that a crash would interrupt now; returns how many there are, whatever the room.
 * (runtime/linear)
 */
extern PD_OWN uint32_t (*pd_check_under_way)(struct pd_crash_under_way *to, uint32_t room);

/* In a recovery: whose stores were lost on its path so far. */
enum pd_losers {
	PD_LOSERS_NONE,	       /* nothing was lost */
	PD_LOSERS_INTERRUPTED, /* only stores of operations that the crash interrupted */
	PD_LOSERS_OTHERS,
};
enum pd_losers pd_check_losers(void);

/*
 * In a recovery: what the crashed execution handed over. pd_check_history_judged makes that a read,
 * as of PM, so that recoveries that do not call it are the same after all histories.
 */
const void *pd_check_history_left(size_t *n);
void pd_check_history_judged(void);
#define PD_CHECK_HISTORY (PD_CHECK_SCHEDULE - PD_BLOCK)

/* In a recovery that fails, once: fills in the diagram of what led there; may be NULL.
 * (runtime/linear, check/fail.c) */
extern PD_OWN void (*pd_check_last_words)(void);

/*
 * In a recovery: declares that it drives a structure, of which the crash has interrupted this
 * operation and no other ("": none, or several); reports, once, that no order explains its history.
 */
void pd_check_linear(const char *interrupted);
void pd_check_unexplained(uint32_t kind, const char *response, const char *operation, bool in_part);

/* The diagram of this recovery's history; empty until it is filled in. */
struct pd_diagram *pd_check_diagram(void);

/* In a recovery: the code that revealed it; call before pd_check_unexplained. */
void pd_check_reads(uintptr_t code);

/*
 * In an execution that may crash: an operation has returned, and recovery will be checked against
 * its result.
 */
void pd_check_returned(void);

/*
 * Whether a failure that needs no crash may be reported after this one: the crash was at the end of
 * the execution before, or belongs to a test of several threads.
 */
bool pd_check_shows_order(void);

/* In a recovery: whether operations had returned before the crash (`left`), and whether it has
 * announced operations itself, which were judged with those. Called before main, with announced
 * false, and at its end. */
void pd_check_answered(bool left, bool announced);

/* The program does not fit the way in which it is tested; prints a line that says why. The
 * exploration ends, whatever other schedules show. (check/misuse.c) */
_Noreturn void pd_check_misuse(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* In a recovery: the bytes of the 64 at `block` that it has read of what the crash left. */
uint64_t pd_check_bytes_read(uint64_t block);

/* In a recovery: the bytes of the 64 at `block` that it has written. */
uint64_t pd_check_bytes_written(uint64_t block);

/* Counts an event of a recovery: one that uses up its budget hangs. */
void pd_check_event(void);

/* Quiet loads (base/quiet.h): an execution begins; how many may pass before the next event at which
 * something is due. */
void pd_check_quiet_begin(enum pd_check_role role);
uint64_t pd_check_quiet_events(void);

/* Loop test: an execution begins, an item of a finite list is done, an event is reached; the loop
 * is proven, the recovery hangs. (check/loop.c, check/events.c) */
void pd_loop_begin(void);
void pd_loop_next(void);
void pd_loop_reached(uint64_t off, uint32_t site);
_Noreturn void pd_check_loops(void);
_Noreturn void pd_check_hangs(enum pd_hang why);

/* In a recovery: it waits for another one now, or no longer does. */
void pd_check_waits(bool waits);

/* In the first execution: a line with open stores is about to be flushed. (check/publish.c) */
void pd_check_flushed(const struct pd_line *line, uint32_t site);

/* Describes a site on the board, once. */
void pd_check_publish(uint32_t site, bool recovery);

/* Describes the sites of all stores that the model knows. */
void pd_check_publish_stores(void);

/* At the end of the first execution: describes every site that has stored, so that the set does not
 * depend on what was executed; marks the stores still open, which nobody made durable. */
void pd_check_mark_stores(void);
void pd_check_count_left_open(void);

/* No process could be created for the exploration (errno `err`): it stops, and the tool starts
 * again with fewer jobs. */
void pd_check_starved(int err);

/* A recovery records how it ended, and exits. */
_Noreturn void pd_check_end(uint32_t outcome, uint32_t detail);

/* The same where its end is not known, and why; `text` as `why` asks for, or "". */
_Noreturn void pd_check_end_unknown(enum pd_unknown_why why, const char *text);

/* A pd_check failed: reported once, and the recovery goes on. */
void pd_check_failed(const char *text, const char *file, int line);

#endif
