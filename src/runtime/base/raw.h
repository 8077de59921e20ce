/*
 * raw.h - system calls for the runtime's own use.
 *
 * The runtime interposes most of libc's file functions, so what it needs itself must not go through
 * them: not by accident, not before libc is ready, not as a cancellation point. Every function
 * here returns what the kernel does: the result, or -errno; errno itself is left alone.
 */
#ifndef PD_RUNTIME_BASE_RAW_H
#define PD_RUNTIME_BASE_RAW_H

#include "base/types.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>

static inline long pd_raw(long n, long a, long b, long c, long d, long e, long f)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long ret;

	__asm__ volatile("syscall"
			 : "=a"(ret)
			 : "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return ret;
}

static inline long pd_raw_openat(int dir, const char *path, int flags, int mode)
{
	return pd_raw(SYS_openat, dir, (long)path, flags, mode, 0, 0);
}

static inline long pd_raw_open(const char *path, int flags)
{
	return pd_raw_openat(AT_FDCWD, path, flags | O_CLOEXEC, 0);
}

static inline long pd_raw_close(int fd)
{
	return pd_raw(SYS_close, fd, 0, 0, 0, 0, 0);
}

static inline long pd_raw_read(int fd, void *buf, size_t n)
{
	return pd_raw(SYS_read, fd, (long)buf, (long)n, 0, 0, 0);
}

static inline long pd_raw_write(int fd, const void *buf, size_t n)
{
	return pd_raw(SYS_write, fd, (long)buf, (long)n, 0, 0, 0);
}

static inline long pd_raw_fstatat(int dir, const char *path, struct stat *st, int flags)
{
	return pd_raw(SYS_newfstatat, dir, (long)path, (long)st, flags, 0, 0);
}

static inline long pd_raw_readlink(const char *path, char *buf, size_t n)
{
	return pd_raw(SYS_readlink, (long)path, (long)buf, (long)n, 0, 0, 0);
}

static inline long pd_raw_getcwd(char *buf, size_t n)
{
	return pd_raw(SYS_getcwd, (long)buf, (long)n, 0, 0, 0, 0);
}

static inline long pd_raw_mmap(uint64_t addr, size_t n, int prot, int flags, int fd, uint64_t off)
{
	return pd_raw(SYS_mmap, (long)addr, (long)n, prot, flags, fd, (long)off);
}

static inline long pd_raw_munmap(uint64_t addr, size_t n)
{
	return pd_raw(SYS_munmap, (long)addr, (long)n, 0, 0, 0, 0);
}

static inline long pd_raw_mprotect(uint64_t addr, size_t n, int prot)
{
	return pd_raw(SYS_mprotect, (long)addr, (long)n, prot, 0, 0, 0);
}

static inline long pd_raw_madvise(uint64_t addr, size_t n, int advice)
{
	return pd_raw(SYS_madvise, (long)addr, (long)n, advice, 0, 0, 0);
}

static inline long pd_raw_mremap(uint64_t addr, size_t n, size_t to_n, int flags, uint64_t to)
{
	return pd_raw(SYS_mremap, (long)addr, (long)n, (long)to_n, flags, (long)to, 0);
}

/* Whether a result of pd_raw_mmap or pd_raw_mremap is an error. */
static inline bool pd_raw_failed(long r)
{
	return (unsigned long)r > -4096UL;
}

/* Whether the page of an address can be read: a system call that reads 8 bytes there, and then
 * fails, does not fault. NULL would mean that there is nothing to read. */
static inline bool pd_raw_is_readable(uint64_t addr)
{
	uint64_t at = addr < 8 ? 8 : addr & ~7ULL;

	return pd_raw(SYS_rt_sigprocmask, -1, (long)at, 0, 8, 0, 0) != -EFAULT;
}

/* Memory of the runtime's own (own.c); NULL: there is none left. */
void *pd_raw_borrow(size_t n);
void pd_raw_give_back(void *p, size_t n);

#endif
