/*
 * check/cover.h - records coverage (engine/crash/cover.h) in the tested processes.
 *
 * An execution that may crash records where it stores. At its next crash point all that it has
 * stored since the last one is at stake, as long as the file has a name: nothing can have made it
 * certain, since power would have failed before that (check/point.c). What was stored to a file
 * without a name (O_TMPFILE) is at stake once it gets one. With eADR a store is certain
 * as soon as it is made; there, whether it was made before the crash is what is at stake.
 *
 * What recoveries read is recorded where the crash is: the walk through their tree reaches every
 * read at every crash. Random recoveries have no such walk; each leaves a list of what it has read.
 *
 * Thread rule: as in rt.h.
 */
#ifndef PD_RUNTIME_CHECK_COVER_H
#define PD_RUNTIME_CHECK_COVER_H

#include "protocol/board.h"
#include "engine/crash/walk.h"
#include "runtime/base/rt.h"

extern PD_OWN bool pd_check_cover_on;

/* An execution begins. */
void pd_check_cover_begin(void);

/* The execution is at a crash point. */
void pd_check_cover_point(void);

/* The read callback for struct pd_walk; NULL: coverage is off. */
typedef void pd_check_cover_reader(void *ctx, struct pd_tree_node *node);
pd_check_cover_reader *pd_check_cover_walk(void);

/*
 * Before and after a random recovery is executed for `o`: provides the list of its reads, and
 * records them.
 */
void pd_check_cover_expect(struct pd_board_order *o);
void pd_check_cover_account(const struct pd_board_order *o);

/*
 * In such a recovery: adds bytes that it has read of what the crash left; returns where the next
 * ones go.
 */
struct pd_board_reads *pd_check_cover_list(struct pd_board_reads *list, uint64_t block,
					   uint64_t mask);

#endif
