/*
 * thread/real.h - libc's own version of every function that we interpose for threads.
 *
 * One list, with the version of the symbol where libc has several and dlsym without a version may
 * not give the default. Filled in once, before the first interposed call is passed on.
 */
#ifndef PD_RUNTIME_THREAD_REAL_H
#define PD_RUNTIME_THREAD_REAL_H

#include "runtime/base/rt.h"
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

/* Declared nowhere: guards of C++'s local statics, destructors of its thread_local objects. */
int __cxa_guard_acquire(void *guard);
void __cxa_guard_release(void *guard);
void __cxa_guard_abort(void *guard);
void __call_tls_dtors(void);
/* What longjmp is with _FORTIFY_SOURCE. */
void __longjmp_chk(struct __jmp_buf_tag env[1], int value) __attribute__((noreturn));

/* X(name, version or NULL) */
#define PD_REAL_LIST(X)                                                                            \
	X(pthread_create, NULL)                                                                    \
	X(pthread_join, NULL)                                                                      \
	X(pthread_tryjoin_np, NULL)                                                                \
	X(pthread_timedjoin_np, NULL)                                                              \
	X(pthread_clockjoin_np, NULL)                                                              \
	X(pthread_detach, NULL)                                                                    \
	X(pthread_getattr_np, NULL)                                                                \
	X(pthread_getaffinity_np, NULL)                                                            \
	X(pthread_setaffinity_np, NULL)                                                            \
	X(pthread_getschedparam, NULL)                                                             \
	X(pthread_setschedparam, NULL)                                                             \
	X(pthread_setschedprio, NULL)                                                              \
	X(pthread_getcpuclockid, NULL)                                                             \
	X(pthread_getname_np, NULL)                                                                \
	X(pthread_setname_np, NULL)                                                                \
	X(pthread_exit, NULL)                                                                      \
	X(pthread_cancel, NULL)                                                                    \
	X(pthread_testcancel, NULL)                                                                \
	X(pthread_setcancelstate, NULL)                                                            \
	X(pthread_setcanceltype, NULL)                                                             \
	X(pthread_key_create, NULL)                                                                \
	X(pthread_key_delete, NULL)                                                                \
	X(pthread_kill, NULL)                                                                      \
	X(pthread_sigqueue, NULL)                                                                  \
	X(pthread_sigmask, NULL)                                                                   \
	X(sigaction, NULL)                                                                         \
	X(signal, NULL)                                                                            \
	X(__sysv_signal, NULL)                                                                     \
	X(sigprocmask, NULL)                                                                       \
	X(sigaltstack, NULL)                                                                       \
	X(sigwait, NULL)                                                                           \
	X(sigwaitinfo, NULL)                                                                       \
	X(sigtimedwait, NULL)                                                                      \
	X(tgkill, NULL)                                                                            \
	X(gettid, NULL)                                                                            \
	X(longjmp, NULL)                                                                           \
	X(_longjmp, NULL)                                                                          \
	X(siglongjmp, NULL)                                                                        \
	X(__longjmp_chk, NULL)                                                                     \
	X(clone, NULL)                                                                             \
	X(_Fork, NULL)                                                                             \
	X(pthread_once, NULL)                                                                      \
	X(pthread_mutex_init, NULL)                                                                \
	X(pthread_mutex_destroy, NULL)                                                             \
	X(pthread_mutex_lock, NULL)                                                                \
	X(pthread_mutex_trylock, NULL)                                                             \
	X(pthread_mutex_timedlock, NULL)                                                           \
	X(pthread_mutex_clocklock, NULL)                                                           \
	X(pthread_mutex_unlock, NULL)                                                              \
	X(pthread_mutex_consistent, NULL)                                                          \
	X(pthread_rwlock_init, NULL)                                                               \
	X(pthread_rwlock_destroy, NULL)                                                            \
	X(pthread_rwlock_rdlock, NULL)                                                             \
	X(pthread_rwlock_wrlock, NULL)                                                             \
	X(pthread_rwlock_tryrdlock, NULL)                                                          \
	X(pthread_rwlock_trywrlock, NULL)                                                          \
	X(pthread_rwlock_timedrdlock, NULL)                                                        \
	X(pthread_rwlock_timedwrlock, NULL)                                                        \
	X(pthread_rwlock_clockrdlock, NULL)                                                        \
	X(pthread_rwlock_clockwrlock, NULL)                                                        \
	X(pthread_rwlock_unlock, NULL)                                                             \
	X(pthread_spin_init, NULL)                                                                 \
	X(pthread_spin_destroy, NULL)                                                              \
	X(pthread_spin_lock, NULL)                                                                 \
	X(pthread_spin_trylock, NULL)                                                              \
	X(pthread_spin_unlock, NULL)                                                               \
	X(pthread_cond_init, "GLIBC_2.3.2")                                                        \
	X(pthread_cond_destroy, "GLIBC_2.3.2")                                                     \
	X(pthread_cond_wait, "GLIBC_2.3.2")                                                        \
	X(pthread_cond_timedwait, "GLIBC_2.3.2")                                                   \
	X(pthread_cond_clockwait, NULL)                                                            \
	X(pthread_cond_signal, "GLIBC_2.3.2")                                                      \
	X(pthread_cond_broadcast, "GLIBC_2.3.2")                                                   \
	X(pthread_barrier_init, NULL)                                                              \
	X(pthread_barrier_destroy, NULL)                                                           \
	X(pthread_barrier_wait, NULL)                                                              \
	X(pthread_mutexattr_init, NULL)                                                            \
	X(pthread_mutexattr_destroy, NULL)                                                         \
	X(pthread_mutexattr_settype, NULL)                                                         \
	X(pthread_mutexattr_setpshared, NULL)                                                      \
	X(pthread_mutexattr_setrobust, NULL)                                                       \
	X(pthread_mutexattr_setprotocol, NULL)                                                     \
	X(pthread_mutexattr_setprioceiling, NULL)                                                  \
	X(pthread_condattr_init, NULL)                                                             \
	X(pthread_condattr_destroy, NULL)                                                          \
	X(pthread_condattr_setclock, NULL)                                                         \
	X(pthread_condattr_setpshared, NULL)                                                       \
	X(pthread_rwlockattr_init, NULL)                                                           \
	X(pthread_rwlockattr_destroy, NULL)                                                        \
	X(pthread_rwlockattr_setkind_np, NULL)                                                     \
	X(pthread_rwlockattr_setpshared, NULL)                                                     \
	X(pthread_barrierattr_init, NULL)                                                          \
	X(pthread_barrierattr_destroy, NULL)                                                       \
	X(pthread_barrierattr_setpshared, NULL)                                                    \
	X(sem_init, NULL)                                                                          \
	X(sem_destroy, NULL)                                                                       \
	X(sem_open, NULL)                                                                          \
	X(sem_close, NULL)                                                                         \
	X(sem_unlink, NULL)                                                                        \
	X(sem_wait, NULL)                                                                          \
	X(sem_trywait, NULL)                                                                       \
	X(sem_timedwait, NULL)                                                                     \
	X(sem_clockwait, NULL)                                                                     \
	X(sem_post, NULL)                                                                          \
	X(sem_getvalue, NULL)                                                                      \
	X(thrd_create, NULL)                                                                       \
	X(thrd_join, NULL)                                                                         \
	X(thrd_detach, NULL)                                                                       \
	X(thrd_exit, NULL)                                                                         \
	X(thrd_sleep, NULL)                                                                        \
	X(thrd_yield, NULL)                                                                        \
	X(call_once, NULL)                                                                         \
	X(mtx_init, NULL)                                                                          \
	X(mtx_destroy, NULL)                                                                       \
	X(mtx_lock, NULL)                                                                          \
	X(mtx_trylock, NULL)                                                                       \
	X(mtx_timedlock, NULL)                                                                     \
	X(mtx_unlock, NULL)                                                                        \
	X(cnd_init, NULL)                                                                          \
	X(cnd_destroy, NULL)                                                                       \
	X(cnd_wait, NULL)                                                                          \
	X(cnd_timedwait, NULL)                                                                     \
	X(cnd_signal, NULL)                                                                        \
	X(cnd_broadcast, NULL)                                                                     \
	X(tss_create, NULL)                                                                        \
	X(tss_delete, NULL)                                                                        \
	X(sched_yield, NULL)                                                                       \
	X(sched_getcpu, NULL)                                                                      \
	X(nanosleep, NULL)                                                                         \
	X(clock_nanosleep, NULL)                                                                   \
	X(usleep, NULL)                                                                            \
	X(sleep, NULL)                                                                             \
	X(poll, NULL)                                                                              \
	X(ppoll, NULL)                                                                             \
	X(select, NULL)                                                                            \
	X(pselect, NULL)                                                                           \
	X(epoll_wait, NULL)                                                                        \
	X(epoll_pwait, NULL)                                                                       \
	X(epoll_pwait2, NULL)                                                                      \
	X(accept4, NULL)                                                                           \
	X(wait4, NULL)                                                                             \
	X(waitid, NULL)                                                                            \
	X(sigsuspend, NULL)                                                                        \
	X(pause, NULL)                                                                             \
	X(flockfile, NULL)                                                                         \
	X(ftrylockfile, NULL)                                                                      \
	X(funlockfile, NULL)                                                                       \
	X(syscall, NULL)                                                                           \
	X(__call_tls_dtors, NULL)

struct pd_real {
#define PD_REAL_FIELD(name, version) __typeof__(&name) name;
	PD_REAL_LIST(PD_REAL_FIELD)
#undef PD_REAL_FIELD
};

extern PD_OWN struct pd_real pd_real;

/* Fills in the table; NULL where libc has no such function. */
void pd_real_init(void);

#endif
