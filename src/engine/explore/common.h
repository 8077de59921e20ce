/*
 * common.h - answers and inputs that all workers share.
 *
 * A table of slices that a product or a solver has answered, by the digest of answers.h, which is the same
 * in every graph; and the inputs that such answers had, the newest of them. It is memory that several
 * processes write to without a lock: one that is killed leaves nothing held. So nothing in it is believed
 * as it is. An entry has a digest of itself; one that is half written, or was written by two, does not
 * have the right one and is not there. A yes is tried before it is an answer, and so is an input.
 *
 * Thread rule: any.
 */
#ifndef PD_ENGINE_EXPLORE_COMMON_H
#define PD_ENGINE_EXPLORE_COMMON_H

#include "engine/explore/answers.h"

struct pd_common;

/* Bytes that it takes; memory of so many, zero, is an empty one. */
uint64_t pd_common_size(uint32_t input_size);

bool pd_common_find(const struct pd_common *c, struct pd_digest d, const struct pd_slice *l,
		    uint8_t *input, enum pd_ask_answer *answer);
void pd_common_keep(struct pd_common *c, struct pd_digest d, const struct pd_slice *l,
		    const uint8_t *input, uint32_t input_size, enum pd_ask_answer answer);

/* Copies the next input behind *seen, which are so many as were ever kept; false: there is none. Those that
 * have gone in between are passed over. */
bool pd_common_next(const struct pd_common *c, uint64_t *seen, uint8_t *input, uint32_t input_size);

#endif
