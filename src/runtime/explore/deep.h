/*
 * deep.h - snapshots behind the checkpoint, so that a path does not run again what it has in common
 * with one that was run before.
 *
 * A run stops at a load of a byte that has a label, or in front of a function with a summary. There
 * all that is not memory with labels (registers, libc's own memory, what was stored to PM) follows
 * from bytes of the input that were *used*: given to the program as values, or looked at by a
 * summary. So a snapshot agrees with an input that has the same values in these bytes. A run that
 * starts from it gives each byte of memory that has a label its value under the new input, as at
 * the checkpoint, and so has the state that it would have come to from there, with the same steps.
 *
 * A snapshot is the pages that are not as they were at the checkpoint (pages.h), the stack pointer,
 * the steps of the path, and the used bytes. Equal pages are kept once. Where there is no room, the
 * one that was used longest ago goes. A record needs no snapshot: it is run from the deepest that
 * agrees with its input when its turn comes, or from the checkpoint. They are of one worker: labels
 * are numbers of its graph, and all go when that is emptied.
 *
 * A run makes one where it has taken so long since its start, or its last one, that it pays: half
 * as long as it took to that one, and longer, the more of them go that nobody has used. Of several
 * with the same used bytes it keeps the last. None once anything was lost (something not understood
 * may have used other bytes), and none where all bytes are used.
 *
 * Thread rule: as in rt.h.
 */
#ifndef PD_RUNTIME_EXPLORE_DEEP_H
#define PD_RUNTIME_EXPLORE_DEEP_H

#include "engine/explore/path.h"
#include "runtime/explore/in_place.h"

/* In a worker, before its first run: memory for them, in bytes (0: none), and after how many us of
 * a run one pays. */
void pd_deep_start(uint64_t bytes, uint32_t us);

/* Expressions have other numbers from here on. */
void pd_deep_forget(void);

/*
 * From the loop, before each run. NULL: it starts at the checkpoint. Else memory is as it was where
 * that stopped, and the path has its steps; what else follows is done by the run itself.
 */
const struct pd_run_stop *pd_deep_prepare(const struct pd_record *r, const uint8_t *input,
					  struct pd_path *p);

/* From the loop, where a run has stopped (in_place.h). */
void pd_deep_stopped(const struct pd_run_stop *s);

/* What happened on this run may depend on any byte. */
void pd_deep_blind(void);

#endif
