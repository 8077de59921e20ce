/*
 * sync/alias.c - old names of some functions, no longer in any header.
 */
#include "runtime/base/rt.h"
#include "runtime/thread/real.h"

#define ALIAS(name, params, args)                                                                  \
	PD_EXPORT int __##name params;                                                             \
	PD_EXPORT int __##name params                                                              \
	{                                                                                          \
		return name args;                                                                  \
	}

ALIAS(pthread_key_create, (pthread_key_t * key, void (*fn)(void *)), (key, fn))
ALIAS(pthread_once, (pthread_once_t * control, void (*fn)(void)), (control, fn))
ALIAS(pthread_mutex_init, (pthread_mutex_t * m, const pthread_mutexattr_t *attr), (m, attr))
ALIAS(pthread_mutex_destroy, (pthread_mutex_t * m), (m))
ALIAS(pthread_mutex_lock, (pthread_mutex_t * m), (m))
ALIAS(pthread_mutex_trylock, (pthread_mutex_t * m), (m))
ALIAS(pthread_mutex_unlock, (pthread_mutex_t * m), (m))
ALIAS(pthread_rwlock_init, (pthread_rwlock_t * l, const pthread_rwlockattr_t *attr), (l, attr))
ALIAS(pthread_rwlock_destroy, (pthread_rwlock_t * l), (l))
ALIAS(pthread_rwlock_rdlock, (pthread_rwlock_t * l), (l))
ALIAS(pthread_rwlock_tryrdlock, (pthread_rwlock_t * l), (l))
ALIAS(pthread_rwlock_wrlock, (pthread_rwlock_t * l), (l))
ALIAS(pthread_rwlock_trywrlock, (pthread_rwlock_t * l), (l))
ALIAS(pthread_rwlock_unlock, (pthread_rwlock_t * l), (l))
