/*
 * session/death.c - records where a watched run dies. See watch.h.
 *
 * As in a recovery (check/fail.c): a signal that is about to kill the process goes through a
 * handler on its own stack, which records the calls that led there, restores the default and
 * returns, so that the process dies as it would have. A handler that the program installs replaces
 * this one; then the place is not known. pd_check() does not end a run; the first one that fails is
 * kept.
 *
 * A fault in the core (model, engines) is perdure's own, whatever the program did: the core never
 * follows a pointer of the program's. (A program that runs out of stack may do so in our code.)
 */
#include "runtime/base/listen.h"
#include "runtime/base/raw.h"
#include "runtime/session/watch.h"
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <ucontext.h>

enum { STACK = 64 << 10, MASK_BYTES = 8 };

PD_OWN bool pd_death_out_of_stack;

/* The core's code, in a library that sets it apart (runtime.mk); else both are NULL. */
extern const char __start_pd_core[] __attribute__((weak, visibility("hidden")));
extern const char __stop_pd_core[] __attribute__((weak, visibility("hidden")));

static bool is_core(uint64_t pc)
{
	return pc - (uintptr_t)__start_pd_core < (uint64_t)(__stop_pd_core - __start_pd_core);
}

/* The kernel reads a mask before it looks at what is to be done with it. */
static bool is_readable(uint64_t at)
{
	return pd_raw(SYS_rt_sigprocmask, -1, (long)at, 0, MASK_BYTES, 0, 0) != -EFAULT;
}

/* It faults where its stack ends. */
static bool is_out_of_stack(int sig, const siginfo_t *info, const greg_t *r)
{
	uint64_t at = (uint64_t)info->si_addr, sp = (uint64_t)r[REG_RSP];

	return sig == SIGSEGV && info->si_code > 0 && at - (sp - STACK) < 2 * STACK;
}

/* In the core, or in a function of libc that has no frame and that the core has called. */
static void fail_if_ours(int sig, const siginfo_t *info, const greg_t *r)
{
	uint64_t sp = (uint64_t)r[REG_RSP], pc = (uint64_t)r[REG_RIP];

	if (info->si_code <= 0 || pd_death_out_of_stack)
		return;
	if (!is_core(pc) && is_readable(sp))
		pc = *(const uint64_t *)sp;
	if (!is_core(pc))
		return;
	pd_rt.defect = true;
	pd_rt_fail(4,
		   "defect in perdure's runtime: signal %d at libperdure_rt.so, pd_core+0x%lx "
		   "(unless the program stores to wild addresses); please report it",
		   sig, pc - (uintptr_t)__start_pd_core);
}

static void (*on_death)(int sig);

static void on_signal(int sig, siginfo_t *info, void *context)
{
	const greg_t *r = ((ucontext_t *)context)->uc_mcontext.gregs;
	struct sigaction normal = {.sa_handler = SIG_DFL};

	pd_death_out_of_stack = is_out_of_stack(sig, info, r);
	fail_if_ours(sig, info, r);
	sigaction(sig, &normal, NULL);
	if (on_death)
		on_death(sig);
}

static void note_signal(int sig)
{
	struct pd_channel *c = pd_rt.channel;

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

void pd_death_catch(void (*handler)(int sig))
{
	static const int deadly[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
	struct sigaction act = {.sa_sigaction = on_signal, .sa_flags = SA_ONSTACK | SA_SIGINFO};
	stack_t stack = {.ss_sp = pd_raw_borrow(STACK), .ss_size = STACK};

	on_death = handler;
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
