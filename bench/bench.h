/*
 * bench.h - the clock, the table and the verdict that the benchmarks share.
 *
 * A limit of 0 means: shown, not judged.
 */
#ifndef PD_BENCH_H
#define PD_BENCH_H

#include "event/choice.h"
#include <stdint.h>
#include <stdio.h>
#include <time.h>

static int bench_exceeded;

static inline double bench_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static inline uint64_t bench_random(uint64_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return *x;
}

/* The compiler must not think that v is unused. */
static inline void bench_keep(uint64_t v)
{
	__asm__ volatile("" : : "r"(v) : "memory");
}

static inline void bench_number(const char *what, double v, double limit, const char *unit)
{
	int over = limit > 0 && v > limit;

	printf("%-58s %10.1f %s", what, v, unit);
	if (limit > 0)
		printf("   (at most %g)%s", limit, over ? "   EXCEEDED" : "");
	putchar('\n');
	bench_exceeded |= over;
}

static inline void bench_ns(const char *what, double seconds, double limit)
{
	bench_number(what, seconds * 1e9, limit * 1e9, "ns");
}

static inline void bench_ratio(const char *what, double a, double b, double limit)
{
	int over = limit > 0 && a / b > limit;

	printf("%-58s %10.2f x", what, a / b);
	if (limit > 0)
		printf("    (at most %g)%s", limit, over ? "   EXCEEDED" : "");
	putchar('\n');
	bench_exceeded |= over;
}

static inline int bench_verdict(void)
{
	return bench_exceeded;
}

static inline uint32_t bench_pick_first(void *ctx, enum pd_choice_kind kind, uint32_t n)
{
	(void)ctx;
	(void)kind;
	(void)n;
	return 0;
}

static inline struct pd_chooser bench_chooser(void)
{
	return (struct pd_chooser){bench_pick_first, NULL};
}

#endif
