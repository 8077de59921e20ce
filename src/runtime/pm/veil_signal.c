/*
 * pm/veil_signal.c - the signals by which the veil works: SIGSEGV at a closed page, SIGTRAP one
 * instruction later; and SIGILL, at instructions that the runtime has replaced.
 *
 * The program's own settings for these signals are recorded, not applied; a signal that is not
 * the runtime's is passed to the program's handler by a call from here. Handlers of other signals
 * do not block them.
 *
 * Precision lost: the mask and stack that the program's own handler of one of them has asked for.
 */
#include "runtime/base/raw.h"
#include "runtime/thread/thread.h"
#include "runtime/thread/door.h"
#include "runtime/thread/real.h"
#include "runtime/pm/veil.h"
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <ucontext.h>

enum { TRAP_FLAG = 0x100, PAGE_FAULT_WRITES = 2 };

struct ours {
	int sig;
	bool on;
	struct sigaction theirs;
};

static struct ours fault = {.sig = SIGSEGV}, trap = {.sig = SIGTRAP}, illegal = {.sig = SIGILL};
static bool stepping;
static bool (*on_replaced)(greg_t *registers);

static void take(struct ours *o, void (*handler)(int, siginfo_t *, void *), int flags)
{
	struct sigaction act = {.sa_sigaction = handler,
				.sa_flags = SA_SIGINFO | SA_NODEFER | flags};
	uint64_t set = 1ULL << (o->sig - 1);

	if (o->on)
		return;
	o->on = pd_real.sigaction(o->sig, &act, &o->theirs) == 0;
	pd_raw(SYS_rt_sigprocmask, SIG_UNBLOCK, (long)&set, 0, sizeof(set), 0, 0);
}

/* Acts as if our handler did not exist. */
static void pass_on(struct ours *o, siginfo_t *info, void *context)
{
	struct sigaction act = o->theirs;

	if (act.sa_handler == SIG_IGN && info->si_code <= 0)
		return;
	if (act.sa_handler == SIG_DFL || act.sa_handler == SIG_IGN) {
		act.sa_handler = SIG_DFL;
		pd_real.sigaction(o->sig, &act, NULL);
		o->on = false;
		if (info->si_code <= 0) /* a fault recurs by itself */
			raise(o->sig);
		return;
	}
	if (act.sa_flags & SA_RESETHAND)
		o->theirs.sa_handler = SIG_DFL;
	if (act.sa_flags & SA_SIGINFO)
		act.sa_sigaction(o->sig, info, context);
	else
		act.sa_handler(o->sig);
}

static void end_step(greg_t *r)
{
	if (stepping)
		pd_veil_close();
	stepping = false;
	r[REG_EFL] &= ~TRAP_FLAG;
}

static void on_trap(int sig, siginfo_t *info, void *context)
{
	int saved = errno;

	(void)sig;
	if (stepping)
		end_step(((ucontext_t *)context)->uc_mcontext.gregs);
	else
		pass_on(&trap, info, context);
	errno = saved;
}

static void on_fault(int sig, siginfo_t *info, void *context)
{
	greg_t *r = ((ucontext_t *)context)->uc_mcontext.gregs;
	enum pd_veil_fault how = PD_VEIL_NONE;
	int saved = errno;

	(void)sig;
	if (info->si_code > 0 && pd_inside())
		how = pd_veil_fault((uint64_t)info->si_addr, r[REG_ERR] & PAGE_FAULT_WRITES,
				    (uintptr_t)r[REG_RIP]);
	if (how == PD_VEIL_STEP) {
		take(&trap, on_trap, SA_ONSTACK);
		stepping = true;
		r[REG_EFL] |= TRAP_FLAG;
	} else if (how == PD_VEIL_NONE) {
		end_step(r);
		errno = saved;
		pass_on(&fault, info, context);
		r[REG_RIP] = (greg_t)pd_veil_after_fault((uintptr_t)r[REG_RIP]);
	}
	errno = saved;
}

static void on_illegal(int sig, siginfo_t *info, void *context)
{
	int saved = errno;

	(void)sig;
	if (info->si_code <= 0 || !on_replaced(((ucontext_t *)context)->uc_mcontext.gregs))
		pass_on(&illegal, info, context);
	errno = saved;
}

void pd_veil_signals(void)
{
	take(&fault, on_fault, SA_ONSTACK);
}

/* On the thread's own stack: another thread may run before the handler returns. */
bool pd_veil_replaces(bool (*handle)(greg_t *registers))
{
	on_replaced = handle;
	take(&illegal, on_illegal, 0);
	return illegal.on;
}

static uint64_t set_of_ours(void)
{
	return (pd_veil_on ? 1ULL << (SIGSEGV - 1) | 1ULL << (SIGTRAP - 1) : 0) |
	       (illegal.on ? 1ULL << (SIGILL - 1) : 0);
}

uint64_t pd_veil_unblocked(uint64_t mask)
{
	return mask & ~set_of_ours();
}

/* ---- what the program sets ------------------------------------------------------------------ */

static struct ours *find_taken(int sig)
{
	struct ours *o = sig == SIGSEGV	  ? &fault
			 : sig == SIGTRAP ? &trap
			 : sig == SIGILL  ? &illegal
					  : NULL;

	return o && o->on ? o : NULL;
}

PD_EXPORT int sigaction(int sig, const struct sigaction *restrict act,
			struct sigaction *restrict old)
{
	struct ours *o = find_taken(sig);
	struct sigaction was, mine;

	pd_thread_driven(); /* loads libc's own functions */
	if (o) {
		was = o->theirs;
		if (act)
			o->theirs = *act;
		if (old)
			*old = was;
		return 0;
	}
	if (act && set_of_ours()) {
		mine = *act;
		if (pd_veil_on) {
			sigdelset(&mine.sa_mask, SIGSEGV);
			sigdelset(&mine.sa_mask, SIGTRAP);
		}
		if (illegal.on)
			sigdelset(&mine.sa_mask, SIGILL);
		act = &mine;
	}
	return pd_real.sigaction(sig, act, old);
}

static sighandler_t set_handler(struct ours *o, sighandler_t handler, int flags)
{
	sighandler_t was = o->theirs.sa_handler;

	o->theirs = (struct sigaction){.sa_handler = handler, .sa_flags = flags};
	return was;
}

PD_EXPORT sighandler_t signal(int sig, sighandler_t handler)
{
	struct ours *o = find_taken(sig);

	pd_thread_driven();
	return o ? set_handler(o, handler, SA_RESTART) : pd_real.signal(sig, handler);
}

/* libc has each of the two under several names. */
sighandler_t __sysv_signal(int sig, sighandler_t handler);
sighandler_t bsd_signal(int sig, sighandler_t handler);

PD_EXPORT sighandler_t __sysv_signal(int sig, sighandler_t handler)
{
	struct ours *o = find_taken(sig);

	pd_thread_driven();
	return o ? set_handler(o, handler, SA_RESETHAND | SA_NODEFER)
		 : pd_real.__sysv_signal(sig, handler);
}

PD_EXPORT sighandler_t sysv_signal(int sig, sighandler_t handler)
{
	return __sysv_signal(sig, handler);
}

PD_EXPORT sighandler_t bsd_signal(int sig, sighandler_t handler)
{
	return signal(sig, handler);
}

PD_EXPORT sighandler_t ssignal(int sig, sighandler_t handler)
{
	return signal(sig, handler);
}
