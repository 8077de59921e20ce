/* snapshot.c - see snapshot.h. */
#include "runtime/thread/snapshot.h"
#include "base/out.h"
#include "runtime/base/raw.h"
#include "runtime/thread/thread.h"
#include "runtime/thread/door.h"
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

pid_t pd_snapshot_fork(void)
{
	long parent = pd_raw(SYS_getpid, 0, 0, 0, 0, 0, 0);
	pid_t pid;

	pd_door_before_snapshot();
	pid = (pid_t)pd_raw(SYS_clone, 0, 0, 0, 0, 0, 0);
	if (pid)
		return pid;
	/* It dies with its parent, also if that has died already. */
	pd_raw(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0, 0);
	if (pd_raw(SYS_getppid, 0, 0, 0, 0, 0, 0) != parent)
		pd_raw(SYS_exit_group, 1, 0, 0, 0, 0, 0);
	pd_thread_cloned();
	return 0;
}

int pd_snapshot_wait(pid_t pid, int *status)
{
	long r;

	do
		r = pd_raw(SYS_wait4, pid, (long)status, __WALL, 0, 0, 0);
	while (r == -EINTR);
	return r < 0 ? (int)r : 0;
}

static bool is_over(pid_t pid)
{
	siginfo_t info = {0};

	pd_raw(SYS_waitid, P_PID, pid, (long)&info, WEXITED | WNOHANG | WNOWAIT | __WALL, 0, 0);
	return info.si_pid == pid;
}

bool pd_snapshot_ended(pid_t pid, int fd, int ms)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	struct timespec nap = {0, 50000};
	long left = ms * 1000000L;

	if (fd >= 0)
		return pd_raw(SYS_poll, (long)&p, 1, ms, 0, 0, 0) > 0;
	for (; !is_over(pid) && left > 0; left -= nap.tv_nsec) {
		nap.tv_nsec = PD_MIN(nap.tv_nsec * 2, 10000000);
		pd_raw(SYS_nanosleep, (long)&nap, 0, 0, 0, 0, 0);
	}
	return is_over(pid);
}

bool pd_snapshot_gone(pid_t pid)
{
	char state = pd_snapshot_state(pid);
	bool ended = false;
	long fd;

	if (state)
		return state == 'Z';
	if (pd_raw(SYS_kill, pid, 0, 0, 0, 0, 0) == -ESRCH)
		return true;
	/* There is no /proc. */
	fd = pd_raw(SYS_pidfd_open, pid, 0, 0, 0, 0, 0);
	if (fd >= 0) {
		ended = pd_snapshot_ended(pid, (int)fd, 0);
		pd_raw_close((int)fd);
	}
	return ended;
}

char pd_snapshot_state(pid_t pid)
{
	char path[32], text[512];
	const char *name_end;
	struct pd_outbuf b;
	long n, fd;

	pd_outbuf_init(&b, path, sizeof(path));
	pd_outf(&b.out, "/proc/%d/stat", (int)pid);
	fd = pd_raw_open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	n = pd_raw_read((int)fd, text, sizeof(text) - 1);
	pd_raw_close((int)fd);
	text[n > 0 ? n : 0] = '\0';
	name_end = strrchr(text, ')'); /* the name may have some, too */
	return name_end && name_end[1] ? name_end[2] : 0;
}
