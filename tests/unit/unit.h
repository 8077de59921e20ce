/*
 * unit.h - what every unit test includes: cmocka in the order it wants, and a host that can be told
 * to fail.
 */
#ifndef PD_TESTS_UNIT_H
#define PD_TESTS_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

/* Not cmocka's skip(): prove takes what that prints for a failure. */
#define UNIT_SKIP()                                                                                \
	do {                                                                                       \
		print_message("# skipped: not possible here\n");                                   \
		return;                                                                            \
	} while (0)

/* A host whose grow fails once `left` reaches 0; -1: never. */
struct unit_host {
	long left;
	long live; /* blocks not yet released */
};

static inline void *unit_grow(void *ctx, size_t n)
{
	struct unit_host *h = ctx;

	if (h->left == 0)
		return NULL;
	if (h->left > 0)
		h->left--;
	h->live++;
	return memset(aligned_alloc(4096, n), 0, n);
}

static inline void unit_release(void *ctx, void *p, size_t n)
{
	struct unit_host *h = ctx;

	(void)n;
	h->live--;
	free(p);
}

static inline struct pd_host unit_host(struct unit_host *h)
{
	return (struct pd_host){unit_grow, unit_release, h};
}

#endif
