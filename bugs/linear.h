/*
 * linear.h - what the drivers of the cases share: mapping, locks in ordinary memory, and numbers of
 * nodes that were never used before.
 */
#ifndef BUGS_LINEAR_H
#define BUGS_LINEAR_H

#include "pm.h"
#include <perdure_linear.h>

/* ---- locks, which a crash opens ------------------------------------------------------------- */

static UNUSED unsigned char busy;

static UNUSED void lock_it(unsigned char *l)
{
	while (__atomic_test_and_set(l, __ATOMIC_ACQUIRE))
		_mm_pause();
}

static UNUSED void unlock_it(unsigned char *l)
{
	__atomic_clear(l, __ATOMIC_RELEASE);
}

static UNUSED void lock(void)
{
	lock_it(&busy);
}

static UNUSED void unlock(void)
{
	unlock_it(&busy);
}

/* ---- nodes ---------------------------------------------------------------------------------- */

/*
 * Nodes are numbered from 1; 0 is none. Those up to *limit, which is in PM, may have been used. Who
 * opens the structure raises the limit, durably, and gives out the numbers in between; what a crash
 * leaves of them is lost.
 */
enum { NODES_A_TIME = 200 };

static UNUSED uint64_t nodes_given, nodes_limit;

static UNUSED void nodes_open(uint64_t *limit)
{
	nodes_given = *limit;
	nodes_limit = nodes_given + NODES_A_TIME;
	pm_set(limit, nodes_limit);
	pm_persist(limit, sizeof(*limit));
}

/* Zeros, below `room`; 0: there is none. */
static UNUSED uint64_t nodes_take(uint64_t room)
{
	uint64_t n = __atomic_add_fetch(&nodes_given, 1, __ATOMIC_SEQ_CST);

	return n <= nodes_limit && n < room ? n : 0;
}

/* ---- the structure of a case, in a file of a page or more ----------------------------------- */

#define MAPPED_SIZE(type) ((sizeof(type) + 4095) & ~(size_t)4095)

/* Opened by `recover`, which is given the memory. */
#define RECOVERED(type, recover)                                                                   \
	static void *open_it(const char *path)                                                     \
	{                                                                                          \
		type *it = (type *)pm_map(path, MAPPED_SIZE(type));                                \
		recover(it);                                                                       \
		return it;                                                                         \
	}                                                                                          \
	static void close_it(void *it)                                                             \
	{                                                                                          \
		munmap(it, MAPPED_SIZE(type));                                                     \
	}

#define MAPPED(type)                                                                               \
	static UNUSED void open_as_it_is(type *it)                                                 \
	{                                                                                          \
		(void)it;                                                                          \
	}                                                                                          \
	RECOVERED(type, open_as_it_is)

#endif
