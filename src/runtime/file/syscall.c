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

static bool descriptors(long n, const long *a, long *r)
{
	switch (n) {
	case SYS_open:
		*r = open(S(0), I(1), I(2));
		return true;
	case SYS_openat:
		*r = openat(I(0), S(1), I(2), I(3));
		return true;
	case SYS_creat:
		*r = creat(S(0), (mode_t)a[1]);
		return true;
	case SYS_close:
		*r = close(I(0));
		return true;
	case SYS_close_range:
		*r = close_range((unsigned)a[0], (unsigned)a[1], I(2));
		return true;
	case SYS_dup:
		*r = dup(I(0));
		return true;
	case SYS_dup2:
		*r = dup2(I(0), I(1));
		return true;
	case SYS_dup3:
		*r = dup3(I(0), I(1), I(2));
		return true;
	case SYS_fcntl:
		*r = fcntl(I(0), I(1), a[2]);
		return true;
	case SYS_flock:
		*r = flock(I(0), I(1));
		return true;
	case SYS_lseek:
		*r = lseek(I(0), a[1], I(2));
		return true;
	case SYS_fsync:
		*r = fsync(I(0));
		return true;
	case SYS_fdatasync:
		*r = fdatasync(I(0));
		return true;
	case SYS_sync_file_range:
		*r = sync_file_range(I(0), a[1], a[2], (unsigned)a[3]);
		return true;
	case SYS_ftruncate:
		*r = ftruncate(I(0), a[1]);
		return true;
	case SYS_truncate:
		*r = truncate(S(0), a[1]);
		return true;
	case SYS_fallocate:
		*r = fallocate(I(0), I(1), a[2], a[3]);
		return true;
	default:
		return false;
	}
}

static bool transfers(long n, const long *a, long *r)
{
	switch (n) {
	case SYS_read:
		*r = read(I(0), V(1), (size_t)a[2]);
		return true;
	case SYS_write:
		*r = write(I(0), V(1), (size_t)a[2]);
		return true;
	case SYS_pread64:
		*r = pread(I(0), V(1), (size_t)a[2], a[3]);
		return true;
	case SYS_pwrite64:
		*r = pwrite(I(0), V(1), (size_t)a[2], a[3]);
		return true;
	case SYS_readv:
		*r = readv(I(0), V(1), I(2));
		return true;
	case SYS_writev:
		*r = writev(I(0), V(1), I(2));
		return true;
	case SYS_preadv:
		*r = preadv(I(0), V(1), I(2), a[3]);
		return true;
	case SYS_pwritev:
		*r = pwritev(I(0), V(1), I(2), a[3]);
		return true;
	case SYS_preadv2:
		*r = preadv2(I(0), V(1), I(2), a[3], I(5));
		return true;
	case SYS_pwritev2:
		*r = pwritev2(I(0), V(1), I(2), a[3], I(5));
		return true;
	case SYS_sendfile:
		*r = sendfile(I(0), I(1), V(2), (size_t)a[3]);
		return true;
	case SYS_copy_file_range:
		*r = copy_file_range(I(0), V(1), I(2), V(3), (size_t)a[4], (unsigned)a[5]);
		return true;
	case SYS_mmap:
		*r = (long)mmap(V(0), (size_t)a[1], I(2), I(3), I(4), a[5]);
		return true;
	case SYS_munmap:
		*r = munmap(V(0), (size_t)a[1]);
		return true;
	case SYS_mprotect:
		*r = mprotect(V(0), (size_t)a[1], I(2));
		return true;
	case SYS_mremap:
		*r = (long)mremap(V(0), (size_t)a[1], (size_t)a[2], I(3), V(4));
		return true;
	case SYS_msync:
		*r = msync(V(0), (size_t)a[1], I(2));
		return true;
	case SYS_madvise:
		*r = madvise(V(0), (size_t)a[1], I(2));
		return true;
	default:
		return false;
	}
}

static bool names(long n, const long *a, long *r)
{
	switch (n) {
	case SYS_stat:
		*r = stat(S(0), V(1));
		return true;
	case SYS_lstat:
		*r = lstat(S(0), V(1));
		return true;
	case SYS_fstat:
		*r = fstat(I(0), V(1));
		return true;
	case SYS_newfstatat:
		*r = fstatat(I(0), S(1), V(2), I(3));
		return true;
	case SYS_statx:
		*r = statx(I(0), S(1), I(2), (unsigned)a[3], V(4));
		return true;
	case SYS_access:
		*r = access(S(0), I(1));
		return true;
	case SYS_faccessat:
		*r = faccessat(I(0), S(1), I(2), 0);
		return true;
	case SYS_faccessat2:
		*r = faccessat(I(0), S(1), I(2), I(3));
		return true;
	case SYS_unlink:
		*r = unlink(S(0));
		return true;
	case SYS_unlinkat:
		*r = unlinkat(I(0), S(1), I(2));
		return true;
	case SYS_rename:
		*r = rename(S(0), S(1));
		return true;
	case SYS_renameat:
		*r = renameat(I(0), S(1), I(2), S(3));
		return true;
	case SYS_renameat2:
		*r = renameat2(I(0), S(1), I(2), S(3), (unsigned)a[4]);
		return true;
	case SYS_link:
		*r = link(S(0), S(1));
		return true;
	case SYS_linkat:
		*r = linkat(I(0), S(1), I(2), S(3), I(4));
		return true;
	default:
		return false;
	}
}

static bool world(long n, const long *a, long *r)
{
	switch (n) {
	case SYS_getpid:
		*r = getpid();
		return true;
	case SYS_getppid:
		*r = getppid();
		return true;
	case SYS_kill:
		*r = kill((pid_t)a[0], I(1));
		return true;
	case SYS_time:
		*r = time(V(0));
		return true;
	case SYS_gettimeofday:
		*r = gettimeofday(V(0), V(1));
		return true;
	case SYS_clock_gettime:
		*r = clock_gettime((clockid_t)a[0], V(1));
		return true;
	case SYS_getrandom:
		*r = getrandom(V(0), (size_t)a[1], (unsigned)a[2]);
		return true;
	default:
		return false;
	}
}

bool pd_file_syscall(long n, const long a[6], long *r)
{
	return descriptors(n, a, r) || transfers(n, a, r) || names(n, a, r) || world(n, a, r);
}
