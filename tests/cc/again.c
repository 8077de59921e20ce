/*
 * again.c - loads that come again, in C and in C++. Comments say how many plain loads of PM a line makes
 * when it is optimised (volatile ones count, too), and, if that differs, out of how many; @2: only where
 * functions are inlined.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <emmintrin.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#ifdef __cplusplus
#include <new>
#endif

#define SEPARATE __attribute__((noinline))

enum { N = 8 };

struct run {
	uint64_t n;
	struct {
		uint64_t key, value;
	} item[N];
	uint64_t *vector;
	int small, scale;
	uint32_t low : 5, high : 27;
};

#ifdef __cplusplus
extern "C" {
#endif
__attribute__((weak)) void pd_trace(int on);
#ifdef __cplusplus
}
#endif

static uint64_t elsewhere;

SEPARATE void call(void)
{
	__asm__ volatile("" ::: "memory");
}

/* ---- once ---- */

SEPARATE uint64_t in_condition(struct run *x, uint64_t key)
{
	uint64_t i = 0;

	while (i < x->n &&                     /*@ 1 of 5 */
	       x->item[i].key < key)           /*@ 5 */
		i++;
	return i;
}

SEPARATE uint64_t twice(struct run *b, uint64_t key, int put)
{
	for (int i = 0; i < N; i++)
		if (b->item[i].key == key ||   /*@ 8 of 8 */
		    (put && !b->item[i].key))  /*@ 0 of 8 */
			return (uint64_t)i;
	return N;
}

/* A pointer that is read in each iteration, and a number after what comes again. */
SEPARATE uint64_t through(struct run *x, int n)
{
	uint64_t sum = 0;

	for (int i = 0; i < n; i++)
		sum += x->vector[i] *          /*@ 9 of 16 */
		       (uint64_t)x->scale;     /*@ 1 of 8 */
	return sum;
}

SEPARATE uint64_t after_store(struct run *x, uint64_t v)
{
	x->n = v;
	return x->n;                           /*@ 0 of 1 */
}

/* A store to another member is none to this one. */
SEPARATE uint64_t other_member(struct run *x)
{
	uint64_t v = x->n;                     /*@ 1 */

	x->item[0].value = v;
	return v + x->n;                       /*@ 0 of 1 */
}

SEPARATE unsigned bits(struct run *x)
{
	return x->low +                        /*@ 1 */
	       x->high;                        /*@ 0 of 1 */
}

/* Loads that nobody looks at are loads. */
SEPARATE void unused(struct run *x)
{
	for (int i = 0; i < 3; i++) {
		uint64_t v = x->item[i].value; /*@ 3 */

		(void)v;
	}
}

/* ---- each time ---- */

SEPARATE uint64_t after_call(struct run *x)
{
	uint64_t v = x->n;                     /*@ 1 */

	call();
	return v + x->n;                       /*@ 1 */
}

SEPARATE uint64_t after_atomic(struct run *x)
{
	uint64_t v = x->n;                     /*@ 1 */

	__atomic_load_n(&x->item[0].key, __ATOMIC_RELAXED); /*@ 0 */
	v += x->n;                             /*@ 1 */
	__atomic_store_n(&x->item[1].key, v, __ATOMIC_RELAXED);
	v += x->n;                             /*@ 1 */
	__atomic_fetch_add(&elsewhere, 1, __ATOMIC_RELAXED);
	return v + x->n;                       /*@ 1 */
}

/* Although nobody else is said to know the object. */
SEPARATE uint64_t after_fence(struct run *__restrict x)
{
	uint64_t v = x->n;                     /*@ 1 */

	_mm_sfence();
	v += x->n;                             /*@ 1 */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	v += x->n;                             /*@ 1 */
	_mm_pause();
	return v + x->n;                       /*@ 1 */
}

SEPARATE uint64_t after_flush(struct run *__restrict x, void *other)
{
	uint64_t v = x->n;                     /*@ 1 */

	_mm_clflush(other);
	return v + x->n;                       /*@ 1 */
}

static char *room;

SEPARATE __attribute__((malloc)) struct run *give(void)
{
	return (struct run *)room;
}

/* Nor has anybody been told of a new one, as far as the language goes. */
SEPARATE uint64_t after_new(void)
{
	struct run *x = give();

	x->n = 2;
	_mm_sfence();
	return x->n;                           /*@ 1 */
}

SEPARATE uint64_t after_asm(struct run *x)
{
	uint64_t v = x->n, w;                  /*@ 1 */

	__asm__("mov %1,%0" : "=r"(w) : "r"(v));
	return w + x->n;                       /*@ 1 */
}

SEPARATE uint64_t after_alias(struct run *x, uint64_t *p)
{
	uint64_t v = x->n;                     /*@ 1 */

	*p = v + 1;
	return v + x->n;                       /*@ 1 */
}

