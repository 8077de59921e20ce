/*
 * check/walker.h - which process explores a crash point, and which executes recoveries. See
 * protocol/board.h.
 *
 * With one job the crashing execution explores its crash points itself, until one of them needs
 * many executions. Then, and with more jobs for each crash point that needs any, it splits off a
 * walker and goes on; walkers split off others where workers would be idle otherwise. A recovery
 * that crashes in turn always explores its crash points itself. engine/crash/share.h decides how
 * work is shared.
 *
 * Thread rule: as in rt.h.
 */
#ifndef PD_RUNTIME_CHECK_WALKER_H
#define PD_RUNTIME_CHECK_WALKER_H

#include "protocol/board.h"
#include "engine/crash/walk.h"

/* In a recovery: uses the order slot and the worker of the walker that it runs for. */
void pd_walker_inherit(uint32_t walker, uint32_t worker);

/* The execution has reached another crash point. */
void pd_walker_point(void);

/*
 * Whether this process explores the crash point. False: a walker does, or exploration has stopped.
 */
bool pd_walker_attend(void);

/*
 * Splits off a snapshot that goes its own way and ends with pd_walker_end: returns true there. With
 * one job it has ended when this returns false. *none: no process could be created.
 */
bool pd_walker_branch(bool *none);

/* This process's slot on the board, and its number for claims; after pd_walker_attend. */
uint32_t pd_walker_index(void);
uint32_t pd_walker_owner(void);

/* The callbacks of struct pd_walk; the ctx is not used. */
bool pd_walker_await(void *ctx, struct pd_tree_node *node);
enum pd_walk_split pd_walker_split(void *ctx);

/* In a walker: waits for those that it split off, and ends. Otherwise returns. */
void pd_walker_end(void);

/* Takes a worker for one order; PD_BOARD_WORKERS: none is left, or exploration has stopped. */
uint32_t pd_walker_hire(void);
void pd_walker_release(uint32_t worker);

/* A process of this worker has died. */
void pd_walker_broken(uint32_t worker);

/* Too few walkers to keep all workers busy: split work off. */
bool pd_walker_hungry(void);

/* Before this process ends: waits for all its walkers. */
void pd_walker_drain(void);

#endif
