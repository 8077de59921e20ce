/*
 * session/death.c - records where a watched run dies. See watch.h.
 *
 * As in a recovery (check/fail.c): a signal that is about to kill the process goes through a
 * handler on its own stack, which records the calls that led there, restores the default and
 * returns, so that the process dies as it would have. A handler that the program installs replaces
 * this one; then the place is not known. pd_check() does not end a run; the first one that fails is
 * kept.
 */
#include "runtime/base/listen.h"
#include "runtime/base/raw.h"
#include "runtime/session/watch.h"
#include <signal.h>
#include <string.h>

enum { STACK = 64 << 10 };

static void note_signal(int sig)
{
	struct sigaction normal = {.sa_handler = SIG_DFL};
	struct pd_channel *c = pd_rt.channel;

	sigaction(sig, &normal, NULL);
	if (c->death_signal)
		return; /* another signal, while this one is handled */
	c->death_signal = (uint32_t)sig;
	c->death_place = pd_watch_place();
}

static void check_failed(const char *text, const char *file, int line)
{
	struct pd_channel *c = pd_rt.channel;

	if (*c->check_what)
		return;
	strncpy(c->check_what, text, sizeof(c->check_what) - 1);
	strncpy(c->check_file, file, sizeof(c->check_file) - 1);
	c->check_line = (uint32_t)line;
	c->check_place = pd_watch_place();
}

void pd_death_catch(void (*on_signal)(int))
{
	static const int deadly[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
	struct sigaction act = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
	stack_t stack = {.ss_sp = pd_raw_borrow(STACK), .ss_size = STACK};

	if (stack.ss_sp)
		pd_raw(SYS_sigaltstack, (long)&stack, 0, 0, 0, 0, 0);
	for (uint32_t i = 0; i < PD_LEN(deadly); i++)
		sigaction(deadly[i], &act, NULL);
}

void pd_death_watch(void)
{
	static const struct pd_listener listener = {.check_failed = check_failed};

	pd_death_catch(note_signal);
	pd_listen_add(&listener);
}
