/*
 * pm/veil_syscall.c - system calls with pointers to PM, by code that was not instrumented.
 *
 * Interposed functions of libc, and syscall(), do not come here: they know PM. What comes is a
 * syscall instruction elsewhere, redirected by a filter (thread/trap.c) because one of its
 * arguments is an address in the window, or because it takes a vector of buffers. The kernel cannot
 * read a veiled page. So the bytes that it may access are read for it, as after a fault, and opened
 * during the call. For most calls the number of bytes is not known: then it is one page from where
 * the pointer leads.
 *
 * Registers that a call does not use may hold anything, so the pointer arguments of each call are
 * listed.
 */
#include "runtime/pm/pool.h"
#include "runtime/thread/trap.h"
#include "runtime/base/env.h"
#include "runtime/base/raw.h"
#include "runtime/thread/door.h"
#include "runtime/pm/veil.h"
#include <errno.h>
#include <linux/aio_abi.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>

enum { A0 = 1, A1 = 2, A2 = 4, A3 = 8, A4 = 16, A5 = 32, UNKNOWN = 128 };

#define CALLS(...) ((const short[]){__VA_ARGS__, -1})

/* Which arguments of a call are pointers, as bits. */
static const struct {
	uint8_t arguments;
	const short *calls; /* ends with -1 */
} known[] = {
	{A1,
	 CALLS(SYS_read, SYS_write, SYS_pread64, SYS_pwrite64, SYS_fstat, SYS_readv, SYS_writev,
	       SYS_preadv, SYS_pwritev, SYS_preadv2, SYS_pwritev2, SYS_sendmsg, SYS_recvmsg,
	       SYS_sendmmsg, SYS_bind, SYS_connect, SYS_clock_gettime, SYS_clock_settime,
	       SYS_clock_getres, SYS_epoll_wait, SYS_epoll_pwait, SYS_getdents64, SYS_getdents,
	       SYS_fstatfs, SYS_getrlimit, SYS_setrlimit, SYS_getrusage, SYS_getitimer,
	       SYS_vmsplice, SYS_process_vm_readv, SYS_process_vm_writev, SYS_mkdirat, SYS_unlinkat,
	       SYS_openat, SYS_faccessat, SYS_faccessat2, SYS_fchmodat, SYS_fchownat, SYS_mknodat,
	       SYS_inotify_add_watch, SYS_signalfd, SYS_signalfd4, SYS_mq_notify, SYS_msgsnd,
	       SYS_msgrcv, SYS_timer_gettime, SYS_timerfd_gettime, SYS_sched_setparam,
	       SYS_sched_getparam, SYS_sched_rr_get_interval, SYS_fremovexattr, SYS_flistxattr)},
	{A0, CALLS(SYS_getrandom, SYS_time, SYS_uname, SYS_sysinfo, SYS_times, SYS_pipe, SYS_pipe2,
		   SYS_getcwd, SYS_chdir, SYS_open, SYS_creat, SYS_unlink, SYS_rmdir, SYS_mkdir,
		   SYS_chmod, SYS_chown, SYS_lchown, SYS_access, SYS_truncate, SYS_mknod, SYS_poll,
		   SYS_memfd_create, SYS_mq_unlink, SYS_adjtimex, SYS_set_tid_address,
		   SYS_set_robust_list, SYS_rt_sigpending, SYS_rt_sigsuspend)},
	{A0 | A1, CALLS(SYS_stat, SYS_lstat, SYS_statfs, SYS_rename, SYS_link, SYS_symlink,
			SYS_readlink, SYS_nanosleep, SYS_gettimeofday, SYS_settimeofday, SYS_utime,
			SYS_utimes, SYS_sigaltstack, SYS_capget)},
	{A0 | A3, CALLS(SYS_mq_open)},
	{A0 | A1 | A2, CALLS(SYS_execve, SYS_setxattr, SYS_lsetxattr, SYS_getxattr, SYS_lgetxattr,
			     SYS_rt_sigtimedwait)},
	{A1 | A4, CALLS(SYS_sendto, SYS_recvmmsg, SYS_statx)},
	{A0 | A2 | A3, CALLS(SYS_ppoll)},
	{A1 | A4 | A5, CALLS(SYS_recvfrom)},
	{A1 | A2, CALLS(SYS_accept, SYS_accept4, SYS_getsockname, SYS_getpeername, SYS_rt_sigaction,
			SYS_rt_sigprocmask, SYS_newfstatat, SYS_readlinkat, SYS_utimensat,
			SYS_setitimer, SYS_timer_create, SYS_rt_sigqueueinfo, SYS_openat2,
			SYS_fsetxattr, SYS_fgetxattr, SYS_futimesat)},
	{A3, CALLS(SYS_setsockopt, SYS_mbind, SYS_socketpair, SYS_epoll_ctl)},
	{A3 | A4, CALLS(SYS_getsockopt)},
	{A1 | A2 | A3 | A4, CALLS(SYS_select)},
	{A1 | A2 | A3 | A4 | A5, CALLS(SYS_pselect6)},
	{A2 | A3,
	 CALLS(SYS_clock_nanosleep, SYS_timer_settime, SYS_timerfd_settime, SYS_prlimit64)},
	{A1 | A3, CALLS(SYS_renameat, SYS_renameat2, SYS_linkat, SYS_wait4, SYS_splice,
			SYS_copy_file_range)},
	{A0 | A2, CALLS(SYS_symlinkat)},
	{A2 | A4, CALLS(SYS_waitid)},
	{A2, CALLS(SYS_sendfile, SYS_sched_setaffinity, SYS_sched_getaffinity,
		   SYS_sched_setscheduler, SYS_fcntl, SYS_ioctl, SYS_mincore, SYS_io_submit)},
	{0, CALLS(SYS_close, SYS_lseek, SYS_fsync, SYS_fdatasync, SYS_dup, SYS_dup2, SYS_dup3,
		  SYS_getpid, SYS_gettid, SYS_getppid, SYS_getuid, SYS_geteuid, SYS_getgid,
		  SYS_getegid, SYS_exit, SYS_exit_group, SYS_kill, SYS_tgkill, SYS_tkill,
		  SYS_sched_yield, SYS_pause, SYS_alarm, SYS_umask, SYS_ftruncate, SYS_fallocate,
		  SYS_flock, SYS_socket, SYS_io_uring_enter, SYS_listen, SYS_shutdown, SYS_brk,
		  SYS_eventfd, SYS_eventfd2, SYS_epoll_create, SYS_epoll_create1, SYS_fchmod,
		  SYS_fchown, SYS_fchdir, SYS_getpgrp, SYS_getpgid, SYS_setpgid, SYS_setsid,
		  SYS_getsid, SYS_sync, SYS_syncfs, SYS_fork, SYS_vfork, SYS_clone,
		  SYS_rt_sigreturn, SYS_getpriority, SYS_setpriority, SYS_personality,
		  SYS_readahead, SYS_fadvise64, SYS_close_range, SYS_timerfd_create, SYS_pidfd_open,
		  SYS_membarrier, SYS_rseq, SYS_arch_prctl, SYS_restart_syscall,
		  SYS_sync_file_range, SYS_tee, SYS_inotify_init1, SYS_timer_delete,
		  SYS_timer_getoverrun, SYS_sched_getscheduler, SYS_sched_get_priority_max,
		  SYS_sched_get_priority_min, SYS_futex, SYS_prctl, SYS_mlockall, SYS_munlockall)},
};

