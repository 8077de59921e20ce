/*
 * check.h - the crash engine inside the tested processes.
 *
 * The first execution runs the program and stops at every crash point: before an instruction that
 * makes something certain, if PM was stored to since the last one, and at the end. There it, or a
 * walker (check/walker.h), goes through the tree of recoveries (engine/crash/walk.h) and has those
 * that are not known executed by a zygote.
 *
 * A recovery starts from the bytes of the crash, makes the picks that it was given, and from then
 * on branches at every read that has several values: a snapshot for each. It writes down its path
 * in the tree as it goes, so that whoever waits for it knows it even if it dies.
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
	uint64_t before;     /* when the executions before this one crashed */
	uint64_t stores;     /* since the last crash point */
	uint32_t last_store; /* site */
	uint32_t idle_flush; /* site of the last flush that had nothing to write back */
	uint32_t idle_order; /* and the length of the log then */
	uint64_t events;
	uint64_t event_limit;
	/* After so many events: does it go round in circles? 0: nobody asks (check/loop.c) */
	uint64_t look;
	uint64_t changes; /* of PM, and other news: somebody who asks wants to know */
	bool returned;	  /* an operation has just returned (pd_check_returned) */
	bool cut;	  /* this execution has cut a file short */
	bool journal;	  /* somebody wants to know what happens (check/again.h) */
	bool tests;	  /* power fails where pd_check_test says so, and nowhere else */
};

extern PD_OWN struct pd_check pd_check;

/* Events so far. */
static inline uint64_t pd_check_events(void)
{
	return pd_check.events + pd_quiet.passed;
}

/* In the zygote, before all else: maps the board. */
void pd_check_start(const char *settings);

/* Who is heard from the start, and when an execution begins. (check/hear.c) */
void pd_check_hear_start(void);
void pd_check_hear(enum pd_check_role role);

/* An execution begins, in the snapshot that goes to main. */
void pd_check_begin(enum pd_check_role role, uint32_t depth);

/* In a recovery: a copy of itself as it stands on the board, and itself; NULL in the first
 * execution. */
struct pd_crash_run;
const struct pd_crash_run *pd_check_self(void);
struct pd_crash_run *pd_check_own(void);

/*
 * From here on executions are made one after the other, each a snapshot of this process. Returns in
 * each of them, with its seed set; the process itself stays. False in those: once is enough.
 * (check/serve.c)
 */
bool pd_serve_executions(void);

/* In a snapshot: standard input, at this offset, as it was; -1 where there is none. */
long pd_check_input_offset(void);
void pd_check_input_again(long offset);

/* An instruction is about to make stores certain, or the execution is about to end. */
void pd_check_point(enum pd_event_kind kind, uint32_t site);

/* Power fails here, whatever was stored; false: it cannot any more. */
bool pd_check_crash(enum pd_event_kind kind, uint32_t site);

/*
 * A test: power fails here, and recovery finds PM in these states, each as bad as may be for what is
 * tested. The name is the seed of an execution that has this crash.
 */
struct pd_check_test {
	uint64_t name;
	uint32_t number; /* of this crash in that execution, from 1 */
	uint32_t n;
	struct pd_wish wish[2]; /* in memory that is shared */
};
bool pd_check_test(const struct pd_check_test *t, enum pd_event_kind kind, uint32_t site);

/*
 * In the zygote: executes the order on the board, with all that branches off. True in the recovery
 * itself, which is to go on to main.
 */
bool pd_check_supervise(uint32_t depth, uint32_t walker);

/* In a recovery: PM bytes at home `off` are about to be loaded. How they are looked at is settled. */
void pd_check_decide(uint64_t off, size_t n, uint32_t site);

/* In a recovery: PM bytes at home `off` were read. To be called before what was read is used. */
void pd_check_read(uint64_t off, const void *bytes, size_t n, uint32_t site);

/*
 * In a recovery: its first thread is about to be made. From here on what it does depends on the
 * schedule; so it reads the schedule, as it reads PM, and recoveries without threads are the same
 * in all schedules.
 */
void pd_check_threads(void);

/* Where the schedule is read from: no PM is there. */
#define PD_CHECK_SCHEDULE (UINT64_MAX << 6)

/*
 * What a program hands to its recovery beside PM: what its operations have returned so far. Written
 * to buf; its size, whatever cap is. NULL: there is nothing. (runtime/linear)
 */
