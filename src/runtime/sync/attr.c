/*
 * sync/attr.c - attributes of mutexes, condition variables, reader-writer locks and barriers.
 *
 * No schedule affects them. They are here because programs keep them beside the objects, in PM, and
 * libc's stores would bypass the hooks.
 */
#include "runtime/base/rt.h"
#include "runtime/sync/sync.h"
#include "runtime/thread/thread.h"
#include "runtime/thread/real.h"
#include <string.h>

#define ATTRIBUTES(kind)                                                                           \
	PD_EXPORT int kind##_init(kind##_t *a)                                                     \
	{                                                                                          \
		int r;                                                                             \
		PD_ON_COPY(r, a, true, pd_real.kind##_init);                                       \
		return r;                                                                          \
	}                                                                                          \
	PD_EXPORT int kind##_destroy(kind##_t *a)                                                  \
	{                                                                                          \
		int r;                                                                             \
		PD_ON_COPY(r, a, false, pd_real.kind##_destroy);                                   \
		return r;                                                                          \
	}

#define SETS(kind, what, type)                                                                     \
	PD_EXPORT int kind##_set##what(kind##_t *a, type value)                                    \
	{                                                                                          \
		int r;                                                                             \
		PD_ON_COPY(r, a, false, pd_real.kind##_set##what, value);                          \
		return r;                                                                          \
	}

ATTRIBUTES(pthread_mutexattr)
SETS(pthread_mutexattr, type, int)
SETS(pthread_mutexattr, pshared, int)
SETS(pthread_mutexattr, robust, int)
SETS(pthread_mutexattr, protocol, int)
SETS(pthread_mutexattr, prioceiling, int)

ATTRIBUTES(pthread_condattr)
SETS(pthread_condattr, clock, clockid_t)
SETS(pthread_condattr, pshared, int)

ATTRIBUTES(pthread_rwlockattr)
SETS(pthread_rwlockattr, kind_np, int)
SETS(pthread_rwlockattr, pshared, int)

ATTRIBUTES(pthread_barrierattr)
SETS(pthread_barrierattr, pshared, int)