static uint8_t pointers(long nr)
{
	for (uint32_t i = 0; i < PD_LEN(known); i++)
		for (const short *c = known[i].calls; *c != -1; c++)
			if (*c == nr)
				return known[i].arguments;
	return UNKNOWN;
}

static bool changes_mappings(long nr)
{
	return nr == SYS_mmap || nr == SYS_munmap || nr == SYS_mprotect || nr == SYS_mremap ||
	       nr == SYS_msync || nr == SYS_madvise;
}

/* A closed page cannot be locked; a page of PM need not be. */
static bool locks_pages(long nr)
{
	return nr == SYS_mlock || nr == SYS_mlock2 || nr == SYS_munlock;
}

/* How many bytes the call accesses at an argument. */
static uint64_t length(long nr, int i, const long *a)
{
	bool transfer = nr == SYS_read || nr == SYS_write || nr == SYS_pread64 ||
			nr == SYS_pwrite64 || nr == SYS_sendto || nr == SYS_recvfrom;

	if (transfer && i == 1)
		return PD_MIN((uint64_t)a[2], 1ULL << 30);
	if (nr == SYS_getrandom)
		return PD_MIN((uint64_t)a[1], 1ULL << 20);
	return PD_PAGE;
}

static void open_vector(const struct iovec *v, uint64_t n, uintptr_t pc)
{
	for (uint64_t i = 0; v && i < PD_MIN(n, IOV_MAX); i++)
		if (PD_IS_PM(v[i].iov_base))
			pd_veil_open((uint64_t)v[i].iov_base, PD_MIN(v[i].iov_len, 1ULL << 30), pc);
}

static void open_message(const struct msghdr *m, uintptr_t pc)
{
	if (PD_IS_PM(m->msg_iov))
		pd_veil_open((uint64_t)m->msg_iov,
			     PD_MIN(m->msg_iovlen, IOV_MAX) * sizeof(struct iovec), pc);
	open_vector(m->msg_iov, m->msg_iovlen, pc);
	if (PD_IS_PM(m->msg_name))
		pd_veil_open((uint64_t)m->msg_name, m->msg_namelen, pc);
	if (PD_IS_PM(m->msg_control))
		pd_veil_open((uint64_t)m->msg_control, m->msg_controllen, pc);
}

