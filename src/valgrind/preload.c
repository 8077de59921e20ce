/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * preload.c - a library inside the program that wraps functions which order threads, and reports
 * them to the tool. Locks are not among them (hook.c).
 *
 * Valgrind redirects calls of the functions named here to the wrappers. Calls within the same
 * library that bypass the linker are redirected, too: the address of the code counts. So C11's
 * cnd_wait needs no wrapper: it calls pthread_cond_wait.
 *
 * Functions that wait are reported after the call, functions that let others continue before it.
 */
#include "request.h"
#include <pthread.h>
#include <semaphore.h>

enum { EXCLUSIVE }; /* enum pd_lock_mode */

#define LIBC	   libcZdsoZa	     /* libc.so*, Z-encoded */
#define LIBPTHREAD libpthreadZdsoZd0 /* libpthread.so.0 of older systems */

static void request(unsigned long request, const void *object, unsigned long aux)
{
	VALGRIND_DO_CLIENT_REQUEST_STMT(request, object, aux, 0, 0, 0);
}

/* WRAP(function, parameters) { body that calls the original as fn }, for both libraries */
#define WRAP(f, params, body)                                                                      \
	static long f##_body(OrigFn fn, void *a, void *b, void *c, void *d)                        \
	{                                                                                          \
		(void)a, (void)b, (void)c, (void)d;                                                \
		body                                                                               \
	}                                                                                          \
	WRAP_IN(LIBC, f)                                                                           \
	WRAP_IN(LIBPTHREAD, f)
#define WRAP_IN(so, f)                                                                             \
	long I_WRAP_SONAME_FNNAME_ZZ(so, f)(void *a, void *b, void *c, void *d);                   \
	long I_WRAP_SONAME_FNNAME_ZZ(so, f)(void *a, void *b, void *c, void *d)                    \
	{                                                                                          \
		OrigFn fn;                                                                         \
                                                                                                   \
		VALGRIND_GET_ORIG_FN(fn);                                                          \
		return f##_body(fn, a, b, c, d);                                                   \
	}

/* Call the original with 1 to 4 arguments; r is an int. */
#define ORIGINAL1(r) CALL_FN_W_W(r, fn, a)
#define ORIGINAL2(r) CALL_FN_W_WW(r, fn, a, b)
#define ORIGINAL3(r) CALL_FN_W_WWW(r, fn, a, b, c)
#define ORIGINAL4(r) CALL_FN_W_WWWW(r, fn, a, b, c, d)

#define SIGNAL(f)                                                                                  \
	WRAP(f, 1, {                                                                               \
		unsigned long r;                                                                   \
                                                                                                   \
		request(VG_REQUEST_SIGNAL, a, 0);                                                  \
		ORIGINAL1(r);                                                                      \
		return (long)r;                                                                    \
	})

#define WAIT(f, n)                                                                                 \
	WRAP(f, n, {                                                                               \
		unsigned long r;                                                                   \
                                                                                                   \
		ORIGINAL##n(r);                                                                    \
		if ((int)r == 0)                                                                   \
			request(VG_REQUEST_WAIT, a, 0);                                            \
		return (long)r;                                                                    \
	})

SIGNAL(pthreadZucondZusignal)
SIGNAL(pthreadZucondZubroadcast)
SIGNAL(semZupost)
WAIT(semZuwait, 1)
WAIT(semZutrywait, 1)
WAIT(semZutimedwait, 2)
WAIT(semZuclockwait, 3)

/* Waiting releases the mutex and takes it again, whatever the result; also if the thread is
 * cancelled. */
#pragma weak __pthread_register_cancel /* some libcs lack them */
#pragma weak __pthread_unregister_cancel

static void taken_again(void *mutex)
{
	request(VG_REQUEST_ACQUIRE, mutex, EXCLUSIVE);
}

#define COND_WAIT(f, n, call)                                                                      \
	WRAP(f, n, {                                                                               \
		unsigned long r;                                                                   \
                                                                                                   \
		request(VG_REQUEST_RELEASE, b, 0);                                                 \
		if (!__pthread_register_cancel) {                                                  \
			call;                                                                      \
			taken_again(b);                                                            \
		} else {                                                                           \
			pthread_cleanup_push(taken_again, b);                                      \
			call;                                                                      \
			pthread_cleanup_pop(1);                                                    \
		}                                                                                  \
		if ((int)r == 0)                                                                   \
			request(VG_REQUEST_WAIT, a, 0);                                            \
		return (long)r;                                                                    \
	})

COND_WAIT(pthreadZucondZuwait, 2, CALL_FN_W_WW(r, fn, a, b))
COND_WAIT(pthreadZucondZutimedwait, 3, CALL_FN_W_WWW(r, fn, a, b, c))
COND_WAIT(pthreadZucondZuclockwait, 4, CALL_FN_W_WWWW(r, fn, a, b, c, d))

WRAP(pthreadZubarrierZuwait, 1, {
	unsigned long r;

	request(VG_REQUEST_SIGNAL, a, 0);
	ORIGINAL1(r);
	request(VG_REQUEST_WAIT, a, 0);
	return (long)r;
})

/* The thread that runs the function lets all others continue when the function ends, before its
 * pthread_once returns here. */
static __thread struct {
	void (*function)(void);
	void *control;
} once;

static void run_once(void)
{
	void *control = once.control;

	once.function();
	request(VG_REQUEST_SIGNAL, control, 0);
}

WRAP(pthreadZuonce, 2, {
	unsigned long r;
	__typeof__(once) outer = once;

	once.function = (void (*)(void))b;
	once.control = a;
	CALL_FN_W_WW(r, fn, a, run_once);
	once = outer;
	request(VG_REQUEST_WAIT, a, 0);
	return (long)r;
})

/* 1 + the number of the thread with this handle; 0: none yet. */
#define NUMBER_OF(handle) VALGRIND_DO_CLIENT_REQUEST_EXPR(0, VG_REQUEST_JOINING, handle, 0, 0, 0, 0)

/* Ask for the number before joining, while the handle is still the thread's. A thread that has not
 * run yet has none; it has one after the join. */
#define JOIN(f, n)                                                                                 \
	WRAP(f, n, {                                                                               \
		unsigned long r;                                                                   \
		unsigned long number = NUMBER_OF(a);                                               \
                                                                                                   \
		ORIGINAL##n(r);                                                                    \
		if ((int)r == 0 && !number)                                                        \
			number = NUMBER_OF(a);                                                     \
		if ((int)r == 0 && number)                                                         \
			request(VG_REQUEST_JOINED, (const void *)(number - 1), (long)a);           \
		return (long)r;                                                                    \
	})

JOIN(pthreadZujoin, 2)
JOIN(pthreadZutryjoinZunp, 2)
JOIN(pthreadZutimedjoinZunp, 3)
JOIN(pthreadZuclockjoinZunp, 4)
