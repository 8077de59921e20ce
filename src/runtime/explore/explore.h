/*
 * explore.h - symbolic exploration inside the tested processes (protocol/explore.h has the whole).
 *
 *	start.c    before main: the board, the watcher, what is symbolic
 *	source.c   where the bytes of the input are: arguments, files, memory
 *	fault.c    calls that fail
 *	socket.c   clients that send what a script says
 *	origin.c   the checkpoint: workers are split off, and replaced where they die
 *	in_place.c a run, from the checkpoint to its end
 *	deep.c     snapshots behind the checkpoint
 *	worker.c   one record after the other: run, ask, put new ones into the frontier
 *	reach.c    where the code leads, of all objects
 *	result.c   what a run has found, covered and lost, on the board
 *
 * A run is the worker itself, or a snapshot of it. The worker's graph, path and caches are in
 * shared memory: what the run has added the worker has, too, once it has ended, however that was.
 *
 * Thread rule: as in rt.h.
 */
#ifndef PD_RUNTIME_EXPLORE_EXPLORE_H
#define PD_RUNTIME_EXPLORE_EXPLORE_H

#include "protocol/explore.h"
#include "runtime/base/rt.h"
#include "runtime/explore/in_place.h"

enum pd_explore_role {
	PD_EXPLORE_ORIGIN, /* not at the checkpoint yet, or staying there */
	PD_EXPLORE_WORKER,
	PD_EXPLORE_RUN,
};

struct pd_exploring {
	enum pd_explore_role role;
	struct pd_explore *board; /* NULL: nothing is explored */
	struct pd_explore_worker *self;
	uint32_t number;  /* of the worker */
	uint32_t pid;	  /* of this process, for locks */
	const void *main; /* the main thread's thread pointer */
};

extern PD_OWN struct pd_exploring pd_exploring;

/* ---- source.c ------------------------------------------------------------------------------- */

/* Before main: gives symbolic files and arguments their bytes, and labels. */
void pd_sources_start(int argc, char **argv);

/* At the end of a run: records how much of them it has read. */
void pd_sources_used(void);

/* The same for a fixed input: the folder of input=DIR (event/control.h). */
void pd_sources_fixed(const char *dir, size_t n);

/* A run may stop here, and go on with another input (deep.h): then streams have its bytes. */
bool pd_sources_may_stop(void);
void pd_sources_refresh(void);

/* n bytes of a source are used, or would be: keeps the maximum over all paths. */
void pd_sources_note(const struct pd_explore_source *s, uint32_t n);

/* ---- fault.c -------------------------------------------------------------------------------- */

/* Calls may fail: a byte of this source decides about each. */
void pd_faults_explore(const struct pd_explore_source *s);

/* The calls listed in the file `faults` of an input fail. */
void pd_faults_fixed(const char *text, size_t n);

/*
 * A choice of the path: whether a byte of the input has this value, as if the program had a branch
 * there.
 */
bool pd_sources_is(uint32_t byte, uint8_t value, const struct pd_site *site);

/* ---- schedule.c ----------------------------------------------------------------------------- */

/* Threads follow one of several schedules: the byte of this source decides. */
void pd_schedule_explore(const struct pd_explore_source *s);

/* Threads follow the schedule in the file `schedule` of an input. */
void pd_schedule_fixed(const char *text, size_t n);

/* ---- socket.c ------------------------------------------------------------------------------- */

/* Clients send what this script says; its symbolic bytes are those of a source, NULL: there are
 * none. The text must stay in place. */
void pd_sockets_start(const char *text, size_t n, const struct pd_explore_source *s);

/* Whether the bytes that a descriptor receives come from them. */
bool pd_sockets_is_source(int fd);

/* ---- origin.c ------------------------------------------------------------------------------- */

/* The program is about to use its input. Returns once in each run. */
void pd_explore_checkpoint(void);

/* Waits until the word is no longer `was`, at most this many ms. */
void pd_explore_wait(uint32_t *word, uint32_t was, uint32_t ms);
void pd_explore_wake(uint32_t *word);

void pd_explore_lock(uint32_t *lock);

/* In a new process: updates its pid. */
void pd_explore_renew(void);

/*
 * The bytes of the input are the first nodes of each graph, in order: labels in memory at the
 * checkpoint are bytes of the input, so they are valid in every graph.
 */
void pd_explore_number_inputs(struct pd_exprs *x);

/* ---- worker.c ------------------------------------------------------------------------------- */

/* In a worker, at the checkpoint. Returns in each of its runs. */
void pd_worker_work(uint32_t number);

/* Evaluates a record (search.h). */
struct pd_search_judge pd_worker_judge(void);

/* ---- reach.c -------------------------------------------------------------------------------- */

/* At the checkpoint: joins all objects (engine/explore/reach.h). */
void pd_reach_start(void);

/* Recomputes distances, if they can have changed and were not computed recently. The caller holds
 * the lock of the frontier. */
void pd_reach_refresh(void);

/* The way that a step of an ended path took. */
void pd_reach_passed(uint32_t site, uint32_t way);

/* Something was reached or covered for the first time; true: it was not known to exist. */
bool pd_reach_is_news(uint32_t site);
bool pd_reach_is_new_edge(uint32_t site, uint32_t way);

/* ---- result.c ------------------------------------------------------------------------------- */

/* Sets up the watcher's sink, and other listeners. */
void pd_result_start(const char *settings);

/*
 * At the checkpoint, when it is known what can be reached; and in each run, before the program
 * continues.
 */
void pd_result_checkpoint(void);
void pd_result_begin(void);

void pd_result_covered(uint32_t site, uint32_t way);
void pd_result_lost(enum pd_sym_why why, const struct pd_site *site, const char *what);
void pd_result_pinned(enum pd_sym_why why);
void pd_result_dropped(const void *p);

/* A run has ended; if it has left the path of its record, it is no path. */
void pd_result_ended(const struct pd_record *r, const uint8_t *input, uint64_t digest,
		     struct pd_run_end end, bool left);

/* ---- what perdure.h calls (source.c) -------------------------------------------------------- */

PD_EXPORT void __pd_say_symbolic(void *p, size_t n, const char *name);
PD_EXPORT void __pd_say_assume(void);

#endif
