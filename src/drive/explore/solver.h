/*
 * solver.h - solver processes: children of perdure that answer queries of workers
 * (protocol/explore.h).
 *
 * A solver takes any query that is ASKED, first of the workers whose number matches its own, so
 * that it can use what it has kept (solve.h). It has a limit of CPU time per query and one of
 * memory; beyond either the answer is UNKNOWN, and the reason is counted. A solver that dies or
 * runs out of memory is replaced.
 *
 * Thread rule: everything is called by the single thread of the tool.
 */
#ifndef PD_DRIVE_EXPLORE_SOLVER_H
#define PD_DRIVE_EXPLORE_SOLVER_H

#include "drive/explore/solve.h"
#include "protocol/explore.h"

struct pd_solvers_stats {
	uint64_t answers[3];		 /* enum pd_ask_answer */
	uint64_t unknown[PD_SOLVE_WHYS]; /* answers UNKNOWN, by reason */
	uint64_t ns;			 /* of CPU time, in total */
	uint64_t most_ns;		 /* of one query */
	uint64_t anew;			 /* how often everything kept was dropped */
	uint64_t died;	   /* solvers that ended for other reasons than their limits */
	uint64_t started;  /* solvers, including replacements */
	uint64_t given_up; /* that cannot be started, or always die */
};

struct pd_solvers;

/* Starts n solvers, each with so many bytes of memory (0: no limit). board->query_ms limits their
 * time. NULL: out of memory, or none could be started. */
struct pd_solvers *pd_solvers_start(struct pd_explore *board, uint32_t n, uint64_t max_bytes);

/* Call it now and then, and after SIGCHLD: replaces solvers that have ended. */
void pd_solvers_poll(struct pd_solvers *s);

/* Ends them all. Open queries become UNKNOWN, with PD_SOLVE_STOP. */
struct pd_solvers_stats pd_solvers_stats(const struct pd_solvers *s);
struct pd_solvers_stats pd_solvers_stop(struct pd_solvers *s);

#endif
