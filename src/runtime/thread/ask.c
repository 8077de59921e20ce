/*
 * thread/ask.c - functions of glibc that ask the kernel about a thread.
 *
 * They take the thread's tid from glibc's record, which has the one that the program sees
 * (thread.h). During the call the record has the tid of the kernel thread that runs all threads:
 * processors, priorities and names are its.
 */
#include "runtime/base/rt.h"
#include "runtime/thread/sched.h"
#include "runtime/thread/thread.h"
#include "runtime/thread/real.h"

void pd_thread_show_kernel(struct pd_thread *t)
{
	if (!t->buried)
		pd_thread_set_tid(t, pd_sched.kernel);
}

void pd_thread_show_own(struct pd_thread *t)
{
	if (!t->buried)
		pd_thread_set_tid(t, t->tid);
}

#define ASK(name, params, args)                                                                    \
	PD_EXPORT int name params                                                                  \
	{                                                                                          \
		struct pd_thread *t = pd_thread_driven() ? pd_thread_find(real) : NULL;            \
		int r;                                                                             \
                                                                                                   \
		if (!t)                                                                            \
			return pd_real.name args;                                                  \
		pd_thread_show_kernel(t);                                                          \
		r = pd_real.name args;                                                             \
		pd_thread_show_own(t);                                                             \
		return r;                                                                          \
	}

ASK(pthread_getaffinity_np, (pthread_t real, size_t n, cpu_set_t *set), (real, n, set))
ASK(pthread_setaffinity_np, (pthread_t real, size_t n, const cpu_set_t *set), (real, n, set))
ASK(pthread_getschedparam, (pthread_t real, int *restrict policy, struct sched_param *restrict p),
    (real, policy, p))
ASK(pthread_setschedparam, (pthread_t real, int policy, const struct sched_param *p),
    (real, policy, p))
ASK(pthread_setschedprio, (pthread_t real, int priority), (real, priority))
ASK(pthread_getcpuclockid, (pthread_t real, clockid_t *clock), (real, clock))
ASK(pthread_getname_np, (pthread_t real, char *name, size_t n), (real, name, n))
ASK(pthread_setname_np, (pthread_t real, const char *name), (real, name))

/* glibc does not always know that a thread is detached (thread/kernel.c). */
PD_EXPORT int pthread_getattr_np(pthread_t real, pthread_attr_t *attr)
{
	struct pd_thread *t = pd_thread_driven() ? pd_thread_find(real) : NULL;
	int r;

	if (!t)
		return pd_real.pthread_getattr_np(real, attr);
	pd_thread_show_kernel(t);
	r = pd_real.pthread_getattr_np(real, attr);
	pd_thread_show_own(t);
	if (!r && t->detached)
		pthread_attr_setdetachstate(attr, PTHREAD_CREATE_DETACHED);
	return r;
}
