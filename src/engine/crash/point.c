/* point.c - see point.h. */
#include "engine/crash/point.h"

enum { NUMBER_BITS = 20 };

static bool needs_pending(enum pd_event_kind kind)
{
	return kind == PD_EV_SFENCE || kind == PD_EV_MFENCE || kind == PD_EV_RMW;
}

bool pd_point_is(const struct pd_point *p)
{
	if (p->depth >= p->crashes)
		return false;
	if (p->kind == PD_EV_EXIT)
		return true;
	if (p->kind == PD_EV_MARK)
		return p->returned;
	if (p->kind == PD_EV_STORE && p->number == 1 && !p->depth)
		return true; /* in eADR this is the last moment of the files as they were */
	return p->stores && (p->pending || !needs_pending(p->kind));
}

bool pd_point_is_tried(const struct pd_point *p)
{
	if (!p->used_pm || p->random == PD_RANDOM_COUNT)
		return false;
	return !p->fixed || p->number == p->fixed ||
	       (p->kind == PD_EV_EXIT && p->fixed == PD_POINT_AT_END);
}

uint64_t pd_point_when(uint64_t before, uint32_t number, bool default_schedule)
{
	uint64_t when = before << NUMBER_BITS | PD_MIN(number, (1u << NUMBER_BITS) - 1);

	return default_schedule ? when : when | 1ULL << 63;
}

double pd_point_add_log10(double a, double b)
{
	double d = a > b ? a - b : b - a, m = a > b ? a : b;

	return d > 6 ? m : m + 0.30103 * (1 - d / 6);
}