SEPARATE uint64_t after_volatile(struct run *x, volatile int *p)
{
	uint64_t v = x->n;                     /*@ 1 */

	*p = 3;
	v += x->n;                             /*@ 1 */
	v += (uint64_t)*p;                     /*@ 1 */
	v += (uint64_t)*p;                     /*@ 1 */
	v += x->n;                             /*@ 1 */
	return v + (uint64_t)*(const int *)p;  /*@ 1 */
}

/* Never where the source would not. */
SEPARATE uint64_t sometimes(struct run *x, int n, int wanted)
{
	uint64_t sum = 0;

	for (int i = 0; i < n; i++)
		if (i % 3 == wanted)
			sum += x->n + (uint64_t)i; /*@ 3 */
	return sum;
}

SEPARATE uint64_t with_call(struct run *x)
{
	uint64_t i;

	for (i = 0; i < x->n; i++)             /*@ 9 */
		call();
	return i;
}

SEPARATE uint64_t with_alias(struct run *x, uint64_t *p)
{
	uint64_t i;

	for (i = 0; i < x->n; i++)             /*@ 9 */
		p[i] = i;
	return i;
}

SEPARATE uint64_t on_one_way(struct run *x, int c)
{
	uint64_t v = 0;

	if (c)
		v = x->n;                      /*@ 0 */
	return v + x->n;                       /*@ 1 */
}

static jmp_buf back;

SEPARATE void leave(void)
{
	longjmp(back, 1);
}

SEPARATE uint64_t jumps(struct run *x)
{
	uint64_t v = x->n;                     /*@ 1 */

	v += x->n;                             /*@ 1 */
	if (setjmp(back))
		return x->n;                   /*@ 1 */
	x->n = v;
	leave();
	return 0;
}

#ifdef __cplusplus
/* What is thrown comes by a call. */
SEPARATE void thrower(int v)
{
	if (v)
		throw v;
}

SEPARATE uint64_t catches(run *x, int v)
{
	uint64_t sum = x->n;                   /*@ 1 */

	try {
		sum += x->n;                   /*@ 0 of 1 */
		thrower(v);
		sum += x->n;                   /*@ 0 */
	} catch (int) {
		sum += x->n;                   /*@ 1 */
		sum += x->n;                   /*@ 0 of 1 */
	}
	return sum;
}

struct list {
	uint64_t size;
	int *at;

	int &operator[](uint64_t i) { return at[i]; } /*@2 1 of 8 */
	uint64_t count() const { return size; }       /*@2 1 of 9 */
};

SEPARATE int method(list &l)
{
	int sum = 0;

	for (uint64_t i = 0; i < l.count(); i++)
		sum += l[i];                   /*@ 8 */
	return sum;
}
#endif

static void fill(struct run *x)
{
	memset(x, 0, sizeof(*x));
	x->n = N;
	for (int i = 0; i < N; i++)
		x->item[i].key = (uint64_t)i + 1;
	x->vector = (uint64_t *)(x + 1);
	x->scale = 2;
}

static uint64_t all(struct run *x, uint64_t *other, struct run *y)
{
	uint64_t sum = 0;

	sum += in_condition(x, 5);
	sum += twice(x, 99, 1);
	sum += through(x, N);
	sum += after_store(x, N);
	sum += other_member(x);
	sum += bits(x);
	unused(x);
	sum += after_call(x);
	sum += after_atomic(x);
	sum += after_fence(x);
	sum += after_flush(x, other);
	sum += after_new();
	sum += after_asm(x);
	sum += after_alias(x, &x->n);
	sum += after_volatile(x, &x->small);
	sum += sometimes(x, N, 0) + sometimes(x, N, 7);
	x->n = N;
	sum += with_call(x);
	sum += with_alias(x, other);
	sum += on_one_way(x, 0);
	sum += jumps(x);
#ifdef __cplusplus
	y->n = N;
	sum += catches(y, 0 * (int)sum + 1);
	sum += uint64_t(method(*new (y) list{N, (int *)(y + 1)}));
#endif
	(void)y;
	return sum;
}

int main(void)
{
	char *pm = (char *)mmap((void *)(1ULL << 44), 1 << 16, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	struct run *x = (struct run *)pm;
	uint64_t sum;

	if (pm == (char *)MAP_FAILED)
		return 2;
	fill(x);
	room = pm + 12288;
	if (pd_trace)
		pd_trace(1);
	sum = all(x, (uint64_t *)(pm + 4096), (struct run *)(pm + 8192));
	if (pd_trace)
		pd_trace(0);
	printf("%llu\n", (unsigned long long)sum);
	return 0;
}
