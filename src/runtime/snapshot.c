/* snapshot.c - see snapshot.h. */
#include "runtime/snapshot.h"
#include "runtime/raw.h"
#include "runtime/thread.h"
#include <sys/wait.h>

pid_t pd_snapshot_fork(void)
{
	pid_t pid = (pid_t)pd_raw(SYS_clone, 0, 0, 0, 0, 0, 0);

	if (!pid)
		pd_thread_cloned();
	return pid;
}

int pd_snapshot_wait(pid_t pid, int *status)
{
	long r;

	do
		r = pd_raw(SYS_wait4, pid, (long)status, __WALL, 0, 0, 0);
	while (r == -EINTR);
	return r < 0 ? (int)r : 0;
}
