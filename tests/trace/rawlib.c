/*
 * rawlib.c - a library that is not instrumented and waits by futex calls in its own code.
 *
 * A lock, a condition and an event with a timeout, as static runtimes of other languages have them. Built
 * by the plain compiler.
 */
#include "rawlib.h"
#include <limits.h>
#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>

static long call(int *word, int op, int value, const struct timespec *t, int *second, int third)
{
	register long r10 __asm__("r10") = (long)t;
	register long r8 __asm__("r8") = (long)second;
	register long r9 __asm__("r9") = third;
	long r;

	__asm__ volatile("syscall"
			 : "=a"(r)
			 : "a"((long)SYS_futex), "D"(word), "S"((long)op), "d"((long)value), "r"(r10),
			   "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return r;
}

/* 0 free, 1 taken, 2 taken and waited for. */
void raw_lock(int *l)
{
	int free = 0;

	if (__atomic_compare_exchange_n(l, &free, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return;
	while (__atomic_exchange_n(l, 2, __ATOMIC_ACQUIRE))
		call(l, FUTEX_WAIT_PRIVATE, 2, NULL, NULL, 0);
}

void raw_unlock(int *l)
{
	if (__atomic_exchange_n(l, 0, __ATOMIC_RELEASE) == 2)
		call(l, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

void raw_wait(int *cond, int *lock)
{
	int seen = __atomic_load_n(cond, __ATOMIC_RELAXED);

	raw_unlock(lock);
	call(cond, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
	while (__atomic_exchange_n(lock, 2, __ATOMIC_ACQUIRE))
		call(lock, FUTEX_WAIT_PRIVATE, 2, NULL, NULL, 0);
}

/* Wakes one, and lets the others wait for the lock. */
void raw_broadcast(int *cond, int *lock)
{
	int v = __atomic_add_fetch(cond, 1, __ATOMIC_RELAXED);

	call(cond, FUTEX_CMP_REQUEUE_PRIVATE, 1, (struct timespec *)(long)INT_MAX, lock, v);
}

int raw_event_wait(int *event, long ns)
{
	struct timespec t = {ns / 1000000000, ns % 1000000000};

	while (!__atomic_load_n(event, __ATOMIC_ACQUIRE)) {
		long r = call(event, FUTEX_WAIT_PRIVATE, 0, &t, NULL, 0);

		if (r < 0 && r != -11 && r != -4)
			return (int)r;
	}
	return 0;
}

/* Sets the event and, in the same call, wakes those who wait for it and for the other one. */
void raw_event_set(int *event, int *other)
{
	call(other, FUTEX_WAKE_OP_PRIVATE, INT_MAX, (struct timespec *)(long)INT_MAX, event,
	     FUTEX_OP(FUTEX_OP_SET, 1, FUTEX_OP_CMP_EQ, 0));
}
