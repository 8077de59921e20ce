/* interrupt.c - see interrupt.h. */
#include "host/interrupt.h"
#include <errno.h>
#include <signal.h>

static volatile sig_atomic_t came;
static volatile sig_atomic_t heir;

static void on_signal(int sig)
{
	int err = errno;

	came = sig;
	if (sig == SIGTERM && heir)
		kill(heir, sig);
	errno = err;
}

void pd_interrupt_catch(void)
{
	signal(SIGINT, on_signal);
	signal(SIGTERM, on_signal);
}

void pd_interrupt_release(void)
{
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
}

void pd_interrupt_pass_to(pid_t pid)
{
	heir = pid;
}

bool pd_interrupt_came(void)
{
	return came;
}

void pd_interrupt_forget(void)
{
	came = 0;
}

const char *pd_interrupt_name(void)
{
	return came == SIGTERM ? "SIGTERM" : "^C";
}
