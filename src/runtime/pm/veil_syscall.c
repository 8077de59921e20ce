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

enum { UNKNOWN = 0x80 };

/* Bit set of the arguments that are pointers. */
static uint8_t pointers(long nr)
{
	switch (nr) {
	case SYS_read:
	case SYS_write:
	case SYS_pread64:
	case SYS_pwrite64:
	case SYS_fstat:
	case SYS_readv:
	case SYS_writev:
	case SYS_preadv:
	case SYS_pwritev:
	case SYS_preadv2:
	case SYS_pwritev2:
	case SYS_sendmsg:
	case SYS_recvmsg:
	case SYS_sendmmsg:
	case SYS_bind:
	case SYS_connect:
	case SYS_clock_gettime:
	case SYS_clock_settime:
	case SYS_clock_getres:
	case SYS_epoll_wait:
	case SYS_epoll_pwait:
	case SYS_getdents64:
	case SYS_getdents:
	case SYS_fstatfs:
	case SYS_getrlimit:
	case SYS_setrlimit:
	case SYS_getrusage:
	case SYS_getitimer:
	case SYS_vmsplice:
	case SYS_process_vm_readv:
	case SYS_process_vm_writev:
	case SYS_mkdirat:
	case SYS_unlinkat:
	case SYS_openat:
	case SYS_faccessat:
	case SYS_faccessat2:
	case SYS_fchmodat:
	case SYS_fchownat:
	case SYS_mknodat:
	case SYS_inotify_add_watch:
	case SYS_signalfd:
	case SYS_signalfd4:
	case SYS_mq_notify:
	case SYS_msgsnd:
	case SYS_msgrcv:
	case SYS_timer_gettime:
	case SYS_timerfd_gettime:
	case SYS_sched_setparam:
	case SYS_sched_getparam:
	case SYS_sched_rr_get_interval:
	case SYS_fremovexattr:
	case SYS_flistxattr:
		return 1 << 1;
	case SYS_getrandom:
	case SYS_time:
	case SYS_uname:
	case SYS_sysinfo:
	case SYS_times:
	case SYS_pipe:
	case SYS_pipe2:
	case SYS_getcwd:
	case SYS_chdir:
	case SYS_open:
	case SYS_creat:
	case SYS_unlink:
	case SYS_rmdir:
	case SYS_mkdir:
	case SYS_chmod:
	case SYS_chown:
	case SYS_lchown:
	case SYS_access:
	case SYS_truncate:
	case SYS_mknod:
	case SYS_poll:
	case SYS_memfd_create:
	case SYS_mq_unlink:
	case SYS_adjtimex:
	case SYS_set_tid_address:
	case SYS_set_robust_list:
	case SYS_rt_sigpending:
	case SYS_rt_sigsuspend:
		return 1 << 0;
	case SYS_stat:
	case SYS_lstat:
	case SYS_statfs:
	case SYS_rename:
	case SYS_link:
	case SYS_symlink:
	case SYS_readlink:
	case SYS_nanosleep:
	case SYS_gettimeofday:
	case SYS_settimeofday:
	case SYS_utime:
	case SYS_utimes:
	case SYS_sigaltstack:
	case SYS_capget:
		return 1 << 0 | 1 << 1;
	case SYS_mq_open:
		return 1 << 0 | 1 << 3;
	case SYS_execve:
	case SYS_setxattr:
	case SYS_lsetxattr:
	case SYS_getxattr:
	case SYS_lgetxattr:
		return 1 << 0 | 1 << 1 | 1 << 2;
	case SYS_sendto:
	case SYS_ppoll:
		return nr == SYS_sendto ? 1 << 1 | 1 << 4 : 1 << 0 | 1 << 2 | 1 << 3;
	case SYS_recvfrom:
		return 1 << 1 | 1 << 4 | 1 << 5;
	case SYS_recvmmsg:
		return 1 << 1 | 1 << 4;
	case SYS_accept:
	case SYS_accept4:
	case SYS_getsockname:
	case SYS_getpeername:
	case SYS_rt_sigaction:
	case SYS_rt_sigprocmask:
	case SYS_newfstatat:
	case SYS_readlinkat:
	case SYS_utimensat:
	case SYS_setitimer:
	case SYS_timer_create:
	case SYS_rt_sigqueueinfo:
	case SYS_openat2:
	case SYS_fsetxattr:
	case SYS_fgetxattr:
	case SYS_futimesat:
		return 1 << 1 | 1 << 2;
	case SYS_setsockopt:
	case SYS_mbind:
		return 1 << 3;
	case SYS_getsockopt:
		return 1 << 3 | 1 << 4;
	case SYS_socketpair:
	case SYS_epoll_ctl:
		return 1 << 3;
	case SYS_select:
		return 1 << 1 | 1 << 2 | 1 << 3 | 1 << 4;
	case SYS_pselect6:
		return 1 << 1 | 1 << 2 | 1 << 3 | 1 << 4 | 1 << 5;
	case SYS_clock_nanosleep:
	case SYS_timer_settime:
	case SYS_timerfd_settime:
		return 1 << 2 | 1 << 3;
	case SYS_renameat:
	case SYS_renameat2:
	case SYS_linkat:
		return 1 << 1 | 1 << 3;
	case SYS_symlinkat:
		return 1 << 0 | 1 << 2;
	case SYS_statx:
		return 1 << 1 | 1 << 4;
	case SYS_wait4:
		return 1 << 1 | 1 << 3;
	case SYS_waitid:
		return 1 << 2 | 1 << 4;
	case SYS_prlimit64:
		return 1 << 2 | 1 << 3;
	case SYS_sendfile:
	case SYS_sched_setaffinity:
	case SYS_sched_getaffinity:
	case SYS_sched_setscheduler:
	case SYS_fcntl:
	case SYS_ioctl:
	case SYS_mincore:
	case SYS_io_submit:
		return 1 << 2;
	case SYS_splice:
	case SYS_copy_file_range:
		return 1 << 1 | 1 << 3;
	case SYS_rt_sigtimedwait:
		return 1 << 0 | 1 << 1 | 1 << 2;
	case SYS_close:
	case SYS_lseek:
	case SYS_fsync:
	case SYS_fdatasync:
	case SYS_dup:
	case SYS_dup2:
	case SYS_dup3:
	case SYS_getpid:
	case SYS_gettid:
	case SYS_getppid:
	case SYS_getuid:
	case SYS_geteuid:
	case SYS_getgid:
	case SYS_getegid:
	case SYS_exit:
	case SYS_exit_group:
	case SYS_kill:
	case SYS_tgkill:
	case SYS_tkill:
	case SYS_sched_yield:
	case SYS_pause:
	case SYS_alarm:
	case SYS_umask:
	case SYS_ftruncate:
	case SYS_fallocate:
	case SYS_flock:
	case SYS_socket:
	case SYS_io_uring_enter:
	case SYS_listen:
	case SYS_shutdown:
	case SYS_brk:
	case SYS_eventfd:
	case SYS_eventfd2:
	case SYS_epoll_create:
	case SYS_epoll_create1:
	case SYS_fchmod:
	case SYS_fchown:
	case SYS_fchdir:
	case SYS_getpgrp:
	case SYS_getpgid:
	case SYS_setpgid:
	case SYS_setsid:
	case SYS_getsid:
	case SYS_sync:
	case SYS_syncfs:
	case SYS_fork:
	case SYS_vfork:
	case SYS_clone:
	case SYS_rt_sigreturn:
	case SYS_getpriority:
	case SYS_setpriority:
	case SYS_personality:
	case SYS_readahead:
	case SYS_fadvise64:
	case SYS_close_range:
	case SYS_timerfd_create:
	case SYS_pidfd_open:
	case SYS_membarrier:
	case SYS_rseq:
	case SYS_arch_prctl:
	case SYS_restart_syscall:
	case SYS_sync_file_range:
	case SYS_tee:
	case SYS_inotify_init1:
	case SYS_timer_delete:
	case SYS_timer_getoverrun:
	case SYS_sched_getscheduler:
	case SYS_sched_get_priority_max:
	case SYS_sched_get_priority_min:
	case SYS_futex:
	case SYS_prctl:
	case SYS_mlockall:
	case SYS_munlockall:
		return 0;
	}
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
		pd_rt_loss(PD_LOSS_SYSCALL, 0, "asynchronous I/O");
		break;
	case SYS_io_uring_enter:
		pd_rt_loss(PD_LOSS_SYSCALL, 0, "io_uring, which may be given PM");
		break;
	}
}

static void open_arguments(long nr, const long *a, uintptr_t pc)
{
	uint8_t which = pointers(nr);

	if (which == UNKNOWN) {
		pd_rt_loss(PD_LOSS_SYSCALL, 0,
			   "a system call that may be given PM, and is not known");
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
