/*
 * file/syscall.c - system calls on files that a program makes through syscall().
 *
 * They go to the interposed functions of the same name, which behave like the kernel's on this
 * machine (one struct stat, one off_t). The interposed syscall() asks here first.
 */
#include "runtime/file/file.h"
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define I(i) ((int)a[i])
#define S(i) ((const char *)a[i])
#define V(i) ((void *)a[i])

/* One system call: its name, and the call that stands for it. */
#define CALL(name, call)                                                                           \
	case SYS_##name:                                                                           \
		*r = (long)(call);                                                                 \
		return true

static bool descriptors(long n, const long *a, long *r)
{
	switch (n) {
		CALL(open, open(S(0), I(1), I(2)));
		CALL(openat, openat(I(0), S(1), I(2), I(3)));
		CALL(creat, creat(S(0), (mode_t)a[1]));
		CALL(close, close(I(0)));
		CALL(close_range, close_range((unsigned)a[0], (unsigned)a[1], I(2)));
		CALL(dup, dup(I(0)));
		CALL(dup2, dup2(I(0), I(1)));
		CALL(dup3, dup3(I(0), I(1), I(2)));
		CALL(fcntl, fcntl(I(0), I(1), a[2]));
		CALL(flock, flock(I(0), I(1)));
		CALL(lseek, lseek(I(0), a[1], I(2)));
		CALL(fsync, fsync(I(0)));
		CALL(fdatasync, fdatasync(I(0)));
		CALL(sync_file_range, sync_file_range(I(0), a[1], a[2], (unsigned)a[3]));
		CALL(ftruncate, ftruncate(I(0), a[1]));
		CALL(truncate, truncate(S(0), a[1]));
		CALL(fallocate, fallocate(I(0), I(1), a[2], a[3]));
	default:
		return false;
	}
}

static bool transfers(long n, const long *a, long *r)
{
	switch (n) {
		CALL(read, read(I(0), V(1), (size_t)a[2]));
		CALL(write, write(I(0), V(1), (size_t)a[2]));
		CALL(pread64, pread(I(0), V(1), (size_t)a[2], a[3]));
		CALL(pwrite64, pwrite(I(0), V(1), (size_t)a[2], a[3]));
		CALL(readv, readv(I(0), V(1), I(2)));
		CALL(writev, writev(I(0), V(1), I(2)));
		CALL(preadv, preadv(I(0), V(1), I(2), a[3]));
		CALL(pwritev, pwritev(I(0), V(1), I(2), a[3]));
		CALL(preadv2, preadv2(I(0), V(1), I(2), a[3], I(5)));
		CALL(pwritev2, pwritev2(I(0), V(1), I(2), a[3], I(5)));
		CALL(sendfile, sendfile(I(0), I(1), V(2), (size_t)a[3]));
		CALL(copy_file_range,
		     copy_file_range(I(0), V(1), I(2), V(3), (size_t)a[4], (unsigned)a[5]));
		CALL(mmap, mmap(V(0), (size_t)a[1], I(2), I(3), I(4), a[5]));
		CALL(munmap, munmap(V(0), (size_t)a[1]));
		CALL(mprotect, mprotect(V(0), (size_t)a[1], I(2)));
		CALL(mremap, mremap(V(0), (size_t)a[1], (size_t)a[2], I(3), V(4)));
		CALL(msync, msync(V(0), (size_t)a[1], I(2)));
		CALL(madvise, madvise(V(0), (size_t)a[1], I(2)));
	default:
		return false;
	}
}

static bool names(long n, const long *a, long *r)
{
	switch (n) {
		CALL(stat, stat(S(0), V(1)));
		CALL(lstat, lstat(S(0), V(1)));
		CALL(fstat, fstat(I(0), V(1)));
		CALL(newfstatat, fstatat(I(0), S(1), V(2), I(3)));
		CALL(statx, statx(I(0), S(1), I(2), (unsigned)a[3], V(4)));
		CALL(access, access(S(0), I(1)));
		CALL(faccessat, faccessat(I(0), S(1), I(2), 0));
		CALL(faccessat2, faccessat(I(0), S(1), I(2), I(3)));
		CALL(unlink, unlink(S(0)));
		CALL(unlinkat, unlinkat(I(0), S(1), I(2)));
		CALL(rename, rename(S(0), S(1)));
		CALL(renameat, renameat(I(0), S(1), I(2), S(3)));
		CALL(renameat2, renameat2(I(0), S(1), I(2), S(3), (unsigned)a[4]));
		CALL(link, link(S(0), S(1)));
		CALL(linkat, linkat(I(0), S(1), I(2), S(3), I(4)));
	default:
		return false;
	}
}

static bool world(long n, const long *a, long *r)
{
	switch (n) {
		CALL(getpid, getpid());
		CALL(getppid, getppid());
		CALL(kill, kill((pid_t)a[0], I(1)));
		CALL(time, time(V(0)));
		CALL(gettimeofday, gettimeofday(V(0), V(1)));
		CALL(clock_gettime, clock_gettime((clockid_t)a[0], V(1)));
		CALL(getrandom, getrandom(V(0), (size_t)a[1], (unsigned)a[2]));
	default:
		return false;
	}
}

bool pd_file_syscall(long n, const long a[6], long *r)
{
	return descriptors(n, a, r) || transfers(n, a, r) || names(n, a, r) || world(n, a, r);
}
