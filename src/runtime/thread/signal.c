/*
 * thread/signal.c - signals of threads that share one kernel thread.
 *
 * The mask and the alternate stack belong to the kernel thread. Each thread's own are recorded when
 * it sets them, and swapped in at a switch if the two threads differ; until a thread sets one,
 * switches cost nothing. A signal sent to another thread is pending there until that thread runs:
 * it is then raised on its own stack, under its own mask. A blocked thread is roused for it.
 *
 * Precision lost: a handler that switches threads leaves its own mask to the next thread, until it
 * runs again. Signals from outside the process reach the running thread.
 *
 * sigwait and its kin, sigsuspend and pause poll, and let others run in between; their timeouts are
 * virtual time.
 */
#include "runtime/base/raw.h"
#include "runtime/base/rt.h"
#include "runtime/thread/sched.h"
#include "runtime/thread/thread.h"
#include "runtime/thread/real.h"
#include "runtime/thread/trap.h"
#include <errno.h>
#include <string.h>

enum { NSIG_BYTES = 8 };

static bool used;

bool pd_thread_signals_used(void)
{
	return used;
}

static uint64_t kernel_mask(int how, const uint64_t *set)
{
	uint64_t old = 0;

	pd_raw(SYS_rt_sigprocmask, how, (long)set, (long)&old, NSIG_BYTES, 0, 0);
	return old;
}

/* Others may run before it is restored, if the program's allocator waits: with their own masks. */
void pd_thread_signals_block(uint64_t *old)
{
	uint64_t everything = pd_trap_unblocked(UINT64_MAX);

	*old = kernel_mask(SIG_SETMASK, &everything);
	pd_sched.cur->mask = everything;
	used |= pd_thread_own_malloc;
}

void pd_thread_signals_restore(uint64_t old)
{
	kernel_mask(SIG_SETMASK, &old);
	pd_sched.cur->mask = old;
}

void pd_thread_signals_inherit(struct pd_thread *t, const pthread_attr_t *attr)
{
	sigset_t set;

	t->mask = kernel_mask(SIG_SETMASK, NULL);
	t->altstack.ss_flags = SS_DISABLE;
	if (attr && pthread_attr_getsigmask_np(attr, &set) == 0) {
		memcpy(&t->mask, &set, sizeof(t->mask));
		t->mask = pd_trap_unblocked(t->mask);
		used = true;
	}
	if (!t->number)
		pd_real.sigaltstack(NULL, &t->altstack);
}

static bool same_altstack(const struct pd_thread *a, const struct pd_thread *b)
{
	return a->altstack.ss_flags == b->altstack.ss_flags &&
	       a->altstack.ss_sp == b->altstack.ss_sp && a->altstack.ss_size == b->altstack.ss_size;
}

void pd_thread_signals_swap(struct pd_thread *from, struct pd_thread *to)
{
	if (from->mask != to->mask)
		kernel_mask(SIG_SETMASK, &to->mask);
	if (!same_altstack(from, to))
		pd_raw(SYS_sigaltstack, (long)&to->altstack, 0, 0, 0, 0, 0);
}

void pd_thread_signals_deliver(struct pd_thread *self)
{
	long pid = pd_raw(SYS_getpid, 0, 0, 0, 0, 0, 0);

	while (self->pending & ~self->mask) {
		int sig = __builtin_ctzll(self->pending & ~self->mask) + 1;
		struct sigaction act;

		self->pending &= ~(1ULL << (sig - 1));
		sigaction(sig, NULL, &act);
		if (act.sa_handler != SIG_DFL && act.sa_handler != SIG_IGN) {
			self->handled = true;
			self->eintr |= !(act.sa_flags & SA_RESTART);
		}
		pd_raw(SYS_tgkill, pid, pd_sched.kernel, sig, 0, 0, 0);
	}
}

/* ---- sending -------------------------------------------------------------------------------- */

static int send_to(struct pd_thread *t, int sig)
{
	if (!t)
		return ESRCH;
	if (sig < 0 || sig > 64)
		return EINVAL;
	if (!sig || t->ended)
		return 0;
	t->pending |= 1ULL << (sig - 1);
	if (t == pd_sched.cur)
		pd_thread_signals_deliver(t);
	else if (!(t->mask & 1ULL << (sig - 1)))
		pd_sched_rouse(t, PD_WAKE_INTERRUPT);
	pd_sched_point();
	return 0;
}

PD_EXPORT int pthread_kill(pthread_t real, int sig)
{
	if (!pd_thread_driven())
		return pd_real.pthread_kill(real, sig);
	return send_to(pd_thread_find(real), sig);
}

/* The value is lost: several signals of one number become one, as for ordinary signals. */
PD_EXPORT int pthread_sigqueue(pthread_t real, int sig, const union sigval value)
{
	if (!pd_thread_driven())
		return pd_real.pthread_sigqueue(real, sig, value);
	if (pd_thread_find(real) == pd_sched.cur) {
		int r;

		pd_thread_show_kernel(pd_sched.cur);
		r = pd_real.pthread_sigqueue(real, sig, value);
		pd_thread_show_own(pd_sched.cur);
		return r;
	}
	pd_rt_loss(PD_LOSS_SYSCALL, 0, "pthread_sigqueue to another thread");
	return send_to(pd_thread_find(real), sig);
}

PD_EXPORT int tgkill(pid_t pid, pid_t tid, int sig)
{
	struct pd_thread *t;
	int r;

	if (!pd_thread_driven())
		return pd_real.tgkill(pid, tid, sig);
	t = pd_thread_find_tid((uint32_t)tid);
	if (!t)
		return pd_real.tgkill(pid, tid, sig);
	r = send_to(t, sig);
	if (r)
		errno = r;
	return r ? -1 : 0;
}

