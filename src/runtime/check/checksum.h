/*
 * check/checksum.h - which reads of this recovery feed a checksum (engine/crash/checksum.h).
 *
 * Thread rule: as in rt.h.
 */
#ifndef PD_RUNTIME_CHECK_CHECKSUM_H
#define PD_RUNTIME_CHECK_CHECKSUM_H

#include "base/types.h"

/* The program calls pd_checksum_begin (with a range at offset `off`) or pd_checksum_end. */
void pd_checksum_said(bool begin, uint64_t off, uint64_t n);

/*
 * A recovery is about to read: sets the checksum that the read feeds, in the session and the model.
 */
void pd_checksum_read(uint64_t off, size_t n, uint32_t site);

#endif
