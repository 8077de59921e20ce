/*
 * check/walker.h - who looks at crash points, and who executes recoveries. See
 * protocol/board.h.
 *
 * With one job the execution that crashes looks at its crash points by itself, until one of them
 * needs many executions. Then, and with more jobs for each crash point that needs any, it splits
 * off a walker and goes on; walkers split off others where workers would be idle otherwise. A
 * recovery that crashes in turn always looks by itself.
 * How work is shared out is decided by engine/crash/share.h.
 *
 * Thread rule: as in rt.h.
 */
#ifndef PD_RUNTIME_CHECK_WALKER_H
#define PD_RUNTIME_CHECK_WALKER_H

#include "protocol/board.h"
#include "engine/crash/walk.h"

/* A recovery, which has a walker's order and worker: in place of pd_walker_attend's own. */
void pd_walker_inherit(uint32_t walker, uint32_t worker);

/* The execution has come to another crash point. */
void pd_walker_point(void);

/* True: this process looks at the crash point. False: a walker does, or nobody is to. */
bool pd_walker_attend(void);

/*
 * A snapshot that goes its own way from here, and ends by pd_walker_end: true in that one. With one
 * job it has ended when this returns false; *none: there was no process to be had.
 */
bool pd_walker_branch(bool *none);

/* This process's number on the board, after pd_walker_attend. */
uint32_t pd_walker_index(void);
uint32_t pd_walker_owner(void);

/* The callbacks of struct pd_walk; the ctx is not used. */
bool pd_walker_await(void *ctx, struct pd_tree_node *node);
enum pd_walk_split pd_walker_split(void *ctx);
void pd_walker_done(void *ctx);

/* If this process is a walker: waits for those that it split off, and ends. Else nothing. */
void pd_walker_end(void);

/* A worker for one order; PD_BOARD_WORKERS where none is to be had any more. */
uint32_t pd_walker_hire(void);
void pd_walker_release(uint32_t worker);

/* A process of this worker is gone. */
void pd_walker_broken(uint32_t worker);

/* Too few walkers to keep all workers busy: work is to be shared. */
bool pd_walker_hungry(void);

/* Waits for all walkers of this process: it is about to end. */
void pd_walker_drain(void);

#endif
