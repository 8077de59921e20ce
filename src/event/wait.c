/* wait.c - see wait.h. */
#include "event/wait.h"

static const char *const wait_text[] = {
	[PD_WAIT_NOTHING] = "runs",
	[PD_WAIT_MUTEX] = "waits for mutex",
	[PD_WAIT_ROBUST] = "waits for robust mutex",
	[PD_WAIT_READ] = "waits to read-lock rwlock",
	[PD_WAIT_WRITE] = "waits to write-lock rwlock",
	[PD_WAIT_SPIN] = "waits for spinlock",
	[PD_WAIT_COND] = "waits for condition variable",
	[PD_WAIT_BARRIER] = "waits at barrier",
	[PD_WAIT_SEM] = "waits for semaphore",
	[PD_WAIT_ONCE] = "waits for the initialisation at",
	[PD_WAIT_FUTEX] = "waits for futex",
	[PD_WAIT_JOIN] = "waits to join thread",
	[PD_WAIT_SLEEP] = "sleeps",
	[PD_WAIT_ALL] = "has ended and waits for the others",
};

bool pd_waits_for_nobody(const struct pd_waits *w)
{
	for (uint32_t i = 0; i < pd_waits_listed(w); i++)
		if (w->v[i].held == PD_HOLDER_NOBODY)
			return true;
	return false;
}

void pd_waits_digest(struct pd_digest *d, const struct pd_waits *w)
{
	pd_digest_u64(d, w->n);
	for (uint32_t i = 0; i < pd_waits_listed(w); i++) {
		const struct pd_waiter *x = &w->v[i];

		pd_digest_u64(d, (uint64_t)x->thread << 32 | x->holder);
		pd_digest_u64(d, (uint64_t)x->wait << 8 | x->held);
		pd_digest_u64(d, x->on);
	}
}

static void put_waiter(struct pd_out *o, const struct pd_waiter *x)
{
	pd_outf(o, "thread %u %s", x->thread, wait_text[x->wait]);
	if (x->wait == PD_WAIT_JOIN)
		pd_outf(o, " %lu", (unsigned long)x->on);
	else if (x->on)
		pd_outf(o, " 0x%lx", (unsigned long)x->on);
	if (x->held == PD_HOLDER_NOBODY)
		pd_outs(o, ", which was locked before this execution started");
	else if (x->held)
		pd_outf(o, " held by thread %u%s", x->holder,
			x->held == PD_HOLDER_ENDED ? ", which has ended" : "");
}

void pd_waits_put(struct pd_out *o, const struct pd_waits *w)
{
	for (uint32_t i = 0; i < pd_waits_listed(w); i++) {
		pd_outs(o, i ? "; " : "");
		put_waiter(o, &w->v[i]);
	}
	if (w->n > PD_WAITERS)
		pd_outf(o, "; and %u more", w->n - PD_WAITERS);
}
