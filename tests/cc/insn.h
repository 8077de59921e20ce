/*
 * insn.h - what the instruction programs share.
 *
 * A program runs its tests on ordinary memory and then on PM. What it prints must be the same compiled
 * by clang and by perdure cc at every level. With the tracing runtime the second run is also written
 * down, and must be, event by event, what the comments //= say: the events of a line in their order,
 * the lines in theirs, nothing more. A ^ in front stands for an event without a place.
 */
#ifndef PD_TESTS_INSN_H
#define PD_TESTS_INSN_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define PM_SIZE 65536

__attribute__((weak)) void pd_trace(int on);

static int tracing;

static void trace(int on)
{
	if (pd_trace)
		pd_trace(on);
}

/* Takes a value away from the optimiser and prints it; that is not a part of the test. */
static __attribute__((noinline)) void show(const char *what, unsigned long long v)
{
	trace(0);
	printf("%s %llx\n", what, v);
	trace(tracing);
}

/* Takes a pointer away from it, and what it knows of memory: each load is an event. */
static inline __attribute__((always_inline)) void *afresh(void *p)
{
	__asm__ volatile("" : "+r"(p) : : "memory");
	return p;
}

#define AT(type, offset) (*(type *)((char *)afresh(p) + (offset)))

static void all(char *p);

int main(void)
{
	char *heap = aligned_alloc(4096, PM_SIZE);
	char *pm = mmap((void *)(1ULL << 44), PM_SIZE, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	if (!heap || pm == MAP_FAILED)
		return 2;
	memset(heap, 0, PM_SIZE);
	all(heap);
	trace(tracing = 1);
	all(pm);
	trace(tracing = 0);
	printf("image %d\n", memcmp(heap, pm, PM_SIZE));
	for (int i = 0; i < PM_SIZE; i++)
		if (pm[i])
			printf("%x:%02x ", i, (unsigned char)pm[i]);
	putchar('\n');
	return 0;
}

#endif
