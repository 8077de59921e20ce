/* linear.h - what the drivers of the cases share: mapping, and a lock in ordinary memory. */
#ifndef BUGS_LINEAR_H
#define BUGS_LINEAR_H

#include "pm.h"
#include <perdure_linear.h>
#include <stdatomic.h>

static UNUSED atomic_flag busy = ATOMIC_FLAG_INIT;

static UNUSED void lock(void)
{
	while (atomic_flag_test_and_set(&busy))
		_mm_pause();
}

static UNUSED void unlock(void)
{
	atomic_flag_clear(&busy);
}

/* The structure of a case, in a file of a page or more. */
#define MAPPED(type)                                                                               \
	static void *open_it(const char *path)                                                     \
	{                                                                                          \
		return pm_map(path, (sizeof(type) + 4095) & ~(size_t)4095);                        \
	}                                                                                          \
	static void close_it(void *it)                                                             \
	{                                                                                          \
		munmap(it, (sizeof(type) + 4095) & ~(size_t)4095);                                 \
	}

#endif
