/*
 * check/checksum.h - which reads of this recovery feed a checksum (engine/crash/checksum.h).
 *
 * Thread rule: as in rt.h.
 */
#ifndef PD_RUNTIME_CHECK_CHECKSUM_H
#define PD_RUNTIME_CHECK_CHECKSUM_H

#include "base/types.h"

/* pd_checksum_begin (of a range at home `off`) or pd_checksum_end. */
void pd_checksum_said(bool begin, uint64_t off, uint64_t n);

/* A recovery is about to read: says in the session and the model which checksum it feeds. */
void pd_checksum_read(uint64_t off, size_t n, uint32_t site);

#endif
