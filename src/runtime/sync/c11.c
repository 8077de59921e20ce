/*
 * sync/c11.c - C11 threads. glibc's types are the pthread ones under other names, and so is this;
 * only results are spelled otherwise. (libc's own call its internals, which cannot be interposed.)
 */
#include "runtime/base/rt.h"
#include "runtime/sync/sync.h"
#include "runtime/thread/thread.h"
#include "runtime/thread/real.h"
#include <errno.h>

static int result(int r)
{
	switch (r) {
	case 0:
		return thrd_success;
	case ENOMEM:
		return thrd_nomem;
	case ETIMEDOUT:
		return thrd_timedout;
	case EBUSY:
		return thrd_busy;
	default:
		return thrd_error;
	}
}

/* The function's int comes back in the lower half of the register, as x86-64 has it. */
PD_EXPORT int thrd_create(thrd_t *t, thrd_start_t fn, void *arg)
{
	int r;

	if (!pd_thread_driven())
		return pd_real.thrd_create(t, fn, arg);
	r = pthread_create(t, NULL, (void *(*)(void *))(uintptr_t)fn, arg);
	return r == EAGAIN ? thrd_nomem : result(r);
}

PD_EXPORT int thrd_join(thrd_t t, int *ret)
{
	void *v;
	int r;

	if (!pd_thread_driven())
		return pd_real.thrd_join(t, ret);
	r = pthread_join(t, &v);
	if (!r && ret)
		*ret = (int)(intptr_t)v;
	return result(r);
}

PD_EXPORT int thrd_detach(thrd_t t)
{
	return pd_thread_driven() ? result(pthread_detach(t)) : pd_real.thrd_detach(t);
}

PD_EXPORT void thrd_exit(int ret)
{
	if (!pd_thread_driven())
		pd_real.thrd_exit(ret);
	pthread_exit((void *)(intptr_t)ret);
}

PD_EXPORT int mtx_init(mtx_t *m, int type)
{
	int r;

	PD_ON_COPY(r, m, true, pd_real.mtx_init, type);
	return r;
}

PD_EXPORT void mtx_destroy(mtx_t *m)
{
	if (pd_thread_driven())
		pthread_mutex_destroy((pthread_mutex_t *)m);
	else
		pd_real.mtx_destroy(m);
}

PD_EXPORT int mtx_lock(mtx_t *m)
{
	return pd_thread_driven() ? result(pthread_mutex_lock((pthread_mutex_t *)m))
				  : pd_real.mtx_lock(m);
}

PD_EXPORT int mtx_trylock(mtx_t *m)
{
	return pd_thread_driven() ? result(pthread_mutex_trylock((pthread_mutex_t *)m))
				  : pd_real.mtx_trylock(m);
}

PD_EXPORT int mtx_timedlock(mtx_t *restrict m, const struct timespec *restrict abs)
{
	return pd_thread_driven() ? result(pthread_mutex_timedlock((pthread_mutex_t *)m, abs))
				  : pd_real.mtx_timedlock(m, abs);
}

PD_EXPORT int mtx_unlock(mtx_t *m)
{
	return pd_thread_driven() ? result(pthread_mutex_unlock((pthread_mutex_t *)m))
				  : pd_real.mtx_unlock(m);
}

PD_EXPORT int cnd_init(cnd_t *c)
{
	int r;

	PD_ON_COPY(r, c, true, pd_real.cnd_init);
	return r;
}

PD_EXPORT void cnd_destroy(cnd_t *c)
{
	if (pd_thread_driven())
		pthread_cond_destroy((pthread_cond_t *)c);
	else
		pd_real.cnd_destroy(c);
}

PD_EXPORT int cnd_wait(cnd_t *c, mtx_t *m)
{
	return pd_thread_driven()
		       ? result(pthread_cond_wait((pthread_cond_t *)c, (pthread_mutex_t *)m))
		       : pd_real.cnd_wait(c, m);
}

PD_EXPORT int cnd_timedwait(cnd_t *restrict c, mtx_t *restrict m,
			    const struct timespec *restrict abs)
{
	return pd_thread_driven() ? result(pthread_cond_timedwait((pthread_cond_t *)c,
								  (pthread_mutex_t *)m, abs))
				  : pd_real.cnd_timedwait(c, m, abs);
}

PD_EXPORT int cnd_signal(cnd_t *c)
{
	return pd_thread_driven() ? result(pthread_cond_signal((pthread_cond_t *)c))
				  : pd_real.cnd_signal(c);
}

PD_EXPORT int cnd_broadcast(cnd_t *c)
{
	return pd_thread_driven() ? result(pthread_cond_broadcast((pthread_cond_t *)c))
				  : pd_real.cnd_broadcast(c);
}

PD_EXPORT int thrd_sleep(const struct timespec *rel, struct timespec *left)
{
	int r;

	if (!pd_thread_driven())
		return pd_real.thrd_sleep(rel, left);
	r = nanosleep(rel, left);
	if (!r)
		return 0;
	return errno == EINTR ? -1 : -2;
}

PD_EXPORT void thrd_yield(void)
{
	sched_yield();
}
