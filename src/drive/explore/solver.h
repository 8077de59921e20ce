/*
 * solver.h - solver processes: children of the tool that answer what workers ask (protocol/explore.h).
 *
 * A solver takes any question that is ASKED, first of the workers whose number is its own, so that
 * what it has kept of earlier ones is of use (solve.h). It has a limit of CPU time for each question
 * and one of memory; past either the answer is UNKNOWN, and what it was by is counted. A solver that
 * dies is replaced, and so is one that has run out of memory.
 *
 * Thread rule: all of it is called by the one thread of the tool.
 */
#ifndef PD_DRIVE_EXPLORE_SOLVER_H
#define PD_DRIVE_EXPLORE_SOLVER_H

#include "drive/explore/solve.h"
#include "protocol/explore.h"

struct pd_solvers_stats {
	uint64_t answers[3];		 /* enum pd_ask_answer */
	uint64_t unknown[PD_SOLVE_WHYS]; /* answers UNKNOWN, by why */
	uint64_t ns;			 /* of CPU time, in all */
	uint64_t most_ns;		 /* of one question */
	uint64_t anew;			 /* times that all that was kept was dropped */
	uint64_t died;			 /* solvers that ended otherwise than by their limits */
	uint64_t started;		 /* solvers, with those that were replaced */
	uint64_t given_up;		 /* that cannot be started, or die of anything */
};

struct pd_solvers;

/*
 * So many solvers, each with so many bytes of memory (0: no limit). Time by board->query_ms. NULL: no
 * memory, or none of them could be started.
 */
struct pd_solvers *pd_solvers_start(struct pd_explore *board, uint32_t n, uint64_t max_bytes);

/* To be called now and then, and after SIGCHLD: replaces those that have ended. */
void pd_solvers_poll(struct pd_solvers *s);

/* Ends them all. Questions that are left are UNKNOWN, by PD_SOLVE_STOP. */
struct pd_solvers_stats pd_solvers_stats(const struct pd_solvers *s);
struct pd_solvers_stats pd_solvers_stop(struct pd_solvers *s);

#endif
