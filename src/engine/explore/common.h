/*
 * common.h - answers and inputs that all workers share.
 *
 * A table of slices that a product or a solver has answered, by the digest of answers.h, which is
 * the same in every graph; and the newest inputs of such answers. Several processes write to it
 * without a lock, so one that is killed leaves nothing held, but nothing in it is trusted. An entry
 * has a digest of itself: one that is half written, or was written by two processes, does not match
 * and is ignored. A yes is checked before it is used as an answer, and so is an input.
 *
 * Thread rule: any thread of any process.
 */
#ifndef PD_ENGINE_EXPLORE_COMMON_H
#define PD_ENGINE_EXPLORE_COMMON_H

#include "engine/explore/answers.h"

struct pd_common;

/* The size of a table; zeroed memory of that size is an empty one. */
uint64_t pd_common_size(uint32_t input_size);

bool pd_common_find(const struct pd_common *c, struct pd_digest d, const struct pd_slice *l,
		    uint8_t *input, enum pd_ask_answer *answer);
void pd_common_keep(struct pd_common *c, struct pd_digest d, const struct pd_slice *l,
		    const uint8_t *input, uint32_t input_size, enum pd_ask_answer answer);

/* Copies the next input after number *seen, counting all that were ever kept; false: there is none.
 * Skips those that were overwritten meanwhile. */
bool pd_common_next(const struct pd_common *c, uint64_t *seen, uint8_t *input, uint32_t input_size);

#endif
