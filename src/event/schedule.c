/*
 * schedule.c - see schedule.h.
 *
 *	0                                  default
 *	LATE | nth << NTH | seed (32)     late
 *	TEST | which                       test
 *	LATE | TEST | turns                bounded
 *	HELD | seed                        held
 *	any other without these bits       pct, of that seed
 *
 * The length of a program is not known: schedules of PCT cover all lengths up to STEPS.
 */
#include "event/schedule.h"
#include "base/hash.h"

enum { NTH = 40, DEPTH = 3, STEPS = 2000, LENGTHS = 8 };

#define BOUNDED (PD_SCHEDULE_LATE | PD_SCHEDULE_TEST)
#define NOT_PCT (BOUNDED | PD_SCHEDULE_HELD)

const char *const pd_policy_name[PD_POLICIES] = {
	[PD_POLICY_DEFAULT] = "default", [PD_POLICY_PCT] = "pct",
	[PD_POLICY_LATE] = "late",	 [PD_POLICY_TEST] = "test",
	[PD_POLICY_BOUNDED] = "bounded", [PD_POLICY_HELD] = "held"};

struct pd_schedule pd_schedule_of(uint64_t number)
{
	if (!number)
		return (struct pd_schedule){.policy = PD_POLICY_DEFAULT};
	if ((number & BOUNDED) == BOUNDED)
		return (struct pd_schedule){.policy = PD_POLICY_BOUNDED,
					    .seed = number & (PD_SCHEDULE_TEST - 1)};
	if (number & PD_SCHEDULE_LATE)
		return (struct pd_schedule){.policy = PD_POLICY_LATE,
					    .seed = number & UINT32_MAX,
					    .nth = number >> NTH & 0xff};
	if (number & PD_SCHEDULE_TEST)
		return (struct pd_schedule){.policy = PD_POLICY_TEST,
					    .seed = number & (PD_SCHEDULE_TEST - 1)};
	if (number & PD_SCHEDULE_HELD)
		return (struct pd_schedule){.policy = PD_POLICY_HELD,
					    .seed = number & (PD_SCHEDULE_HELD - 1)};
	return (struct pd_schedule){.policy = PD_POLICY_PCT,
				    .seed = number,
				    .depth = DEPTH,
				    .steps = STEPS >> pd_mix(number) % LENGTHS};
}

uint64_t pd_schedule_number(const struct pd_schedule *s)
{
	if (s->policy == PD_POLICY_BOUNDED)
		return BOUNDED | (s->seed & (PD_SCHEDULE_TEST - 1));
	if (s->policy == PD_POLICY_LATE)
		return PD_SCHEDULE_LATE | (s->nth & 0xff) << NTH | (s->seed & UINT32_MAX);
	if (s->policy == PD_POLICY_TEST)
		return PD_SCHEDULE_TEST | (s->seed & (PD_SCHEDULE_TEST - 1));
	if (s->policy == PD_POLICY_HELD)
		return PD_SCHEDULE_HELD | (s->seed & (PD_SCHEDULE_HELD - 1));
	return s->policy == PD_POLICY_PCT ? s->seed & ~NOT_PCT & INT64_MAX : 0;
}
