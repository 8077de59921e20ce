/* pick.c - see pick.h. */
#include "engine/crash/pick.h"
#include "engine/crash/least.h"
#include "engine/crash/random.h"

int64_t pd_pick(const struct pd_wish *w, uint32_t at, const struct pd_line *line,
		const pd_classes *classes)
{
	if (w->forced)
		return pd_least_pick(w->suspects, line, classes);
	if (at < w->npick)
		return w->picks[at] < classes->n ? (int64_t)w->picks[at] : PD_PICK_DIVERGED;
	if (w->random)
		return pd_random_pick(w->random, w->bias, at, classes->n);
	return w->narrow ? 0 : PD_PICK_ALL;
}
