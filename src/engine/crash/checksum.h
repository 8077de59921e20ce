/*
 * checksum.h - which reads of recovery feed a checksum (model/cut.h).
 *
 * Those between pd_checksum_begin and pd_checksum_end of what these name, and those by a function
 * that --checksum names, or that PMDK's libraries have for it: all that it reads until its thread reads something else of PM is one
 * checksum.
 */
#ifndef PD_ENGINE_CRASH_CHECKSUM_H
#define PD_ENGINE_CRASH_CHECKSUM_H

#include "base/types.h"
#include "event/abi.h"

enum {
	PD_CHECKSUM_NAMES = 16,
	PD_CHECKSUM_NAME = 128,
	PD_CHECKSUM_SITES = 1 << 16,
	PD_CHECKSUM_THREADS = 64, /* those with higher numbers share the last */
};

/* Functions whose reads feed a checksum; "" ends the list. */
struct pd_checksum_functions {
	char name[PD_CHECKSUM_NAMES][PD_CHECKSUM_NAME];
	uint32_t used[PD_CHECKSUM_NAMES]; /* one of these has read crashed PM */
};

/* What one recovery reads for checksums; all zero at its start. */
struct pd_checksums {
	uint32_t groups;
	struct pd_checksum_feeding {
		uint64_t off;
		uint64_t n;	   /* 0: nothing is named */
		uint32_t group;	   /* of what is named */
		uint32_t function; /* group of the function that is reading; 0: none is */
	} thread[PD_CHECKSUM_THREADS];
	uint8_t site[PD_CHECKSUM_SITES]; /* 0: not looked at, 1: no, 2: yes */
};

/* The name as it is, or as the last part of a C++ name: its length and itself come before the
 * types. */
bool pd_checksum_is_name_of(const char *name, const char *function);

/* The thread begins a checksum of n bytes at home `off`, or ends one. */
void pd_checksum_begin_range(struct pd_checksums *s, uint32_t thread, uint64_t off, uint64_t n);
void pd_checksum_end_range(struct pd_checksums *s, uint32_t thread);

/* Which checksum a read of n bytes at home `off` feeds; 0: none. library: the path of the one that the
 * site is in; NULL: the program. */
uint32_t pd_checksum_group(struct pd_checksums *s, struct pd_checksum_functions *f, uint32_t thread,
			   uint64_t off, uint64_t n, const struct pd_site *site,
			   const char *library);

#endif
