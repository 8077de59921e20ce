/*
 * pm.h - what the cases share: mapping a file, offsets for pointers, and flushing as programs do
 * that use no library. A case whose bug is in one of these has its own.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef BUGS_PM_H
#define BUGS_PM_H

#include <assert.h>
#include <fcntl.h>
#include <emmintrin.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef FIXED
#error "compile with -DFIXED=0 (the bug is in) or -DFIXED=1"
#endif

#define UNUSED __attribute__((unused))
#define LINE   __attribute__((aligned(64)))

/* A store that is one instruction: for what commits. With -DPLAIN the compiler may do as it likes. */
#ifdef PLAIN
#define pm_set(p, v) (*(p) = (v))
#else
#define pm_set(p, v) __atomic_store_n((p), (v), __ATOMIC_RELEASE)
#endif
#define pm_get(p)    __atomic_load_n((p), __ATOMIC_ACQUIRE)

/* Compare and swap: puts v where *e is, or puts what is there into *e and says 0. */
#define pm_cas(p, e, v)                                                                            \
	__atomic_compare_exchange_n((p), (e), (v), 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)

/* Maps `path`, which is made `size` bytes long (zeros) if it is new. */
static UNUSED void *pm_map(const char *path, size_t size)
{
	struct stat st;
	void *p;
	int fd = path ? open(path, O_RDWR | O_CREAT, 0644) : -1;

	if (fd < 0 || fstat(fd, &st) != 0 ||
	    ((size_t)st.st_size < size && ftruncate(fd, (off_t)size) != 0)) {
		perror(path ? path : "usage: case FILE...");
		exit(2);
	}
	p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED) {
		perror("mmap");
		exit(2);
	}
	close(fd);
	return p;
}

/* Pointers in PM are offsets from its beginning; 0 is none. */
static UNUSED inline void *pm_at(void *base, uint64_t offset)
{
	return offset ? (char *)base + offset : NULL;
}

static UNUSED inline uint64_t pm_offset(void *base, const void *p)
{
	return (uint64_t)((const char *)p - (const char *)base);
}

static UNUSED inline void pm_clwb(const volatile void *p)
{
	__asm__ volatile("clwb %0" : "+m"(*(volatile char *)(uintptr_t)p));
}

static UNUSED inline void pm_fence(void)
{
	_mm_sfence();
}

/* Every line that has a byte of [p, p+n). */
static UNUSED inline void pm_flush(const volatile void *p, size_t n)
{
	uintptr_t line = (uintptr_t)p & ~(uintptr_t)63;

	for (; line < (uintptr_t)p + n; line += 64)
		pm_clwb((const volatile void *)line);
}

static UNUSED inline void pm_persist(const volatile void *p, size_t n)
{
	pm_flush(p, n);
	pm_fence();
}

#endif