extern PD_OWN size_t (*pd_check_history)(void *buf, size_t cap);

/* The operations that a crash would interrupt now; how many, whatever room there is. (runtime/linear) */
extern PD_OWN uint32_t (*pd_check_under_way)(struct pd_crash_under_way *to, uint32_t room);

/* In a recovery: whose stores were lost on its way, as far as it has come. */
enum pd_losers {
	PD_LOSERS_NONE,	       /* nothing was lost */
	PD_LOSERS_INTERRUPTED, /* all that was is of operations that the crash interrupted */
	PD_LOSERS_OTHERS,
};
enum pd_losers pd_check_losers(void);

/*
 * In a recovery: what the execution that crashed handed over. Reading it is a read as of PM, so that
 * recoveries that do not ask are the same after all histories; `judged` is that read.
 */
const void *pd_check_history_left(size_t *n);
void pd_check_history_judged(void);
#define PD_CHECK_HISTORY (PD_CHECK_SCHEDULE - PD_BLOCK)

/* In a recovery that fails, once: fills in the diagram of what led there. NULL: nothing is known of
 * that. (runtime/linear, check/fail.c) */
extern PD_OWN void (*pd_check_last_words)(void);

/* In a recovery: it drives a structure; and its history cannot be explained. Says so once. */
void pd_check_linear(void);
void pd_check_unexplained(uint32_t kind, const char *response, const char *operation);

/* Of this recovery's history; empty until somebody fills it in. */
struct pd_diagram *pd_check_diagram(void);

/* In a recovery: the code that showed it; before that is said. */
void pd_check_reads(uintptr_t code);

/* In an execution that may crash: an operation has returned, which its recovery will be asked about. */
void pd_check_returned(void);

/*
 * Whether what needs no crash is to be reported after this one: it was at the end of the execution
 * before, or of a test that is about the order of threads.
 */
bool pd_check_shows_order(void);

/* In a recovery: whether operations had returned before the crash, and it has announced some itself,
 * which were judged with them. Said before main (they had, it has not) and at its end. */
void pd_check_answered(bool left, bool announced);

/* The program was not written for what is asked of it; a line that says why. The exploration ends with
 * it, whatever other schedules show. (check/misuse.c) */
_Noreturn void pd_check_misuse(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* In a recovery: which bytes of the 64 at home `block` it has read of what the crash left. */
uint64_t pd_check_bytes_read(uint64_t block);

/* And which it has written. */
uint64_t pd_check_bytes_written(uint64_t block);

/* Every event of a recovery: a budget that is used up is a hang. */
void pd_check_event(void);

/* Loads that need not be heard (base/quiet.h): an execution begins; so many come before the next event
 * that somebody waits for. */
void pd_check_quiet_begin(enum pd_check_role role);
uint64_t pd_check_quiet_events(void);

/* The same, by the place of the event; and that it is proven now. (check/loop.c,
 * check/events.c) */
void pd_loop_begin(void);
void pd_loop_next(void); /* of a finite number of things one is done */
void pd_loop_reached(uint64_t off, uint32_t site);
_Noreturn void pd_check_loops(void);
_Noreturn void pd_check_hangs(enum pd_hang why);

/* In a recovery: it waits for another one now, or does not any more. */
void pd_check_waits(bool waits);

/* In the first execution: a line with open stores is about to be flushed. (check/publish.c) */
void pd_check_flushed(const struct pd_line *line, uint32_t site);

/* Describes a site on the board, once. */
void pd_check_publish(uint32_t site, bool recovery);

/* The same for all stores that the model knows. */
void pd_check_publish_stores(void);

/* Every place of the first execution that has stored: the same ones, whatever was executed on the
 * way. And at its end: what is still open was never made durable by anybody. */
void pd_check_mark_stores(void);
void pd_check_count_left_open(void);

/* A process of the exploration could not be made (errno): it stops, and the tool starts again with
 * fewer jobs. */
void pd_check_starved(int err);

/* A recovery says of itself how it ended; does not return. */
_Noreturn void pd_check_end(uint32_t outcome, uint32_t detail, const char *text);

/* A pd_check failed: said once, and the recovery goes on. */
void pd_check_failed(const char *text, const char *file, int line);

#endif
