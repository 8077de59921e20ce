/*
 * check/serve.c - serves executions from a later point of the program. See check.h.
 *
 * All executions of a program are the same until something makes a difference, such as the first
 * thread. There the process stops and takes the place of the zygote: the tool orders executions
 * from it.
 */
#include "event/channel.h"
#include "runtime/base/raw.h"
#include "runtime/check/check.h"
#include "runtime/session/session.h"
#include "runtime/thread/snapshot.h"

static bool next_seed(uint64_t *seed)
{
	struct pd_zygote_order o;
	long n;

	do
		n = pd_raw_read(pd_session.zygote, &o, sizeof(o));
	while (n == -EINTR);
	*seed = o.seed;
	return n == sizeof(o) && o.what == PD_ZYGOTE_RUN;
}

bool pd_serve_executions(void)
{
	static bool serves;
	long input = pd_check_input_offset();
	uint64_t seed = pd_rt.seed;

	if (serves)
		return false;
	serves = true;
	do {
		struct pd_zygote_answer a = {0};
		pid_t pid = pd_snapshot_fork();

		if (pid == 0) {
			pd_raw_close(pd_session.zygote);
			pd_check_input_again(input);
			pd_session_seed(seed);
			return true;
		}
		a.error = pid < 0 ? -pid : -pd_snapshot_wait(pid, &a.status);
		if (pd_raw_write(pd_session.zygote, &a, sizeof(a)) != sizeof(a))
			break;
	} while (next_seed(&seed));
	pd_raw(SYS_exit_group, 0, 0, 0, 0, 0, 0);
	__builtin_unreachable();
}
