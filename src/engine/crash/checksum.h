/*
 * checksum.h - which reads of recovery feed a checksum (model/cut.h).
 *
 * Two kinds do: reads of the range that the program names, between pd_checksum_begin and
 * pd_checksum_end; and reads by a function that --checksum names, or by the checksum functions of
 * PMDK's libraries. All that such a function reads until its thread reads PM elsewhere is one
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
	PD_CHECKSUM_THREADS = 64, /* threads with higher numbers share the last entry */
};

/* Functions whose reads feed a checksum; "" ends the list. */
struct pd_checksum_functions {
	char name[PD_CHECKSUM_NAMES][PD_CHECKSUM_NAME];
	uint32_t used[PD_CHECKSUM_NAMES]; /* the function has read crashed PM */
};

/* The checksums of one recovery; all zero at its start. */
struct pd_checksums {
	uint32_t groups;
	struct pd_checksum_feeding {
		uint64_t off;
		uint64_t n;	   /* 0: no range is named */
		uint32_t group;	   /* of the named range */
		uint32_t function; /* group of the checksum function that is reading; 0: none */
	} thread[PD_CHECKSUM_THREADS];
	/* By site: 0 not asked yet, 1 not in a checksum function, 2 in one. Others are asked each
	 * time */
	uint8_t site[PD_CHECKSUM_SITES];
};

/* Whether `function` is `name`, or a mangled C++ name whose last component is `name` (preceded by
 * its length, followed by the types). */
bool pd_checksum_is_name_of(const char *name, const char *function);

/* The thread begins a checksum of n bytes at offset `off` of the window, or ends it. */
void pd_checksum_begin_range(struct pd_checksums *s, uint32_t thread, uint64_t off, uint64_t n);
void pd_checksum_end_range(struct pd_checksums *s, uint32_t thread);

/* The group of the checksum that a read of n bytes at offset `off` feeds; 0: none. `library` is the
 * path of the library that the site is in; NULL: the program. */
uint32_t pd_checksum_group(struct pd_checksums *s, struct pd_checksum_functions *f, uint32_t thread,
			   uint64_t off, uint64_t n, const struct pd_site *site,
			   const char *library);

#endif