PD_EXPORT pid_t gettid(void)
{
	return pd_thread_driven() ? (pid_t)pd_sched.cur->tid : pd_real.gettid();
}

/* ---- masks and stacks ----------------------------------------------------------------------- */

static void note_mask(struct pd_thread *self)
{
	uint64_t mask = kernel_mask(SIG_SETMASK, NULL);

	self->mask = pd_trap_unblocked(mask);
	if (self->mask != mask)
		kernel_mask(SIG_SETMASK, &self->mask);
	used = true;
	if (self->pending & ~self->mask)
		pd_thread_signals_deliver(self);
}

PD_EXPORT int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
	int r;

	if (!pd_thread_driven())
		return pd_real.pthread_sigmask(how, set, old);
	r = pd_real.pthread_sigmask(how, set, old);
	if (!r && set)
		note_mask(pd_sched.cur);
	return r;
}

PD_EXPORT int sigprocmask(int how, const sigset_t *restrict set, sigset_t *restrict old)
{
	int r;

	if (!pd_thread_driven())
		return pd_real.sigprocmask(how, set, old);
	r = pd_real.sigprocmask(how, set, old);
	if (!r && set)
		note_mask(pd_sched.cur);
	return r;
}

PD_EXPORT int sigaltstack(const stack_t *restrict stack, stack_t *restrict old)
{
	int r;

	pd_thread_driven();
	r = pd_real.sigaltstack(stack, old);
	if (!r && stack && pd_thread_driven()) {
		pd_sched.cur->altstack = *stack;
		used = true;
	}
	return r;
}

/* ---- waiting for a signal ------------------------------------------------------------------- */

static int take_own_pending(struct pd_thread *self, const sigset_t *set, siginfo_t *info)
{
	int sig;

	for (sig = 1; sig <= 64; sig++) {
		if (!(self->pending & 1ULL << (sig - 1)) || sigismember(set, sig) != 1)
			continue;
		self->pending &= ~(1ULL << (sig - 1));
		if (info) {
			memset(info, 0, sizeof(*info));
			info->si_signo = sig;
			info->si_code = SI_TKILL;
			info->si_pid = (pid_t)pd_raw(SYS_getpid, 0, 0, 0, 0, 0, 0);
		}
		return sig;
	}
	return 0;
}

static int wait_signal(const sigset_t *set, siginfo_t *info, uint64_t deadline)
{
	struct pd_thread *self = pd_sched.cur;

	for (;;) {
		int sig = take_own_pending(self, set, info);

		pd_thread_testcancel();
		if (sig)
			return sig;
		sig = (int)pd_raw(SYS_rt_sigtimedwait, (long)set, (long)info,
				  (long)&(struct timespec){0}, NSIG_BYTES, 0, 0);
		if (sig > 0)
			return sig;
		if (pd_sched_clock() >= deadline)
			return -EAGAIN;
		if (pd_sched_idle())
			continue;
		/* No other thread can send it: it comes from outside, or never. */
		if (deadline != PD_NEVER)
			pd_sched_advance(deadline);
		else
			return (int)pd_raw(SYS_rt_sigtimedwait, (long)set, (long)info, 0,
					   NSIG_BYTES, 0, 0);
	}
}

/*
 * Waits until a handler has run on this thread, under another mask. If no other thread can send the
 * signal, it comes from outside.
 */
static int suspend(uint64_t mask)
{
	struct pd_thread *self = pd_sched.cur;
	uint64_t old = self->mask;
	bool waits = true;

	self->mask = mask;
	self->handled = false;
	used = true;
	kernel_mask(SIG_SETMASK, &mask);
	while (waits && !self->handled) {
		pd_thread_testcancel();
		pd_thread_signals_deliver(self);
		if (!self->handled)
			waits = pd_sched_idle();
	}
	if (!self->handled)
		pd_raw(SYS_rt_sigsuspend, (long)&mask, NSIG_BYTES, 0, 0, 0, 0);
	self->mask = old;
	kernel_mask(SIG_SETMASK, &old);
	errno = EINTR;
	return -1;
}

PD_EXPORT int sigsuspend(const sigset_t *set)
{
	uint64_t mask;

	if (!pd_thread_driven())
		return pd_real.sigsuspend(set);
	memcpy(&mask, set, sizeof(mask));
	return suspend(pd_trap_unblocked(mask));
}

PD_EXPORT int pause(void)
{
	return pd_thread_driven() ? suspend(pd_sched.cur->mask) : pd_real.pause();
}

static int as_errno(int r)
{
	if (r < 0)
		errno = -r;
	return r < 0 ? -1 : r;
}

PD_EXPORT int sigwait(const sigset_t *restrict set, int *restrict sig)
{
	int r;

	if (!pd_thread_driven())
		return pd_real.sigwait(set, sig);
	do
		r = wait_signal(set, NULL, PD_NEVER);
	while (r == -EINTR);
	if (r < 0)
		return -r;
	*sig = r;
	return 0;
}

PD_EXPORT int sigwaitinfo(const sigset_t *restrict set, siginfo_t *restrict info)
{
	if (!pd_thread_driven())
		return pd_real.sigwaitinfo(set, info);
	return as_errno(wait_signal(set, info, PD_NEVER));
}

PD_EXPORT int sigtimedwait(const sigset_t *restrict set, siginfo_t *restrict info,
			   const struct timespec *restrict rel)
{
	if (!pd_thread_driven())
		return pd_real.sigtimedwait(set, info, rel);
	return as_errno(wait_signal(set, info, rel ? pd_sched_after(rel) : PD_NEVER));
}
