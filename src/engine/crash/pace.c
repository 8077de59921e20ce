/* pace.c - see pace.h. */
#include "engine/crash/pace.h"

enum {
	SLOWER = 4,	  /* times slower than the program ever was: it hangs */
	TICKS = 8,	  /* looks within the time that --hang gives */
	LONGEST_MS = 250, /* between two looks, at most */
	/* Budget of events: PER_MS for each ms of --hang, LEAST at least, and PER_EVENT for each
	 * event of the program */
	PER_MS = 400,
	LEAST = 4000000,
	PER_EVENT = 100,
	/* Budget of a trial. If a trial hangs, the final execution, which is not a trial, has to
	 * confirm it. */
	TRIAL_LEAST = 200000,
	TRIAL_PER_EVENT = 20,
	FEW = 3, /* hangs */
};

bool pd_pace_ask(struct pd_pace *p)
{
	uint32_t state = PD_PACE_UNKNOWN;

	__atomic_compare_exchange_n(&p->state, &state, PD_PACE_WANTED, false, __ATOMIC_ACQ_REL,
				    __ATOMIC_ACQUIRE);
	return state == PD_PACE_KNOWN;
}

void pd_pace_see(struct pd_pace_seen *s, uint64_t events, uint64_t computed, uint64_t now,
		 bool asleep, bool waits)
{
	if (events != s->events || waits)
		s->idle = 0;
	else
		s->idle += asleep ? now - s->now : computed - s->computed;
	s->events = events;
	s->computed = computed;
	s->now = now;
}

bool pd_pace_is_idle(const struct pd_pace_seen *s, struct pd_pace *program, uint64_t hang_ms)
{
	return s->idle / 1000 >= hang_ms && pd_pace_ask(program) &&
	       s->idle >= SLOWER * program->idle_us;
}

void pd_pace_ends(struct pd_pace *p, uint64_t spent)
{
	uint64_t was = __atomic_load_n(&p->longest, __ATOMIC_RELAXED);

	while (spent > was && !__atomic_compare_exchange_n(&p->longest, &was, spent, false,
							   __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

void pd_pace_used_up(struct pd_pace *p)
{
	__atomic_fetch_add(&p->hangs, 1, __ATOMIC_RELAXED);
}

uint64_t pd_pace_budget(const struct pd_pace *p, uint64_t hang_ms, uint64_t program_events,
			bool trial)
{
	uint64_t all = PD_MAX(LEAST, hang_ms * PER_MS) + PER_EVENT * program_events;
	uint64_t budget = trial || __atomic_load_n(&p->hangs, __ATOMIC_RELAXED) >= FEW
				  ? PD_MIN(all, TRIAL_LEAST + TRIAL_PER_EVENT * program_events)
				  : all;

	return PD_MAX(budget, SLOWER * __atomic_load_n(&p->longest, __ATOMIC_RELAXED));
}

uint64_t pd_pace_tick(uint64_t hang_ms)
{
	return PD_MAX(PD_MIN(hang_ms / TICKS, LONGEST_MS), 1);
}