static void open_messages(const struct mmsghdr *m, uint64_t n, uintptr_t pc)
{
	if (PD_IS_PM(m))
		pd_veil_open((uint64_t)m, PD_MIN(n, IOV_MAX) * sizeof(*m), pc);
	for (uint64_t i = 0; m && i < PD_MIN(n, IOV_MAX); i++)
		open_message(&m[i].msg_hdr, pc);
}

static void open_requests(struct iocb *const *v, uint64_t n, uintptr_t pc)
{
	for (uint64_t i = 0; v && i < PD_MIN(n, IOV_MAX); i++) {
		const struct iocb *r = v[i];
		bool vector = r->aio_lio_opcode == IOCB_CMD_PREADV ||
			      r->aio_lio_opcode == IOCB_CMD_PWRITEV;

		if (vector)
			open_vector((const struct iovec *)r->aio_buf, r->aio_nbytes, pc);
		else if (PD_IS_PM(r->aio_buf))
			pd_veil_open(r->aio_buf, PD_MIN(r->aio_nbytes, 1ULL << 30), pc);
	}
}

/* Opens what the arguments of a call lead to. */
static void open_further(long nr, const long *a, uintptr_t pc)
{
	switch (nr) {
	case SYS_sendmsg:
	case SYS_recvmsg:
		open_message((const void *)a[1], pc);
		break;
	case SYS_sendmmsg:
	case SYS_recvmmsg:
		open_messages((const void *)a[1], (uint64_t)a[2], pc);
		break;
	case SYS_process_vm_readv:
	case SYS_process_vm_writev:
		open_vector((const void *)a[3], (uint64_t)a[4], pc);
		/* fall through */
	case SYS_readv:
	case SYS_writev:
	case SYS_preadv:
	case SYS_pwritev:
	case SYS_preadv2:
	case SYS_pwritev2:
	case SYS_vmsplice:
		open_vector((const void *)a[1], (uint64_t)a[2], pc);
		break;
	case SYS_io_submit:
		open_requests((void *)a[2], (uint64_t)a[1], pc);
		pd_rt_loss(PD_LOSS_CALL, 0, "asynchronous I/O");
		break;
	case SYS_io_uring_enter:
		pd_rt_loss(PD_LOSS_CALL, 0, "io_uring, which may be given PM");
		break;
	}
}

static void open_arguments(long nr, const long *a, uintptr_t pc)
{
	uint8_t which = pointers(nr);

	if (which == UNKNOWN) {
		pd_rt_loss(PD_LOSS_CALL, 0, "a system call that may be given PM, and is not known");
		which = 0x3f;
	}
	for (int i = 0; i < 6; i++)
		if (which >> i & 1 && PD_IS_PM(a[i]))
			pd_veil_open((uint64_t)a[i], length(nr, i, a), pc);
	open_further(nr, a, pc);
}

/* The program's own process id differs from the kernel's. */
static long process_of(long nr, long a)
{
	return (nr == SYS_process_vm_readv || nr == SYS_process_vm_writev) && a == pd_env_pid()
		       ? pd_raw(SYS_getpid, 0, 0, 0, 0, 0, 0)
		       : a;
}

void pd_veil_judge_call(const char *name, long nr, long r)
{
	if (!pd_veil_on)
		return;
	if (nr == SYS_io_submit && r < 0) /* its files are not known to the kernel */
		pd_rt_fail(3, "asynchronous I/O failed, which perdure does not follow");
	if (r != -EFAULT)
		return;
	if (name)
		pd_rt_fail(3, "%s failed with EFAULT: it may have been given PM", name);
	pd_rt_fail(
		3,
		"system call %ld failed with EFAULT: it may have been given PM through a structure "
		"that perdure does not know",
		nr);
}

long pd_veil_syscall(long nr, const long *a, uintptr_t pc)
{
	long r;

	if (!pd_inside())
		return pd_raw(nr, a[0], a[1], a[2], a[3], a[4], a[5]);
	if (changes_mappings(nr) && pd_trap_calls.file(nr, a, &r))
		return r == -1 ? -errno : r;
	if (locks_pages(nr) && (uint64_t)a[0] >= PD_PM_BASE && (uint64_t)a[0] < PD_PM_END)
		return pd_pool_map_covered(PD_PAGE_DOWN((uint64_t)a[0]), (uint64_t)a[1]) ? 0
											 : -ENOMEM;
	if (pd_veil_on)
		open_arguments(nr, a, pc);
	r = pd_raw(nr, process_of(nr, a[0]), a[1], a[2], a[3], a[4], a[5]);
	if (pd_veil_on) {
		pd_veil_close();
		pd_veil_judge_call(NULL, nr, r);
	}
	return r;
}
