/* pmdk.h - a pool of libpmemobj's, for the cases that use one. */
#ifndef BUGS_PMDK_H
#define BUGS_PMDK_H

#include <assert.h>
#include <libpmemobj.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* The pool in this file; a new one where there is none, or where a crash left half of one. */
static inline PMEMobjpool *pmdk_pool(const char *path)
{
	PMEMobjpool *p = access(path, F_OK) == 0 ? pmemobj_open(path, "case") : NULL;

	if (!p && unlink(path) == 0)
		fprintf(stderr, "%s: made anew\n", path);
	if (!p)
		p = pmemobj_create(path, "case", PMEMOBJ_MIN_POOL, 0600);
	if (!p) {
		perror(path);
		exit(2);
	}
	return p;
}

#endif
